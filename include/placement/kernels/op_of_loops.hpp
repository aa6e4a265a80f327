#pragma once
/// The loops of reductions that differ in their axes alone.

#include <placement/shape/axis.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// The op for which the loops of a reduction are compiled. Axes are arguments of the loops, so that
/// an op without members has the same loops for all of them: those over all elements.
template <class Op> struct op_of_loops {
  using type = Op;
  static constexpr Op const& of(Op const& op) noexcept { return op; }
  static void of(Op const&&) = delete;
};
template <template <class, class...> class Op, class Where, class... R>
requires(requires { Where::reduces_all; } && std::is_empty_v<Op<over_all, R...>>)
struct op_of_loops<Op<Where, R...>> {
  using type = Op<over_all, R...>;
  static constexpr type of(Op<Where, R...> const&) noexcept { return {}; }
};

}}}  // namespace placement::v0_1::detail
