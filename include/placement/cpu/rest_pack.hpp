#pragma once
/// The last elements of a block, which fill no pack: as a pack in memory, and back. With AVX-512 by
/// loads and stores with a mask. Copies of single elements are slow there: processors forward no
/// stores of 4 bytes to a load of 64.

#include <placement/config.hpp>
#include <placement/shape/extents.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Copies n elements of 1, 2, 4 or 8 bytes, and the first of them again up to `lanes` elements.
void copy_rest(void* to, void const* from, std::size_t bytes, index_t n, index_t lanes) noexcept;

/// The integer of a lane of so many bytes, as the instructions with a mask name it.
template <std::size_t Bytes> struct lane_of_bytes;
template <> struct lane_of_bytes<1> {
  using type = char;
};
template <> struct lane_of_bytes<2> {
  using type = short;
};
template <> struct lane_of_bytes<4> {
  using type = int;
};
template <> struct lane_of_bytes<8> {
  using type = long long;
};
/// N elements of T by one load or store with a mask: whether this file's instructions have it.
template <int N, class T>
inline constexpr bool has_masked_pack = PLACEMENT_X86_LEVEL == 4 && N * sizeof(T) == 64;

#if PLACEMENT_X86_LEVEL == 4
/// g++ and clang declare these instructions with different types of pointers.
struct address_of_lanes {
  void* p;

  template <class P> PLACEMENT_ALWAYS_INLINE inline operator P*() const {
    return static_cast<P*>(p);
  }
};
template <int N, class T> struct masked_pack {
  using lane = typename lane_of_bytes<sizeof(T)>::type;
  using vector [[gnu::vector_size(64)]] = lane;

  /// Elements from n on are the first one. 0 < n <= N.
  PLACEMENT_ALWAYS_INLINE static inline vector load(T const* from, index_t n) {
    lane one;
    std::memcpy(&one, from, sizeof one);
    vector const first = one - vector{};
    address_of_lanes const in{const_cast<T*>(from)};
    unsigned long long const mask = below(n);
    if constexpr (sizeof(T) == 1) return __builtin_ia32_loaddquqi512_mask(in, first, mask);
    else if constexpr (sizeof(T) == 2)
      return __builtin_ia32_loaddquhi512_mask(in, first, static_cast<unsigned>(mask));
    else if constexpr (sizeof(T) == 4)
      return __builtin_ia32_loaddqusi512_mask(in, first, static_cast<unsigned short>(mask));
    else return __builtin_ia32_loaddqudi512_mask(in, first, static_cast<unsigned char>(mask));
  }
  /// Writes the first n elements.
  PLACEMENT_ALWAYS_INLINE static inline void store(T* to, vector const& x, index_t n) {
    address_of_lanes const out{to};
    unsigned long long const mask = below(n);
    if constexpr (sizeof(T) == 1) __builtin_ia32_storedquqi512_mask(out, x, mask);
    else if constexpr (sizeof(T) == 2)
      __builtin_ia32_storedquhi512_mask(out, x, static_cast<unsigned>(mask));
    else if constexpr (sizeof(T) == 4)
      __builtin_ia32_storedqusi512_mask(out, x, static_cast<unsigned short>(mask));
    else __builtin_ia32_storedqudi512_mask(out, x, static_cast<unsigned char>(mask));
  }

 private:
  /// A mask with n bits.
  PLACEMENT_ALWAYS_INLINE static inline unsigned long long below(index_t n) {
    return ~0ULL >> (64 - static_cast<unsigned>(n));
  }
};
#endif

/// Copies n < N elements to a pack of N, and the first of them again to its other lanes. Cost: a
/// call where there is no mask, and there are more than four lanes.
template <int N, class T>
PLACEMENT_ALWAYS_INLINE inline void fill_pack(T* to, T const* from, index_t n) noexcept {
#if PLACEMENT_X86_LEVEL == 4
  if constexpr (has_masked_pack<N, T>) {
    auto const x = masked_pack<N, T>::load(from, n);
    std::memcpy(to, &x, sizeof x);
    return;
  }
#endif
  if constexpr (!has_masked_pack<N, T>) {
    if constexpr (N <= 4)
      for (index_t j = 0; j != N; ++j) to[j] = from[j < n ? j : 0];
    else copy_rest(to, from, sizeof(T), n, N);
  }
}
/// Copies the first n < N elements of a pack.
template <int N, class T>
PLACEMENT_ALWAYS_INLINE inline void write_rest(T* to, T const* pack, index_t n) noexcept {
#if PLACEMENT_X86_LEVEL == 4
  if constexpr (has_masked_pack<N, T>) {
    typename masked_pack<N, T>::vector x;
    std::memcpy(&x, pack, sizeof x);
    masked_pack<N, T>::store(to, x, n);
    return;
  }
#endif
  if constexpr (!has_masked_pack<N, T>) {
    if constexpr (N <= 4)
      for (index_t j = 0; j < N - 1 && j != n; ++j) to[j] = pack[j];
    else copy_rest(to, pack, sizeof(T), n, n);
  }
}

}}}  // namespace placement::v0_1::detail
