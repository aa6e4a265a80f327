#pragma once
/// Shapes with static extents in the type and other extents in the value.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/place/site.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 {

/// Extents, strides and indices are signed, as in NumPy.
using index_t = std::ptrdiff_t;

/// An extent known only at run time.
inline constexpr index_t dyn = -1;

/// The largest rank of a tensor.
inline constexpr std::size_t max_rank = 8;

/// A shape with all extents in the type: an empty class. `extents<2, 3>` is a 2 x 3 matrix,
/// `extents<>` a scalar.
template <index_t... N> struct extents {
  static_assert(
      ((N >= 0) && ...),
      "placement: an extent is negative. Use dyn for an extent that is known at run time.");
  static_assert(sizeof...(N) <= max_rank,
                "placement: a tensor has at most 8 dimensions. Reshape it to fewer.");
  static constexpr std::size_t rank = sizeof...(N);
  static constexpr bool is_static = true;

  PLACEMENT_HD static constexpr index_t static_extent(std::size_t d) {
    constexpr index_t all[] = {N..., 1};
    return all[d];
  }
  PLACEMENT_HD static constexpr index_t at(std::size_t d) { return static_extent(d); }
  /// The number of elements. Cost: a constant.
  PLACEMENT_HD static constexpr std::size_t count() {
    return (std::size_t{1} * ... * static_cast<std::size_t>(N));
  }
};

/// A shape with some extents in the value.
template <index_t... N> requires((N == dyn) || ...)
struct extents<N...> {
  static_assert(
      ((N >= dyn) && ...),
      "placement: an extent is negative. Use dyn for an extent that is known at run time.");
  static_assert(sizeof...(N) <= max_rank,
                "placement: a tensor has at most 8 dimensions. Reshape it to fewer.");
  static constexpr std::size_t rank = sizeof...(N);
  static constexpr bool is_static = false;

  index_t n[rank]{};

  PLACEMENT_HD static constexpr index_t static_extent(std::size_t d) {
    constexpr index_t all[] = {N...};
    return all[d];
  }
  PLACEMENT_HD constexpr index_t at(std::size_t d) const { return n[d]; }
  PLACEMENT_HD constexpr std::size_t count() const {
    std::size_t c = 1;
    for (index_t k : n) c *= static_cast<std::size_t>(k);
    return c;
  }
};

namespace detail {
template <std::size_t... I>
auto all_dynamic(std::index_sequence<I...>) -> extents<(static_cast<void>(I), dyn)...>;
}  // namespace detail

/// A shape of rank R with all extents known at run time.
template <std::size_t R>
using dextents = decltype(detail::all_dynamic(std::make_index_sequence<R>{}));

/// Makes a shape from its extents: `shape(2, 3)`.
template <std::convertible_to<index_t>... N> constexpr dextents<sizeof...(N)> shape(N... n) {
  if constexpr (sizeof...(N) == 0) return {};
  else return {{static_cast<index_t>(n)...}};
}

template <class X> inline constexpr bool is_extents = false;
template <index_t... N> inline constexpr bool is_extents<extents<N...>> = true;

/// Whether rank and extents are equal.
template <index_t... A, index_t... B>
PLACEMENT_HD constexpr bool operator==(extents<A...> const& a, extents<B...> const& b) {
  if constexpr (sizeof...(A) != sizeof...(B)) {
    return false;
  } else if constexpr (extents<A...>::is_static && extents<B...>::is_static) {
    return ((A == B) && ...);
  } else {
    for (std::size_t d = 0; d != sizeof...(A); ++d)
      if (a.at(d) != b.at(d)) return false;
    return true;
  }
}

namespace detail {
constexpr std::string list_text(index_t const* n, std::size_t rank) {
  std::string text = "[";
  for (std::size_t d = 0; d != rank; ++d) {
    if (d != 0) text += ", ";
    index_t k = n[d];
    std::string digits;
    bool const negative = k < 0;  // an index quoted in a message may be negative
    do digits.insert(digits.begin(), static_cast<char>('0' + (negative ? -(k % 10) : k % 10)));
    while ((k /= 10) != 0);
    if (negative) text += '-';
    text += digits;
  }
  return text + "]";
}
}  // namespace detail

/// "[2, 3]"; "[]" for a scalar.
template <index_t... N> constexpr std::string to_string(extents<N...> const& x) {
  index_t n[sizeof...(N) + 1]{};
  for (std::size_t d = 0; d != sizeof...(N); ++d) n[d] = x.at(d);
  return detail::list_text(n, sizeof...(N));
}

namespace detail {

template <index_t... N> inline constexpr index_t extents_in_type[] = {N..., 1};

/// A shape of any type, for messages. Refers to the extents of another shape.
struct any_shape {
  std::size_t rank;
  index_t const* extent;

  template <index_t... N>
  constexpr any_shape(extents<N...> const& x) : rank(sizeof...(N)), extent(extents_of(x)) {}
  constexpr any_shape(std::size_t r, index_t const* n) : rank(r), extent(n) {}

  /// The number of elements.
  constexpr std::size_t count() const {
    std::size_t n = 1;
    for (std::size_t d = 0; d != rank; ++d) n *= static_cast<std::size_t>(extent[d]);
    return n;
  }

 private:
  template <index_t... N> static constexpr index_t const* extents_of(extents<N...> const& x) {
    if constexpr (extents<N...>::is_static) return extents_in_type<N...>;
    else return x.n;
  }
};
std::string text_of(any_shape const& x);
/// Writes the strides of dense elements of shape x to `stride`, and returns it.
index_t const* row_major_strides(any_shape const& x, index_t* stride);

// `op`, `at`: the location for the message, if known.

[[noreturn, gnu::cold]] void negative_extent(any_shape const& x, std::string_view op, site at);
[[noreturn, gnu::cold]] void too_many_bytes(any_shape const& x, std::string_view op, site at);
[[noreturn, gnu::cold]] void does_not_fit(any_shape const& x, std::size_t d, index_t extent,
                                          std::string_view op, site at);

/// The number of elements of a shape whose extents are not yet checked. Throws: shape_error if an
/// extent is negative or the size in bytes overflows `index_t`.
template <class X>
constexpr std::size_t checked_count(X const& x, std::size_t element_bytes, std::string_view op = {},
                                    site at = {}) {
  if constexpr (!X::is_static) {
    index_t bytes = static_cast<index_t>(element_bytes);
    bool empty = false, overflows = false;
    for (std::size_t d = 0; d != X::rank; ++d) {
      index_t const n = x.at(d);
      if (n < 0) negative_extent(x, op, at);
      empty = empty || n == 0;
      overflows = overflows || (n != 0 && __builtin_mul_overflow(bytes, n, &bytes));
    }
    if (overflows && !empty) too_many_bytes(x, op, at);
  }
  return x.count();
}

/// The same for a shape of any type.
std::size_t checked_count(any_shape const& x, std::size_t element_bytes, std::string_view op,
                          site at);

/// Whether a shape of type From can convert to type To, always or for some run-time extents.
template <class To, class From> constexpr bool may_convert() {
  if constexpr (To::rank != From::rank) {
    return false;
  } else {
    for (std::size_t d = 0; d != To::rank; ++d) {
      index_t const a = To::static_extent(d), b = From::static_extent(d);
      if (a != dyn && b != dyn && a != b) return false;
    }
    return true;
  }
}

/// The same extents as another type. Throws: shape_error if a static extent of To differs.
template <class To, class From>
constexpr To converted(From const& from, std::string_view op = {}, site at = {}) {
  if constexpr (std::is_same_v<To, From>) return from;
  To to{};
  for (std::size_t d = 0; d != To::rank; ++d) {
    if (To::static_extent(d) != dyn && To::static_extent(d) != from.at(d))
      does_not_fit(from, d, To::static_extent(d), op, at);
    if constexpr (!To::is_static) to.n[d] = from.at(d);
  }
  return to;
}

}  // namespace detail
}}  // namespace placement::v0_1
