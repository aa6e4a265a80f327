#pragma once
/// Loops of ops for which plain x86-64 has no instruction, or only registers of 16 bytes. They are
/// compiled once for several levels of x86-64. Block kernels of files for plain x86-64 call them
/// (cpu/block_stages.hpp). Each gives the bits of the op's formula in such a file.

#include <placement/cpu/math_loops.hpp>
#include <placement/shape/extents.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// to[i] = f(x[i]...) for i below n. `to` may be an operand. An operand of type T is one number.
template <class T> struct element_loops {
  static void negative(T* to, T const* x, index_t n);
  static void abs(T* to, T const* x, index_t n);
  static void floor(T* to, T const* x, index_t n);
  static void ceil(T* to, T const* x, index_t n);
  static void round(T* to, T const* x, index_t n);
  static void trunc(T* to, T const* x, index_t n);
  static void sqrt(T* to, T const* x, index_t n);
  static void rsqrt(T* to, T const* x, index_t n);
  static void reciprocal(T* to, T const* x, index_t n);
  static void maximum(T* to, T const* x, T const* y, index_t n);
  static void maximum(T* to, T const* x, T y, index_t n);
  static void minimum(T* to, T const* x, T const* y, index_t n);
  static void minimum(T* to, T const* x, T y, index_t n);
  static void relu(T* to, T const* x, index_t n);
  static void sign(T* to, T const* x, index_t n);
  static void next_after(T* to, T const* x, T const* y, index_t n);
  static void next_after(T* to, T const* x, T y, index_t n);
  /// x, or the number where x is NaN.
  static void replace_nan(T* to, T const* x, T number, index_t n);
  static void clamp(T* to, T const* x, T low, T high, index_t n);
};
/// The same of casts.
struct cast_loops {
  static void to_int(std::int32_t* to, float const* x, index_t n);
};

/// Element types of these loops.
template <class T> concept has_element_loops =
    std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Elements from which a call of such a loop costs less than the packs of a file.
inline constexpr index_t least_for_array_loop = 48;

}}}  // namespace placement::v0_1::detail
