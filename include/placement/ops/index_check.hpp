#pragma once
/// Indices of ops as in NumPy: negative ones count from the end.

#include <placement/shape/extents.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void index_outside(std::string_view op,
                                                                 std::string const& index,
                                                                 index_t extent) {
  throw shape_error("placement: " + std::string(op) + " of index " + index +
                    " in a dimension of extent " + std::to_string(extent) +
                    ". Indices are -extent to extent - 1; negative ones count from the end.");
}
/// The position that an index names. Throws: shape_error.
template <class Index> index_t checked_index(Index index, index_t extent, std::string_view op) {
  if (std::in_range<index_t>(index)) {
    auto const i = static_cast<index_t>(index);
    if (i >= 0 && i < extent) return i;
    if (i < 0 && i >= -extent) return i + extent;
  }
  index_outside(op, std::to_string(index), extent);
}
/// Checks all of n indices. Throws: shape_error.
template <class Index>
void check_all(Index const* index, index_t n, index_t extent, std::string_view op) {
  for (index_t i = 0; i != n; ++i) static_cast<void>(checked_index(index[i], extent, op));
}
template <class Index> index_t wrapped_index(Index index, index_t extent) {
  auto const i = static_cast<index_t>(index);
  return i < 0 ? i + extent : i;
}

}}}  // namespace placement::v0_1::detail
