#pragma once
/// Indices of ops as in NumPy: negative ones count from the end.

#include <placement/shape/extents.hpp>

#include <cstdint>
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
/// Checks all of n indices, without a branch for each. Throws: shape_error, for the first outside.
template <class Index>
void check_all(Index const* index, index_t n, index_t extent, std::string_view op) {
  auto const half = static_cast<std::uint64_t>(extent);
  // counted from -extent on; those below and too large ones become large numbers
  auto const from_first = [&](index_t i) {
    if (!std::in_range<index_t>(index[i])) return ~std::uint64_t{};
    return static_cast<std::uint64_t>(static_cast<index_t>(index[i])) + half;
  };
  std::uint64_t most[2] = {};
  index_t i = 0;
  for (; n - i >= 2; i += 2) {
    std::uint64_t const a = from_first(i), b = from_first(i + 1);
    most[0] = a > most[0] ? a : most[0];
    most[1] = b > most[1] ? b : most[1];
  }
  if (i != n && from_first(i) > most[0]) most[0] = from_first(i);
  if (n == 0 || (most[0] < 2 * half && most[1] < 2 * half)) return;
  for (i = 0; i != n; ++i) static_cast<void>(checked_index(index[i], extent, op));
}
template <class Index> index_t wrapped_index(Index index, index_t extent) {
  auto const i = static_cast<index_t>(index);
  return i < 0 ? i + extent : i;
}

}}}  // namespace placement::v0_1::detail
