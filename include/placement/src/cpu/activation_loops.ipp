#pragma once
/// Definitions of activation_loops.hpp: functions by their loops, and loops over vector registers
/// of the level in use.

#include <placement/config.hpp>
#include <placement/cpu/activation_loops.hpp>
#include <placement/cpu/register_loop.hpp>
#include <placement/kernels/simd_register.hpp>
#include <placement/math/bits.hpp>

#include <cstddef>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

// ---- what is not a function, of registers

/// x p, or 0 where p is 0 and x may be infinite.
struct gated_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x, V const& p) {
    V const zero{};
    y = p == zero ? zero : x * p;
  }
};
/// The same for the probability p = (1 + e) / 2.
struct half_gated_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x, V const& e) {
    using T = simd::detail::lane_t<V>;
    V const zero{}, half = zero + T(0.5), p = half + half * e;
    gated_lanes::apply<N>(y, x, p);
  }
};
struct scaled_by_root_of_half_lanes {
  template <int N, class V> PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x) {
    y = x * static_cast<simd::detail::lane_t<V>>(0x1.6a09e667f3bcdp-1);
  }
};
/// sqrt(2 / pi) (x + 0.044715 x^3).
struct cubic_lanes {
  template <int N, class V> PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x) {
    using T = simd::detail::lane_t<V>;
    y = (x + x * x * x * static_cast<T>(0.044715)) * static_cast<T>(0x1.9884533d43651p-1);
  }
};
/// x, or alpha e where x is negative.
struct elu_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x, V const& e, V const& alpha) {
    V const zero{};
    y = x < zero ? alpha * e : x;
  }
};
/// -|x|.
struct negative_magnitude_lanes {
  template <int N, class V> PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x) {
    using bits = lanes<math::bits_of<simd::detail::lane_t<V>>, N>;
    V const zero{}, sign = -zero;
    y = __builtin_bit_cast(
        V, static_cast<bits>(__builtin_bit_cast(bits, x) | __builtin_bit_cast(bits, sign)));
  }
};
/// max(x, 0) + more.
struct positive_sum_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x, V const& more) {
    V const zero{};
    y = (x <= zero ? zero : x) + more;
  }
};

/// Calls f(to, x, m, some) for parts of m elements. `some` has memory for as many, in the first
/// cache.
template <class T, class F> void for_each_part(T* to, T const* x, index_t n, F const& f) {
  constexpr index_t length = 256;
  alignas(64) T some[static_cast<std::size_t>(length)];
  for (index_t i = 0; i < n; i += length)
    f(to + i, x + i, n - i < length ? n - i : length, static_cast<T*>(some));
}

template <class T> void activation_loops<T>::elu(T* to, T const* x, T alpha, index_t n) {
  for_each_part(to, x, n, [&](T* out, T const* in, index_t m, T* some) {
    expm1_loop(some, in, m);
    run_registers<elu_lanes>(out, m, in, static_cast<T const*>(some), alpha);
  });
}
template <class T> void activation_loops<T>::gelu_by_erf(T* to, T const* x, index_t n) {
  for_each_part(to, x, n, [](T* out, T const* in, index_t m, T* some) {
    run_registers<scaled_by_root_of_half_lanes>(some, m, in);
    erf_loop(some, some, m);
    run_registers<half_gated_lanes>(out, m, in, static_cast<T const*>(some));
  });
}
template <class T> void activation_loops<T>::gelu_by_tanh(T* to, T const* x, index_t n) {
  for_each_part(to, x, n, [](T* out, T const* in, index_t m, T* some) {
    run_registers<cubic_lanes>(some, m, in);
    tanh_loop(some, some, m);
    run_registers<half_gated_lanes>(out, m, in, static_cast<T const*>(some));
  });
}
template <class T> void activation_loops<T>::leaky_relu(T* to, T const* x, T alpha, index_t n) {
  run_registers<elu_lanes>(to, n, x, x, alpha);
}
template <class T> void activation_loops<T>::silu(T* to, T const* x, index_t n) {
  for_each_part(to, x, n, [](T* out, T const* in, index_t m, T* some) {
    sigmoid_loop(some, in, m);
    run_registers<gated_lanes>(out, m, in, static_cast<T const*>(some));
  });
}
template <class T> void activation_loops<T>::softplus(T* to, T const* x, index_t n) {
  for_each_part(to, x, n, [](T* out, T const* in, index_t m, T* some) {
    run_registers<negative_magnitude_lanes>(some, m, in);
    exp_loop(some, some, m);
    log1p_loop(some, some, m);
    run_registers<positive_sum_lanes>(out, m, in, static_cast<T const*>(some));
  });
}

#if defined(PLACEMENT_EMIT_DEFINITIONS)
template struct activation_loops<float>;
template struct activation_loops<double>;
#endif

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
