#pragma once
/// Definitions of sort_numbers.hpp.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/sort_numbers.hpp>
#include <placement/cpu/transpose_elements.hpp>
#include <placement/ops/sort_key.hpp>

#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

/// The keys of ops/sort_key.hpp, from the bits of numbers and back.
template <class Key> struct key_form {
  using number = std::conditional_t<sizeof(Key) == 4, float, double>;
  static constexpr int sign = 8 * sizeof(Key) - 1;
  static constexpr Key top = Key{1} << sign;

  bool is_real;
  Key flipped;  ///< bits that differ in the key of an integer, or in that of a positive number
  Key of_nan;

  explicit key_form(number_order const& order)
      : is_real(order.kind == number_kind::floating_point),
        flipped((order.kind == number_kind::unsigned_integer ? 0 : top) ^
                (order.direction == sort_direction::descending ? static_cast<Key>(~Key{0}) : 0)),
        of_nan(order.direction == sort_direction::descending
                   ? static_cast<Key>(~Key{0})
                   : sort_key<number>::of(std::numeric_limits<number>::quiet_NaN())) {}

  /// All ones where the number is below 0, or -0, as both have keys in the opposite order.
  PLACEMENT_ALWAYS_INLINE static Key below_zero(Key bits) {
    return static_cast<Key>(Key{0} - (bits >> sign));
  }
};

/// Keys that are computed together: vectors of any level.
template <class Key> inline constexpr index_t keys_together = 64 / index_t{sizeof(Key)};

/// Calls f(i, n) for blocks of n keys from i on.
template <class Key, class F> PLACEMENT_ALWAYS_INLINE inline void each_key_block(index_t n, F f) {
  constexpr index_t together = keys_together<Key>;
  for (index_t i = 0; i < n; i += together) f(i, n - i < together ? n - i : together);
}
template <class Key> struct key_block {
  alignas(64) Key at[static_cast<std::size_t>(keys_together<Key>)];

  PLACEMENT_ALWAYS_INLINE void load(void const* from, index_t i, index_t n) {
    auto const* const p = static_cast<unsigned char const*>(from) + i * index_t{sizeof(Key)};
    if (n == keys_together<Key>) {
      std::memcpy(at, p, sizeof at);
    } else {
      std::memset(at, 0, sizeof at);
      std::memcpy(at, p, static_cast<std::size_t>(n) * sizeof(Key));
    }
  }
  PLACEMENT_ALWAYS_INLINE void store(void* to, index_t i, index_t n) const {
    auto* const p = static_cast<unsigned char*>(to) + i * index_t{sizeof(Key)};
    if (n == keys_together<Key>) std::memcpy(p, at, sizeof at);
    else std::memcpy(p, at, static_cast<std::size_t>(n) * sizeof(Key));
  }
};

template <class Key> struct write_keys {
  Key* to;
  void const* from;
  index_t n;
  key_form<Key> const& form;
  bool& loses_bits;  ///< some are NaN, or -0: equal keys have lost their order or bits

  PLACEMENT_ALWAYS_INLINE void operator()() const {
    constexpr auto together = keys_together<Key>;
    constexpr Key top = key_form<Key>::top;
    constexpr int sign = key_form<Key>::sign;
    Key const flipped = form.flipped, of_nan = form.of_nan;
    bool const is_real = form.is_real;
    key_block<Key> x{}, lost{};
    each_key_block<Key>(n, [&](index_t i, index_t length) PLACEMENT_ALWAYS_INLINE {
      x.load(from, i, length);
      if (is_real) {
        constexpr Key infinity =
            sizeof(Key) == 4 ? Key{0x7f800000u} : static_cast<Key>(0x7ff0000000000000u);
        PLACEMENT_SAME_INDEX_ONLY_SHORT
        for (index_t j = 0; j < together; ++j) {
          Key const bits = x.at[j], size = bits & (top - 1), above = infinity - size;
          Key const is_nan = key_form<Key>::below_zero(above);
          Key const key = (bits ^ (key_form<Key>::below_zero(bits) & (top - 1))) ^ flipped;
          lost.at[j] |= above | ((size - 1) & bits);
          x.at[j] = (key & ~is_nan) | (of_nan & is_nan);
        }
      } else {
        PLACEMENT_SAME_INDEX_ONLY_SHORT
        for (index_t j = 0; j < together; ++j) x.at[j] ^= flipped;
      }
      x.store(to, i, length);
    });
    Key some = 0;
    for (index_t j = 0; j < together; ++j) some |= lost.at[j];
    loses_bits = some >> sign != 0;
  }
};
template <class Key> struct write_numbers {
  void* to;
  Key const* from;
  index_t n;
  key_form<Key> const& form;

  PLACEMENT_ALWAYS_INLINE void operator()() const {
    constexpr auto together = keys_together<Key>;
    constexpr Key top = key_form<Key>::top;
    Key const flipped = form.flipped;
    bool const is_real = form.is_real;
    key_block<Key> x{};
    each_key_block<Key>(n, [&](index_t i, index_t length) PLACEMENT_ALWAYS_INLINE {
      x.load(from, i, length);
      if (is_real) {
        PLACEMENT_SAME_INDEX_ONLY_SHORT
        for (index_t j = 0; j < together; ++j) {
          Key const bits = x.at[j] ^ flipped;
          x.at[j] = bits ^ (key_form<Key>::below_zero(bits) & (top - 1));
        }
      } else {
        PLACEMENT_SAME_INDEX_ONLY_SHORT
        for (index_t j = 0; j < together; ++j) x.at[j] ^= flipped;
      }
      x.store(to, i, length);
    });
  }
};

template <class Key>
inline void sort_numbers_of(void* out, void const* in, Key* keys, index_t n,
                            number_order const& order) {
  using number = typename key_form<Key>::number;
  key_form<Key> const form(order);
  bool loses_bits = false;
  run_by_level(write_keys<Key>{keys, in, n, form, loses_bits});
  sort_keys(keys, keys + n, n);
  if (loses_bits) {
    auto const at = [&](index_t i) {
      number x;
      std::memcpy(&x, static_cast<unsigned char const*>(in) + i * index_t{sizeof x}, sizeof x);
      return x;
    };
    if (order.direction == sort_direction::ascending)
      restore_equal<sort_key<number>, number>(keys, n, at);
    else restore_equal<descending_key<number>, number>(keys, n, at);
  }
  run_by_level(write_numbers<Key>{out, keys, n, form});
}
PLACEMENT_INLINE void sort_numbers(void* out, void const* in, void* scratch, index_t n,
                                   number_order const& order) noexcept {
  if (order.bytes == 4) sort_numbers_of(out, in, static_cast<key32*>(scratch), n, order);
  else sort_numbers_of(out, in, static_cast<key64*>(scratch), n, order);
}

PLACEMENT_INLINE void sort_columns(void* out, void const* in, void* scratch, index_t n,
                                   index_t pitch, index_t columns,
                                   number_order const& order) noexcept {
  auto const bytes = static_cast<index_t>(order.bytes);
  auto const word = static_cast<unsigned>(bytes);
  auto* const rows = static_cast<unsigned char*>(scratch) + 2 * n * bytes;
  transpose_elements(rows, n * bytes, static_cast<unsigned char const*>(in), pitch * bytes, columns,
                     n, word);
  for (index_t c = 0; c != columns; ++c)
    sort_numbers(rows + c * n * bytes, rows + c * n * bytes, scratch, n, order);
  transpose_elements(static_cast<unsigned char*>(out), pitch * bytes, rows, n * bytes, n, columns,
                     word);
}

}}}  // namespace placement::v0_1::detail
