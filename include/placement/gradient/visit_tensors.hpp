#pragma once
/// Visits the tensors that an expression reads.

#include <placement/gradient/cut.hpp>
#include <placement/gradient/tape_core.hpp>

#include <cstddef>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

template <bool IsRead, class X>
PLACEMENT_ALWAYS_INLINE inline void visit_node(X const& x, bool all, tensors_of::visitor const& f);
template <bool IsRead, class X, std::size_t... J>
PLACEMENT_ALWAYS_INLINE inline void visit_operands_of_node(
    [[maybe_unused]] X const& x, [[maybe_unused]] bool all,
    [[maybe_unused]] tensors_of::visitor const& f, std::index_sequence<J...>) {
  (visit_node<is_read_below<X, IsRead, J>()>(x.template arg<J>(), all, f), ...);
}
/// Calls f(elements, is_read) for each tensor in x, and for those that views name. is_read: a
/// pullback reads the elements. Not `all`: only for tensors that a gradient can reach.
template <bool IsRead, class X>
PLACEMENT_ALWAYS_INLINE inline void visit_node([[maybe_unused]] X const& x, bool all,
                                               tensors_of::visitor const& f) {
  if constexpr (is_tensor<X> || is_reference<X> || is_list<X> || is_expr<X> || is_placed<X>) {
    if (!has_path<X> && !all) return;
    if constexpr (is_expr<X>)
      visit_operands_of_node<IsRead>(x, all, f, std::make_index_sequence<X::arity>{});
    else if constexpr (is_placed<X>) visit_node<IsRead>(x.inner, all, f);
    else if constexpr (is_reference<X>) f(tensor_access::elements(x.target()), IsRead);
    else if constexpr (is_list<X>)
      for (auto const& t : x.items) f(tensor_access::elements(t), IsRead);
    else f(tensor_access::elements(x), IsRead);
  }
}
template <class X> void visit_tensors(void const* x, bool all, tensors_of::visitor const& f) {
  visit_node<false>(*static_cast<X const*>(x), all, f);
}
/// The tensors of x, which outlives the result.
template <class X> tensors_of tensors_in(X const& x) noexcept { return {&x, &visit_tensors<X>}; }

}}}  // namespace placement::v0_1::detail
