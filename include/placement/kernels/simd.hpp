#pragma once
/// SIMD: packs of numbers in memory, and ops on packs.

#include <placement/kernels/simd_float16.hpp>
#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace simd {

/// True for the element types that packs have.
template <class T>
inline constexpr bool has_packs = PLACEMENT_HAS_PACKS && sizeof(T) <= 8 && !is_complex<T>;

/// Lanes of the packs of an expression whose elements have `least` to `most` bytes: as many as fill
/// a register with the narrowest, but at most four registers of the widest.
constexpr int lanes_between(std::size_t least, std::size_t most) {
  constexpr std::size_t bytes = PLACEMENT_VECTOR_BYTES;
  std::size_t const n = bytes / least, max = 4 * bytes / most;
  return static_cast<int>(n < max ? n : max);
}
/// The same for an expression that reads and writes elements of types T.
template <class... T>
inline constexpr int lanes_for = [] {
  constexpr std::size_t read[] = {sizeof(T)...}, held[] = {sizeof(computed_in<T>)...};
  std::size_t least = read[0], most = held[0];
  for (std::size_t b : read) least = b < least ? b : least;
  for (std::size_t b : held) most = b > most ? b : most;
  return lanes_between(least, most);
}();

/// The N elements from p on; of bool a mask.
template <int N, class T> PLACEMENT_ALWAYS_INLINE inline auto load(T const* p) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    auto const bytes = load<N>(reinterpret_cast<signed char const*>(p));
    return bytes > pack<signed char, N>{};
  } else if constexpr (number_of_16_bits<T>) {
    pack<std::uint16_t, N> bits{};
    load_into(bits, &p->bits);
    return pack<T, N>::from_bits(bits);
  } else {
    pack<T, N> x{};
    load_into(x, p);
    return x;
  }
}
template <number_of_16_bits T, int N, class R>
PLACEMENT_ALWAYS_INLINE inline void store(T* p, basic_pack<T, N, R> const& x) noexcept {
  store(&p->bits, to_bits16(x));
}
template <class I, int N>
PLACEMENT_ALWAYS_INLINE inline void store(bool* p, mask<I, N> const& m) noexcept {
  store(reinterpret_cast<signed char*>(p), resize<signed char>(m).bits & 1);
}

/// x in each lane.
template <int N, class T> PLACEMENT_ALWAYS_INLINE inline auto broadcast(T x) noexcept {
  if constexpr (std::is_same_v<T, bool>) return mask<signed char, N>(x);
  else return pack<T, N>(x);
}
namespace detail {
/// 0, 1 ... N - 1.
template <class I, int N> struct first_numbers {
  alignas(64) I n[static_cast<std::size_t>(N)] = {};

  constexpr first_numbers() {
    for (int i = 0; i != N; ++i) n[i] = static_cast<I>(i);
  }
};
template <class I, int N> inline constexpr first_numbers<I, N> numbers_from_0{};
}  // namespace detail

/// first, first + 1 ...: numbers of elements.
template <int N> PLACEMENT_ALWAYS_INLINE inline pack<index_t, N> iota(index_t first) noexcept {
  return load<N>(detail::numbers_from_0<index_t, N>.n) + first;
}
/// The same as T. Numbers of up to 31 bits are converted as int32, for which every processor has
/// an instruction.
template <class T, int N>
PLACEMENT_ALWAYS_INLINE inline pack<T, N> iota_as(index_t first) noexcept {
  constexpr index_t end = (index_t{1} << 31) - N;
  if (first < end) [[likely]] {
    auto const some = load<N>(detail::numbers_from_0<std::int32_t, N>.n);
    return convert<T>(some + static_cast<std::int32_t>(first));
  }
  return convert<T>(iota<N>(first));
}

/// True when Op is given packs of elements T: it says `takes_packs`, as the library's own do.
template <class Op, class... T>
inline constexpr bool takes_packs = [] {
  if constexpr (requires { Op::takes_packs; }) return Op::takes_packs && (has_packs<T> && ...);
  else return false;
}();

namespace detail {

/// Masks beside others, as wide as the narrowest of them.
template <class V> inline constexpr std::size_t mask_bytes = 8;
template <class I, int N> inline constexpr std::size_t mask_bytes<mask<I, N>> = sizeof(I);
template <std::size_t Bytes, class V> PLACEMENT_ALWAYS_INLINE inline auto fitted(V const& x) {
  if constexpr (is_mask<V>) return resize<typename int_of_size<Bytes>::type>(x);
  else return x;
}

}  // namespace detail

/// op(x...) for each lane: on whole packs, or by a loop over the lanes where the op takes numbers
/// alone.
template <class Op, class V, class... More>
PLACEMENT_ALWAYS_INLINE inline auto apply(Op const& op, V const& x, More const&... more) {
  if constexpr (takes_packs<Op, typename V::element, typename More::element...>) {
    constexpr int masks = (static_cast<int>(is_mask<V>) + ... + static_cast<int>(is_mask<More>));
    if constexpr (masks > 1) {
      constexpr std::size_t all[] = {detail::mask_bytes<V>, detail::mask_bytes<More>...};
      constexpr std::size_t narrowest = [](auto const& bytes) {
        std::size_t least = 8;
        for (std::size_t b : bytes) least = b < least ? b : least;
        return least;
      }(all);
      return op(detail::fitted<narrowest>(x), detail::fitted<narrowest>(more)...);
    } else {
      return op(x, more...);
    }
  } else {
    using result = decltype(op(typename V::element{}, typename More::element{}...));
    result out[static_cast<std::size_t>(V::lanes)];
    [&](auto... from) PLACEMENT_ALWAYS_INLINE {
      for (std::size_t i = 0; i != static_cast<std::size_t>(V::lanes); ++i)
        out[i] = op(from.at[i]...);
    }(detail::lane_array(x), detail::lane_array(more)...);
    return load<V::lanes>(out);
  }
}

}}}  // namespace placement::v0_1::simd
