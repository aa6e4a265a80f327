#pragma once
/// The types of packs and masks, declared.

#include <placement/config.hpp>

#include <utility>

namespace placement { inline namespace v0_1 { namespace simd {

/// Lanes of one register of pack<T, N>: as many as the machine has, and 16 bytes at least.
template <class T, int N>
inline constexpr int lanes_per_register = [] {
  constexpr int bytes = N * static_cast<int>(sizeof(T)), most = PLACEMENT_VECTOR_BYTES;
  return (bytes < 16 ? 16 : bytes < most ? bytes : most) / static_cast<int>(sizeof(T));
}();

template <class T, int N, class Registers> struct basic_pack;

/// N numbers of type T; N is a power of two. Integer arithmetic wraps.
/// Cost: N * sizeof(T) / PLACEMENT_VECTOR_BYTES registers, one if that is less. The lanes of a
/// register beyond N have any value.
template <class T, int N>
using pack =
    basic_pack<T, N, std::make_integer_sequence<int, (N - 1) / lanes_per_register<T, N> + 1>>;

/// Results of comparisons. Each lane of `bits` is all ones or zero; I: a signed integer of the
/// size of what was compared.
template <class I, int N> struct mask;

}}}  // namespace placement::v0_1::simd
