#pragma once
/// Definitions of step_loops.hpp: loops over vector registers of the level in use.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/lane_numbers.hpp>
#include <placement/cpu/step_loops.hpp>
#include <placement/cpu/widen_lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Numbers of elements are int32 for floats. For doubles they are doubles, which are exact.
template <class T, class S> struct step_work {
  T* to;
  index_t first, n;
  S start, step;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr int N = Bytes / static_cast<int>(sizeof(S));
    using V = lane_numbers<S, N, 1>;
    using counter = std::conditional_t<sizeof(S) == 4, std::int32_t, double>;
    step_work const s = *this;  // a copy, which stores to memory leave in registers
    counter numbers[static_cast<std::size_t>(N)];
    for (int j = 0; j != N; ++j) numbers[j] = static_cast<counter>(s.first + j);
    lanes<counter, N> number;
    std::memcpy(&number, numbers, sizeof number);
    V const from(s.start), by(s.step);
    index_t i = 0;
    lanes<T, N> y;
    for (; s.n - i >= N; i += N) {
      at(y, number, from, by);
      number = number + counter{N};
      std::memcpy(s.to + i, &y, sizeof y);
    }
    if (i == s.n) return;
    at(y, number, from, by);
    T some[static_cast<std::size_t>(N)];
    std::memcpy(some, &y, sizeof y);
    for (index_t j = 0; i != s.n; ++i, ++j) s.to[i] = some[j];
  }

 private:
  template <class R, class C, class V>
  PLACEMENT_ALWAYS_INLINE static void at(R& y, C const& number, V const& from, V const& by) {
    V i;
    i.v[0] = __builtin_convertvector(number, typename V::register_type);
    V const x = from + rounded_product(i, by);
    lanes<S, V::lanes_each> const one = x.v[0];
    if constexpr (std::is_same_v<T, S>) y = one;
    else narrow_lanes<V::lanes_each>(y, one);
  }
};

PLACEMENT_INLINE void step_loop(float* to, index_t first, index_t n, float start, float step) {
  run_by_width(step_work<float, float>{to, first, n, start, step});
}
PLACEMENT_INLINE void step_loop(float* to, index_t first, index_t n, double start, double step) {
  run_by_width(step_work<float, double>{to, first, n, start, step});
}
PLACEMENT_INLINE void step_loop(double* to, index_t first, index_t n, double start, double step) {
  run_by_width(step_work<double, double>{to, first, n, start, step});
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
