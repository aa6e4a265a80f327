#pragma once
/// The gradient of a reduction's result, for each element that was reduced.

#include <placement/expr/operand.hpp>
#include <placement/shape/axis.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The shape of x with the reduced dimension of extent 1.
template <class X> dextents<X::rank> with_one_at(X const& x, std::size_t axis) {
  dextents<X::rank> y{};
  if constexpr (X::rank != 0)
    for (std::size_t d = 0; d != X::rank; ++d) y.n[d] = d == axis ? 1 : x.at(d);
  return y;
}

/// g, which has the shape of a reduction's result, in a shape that broadcasts over the operand x.
/// Where: the base class of the reduction. A number stays one.
template <class K, class Where, class G, class X>
auto spread([[maybe_unused]] Where const& where, G const& g, [[maybe_unused]] X const& x) {
  if constexpr (Where::reduces_all || bare<G>::rank == 0) return g;
  else if constexpr (requires { where.shape; })
    return reshape(g, with_one_at(x.shape(), where.axis_of(x.shape())));  // several axes
  else if constexpr (keeps_dim<bare<decltype(where.axis)>>) return g;
  else if constexpr (std::is_same_v<bare<decltype(where.axis)>, run_time_axis>)
    return expand_dims(g, where.axis.value);
  else return expand_dims(g, where.axis);
}

}}}  // namespace placement::v0_1::detail
