#pragma once
/// Definitions of gradient/broadcast_sum.hpp.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/gradient/broadcast_sum.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE broadcast_sum broadcast_sum_of(any_shape const& from, any_shape const& to) {
  broadcast_sum s;
  std::size_t const rank = from.rank;
  bool sums[max_rank + 1]{};
  std::size_t first = rank, last = 0;
  for (std::size_t d = 0; d != rank; ++d) {
    std::size_t const added = rank - d;  // counted from the last dimension
    sums[d] = from.extent[d] != 1 && (added > to.rank || to.extent[to.rank - added] == 1);
    if (!sums[d]) continue;
    s.is_needed = true;
    if (first == rank) first = d;
    last = d;
  }
  for (std::size_t d = first; d < last; ++d)
    s.is_permuted = s.is_permuted || (!sums[d] && from.extent[d] != 1);
  std::size_t next = 0;
  auto const take = [&](std::size_t d, std::size_t group) {
    s.order[next++] = static_cast<int>(d);
    s.groups.n[group] *= from.extent[d];
  };
  for (std::size_t d = 0; d != rank; ++d)
    if (!sums[d] && (s.is_permuted || d < first)) take(d, 0);
  for (std::size_t d = 0; d != rank; ++d)
    if (sums[d] || (!s.is_permuted && d >= first && d <= last)) take(d, 1);
  for (std::size_t d = 0; d != rank; ++d)
    if (!sums[d] && !s.is_permuted && first != rank && d > last) take(d, 2);
  return s;
}

PLACEMENT_INLINE void set_summed_shape(index_t* sum, any_shape const& from, any_shape const& to) {
  for (std::size_t d = 0; d != to.rank; ++d) {
    std::size_t const counted = to.rank - d;
    sum[d] = counted > from.rank || from.extent[from.rank - counted] == 1 ? 1 : to.extent[d];
  }
}

[[noreturn]] PLACEMENT_INLINE void throw_smaller_gradient(any_shape const& has,
                                                          any_shape const& to) {
  throw shape_error("placement: a pullback gave a gradient of shape " +
                    list_text(has.extent, has.rank) + " for an operand of shape " +
                    list_text(to.extent, to.rank) +
                    ". Compute it from the incoming gradient, whose shape is that of the op's "
                    "result.");
}

}}}  // namespace placement::v0_1::detail
