#pragma once
/// Definitions of complex_loops.hpp.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/complex_loops.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/cpu/magnitude_loop.hpp>
#include <placement/kernels/simd_register.hpp>
#include <placement/math/complex.hpp>

#include <cstring>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

template <class V, int... J>
PLACEMENT_ALWAYS_INLINE inline void shuffle_to(V& to, V const& a, V const& b,
                                               std::integer_sequence<int, J...>) {
  using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
  to = PLACEMENT_SHUFFLE(a, b, J...);
}
/// Lane j of `to` is lane j + Even of x where j is even, else lane j - Odd.
template <int Even, int Odd, class V, int... J>
PLACEMENT_ALWAYS_INLINE inline void shuffle_pairs(V& to, V const& x,
                                                  std::integer_sequence<int, J...>) {
  shuffle_to(to, x, x, std::integer_sequence<int, (J % 2 == 0 ? J + Even : J - Odd)...>{});
}
/// Every second of the lanes of a, then b.
template <int First, class V, int... J>
PLACEMENT_ALWAYS_INLINE inline void shuffle_halves(V& to, V const& a, V const& b,
                                                   std::integer_sequence<int, J...>) {
  shuffle_to(to, a, b, std::integer_sequence<int, (First + 2 * J)...>{});
}
/// The signs of the real parts, of the imaginary ones, or both, as numbers.
template <bool Real, bool Imag, class R, int N>
PLACEMENT_ALWAYS_INLINE inline void set_signs(lanes<R, N>& to) {
  constexpr R re = Real ? R(-0.) : R(0.), im = Imag ? R(-0.) : R(0.);
  for (int j = 0; j != N; j += 2) {
    to[j] = re;
    to[j + 1] = im;
  }
}
/// Changes the signs of lanes.
template <class R, int N>
PLACEMENT_ALWAYS_INLINE inline void flip_signs(lanes<R, N>& x, lanes<R, N> const& signs) {
  using bits = lanes<math::bits_of<R>, N>;
  x = __builtin_bit_cast(lanes<R, N>, static_cast<bits>(__builtin_bit_cast(bits, x) ^
                                                        __builtin_bit_cast(bits, signs)));
}

// ---- ops of one register of parts: x becomes the result

struct add_parts {
  template <class R, int N>
  PLACEMENT_ALWAYS_INLINE static void apply(lanes<R, N>& x, lanes<R, N> const& y) {
    x += y;
  }
};
struct subtract_parts {
  template <class R, int N>
  PLACEMENT_ALWAYS_INLINE static void apply(lanes<R, N>& x, lanes<R, N> const& y) {
    x -= y;
  }
};
/// Each product is rounded, as on every level.
struct multiply_parts {
  template <class R, int N>
  PLACEMENT_ALWAYS_INLINE static void apply(lanes<R, N>& x, lanes<R, N> const& y) {
    using numbers = std::make_integer_sequence<int, N>;
    lanes<R, N> re, im, swapped, signs;
    shuffle_pairs<0, 1>(re, y, numbers{});
    shuffle_pairs<1, 0>(im, y, numbers{});
    shuffle_pairs<1, 1>(swapped, x, numbers{});
    lanes<R, N> by_re = x * re, by_im = swapped * im;
    PLACEMENT_ROUNDED_WIDE(by_re);
    set_signs<true, false, R, N>(signs);
    flip_signs<R, N>(by_im, signs);
    PLACEMENT_ROUNDED_WIDE(by_im);
    x = by_re + by_im;
  }
};
struct negate_parts {
  template <class R, int N>
  PLACEMENT_ALWAYS_INLINE static void apply(lanes<R, N>& x, lanes<R, N> const&) {
    lanes<R, N> signs;
    set_signs<true, true, R, N>(signs);
    flip_signs<R, N>(x, signs);
  }
};
struct conjugate_parts {
  template <class R, int N>
  PLACEMENT_ALWAYS_INLINE static void apply(lanes<R, N>& x, lanes<R, N> const&) {
    lanes<R, N> signs;
    set_signs<false, true, R, N>(signs);
    flip_signs<R, N>(x, signs);
  }
};

/// Parts of n complex numbers; y is x for ops of one operand.
template <class F, class R> struct parts_loop {
  R* to;
  R const *x, *y;
  index_t n;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr int N = Bytes / static_cast<int>(sizeof(R));
    index_t const parts = 2 * n;
    index_t i = 0;
    for (; parts - i >= N; i += N) write<N>(to + i, x + i, y + i);
    if (i == parts) return;
    auto const left = static_cast<std::size_t>(parts - i) * sizeof(R);
    R a[static_cast<std::size_t>(N)]{}, b[static_cast<std::size_t>(N)]{};
    std::memcpy(a, x + i, left);
    std::memcpy(b, y + i, left);
    write<N>(a, a, b);
    std::memcpy(to + i, a, left);
  }
  template <int N> PLACEMENT_ALWAYS_INLINE static void write(R* to, R const* x, R const* y) {
    lanes<R, N> a, b;
    std::memcpy(&a, x, sizeof a);
    std::memcpy(&b, y, sizeof b);
    F::template apply<R, N>(a, b);
    std::memcpy(to, &a, sizeof a);
  }
};

/// The real parts of n complex numbers, for First = 0, or the imaginary ones.
template <int First, class R> struct one_part_loop {
  R* to;
  R const* x;
  index_t n;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr int N = Bytes / static_cast<int>(sizeof(R));
    index_t i = 0;
    for (; n - i >= N; i += N) {
      lanes<R, N> a, b, parts;
      std::memcpy(&a, x + 2 * i, sizeof a);
      std::memcpy(&b, x + 2 * i + N, sizeof b);
      shuffle_halves<First>(parts, a, b, std::make_integer_sequence<int, N>{});
      std::memcpy(to + i, &parts, sizeof parts);
    }
    for (; i < n; ++i) to[i] = x[2 * i + First];
  }
};

struct magnitude_of_parts {
  template <class R> PLACEMENT_ALWAYS_INLINE static R apply(R re, R im) {
    return math::complex_magnitude(re, im);
  }
};
struct angle_of_parts {
  template <class R> PLACEMENT_ALWAYS_INLINE static R apply(R re, R im) {
    return math::atan2(im, re);
  }
};
/// A formula of both parts, for a cache line of results at a time. The last ones are a block, too,
/// so that an element has the same bits at each position.
template <class F, class R> struct formula_of_parts {
  R* to;
  R const* x;
  index_t n;

  PLACEMENT_ALWAYS_INLINE void operator()() const {
    constexpr index_t together = 64 / index_t{sizeof(R)};
    R some[static_cast<std::size_t>(2 * together)]{};
    for (index_t i = 0; i < n; i += together) {
      index_t const left = n - i < together ? n - i : together;
      R const* from = x + 2 * i;
      if (left != together) {
        std::memcpy(some, from, static_cast<std::size_t>(2 * left) * sizeof(R));
        from = some;
      }
      alignas(64) R re[static_cast<std::size_t>(together)], im[static_cast<std::size_t>(together)];
      PLACEMENT_SAME_INDEX_ONLY_SHORT
      for (index_t j = 0; j < together; ++j) {
        re[j] = from[2 * j];
        im[j] = from[2 * j + 1];
      }
      PLACEMENT_SAME_INDEX_ONLY_SHORT
      for (index_t j = 0; j < together; ++j) re[j] = F::apply(re[j], im[j]);
      if (left == together) std::memcpy(to + i, re, sizeof re);
      else std::memcpy(to + i, re, static_cast<std::size_t>(left) * sizeof(R));
    }
  }
};

/// The parts of complex numbers in memory.
template <class R> R* as_reals(std::complex<R>* x) { return reinterpret_cast<R*>(x); }
template <class R> R const* as_reals(std::complex<R> const* x) {
  return reinterpret_cast<R const*>(x);
}

template <class R> void complex_loops<R>::add(C* to, C const* x, C const* y, index_t n) {
  run_by_width(parts_loop<add_parts, R>{as_reals(to), as_reals(x), as_reals(y), n});
}
template <class R> void complex_loops<R>::subtract(C* to, C const* x, C const* y, index_t n) {
  run_by_width(parts_loop<subtract_parts, R>{as_reals(to), as_reals(x), as_reals(y), n});
}
template <class R> void complex_loops<R>::multiply(C* to, C const* x, C const* y, index_t n) {
  run_by_width(parts_loop<multiply_parts, R>{as_reals(to), as_reals(x), as_reals(y), n});
}
template <class R> void complex_loops<R>::negative(C* to, C const* x, index_t n) {
  run_by_width(parts_loop<negate_parts, R>{as_reals(to), as_reals(x), as_reals(x), n});
}
template <class R> void complex_loops<R>::conj(C* to, C const* x, index_t n) {
  run_by_width(parts_loop<conjugate_parts, R>{as_reals(to), as_reals(x), as_reals(x), n});
}
template <class R> void complex_loops<R>::real(R* to, C const* x, index_t n) {
  run_by_width(one_part_loop<0, R>{to, as_reals(x), n});
}
template <class R> void complex_loops<R>::imag(R* to, C const* x, index_t n) {
  run_by_width(one_part_loop<1, R>{to, as_reals(x), n});
}
/// The magnitudes of complex<float>, for levels with fused multiply-add and others.
struct magnitude_by_width {
  float* to;
  float const* x;
  index_t n;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    if constexpr (has_fused_lanes<Bytes>) magnitude_loop{to, x, n}.run<Bytes>();
    else formula_of_parts<magnitude_of_parts, float>{to, x, n}();
  }
};
template <class R> void complex_loops<R>::abs(R* to, C const* x, index_t n) {
  if constexpr (sizeof(R) == 4) run_by_width(magnitude_by_width{to, as_reals(x), n});
  else
    for (index_t i = 0; i != n; ++i) to[i] = complex_math<C>::abs(x[i]);
}
template <class R> void complex_loops<R>::arg(R* to, C const* x, index_t n) {
  run_by_level(formula_of_parts<angle_of_parts, R>{to, as_reals(x), n});
}

#if defined(PLACEMENT_EMIT_DEFINITIONS)
template struct complex_loops<float>;
template struct complex_loops<double>;
#endif

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
