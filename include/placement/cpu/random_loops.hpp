#pragma once
/// Loops over random numbers, compiled once for several levels of x86-64. Block kernels call them
/// (cpu/block_stages.hpp). The elements have the same bits on every level.

#include <placement/math/philox.hpp>
#include <placement/shape/extents.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Some elements of a random op: n of them, from number `first` on.
struct random_elements {
  random_stream from;
  index_t first, n;
};

/// to[i] = element first + i of a distribution. T: float or double.
template <class T> struct random_loops {
  /// low + width u, at most max, for a u in [0, 1).
  static void uniform(T* to, random_elements const& of, T low, T width, T max);
  static void normal(T* to, random_elements const& of, T mean, T stddev);
  static void truncated_normal(T* to, random_elements const& of, T mean, T stddev);
};
template <class T> concept has_random_loops = std::is_same_v<T, float> || std::is_same_v<T, double>;
/// The same of integers: low + a number below `count`. T: an unsigned integer of a fixed width.
template <class T> struct random_integer_loops {
  static void uniform(T* to, random_elements const& of, T low, std::uint64_t count);
};

}}}  // namespace placement::v0_1::detail
