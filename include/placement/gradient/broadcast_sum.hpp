#pragma once
/// How the elements of a gradient are summed to the shape of an operand that was broadcast.

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

namespace no_adl {
/// The dimensions are permuted so that the summed ones are adjacent. They are the second of three
/// groups.
struct broadcast_sum {
  int order[max_rank]{};
  dextents<3> groups{{1, 1, 1}};
  bool is_permuted = false;
  bool is_needed = false;
};
}  // namespace no_adl
using no_adl::broadcast_sum;
/// From one shape to another that broadcasts with it.
broadcast_sum broadcast_sum_of(any_shape const& from, any_shape const& to);
/// Writes the shape of the sum: that of `to`, with extent 1 where `from` has 1.
void set_summed_shape(index_t* sum, any_shape const& from, any_shape const& to);
/// Throws: shape_error for the pullback of an element-wise op whose result is smaller than the
/// operand, although it was given a gradient of the op's shape.
[[noreturn, gnu::cold]] void throw_smaller_gradient(any_shape const& has, any_shape const& to);

}}}  // namespace placement::v0_1::detail
