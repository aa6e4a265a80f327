#pragma once
/// Indices and ranges of NumPy's basic indexing, and the dimensions that they keep.

#include <placement/place/site.hpp>
#include <placement/shape/extents.hpp>

#include <concepts>
#include <limits>
#include <utility>

namespace placement { inline namespace v0_1 {

/// Positions first, first + step, ... before last, along one dimension; negative ones count from
/// the end, as in Python.
/// `range{0, 4}`, `range{.step = -1}`. What lies outside of the dimension is cut off.
struct range {
  static constexpr index_t open =
      std::numeric_limits<index_t>::min();  ///< from the very first, to the very last
  index_t first = open;
  index_t last = open;
  index_t step = 1;
};
/// A whole dimension: `slice(x, everything, range{0, 4})`. Its extent stays static.
struct everything_t {
  constexpr operator range() const noexcept { return {}; }
};
inline constexpr everything_t everything{};
/// A new dimension of extent 1: `slice(x, newaxis, 0)`.
struct newaxis_t {};
inline constexpr newaxis_t newaxis{};
/// All dimensions that the other arguments do not name: `slice(x, ellipsis, 0)`.
struct ellipsis_t {};
inline constexpr ellipsis_t ellipsis{};

/// An index and the line that contains it, in a call of `x[i]` or `x(i, j)`.
struct located_index {
  index_t value;
  site where;

  /// A number that does not fit becomes the largest, which is outside of every dimension.
  template <std::integral I> requires(!std::same_as<I, bool>)
  constexpr located_index(I i, site at = site::here()) noexcept
      : value(std::in_range<index_t>(i) ? static_cast<index_t>(i)
                                        : std::numeric_limits<index_t>::max()),
        where(at) {}
};

namespace detail {

/// A range in a dimension of n elements: where it starts and how many there are. Throws:
/// shape_error for step 0.
struct positions {
  index_t start = 0, count = 0;
};
constexpr positions resolve_range(range r, index_t n) {
  if (r.step == 0)
    throw shape_error("placement: the step of a range is 0. Use 1, or -1 to go backwards.");
  bool const forward = r.step > 0;
  auto clamp = [&](index_t p, index_t low, index_t high) {
    if (p < 0) p = p < -n ? -1 : p + n;
    return p < low ? low : p > high ? high : p;
  };
  index_t const start = r.first == range::open ? (forward ? 0 : n - 1)
                        : forward              ? clamp(r.first, 0, n)
                                               : clamp(r.first, -1, n - 1);
  index_t const end = r.last == range::open ? (forward ? n : -1)
                      : forward             ? clamp(r.last, 0, n)
                                            : clamp(r.last, -1, n - 1);
  index_t const length = forward ? end - start : start - end;
  index_t const stride = forward                 ? r.step
                         : r.step == range::open ? std::numeric_limits<index_t>::max()
                                                 : -r.step;
  return {start, length <= 0 ? 0 : (length - 1) / stride + 1};
}

/// Throws the error for index i of dimension d. `op`, `at`: the location, if the caller knows it.
[[noreturn, gnu::cold]] void throw_no_such_index(index_t i, std::size_t d, any_shape const& x,
                                                 std::string_view op = {}, site at = {});

/// An index that counts from the end if it is negative, as one that counts from the start.
constexpr index_t from_start(index_t i, index_t n) { return i < 0 ? i + n : i; }
constexpr bool is_index(index_t i, index_t n) { return i >= -n && i < n; }

/// The row-major position of element `index` of shape x. Throws: shape_error.
template <class X>
constexpr index_t position_of(X const& x, index_t const* index, std::string_view op, site at) {
  index_t position = 0;
  for (std::size_t d = 0; d != X::rank; ++d) {
    index_t const n = x.at(d);
    if (!is_index(index[d], n)) [[unlikely]]
      throw_no_such_index(index[d], d, x, op, at);
    position = position * n + from_start(index[d], n);
  }
  return position;
}

/// What one argument of slice does: keeps part of a dimension or all of it, drops it, adds one, or
/// keeps all dimensions that are not named.
enum class slice_kind : unsigned char { part, whole, index, new_axis, ellipsis };

template <class Item> inline constexpr bool is_slice_item = std::integral<Item>;
template <> inline constexpr bool is_slice_item<bool> = false;
template <> inline constexpr bool is_slice_item<range> = true;
template <> inline constexpr bool is_slice_item<everything_t> = true;
template <> inline constexpr bool is_slice_item<newaxis_t> = true;
template <> inline constexpr bool is_slice_item<ellipsis_t> = true;

template <class Item> inline constexpr slice_kind kind_of_item = slice_kind::index;
template <> inline constexpr slice_kind kind_of_item<range> = slice_kind::part;
template <> inline constexpr slice_kind kind_of_item<everything_t> = slice_kind::whole;
template <> inline constexpr slice_kind kind_of_item<newaxis_t> = slice_kind::new_axis;
template <> inline constexpr slice_kind kind_of_item<ellipsis_t> = slice_kind::ellipsis;

/// An argument of slice as a range. An index is the range's first position.
template <class Item> constexpr range as_range(Item const& item) {
  if constexpr (std::integral<Item>) return {located_index(item, site{}).value};
  else if constexpr (std::convertible_to<Item, range>) return item;
  else return {};
}

/// A dimension that slice reads or adds. item: the argument that applies to it.
struct slice_step {
  slice_kind kind;
  std::size_t item, dimension;
};

/// The dimensions of an operand of rank R, in order, and new ones. An ellipsis is at the end unless
/// there is one.
template <std::size_t R, slice_kind... Kinds> struct slice_steps {
  static constexpr std::size_t given = sizeof...(Kinds);
  static constexpr std::size_t named =
      (std::size_t{0} + ... +
       (Kinds != slice_kind::new_axis && Kinds != slice_kind::ellipsis ? 1 : 0));
  static constexpr std::size_t ellipses =
      (std::size_t{0} + ... + (Kinds == slice_kind::ellipsis ? 1 : 0));
  static constexpr std::size_t rank =
      R + (std::size_t{0} + ... + (Kinds == slice_kind::new_axis ? 1 : 0)) -
      (std::size_t{0} + ... + (Kinds == slice_kind::index ? 1 : 0));
  static_assert(
      named <= R,
      "placement: slice has more ranges than the tensor has dimensions. Give one range per dimension.");
  static_assert(ellipses <= 1, "placement: slice has two ellipses. Give one range per dimension.");

  slice_step step[R + given + 1]{};
  std::size_t count = 0;
  slice_step kept[R + given + 1]{};  ///< those that are dimensions of the result

  constexpr slice_steps() {
    constexpr slice_kind all[] = {Kinds..., slice_kind::ellipsis};
    std::size_t dimension = 0;
    for (std::size_t i = 0; i != given + (ellipses == 0); ++i) {
      if (all[i] == slice_kind::ellipsis)
        for (std::size_t n = named; n < R; ++n) step[count++] = {slice_kind::whole, i, dimension++};
      else step[count++] = {all[i], i, all[i] == slice_kind::new_axis ? 0 : dimension++};
    }
    std::size_t d = 0;
    for (std::size_t s = 0; s != count; ++s)
      if (step[s].kind != slice_kind::index) kept[d++] = step[s];
  }
};

}  // namespace detail
}}  // namespace placement::v0_1
