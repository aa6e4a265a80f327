#pragma once
/// Sorts numbers of 4 or 8 bytes. Compiled once, for several levels of x86-64.

#include <placement/shape/extents.hpp>

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
PLACEMENT_ON_CALL void sort_numbers(void* out, void const* in, void* scratch, index_t n,
                                    number_order const& order) noexcept;

/// The first k of the sorted numbers of `in`. Equal ones have any order, and NaN any bits.
/// `scratch`: aligned memory for 2 n numbers.
PLACEMENT_ON_CALL void first_numbers(void* out, void const* in, void* scratch, index_t n, index_t k,
                                     number_order const& order) noexcept;

/// Writes the different numbers of `in` in ascending order to `out`. Writes the keys of all n in
/// order to `keys`, which has room for 2 n. -0 is 0, and NaN are one. Returns how many differ.
PLACEMENT_ON_CALL index_t unique_numbers(void* out, void* keys, void const* in, index_t n,
                                         number_order const& order) noexcept;

/// Rows of dense numbers that are sorted together along another axis than the last: they fill a
/// cache line.
constexpr index_t numbers_of_line(std::size_t bytes) { return static_cast<index_t>(64 / bytes); }
/// Sorts each column of n rows, `columns` of them, which numbers_of_line() bounds. Rows lie `pitch`
/// numbers apart. `scratch`: aligned memory for (2 + columns) n numbers.
PLACEMENT_ON_CALL void sort_columns(void* out, void const* in, void* scratch, index_t n,
                                    index_t pitch, index_t columns,
                                    number_order const& order) noexcept;

}}}  // namespace placement::v0_1::detail
