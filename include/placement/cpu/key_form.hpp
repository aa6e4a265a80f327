#pragma once
/// Unsigned keys in the order of numbers, from the bits of these and back.

#include <placement/config.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/cpu/sort_numbers.hpp>

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Keys in the order of `sort`: NaN last, -0 before 0. By default a number is its own key.
template <class Key> struct key_form {
  using number = std::conditional_t<sizeof(Key) == 4, float, double>;
  static constexpr int sign = 8 * sizeof(Key) - 1;
  static constexpr Key top = Key{1} << sign,
                       infinity =
                           static_cast<Key>(sizeof(Key) == 4 ? 0x7f800000u : 0x7ff0000000000000u);

  Key flipped = 0;        ///< bits that differ in the key of an integer, or of a positive number
  Key magnitude = 0;      ///< bits that also differ in the key of a negative real number
  Key largest = top - 1;  ///< magnitude of the largest number: larger ones are NaN
  Key of_nan = 0;
  Key zero = static_cast<Key>(~Key{0});  ///< bits that a number of magnitude 0 keeps

  key_form() = default;
  explicit key_form(number_order const& order)
      : flipped((order.kind == number_kind::unsigned_integer ? 0 : top) ^
                (order.direction == sort_direction::descending ? static_cast<Key>(~Key{0}) : 0)),
        of_nan(order.direction == sort_direction::descending
                   ? static_cast<Key>(~Key{0})
                   : top ^ std::bit_cast<Key>(std::numeric_limits<number>::quiet_NaN())) {
    if (order.kind == number_kind::floating_point) magnitude = top - 1, largest = infinity;
  }
  /// -0 has the key of 0.
  key_form merging_zeros() const {
    key_form merged = *this;
    if (is_real()) merged.zero = 0;
    return merged;
  }
  bool is_real() const { return magnitude != 0; }

  /// All ones in the lanes whose top bit is set.
  template <class V> PLACEMENT_ALWAYS_INLINE static void spread_top(V& x) {
    using lane = std::conditional_t<sizeof(Key) == 4, int, long long>;
    constexpr int width = static_cast<int>(sizeof(V) / sizeof(Key));
    x = __builtin_bit_cast(V, __builtin_bit_cast(lanes<lane, width>, x) >> sign);
  }
  /// Numbers to keys. The top bit of a lane of `lost` is set if a real number was NaN, or -0.
  template <class V> PLACEMENT_ALWAYS_INLINE void to_keys(V& x, V& lost) const {
    V const size = x & (top - 1);
    V is_nan = largest - size, is_zero_below = (size - 1) & x;
    lost |= is_nan | is_zero_below;
    spread_top(is_nan);
    spread_top(is_zero_below);
    x &= ~is_zero_below | zero;
    V below_zero = x;
    spread_top(below_zero);
    x ^= (below_zero & magnitude) ^ flipped;
    x = (x & ~is_nan) | (is_nan & of_nan);
  }
  template <class V> PLACEMENT_ALWAYS_INLINE void to_numbers(V& x) const {
    x ^= flipped;
    V below_zero = x;
    spread_top(below_zero);
    x ^= below_zero & magnitude;
  }
  Key number_of(Key k) const {
    to_numbers(k);
    return k;
  }
  void write_numbers(Key* to, Key const* keys, index_t n) const {
    constexpr int width = 16 / static_cast<int>(sizeof(Key));
    index_t i = 0;
    for (; n - i >= width; i += width) {
      lanes<Key, width> x;
      std::memcpy(&x, keys + i, sizeof x);
      to_numbers(x);
      std::memcpy(to + i, &x, sizeof x);
    }
    for (; i != n; ++i) to[i] = number_of(keys[i]);
  }
};

/// How a partition reads keys: as they are, or from numbers.
struct read_keys {
  template <class V> PLACEMENT_ALWAYS_INLINE void operator()(V&, V&) const {}
  template <class V> PLACEMENT_ALWAYS_INLINE void finish(V const&) const {}
};
template <class Key> struct read_numbers {
  key_form<Key> const& form;
  bool& loses_bits;  ///< becomes true if some are NaN, or -0

  template <class V> PLACEMENT_ALWAYS_INLINE void operator()(V& x, V& lost) const {
    form.to_keys(x, lost);
  }
  template <class V> PLACEMENT_ALWAYS_INLINE void finish(V const& lost) const {
    constexpr std::size_t width = sizeof(V) / sizeof(Key);
    Key lane[width], any = 0;
    std::memcpy(lane, &lost, sizeof lost);
    for (Key const k : lane) any |= k;
    if (form.is_real() && any >> key_form<Key>::sign != 0) loses_bits = true;
  }
};

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
