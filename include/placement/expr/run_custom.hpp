#pragma once
/// Custom ops, which bring their own loops over dense views, and values written in the program.

#include <placement/exec/launch_on.hpp>
#include <placement/expr/bind.hpp>
#include <placement/expr/decide.hpp>
#include <placement/place/location.hpp>

#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

template <class E, class Set, class T> auto custom_launch_of(E const& e, Set& set, T* out) {
  auto view_of = [&]<class C>(C const& c) {
    if constexpr (is_list<C>) return c.views(set);
    else
      return dense_view<typename C::value_type const, typename C::extents_type>{elements_of(c, set),
                                                                                c.shape()};
  };
  using Out = dense_view<T, typename E::extents_type>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return custom_launch<typename E::op_type, element_of<E>, Out,
                         decltype(view_of(e.template arg<I>()))...>{
        e.op, Out{out, e.shape()}, {{view_of(e.template arg<I>())}...}};
  }(std::make_index_sequence<E::arity>{});
}

/// Runs a custom op by `submit`, which takes its kernel launch. `set` gives the operands.
template <class E, class Submit, class Set, class T>
void run_custom(E const& e, Submit const& submit, Set& set, T* out) {
  auto const kernel_launch = custom_launch_of(e, set, out);
  auto const start = [&] {
    submit.template operator()<gpu_kernel_here<E>, false>(E::op_type::name, kernel_launch);
  };
  if constexpr (!bare<decltype(kernel_launch)>::may_throw) {
    start();
  } else {
    try {
      start();
    } catch (shape_error& error) {
      add_location(error, E::op_type::name, e.from.where, e.from.name);
      throw;
    }
  }
}

/// Copies the values of a literal, which are in host memory of the op.
template <class E, class T> void copy_literal(E const& e, device where, T* out) {
  move_bytes(out, where, e.op.data(), cpu0, e.shape().count() * sizeof(T));
}

}}}  // namespace placement::v0_1::detail
