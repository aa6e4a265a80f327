#pragma once
/// Loops of quotients and remainders, which are compiled once for several levels of x86-64. Block
/// kernels of files for plain x86-64 call them (cpu/block_stages.hpp).

#include <placement/shape/extents.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// to[i] = std::fmod(x[i], y[i]) for i below n, which is exact. `to` may be x or y. y may be one
/// number. T: float or double. Templates, as nvcc rejects the vectors where it compiles them.
template <class T> void remainder_loop(T* to, T const* x, T const* y, index_t n);
template <class T> void remainder_loop(T* to, T const* x, T y, index_t n);

/// The same of simd::quotient(x[i], y[i]) and simd::remainder(x[i], y[i]). T: int32 or uint32.
template <class T> struct divide_loops {
  static void quotient(T* to, T const* x, T const* y, index_t n);
  static void quotient(T* to, T const* x, T y, index_t n);
  static void remainder(T* to, T const* x, T const* y, index_t n);
  static void remainder(T* to, T const* x, T y, index_t n);
};
template <class T> concept has_divide_loops =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t>;

}}}  // namespace placement::v0_1::detail
