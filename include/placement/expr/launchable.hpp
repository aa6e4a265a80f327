#pragma once
/// Can a kernel be launched by another file of this program? Asked where this file cannot, and the
/// machine has GPUs that are hardware: a file of a CUDA compiler that computes the same expression
/// of the same types has left its launchers in gpu_launcher.

#include <placement/expr/launch.hpp>

namespace placement::inline v0_1::detail {

/// Stands for the operands of a kernel where only types are asked for.
struct operands_by_type {
  template <class X> typename X::value_type const* bring(X const&) { return nullptr; }
  template <class X> auto compute(X const&) {
    return tensor_parts::empty<tensor<typename X::value_type, typename X::extents_type>>();
  }
  template <class X> typename X::value_type const* keep(X&&) { return nullptr; }
  void const* produced(void const*) { return nullptr; }
};

template <class R, bool Split, class X>
using flat_region =
    decltype(bind_flat<R, Split>(std::declval<X const&>(), std::declval<operands_by_type&>()));
template <class R, bool Split, class X, class To>
using rows_region = decltype(bind_rows<R, Split>(
    std::declval<X const&>(), std::declval<operands_by_type&>(), std::declval<To const&>()));

template <class Job> bool has_launcher() { return gpu_launcher<Job>.peek() != nullptr; }
/// Calls f.template operator()<Form, F>() for each form in which the region below X may be bound;
/// whether it was true of all.
template <class R, bool Split, class X, class S, class Ask> bool in_each_form(Ask ask) {
  constexpr form by_type = form_of<X, R, Split, S>();
  bool all = true;
  if constexpr (by_type != form::rows)
    all = ask.template operator()<flat_form, flat_region<R, Split, X>>();
  if constexpr (by_type != form::flat)
    all = all && ask.template operator()<rows_form, rows_region<R, Split, X, S>>();
  return all;
}

/// The jobs of the kernel whose root is E, followed by After.
template <class E, bool Split, class T, class After> bool jobs_have_launchers() {
  using Op = typename E::op_type;
  using X = typename E::extents_type;
  using el = element_of<E>;
  if constexpr (fusing<E>) {
    return in_each_form<E, Split, E, X>([]<class Form, class F>() {
      if constexpr (std::is_same_v<Form, flat_form>)
        return has_launcher<flat_map_job<Op, el, T, F>>();
      else return has_launcher<rows_map_job<Op, el, T, X, F>>();
    });
  } else if constexpr (contracting<E>) {
    return has_launcher<contract_job<Op, el, X, After>>();
  } else if constexpr (folding<E>) {
    using In = operand_type<E, 0>;
    using S = typename In::extents_type;
    if constexpr (Op::folds_all)
      return in_each_form<E, Split, In, S>([]<class Form, class F>() {
        if constexpr (std::is_same_v<Form, flat_form>)
          return has_launcher<flat_fold_job<Op, el, T, F, After>>();
        else return has_launcher<rows_fold_job<Op, el, T, S, F, After>>();
      });
    else return has_launcher<axis_fold_job<Op, el, T, S, rows_region<E, Split, In, S>, After>>();
  } else if constexpr (custom_node<E>) {
    return has_launcher<decltype(custom_job_of(
        std::declval<E const&>(), std::declval<operands_by_type&>(), std::declval<T*>()))>();
  } else {
    return false;  // values of the program stay on the host
  }
}

template <class E, bool Split> bool launched_elsewhere() {
  using T = typename E::value_type;
  bool found = jobs_have_launchers<E, Split, T, nothing_after>();
  if constexpr (has_epilogue<E, Split>) {
    using C = bare<decltype(*std::declval<epilogue_type<E, Split>>())>;
    using X = typename E::extents_type;
    found = found && in_each_form<E, Split, E, X>([]<class Form, class F>() {
              using After = std::conditional_t<std::is_same_v<Form, flat_form>, flat_after<T, F>,
                                               rows_after<T, F, X>>;
              return jobs_have_launchers<C, Split, T, After>();
            });
  }
  return found;
}

}  // namespace placement::inline v0_1::detail
