// Eight accumulators of the widest vectors, in huge pages. NaN is not handled.

#include <memory.hpp>

#include "rows.hpp"

#include <limits>
#include <utility>

struct limit {
  static constexpr char const* name = "limit";
  using vec = bench::vector_of<float>::type;
  static constexpr std::size_t width = bench::vector_of<float>::width, lanes = 8;

  using floats = std::pair<bench::aligned<float>, std::size_t>;
  static floats array(benchmark::State const& state) {
    std::vector<float> const from = bench::mixed(state);
    bench::aligned<float> to(from.size(), 0);
    for (std::size_t i = 0; i != from.size(); ++i) to.data()[i] = from[i];
    return {std::move(to), from.size()};
  }

  template <class F> static float folded(floats const& a, float start, F const& f) {
    auto const* const p = reinterpret_cast<vec const*>(a.first.data());
    vec all[lanes];
    for (vec& each : all) each = start - vec{};
    for (std::size_t i = 0; i != a.second / width; i += lanes) {
#pragma GCC unroll 8
      for (std::size_t k = 0; k != lanes; ++k) all[k] = f(all[k], p[i + k]);
    }
    for (std::size_t k = 1; k != lanes; ++k) all[0] = f(all[0], all[k]);
    float result = all[0][0];
    for (std::size_t i = 1; i != width; ++i) result = f(result, all[0][i]);
    return result;
  }
  static float sum(floats const& a) {
    return folded(a, 0, [](auto x, auto y) { return x + y; });
  }
  static float mean(floats const& a) { return sum(a) / static_cast<float>(a.second); }
  static float max(floats const& a) {
    return folded(a, -std::numeric_limits<float>::infinity(),
                  [](auto x, auto y) { return y > x ? y : x; });
  }
  static float min(floats const& a) {
    return folded(a, std::numeric_limits<float>::infinity(),
                  [](auto x, auto y) { return y < x ? y : x; });
  }
  /// The largest element first, then its index.
  static std::size_t argmax(floats const& a) {
    float const largest = max(a);
    auto const* const p = reinterpret_cast<vec const*>(a.first.data());
    using mask = decltype(*p == largest);
    for (std::size_t i = 0; i != a.second / width; i += lanes) {
      mask any{};
      for (std::size_t k = 0; k != lanes; ++k) any |= p[i + k] == largest;
      std::int64_t parts[sizeof(mask) / sizeof(std::int64_t)], found = 0;
      __builtin_memcpy(parts, &any, sizeof any);
      for (std::int64_t part : parts) found |= part;
      if (found == 0) continue;
      std::size_t at = i * width;
      while (a.first.data()[at] != largest) ++at;
      return at;
    }
    return 0;
  }
};
static bench::reduction_rows<limit> const rows;
