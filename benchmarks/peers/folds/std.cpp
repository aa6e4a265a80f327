#include "rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

struct standard {
  static constexpr char const* name = "std";
  using floats = std::vector<float>;

  static floats array(benchmark::State const& state) { return bench::mixed(state); }
  static float sum(floats const& a) { return std::reduce(a.begin(), a.end()); }
  static float mean(floats const& a) { return sum(a) / static_cast<float>(a.size()); }
  static float max(floats const& a) { return *std::max_element(a.begin(), a.end()); }
  static float min(floats const& a) { return *std::min_element(a.begin(), a.end()); }
  static auto argmax(floats const& a) {
    return std::distance(a.begin(), std::max_element(a.begin(), a.end()));
  }
  static float norm(floats const& a) {
    return std::sqrt(std::transform_reduce(a.begin(), a.end(), a.begin(), 0.f));
  }
  static bool any(floats const& a) {
    return std::any_of(a.begin(), a.end(), [](float x) { return x > 2; });
  }
  static bool all(floats const& a) {
    return std::all_of(a.begin(), a.end(), [](float x) { return x < 2; });
  }
};
static bench::reduction_rows<standard> const rows;
