#pragma once
/// A loop over vector registers of the level in use. Included by definitions in src/.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/kernels/pack.hpp>
#include <placement/shape/extents.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Operands of a loop. begin: before its registers. load: the N elements from i on. load_rest: m of
/// them, and ones in the other lanes.
template <class T> struct memory_operand {
  using element = T;
  T const* p;

  template <int N> PLACEMENT_ALWAYS_INLINE void begin(lanes<T, N>&) const {}
  template <int N> PLACEMENT_ALWAYS_INLINE void load(lanes<T, N>& x, index_t i) const {
    std::memcpy(&x, p + i, sizeof x);
  }
  template <int N>
  PLACEMENT_ALWAYS_INLINE void load_rest(lanes<T, N>& x, index_t i, index_t m) const {
    T some[static_cast<std::size_t>(N)];
    for (int j = 0; j != N; ++j) some[j] = 1;
    std::memcpy(some, p + i, static_cast<std::size_t>(m) * sizeof(T));
    std::memcpy(&x, some, sizeof x);
  }
};
/// A number, which stays in its register.
template <class T> struct number_operand {
  using element = T;
  T number;

  template <int N> PLACEMENT_ALWAYS_INLINE void begin(lanes<T, N>& x) const {
    T some[static_cast<std::size_t>(N)];
    for (int j = 0; j != N; ++j) some[j] = number;
    std::memcpy(&x, some, sizeof x);
  }
  template <int N> PLACEMENT_ALWAYS_INLINE void load(lanes<T, N>&, index_t) const {}
  template <int N> PLACEMENT_ALWAYS_INLINE void load_rest(lanes<T, N>&, index_t, index_t) const {}
};
template <class T> memory_operand<T> loop_operand(T const* p) { return {p}; }
template <class T> number_operand<T> loop_operand(T number) { return {number}; }

/// F::apply<N>(y, x...) for each register y of results. The last ones are a register, too,
/// with elements before them.
template <class F, class R, class... X> struct register_loop {
  R* to;
  index_t n;
  pack<X...> x;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    write<Bytes / static_cast<int>(sizeof(R))>(std::index_sequence_for<X...>{});
  }
  template <int N, std::size_t... I>
  PLACEMENT_ALWAYS_INLINE void write(std::index_sequence<I...>) const {
    R* const out = to;  // copies, which stores to memory leave in registers
    index_t const end = n;
    pack<X...> const in = x;
    pack<lanes<typename X::element, N>...> from{};
    lanes<R, N> y{};
    (slot_value<I>(in).template begin<N>(slot_value<I>(from)), ...);
    pack<lanes<typename X::element, N>...> last = from;
    if (end >= N)  // before a store changes them
      (slot_value<I>(in).template load<N>(slot_value<I>(last), end - N), ...);
    index_t i = 0;
    for (; end - i >= N; i += N) {
      (slot_value<I>(in).template load<N>(slot_value<I>(from), i), ...);
      F::template apply<N>(y, slot_value<I>(from)...);
      std::memcpy(out + i, &y, sizeof y);
    }
    if (i == end) return;
    if (end >= N) {
      F::template apply<N>(y, slot_value<I>(last)...);
      std::memcpy(out + end - N, &y, sizeof y);
      return;
    }
    (slot_value<I>(in).template load_rest<N>(slot_value<I>(from), i, end - i), ...);
    F::template apply<N>(y, slot_value<I>(from)...);
    R rest[static_cast<std::size_t>(N)];
    std::memcpy(rest, &y, sizeof y);
    std::memcpy(out + i, rest, static_cast<std::size_t>(end - i) * sizeof(R));
  }
};
/// The loop of F for the level in use. An operand is an address or a number.
template <class F, class R, class... X> void run_registers(R* to, index_t n, X... x) {
  run_by_width(register_loop<F, R, decltype(loop_operand(x))...>{to, n, {{loop_operand(x)}...}});
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
