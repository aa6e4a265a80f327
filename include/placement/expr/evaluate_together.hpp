#pragma once
/// Several results in one evaluation: `evaluate(into(s) = a + b, into(d) = a - b)`.

#include <placement/expr/contiguous_joint.hpp>
#include <placement/expr/evaluate.hpp>
#include <placement/expr/make_joint_kernel.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

/// An expression, and the tensor that its value is for.
template <class Out, class E> struct assignment {
  Out& out;
  E e;
  site at;
};

template <class A> inline constexpr bool is_assignment = false;
template <class Out, class E> inline constexpr bool is_assignment<assignment<Out, E>> = true;

/// What into() gives.
template <class Out> class target {
 public:
  target(Out& out, site at) noexcept : out_(out), at_(at) {}

  template <lazy E> assignment<Out, bare<E>> operator=(E&& e) const {
    check_target<typename Out::value_type, typename Out::extents_type, bare<E>>();
    return {out_, std::forward<E>(e), at_};
  }

 private:
  Out& out_;
  site at_;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_same_target() {
  throw invalid_argument(
      "placement: evaluate(into(x) = ..., into(x) = ...) names the same tensor twice. Give each "
      "result a tensor of its own.");
}

/// Whether a tensor's type names no device.
template <class Out>
inline constexpr bool is_tensor_of_any_device =
    std::is_same_v<Out, tensor<typename Out::value_type, typename Out::extents_type>>;

/// Can e be one of several regions of a kernel? By type.
template <class Out, class E> constexpr bool may_join_others() {
  if constexpr (!is_tensor_of_any_device<Out>) return false;
  else if constexpr (!is_expr<E>) return false;
  else if constexpr (!fusible_node<E> || pinned_by_its_type<E, no_pin>) return false;
  else return !splits<E> && kernel_is_noexcept<E, false>;
}

/// Computes expressions over the elements of their tensors, if these and all operands are
/// contiguous on CPU:0 and nothing is logged. False, and no effect, otherwise.
template <class... Out, class... E, class Shapes>
bool evaluate_contiguously(Shapes const& shapes, assignment<Out, E>&... a) {
  auto const count = shapes.template get<0>().count();
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto const has_shape = [&](auto& out, auto const& shape) {
      return shape == shapes.template get<0>() && tensor_access::shape(out) == shape;
    };
    if (!(has_shape(a.out, shapes.template get<I>()) && ...)) return false;
    requested_device const requested[]{request_of(a.e, no_pin{})...};
    contiguous_pass<E...> pass(count);
    if (!(pass.add(a.e, requested[I]) && ...)) return false;
    contiguous_result const results[]{
        {tensor_access::elements(a.out).get(), sizeof(typename Out::value_type)}...};
    if (!pass.run(joint_kernel_of<E...>, results, a.e...)) return false;
    ((tensor_access::requested(a.out) = requested[I].requested), ...);
    return true;
  }(std::index_sequence_for<E...>{});
}

/// Computes expressions of one shape and device in one pass. False, and no effect, for others.
template <class... Out, class... E> bool evaluate_in_one_pass(assignment<Out, E>&... a) {
  if ((is_recorded<E> || ...) && gradients_here != nullptr) return false;  // a record for each
  constexpr std::size_t ranks[]{Out::rank...};
  if (((Out::rank != ranks[0]) || ...)) return false;
  auto const site_of = [](auto const& one) {
    if (one.e.from.where.known()) return one.e.from.where;
    return one.at.known() ? one.at : site_of_scope();
  };
  auto const shapes = pack<typename Out::extents_type...>{
      {converted<typename Out::extents_type>(a.e.shape(), E::op_type::name, site_of(a))}...};
  if constexpr (contiguous_pass<E...>::is_possible)
    if (evaluate_contiguously(shapes, a...)) return true;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    joint_result results[]{{fused_kernel_of<E, false, no_pin>,
                            {&a.e,
                             a.e.from,
                             shapes.template get<I>(),
                             request_of(a.e, no_pin{}),
                             {},
                             nullptr,
                             nullptr,
                             true,
                             site_of(a)},
                            {tensor_access::elements(a.out), tensor_access::requested(a.out),
                             tensor_access::shape(a.out)}}...};
    if (!evaluate_joint(joint_kernel_of<E...>, results)) return false;
    ((tensor_access::shape(a.out) = shapes.template get<I>()), ...);
    return true;
  }(std::index_sequence_for<E...>{});
}

/// Computes expressions one after another. Kernels that occur several times in them run once.
template <class... Out, class... E> void evaluate_in_turn(assignment<Out, E>&... a) {
  computed_values known;
  sharing_pin<roots<E...>, no_pin, computed_values> const pin{{}, known};
  auto const site_of = [](auto const& one) { return one.at.known() ? one.at : site_of_scope(); };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto values =
        pack<decltype(evaluated(a.e, pin, site{}))...>{{evaluated(a.e, pin, site_of(a))}...};
    ((a.out = std::move(values.template get<I>())), ...);
  }(std::index_sequence_for<E...>{});
}

template <class... Out, class... E> void evaluate_together(assignment<Out, E>&... a) try {
  void const* const targets[]{&a.out...};
  for (std::size_t i = 0; i != sizeof...(a); ++i)
    for (std::size_t j = 0; j != i; ++j)
      if (targets[i] == targets[j]) throw_same_target();
  if constexpr (sizeof...(E) == 1 && (is_tensor_of_any_device<Out> && ...)) {
    return (evaluate_into(a.out, a.e, true, a.at), ...);
  } else if constexpr (sizeof...(E) <= max_results && (may_join_others<Out, E>() && ...)) {
    if (evaluate_in_one_pass(a...)) return;
  }
  if constexpr (has_leaf<roots<E...>> && (is_tensor_of_any_device<Out> && ...))
    if (!((is_recorded<E> || ...) && gradients_here != nullptr)) return evaluate_in_turn(a...);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto values = pack<result_of<E>...>{{placement::evaluate(std::move(a.e), a.at)}...};
    ((a.out = std::move(values.template get<I>())), ...);
  }(std::index_sequence_for<E...>{});
} catch (...) { rethrow_as_error(); }

}  // namespace detail

/// Where one of several results goes: `evaluate(into(s) = a + b, into(d) = a - b)`.
template <class T, class X, class D>
detail::target<tensor<T, X, D>> into(tensor<T, X, D>& out, site at = site::here()) noexcept {
  return {out, at};
}

/// Computes all the expressions, then assigns each value to its tensor. Every expression reads the
/// old values: `evaluate(into(a) = b, into(b) = a)` swaps. When one throws, no tensor changes.
/// Cost: element-wise expressions of one shape and device are one pass over memory on the
/// CPU. Their common expressions, products and reductions are computed once. On hardware GPUs each
/// is a kernel of its own. Other expressions are computed one after another; kernels that occur
/// several times in gradients run once.
/// Throws: the errors of each evaluation; invalid_argument for a tensor that is named twice.
template <class Out, class E, class... More>
void evaluate(detail::assignment<Out, E> first, More... more)
    requires(... && detail::is_assignment<More>)
{
  detail::evaluate_together(first, more...);
}

}}  // namespace placement::v0_1
