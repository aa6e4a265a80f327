#pragma once
/// Loops of ops of integers, for which plain x86-64 has only registers of 16 bytes. They are
/// compiled once for several levels of x86-64. Block kernels of files for plain x86-64 call them
/// (cpu/block_stages.hpp).

#include <placement/shape/extents.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// to[i] = x[i] << bits, or >> bits, for i below n. `to` may be x. bits: at least 0, less than
/// those of T.
template <class T> struct shift_loops {
  static void left(T* to, T const* x, int bits, index_t n);
  static void right(T* to, T const* x, int bits, index_t n);
};
template <class T> concept has_shift_loops =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>;

/// to[i] = f(x[i]...) for i below n, of bits. T: an integer type, or bool. `to` may be an operand.
struct bit_loops {
  using byte = unsigned char;
  template <class T> static void bitwise_and(T* to, T const* x, T const* y, index_t n) {
    bytes_and(bytes_of(to), bytes_of(x), bytes_of(y), size_of<T>(n));
  }
  template <class T> static void bitwise_or(T* to, T const* x, T const* y, index_t n) {
    bytes_or(bytes_of(to), bytes_of(x), bytes_of(y), size_of<T>(n));
  }
  template <class T> static void bitwise_xor(T* to, T const* x, T const* y, index_t n) {
    bytes_xor(bytes_of(to), bytes_of(x), bytes_of(y), size_of<T>(n));
  }
  template <class T> static void bitwise_not(T* to, T const* x, index_t n) {
    bytes_xor(bytes_of(to), bytes_of(x), std::is_same_v<T, bool> ? byte{1} : byte{0xff},
              size_of<T>(n));
  }

 private:
  template <class T> static byte* bytes_of(T* p) { return reinterpret_cast<byte*>(p); }
  template <class T> static byte const* bytes_of(T const* p) {
    return reinterpret_cast<byte const*>(p);
  }
  template <class T> static index_t size_of(index_t n) {
    return n * static_cast<index_t>(sizeof(T));
  }
  static void bytes_and(byte* to, byte const* x, byte const* y, index_t bytes);
  static void bytes_or(byte* to, byte const* x, byte const* y, index_t bytes);
  static void bytes_xor(byte* to, byte const* x, byte const* y, index_t bytes);
  static void bytes_xor(byte* to, byte const* x, byte y, index_t bytes);
};
/// The same of indices, which are int32 or int64.
template <class Index> struct index_loops {
  /// Negative indices of at least -extent count from the end.
  static void wrap(std::int64_t* to, Index const* x, std::int64_t extent, index_t n);
  /// Whether each of n indices is at least 0 and below the extent.
  static bool are_below(Index const* x, std::int64_t extent, index_t n);
};
template <class Index> concept has_index_loops =
    std::is_same_v<Index, std::int32_t> || std::is_same_v<Index, std::int64_t>;

}}}  // namespace placement::v0_1::detail
