#pragma once
/// Sorts numbers of 4 or 8 bytes. Compiled once, for several levels of x86-64.

#include <placement/cpu/sort_keys.hpp>

#include <cstddef>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

enum class number_kind : unsigned char { unsigned_integer, signed_integer, floating_point };
enum class sort_direction : unsigned char { ascending, descending };

/// What is sorted, and how.
struct number_order {
  std::size_t bytes;  ///< of a number: 4 or 8
  number_kind kind;
  sort_direction direction;
};
template <class T>
inline constexpr bool sorts_as_number =
    (std::is_integral_v<T> || std::is_floating_point_v<T>) && (sizeof(T) == 4 || sizeof(T) == 8);
template <class T>
inline constexpr number_kind kind_of_number =
    std::is_floating_point_v<T> ? number_kind::floating_point
    : std::is_signed_v<T>       ? number_kind::signed_integer
                                : number_kind::unsigned_integer;

/// Sorts the n numbers of `in` to `out`, which may be `in`. Equal ones keep their order; NaN comes
/// last in both directions. `scratch`: aligned memory for 2 n numbers.
void sort_numbers(void* out, void const* in, void* scratch, index_t n,
                  number_order const& order) noexcept;

/// Rows of dense numbers that are sorted together along another axis than the last: they fill a
/// cache line.
constexpr index_t numbers_of_line(std::size_t bytes) { return static_cast<index_t>(64 / bytes); }
/// Sorts each column of n rows, `columns` of them, which numbers_of_line() bounds. Rows lie `pitch`
/// numbers apart. `scratch`: aligned memory for (2 + columns) n numbers.
void sort_columns(void* out, void const* in, void* scratch, index_t n, index_t pitch,
                  index_t columns, number_order const& order) noexcept;

}}}  // namespace placement::v0_1::detail
