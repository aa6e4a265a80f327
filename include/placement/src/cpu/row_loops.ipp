#pragma once
/// Definitions of row_loops.hpp: loops over vector registers of the level in use.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/cpu/row_loops.hpp>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

// ---- formulas of registers, as those of the ops

/// Of two NaN a sum or a product gives the second operand, as in the packs of block kernels. Level:
/// the bytes of the level's registers.
struct row_sum {
  template <class T, int Level, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& a, V const& b) {
    if constexpr (std::is_same_v<T, float>) PLACEMENT_IN_ORDER("addps", Level > 16, y, b, +, a);
    else if constexpr (std::is_same_v<T, double>)
      PLACEMENT_IN_ORDER("addpd", Level > 16, y, b, +, a);
    else y = a + b;
  }
};
struct row_product {
  template <class T, int Level, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& a, V const& b) {
    if constexpr (std::is_same_v<T, float>) PLACEMENT_IN_ORDER("mulps", Level > 16, y, b, *, a);
    else if constexpr (std::is_same_v<T, double>)
      PLACEMENT_IN_ORDER("mulpd", Level > 16, y, b, *, a);
    else y = a * b;
  }
};
struct row_difference {
  template <class T, int Level, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& a, V const& b) {
    y = a - b;
  }
};
struct row_quotient {
  template <class T, int Level, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& a, V const& b) {
    y = a / b;
  }
};

// ---- operands of a row: `begin` comes before the registers of a row

/// Elements side by side.
template <class T> struct row_elements {
  template <int N> PLACEMENT_ALWAYS_INLINE static void begin(lanes<T, N>&, T const*) {}
  template <int N> PLACEMENT_ALWAYS_INLINE static void load(lanes<T, N>& x, T const* p) {
    std::memcpy(&x, p, sizeof x);
  }
};
/// One element, which stays in its register.
template <class T> struct row_element {
  template <int N> PLACEMENT_ALWAYS_INLINE static void begin(lanes<T, N>& x, T const* p) {
    T some[static_cast<std::size_t>(N)];
    for (int j = 0; j != N; ++j) some[j] = *p;
    std::memcpy(&x, some, sizeof x);
  }
  template <int N> PLACEMENT_ALWAYS_INLINE static void load(lanes<T, N>&, T const*) {}
};

/// F::apply for the elements of all rows. A, B: row_elements or row_element.
template <class F, class T, class A, class B> struct row_loop {
  row_block const& block;

  /// Rows of fewer elements than a register are computed by shorter ones.
  template <int Bytes, int Level = Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr int N = Bytes / static_cast<int>(sizeof(T));
    if (block.columns >= N) return run_rows<N, Level>();
    if constexpr (N > 1) run<Bytes / 2, Level>();
  }

 private:
  template <int N, int Level> PLACEMENT_ALWAYS_INLINE void run_rows() const {
    row_block const b = block;  // a copy, which stores to memory leave in registers
    auto* to = static_cast<unsigned char*>(b.to);
    auto const* x = static_cast<unsigned char const*>(b.x);
    auto const* y = static_cast<unsigned char const*>(b.y);
    for (index_t r = 0; r != b.rows; ++r, to += b.to_pitch, x += b.x_pitch, y += b.y_pitch)
      write<N, Level>(reinterpret_cast<T*>(to), reinterpret_cast<T const*>(x),
                      reinterpret_cast<T const*>(y), b.columns);
  }
  /// One row of at least N elements. Its first and its last register may overlap others. So both
  /// are computed before anything is written, and written at the end.
  template <int N, int Level>
  PLACEMENT_ALWAYS_INLINE static void write(T* to, T const* x, T const* y, index_t n) {
    using V = lanes<T, N>;
    V a{}, b{}, first{}, last{}, result{};
    A::template begin<N>(a, x);
    B::template begin<N>(b, y);
    load<N>(a, b, x, y, 0);
    F::template apply<T, Level>(first, a, b);
    load<N>(a, b, x, y, n - N);
    F::template apply<T, Level>(last, a, b);
    auto const beyond = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(to) % sizeof(V));
    index_t const end = n - N;
    index_t i = N - beyond / static_cast<index_t>(sizeof(T));  // `to` is aligned there
    for (; i < end; i += N) {
      load<N>(a, b, x, y, i);
      F::template apply<T, Level>(result, a, b);
      std::memcpy(to + i, &result, sizeof result);
    }
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + end, &last, sizeof last);
  }
  template <int N>
  PLACEMENT_ALWAYS_INLINE static void load(lanes<T, N>& a, lanes<T, N>& b, T const* x, T const* y,
                                           index_t i) {
    A::template load<N>(a, x + i);
    B::template load<N>(b, y + i);
  }
};

// ---- strided results

/// Elements at equal distances in one register, and back. Step: bytes.
template <class T, int N> struct strided_elements {
  using V = lanes<T, N>;

  PLACEMENT_ALWAYS_INLINE static void load(V& x, unsigned char const* p, index_t step) {
    load(x, p, step, std::make_integer_sequence<int, N>{});
  }
  PLACEMENT_ALWAYS_INLINE static void store(unsigned char* p, index_t step, V const& x) {
    store(p, step, x, std::make_integer_sequence<int, N>{});
  }

 private:
  PLACEMENT_ALWAYS_INLINE static T element(unsigned char const* p) {
    T one;
    std::memcpy(&one, p, sizeof one);
    return one;
  }
  PLACEMENT_ALWAYS_INLINE static void store_element(unsigned char* p, T one) {
    std::memcpy(p, &one, sizeof one);
  }
  template <int... I>
  PLACEMENT_ALWAYS_INLINE static void load(V& x, unsigned char const* p, index_t step,
                                           std::integer_sequence<int, I...>) {
    x = V{element(p + I * step)...};
  }
  template <int... I>
  PLACEMENT_ALWAYS_INLINE static void store(unsigned char* p, index_t step, V const& x,
                                            std::integer_sequence<int, I...>) {
    (store_element(p + I * step, x[I]), ...);
  }
};

/// F::apply for the elements of a strided result, of which DenseX or DenseY says that an operand is
/// contiguous. Only the elements of the result are written: those between may be another thread's.
template <class F, class T, bool DenseX, bool DenseY> struct strided_row_loop {
  row_block const& block;

  /// Registers of 16 bytes: a store writes one element whatever their size.
  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr int N = 16 / static_cast<int>(sizeof(T));
    using elements = strided_elements<T, N>;
    row_block const b = block;
    auto* to = static_cast<unsigned char*>(b.to);
    auto const* x = static_cast<unsigned char const*>(b.x);
    auto const* y = static_cast<unsigned char const*>(b.y);
    lanes<T, N> v{}, w{}, result{};
    for (index_t r = 0; r != b.rows; ++r, to += b.to_pitch, x += b.x_pitch, y += b.y_pitch) {
      unsigned char* out = to;
      unsigned char const *p = x, *q = y;
      index_t left = b.columns;
      for (; left >= N; left -= N, p += N * b.x_step, q += N * b.y_step, out += N * b.to_step) {
        if constexpr (DenseX) std::memcpy(&v, p, sizeof v);
        else elements::load(v, p, b.x_step);
        if constexpr (DenseY) std::memcpy(&w, q, sizeof w);
        else elements::load(w, q, b.y_step);
        F::template apply<T, Bytes>(result, v, w);
        elements::store(out, b.to_step, result);
      }
      for (; left != 0; --left, p += b.x_step, q += b.y_step, out += b.to_step)
        write_one<Bytes>(out, p, q);
    }
  }

 private:
  template <int Bytes>
  PLACEMENT_ALWAYS_INLINE static void write_one(unsigned char* to, unsigned char const* p,
                                                unsigned char const* q) {
    T a, c, y{};
    std::memcpy(&a, p, sizeof a);
    std::memcpy(&c, q, sizeof c);
    F::template apply<T, Bytes>(y, a, c);
    std::memcpy(to, &y, sizeof y);
  }
};
template <class F, class T> void run_strided_row_loop(row_block const& b) {
  constexpr auto contiguous = static_cast<index_t>(sizeof(T));
  if (b.x_step == contiguous && b.y_step == contiguous)
    run_by_width(strided_row_loop<F, T, true, true>{b});
  else if (b.y_step == contiguous) run_by_width(strided_row_loop<F, T, false, true>{b});
  else if (b.x_step == contiguous) run_by_width(strided_row_loop<F, T, true, false>{b});
  else run_by_width(strided_row_loop<F, T, false, false>{b});
}
template <class F, class T> void run_row_loop(row_block const& b) {
  if (b.to_step != 0) return run_strided_row_loop<F, T>(b);
  using elements = row_elements<T>;
  using element = row_element<T>;
  if (b.x_repeats) run_by_width(row_loop<F, T, element, elements>{b});
  else if (b.y_repeats) run_by_width(row_loop<F, T, elements, element>{b});
  else run_by_width(row_loop<F, T, elements, elements>{b});
}

/// The type that the loops compute in: unsigned integers, which wrap.
template <class T> struct row_lane {
  using type = T;
};
template <std::integral T> struct row_lane<T> {
  using type = std::make_unsigned_t<T>;
};
template <class T> void row_loops<T>::add(row_block const& b) {
  run_row_loop<row_sum, typename row_lane<T>::type>(b);
}
template <class T> void row_loops<T>::subtract(row_block const& b) {
  run_row_loop<row_difference, typename row_lane<T>::type>(b);
}
template <class T> void row_loops<T>::multiply(row_block const& b) {
  run_row_loop<row_product, typename row_lane<T>::type>(b);
}
template <class T> void row_quotients<T>::divide(row_block const& b) {
  run_row_loop<row_quotient, T>(b);
}

#if defined(PLACEMENT_EMIT_DEFINITIONS)
template struct row_loops<float>;
template struct row_loops<double>;
template struct row_loops<std::int32_t>;
template struct row_loops<std::int64_t>;
template struct row_quotients<float>;
template struct row_quotients<double>;
#endif

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
