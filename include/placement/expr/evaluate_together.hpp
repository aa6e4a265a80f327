#pragma once
/// Several results in one evaluation: `evaluate(into(s) = a + b, into(d) = a - b)`.

#include <placement/cpu/map_together.hpp>
#include <placement/expr/evaluate.hpp>
#include <placement/expr/same_value.hpp>

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

/// Can e be one of several regions of a kernel? By type.
template <class Out, class E> constexpr bool may_join_others() {
  if constexpr (!std::is_same_v<Out, tensor<typename Out::value_type, typename Out::extents_type>>)
    return false;
  else if constexpr (!is_expr<E>) return false;
  else if constexpr (!fusible_node<E> || pinned_by_its_type<E, no_pin>) return false;
  else return !splits<E> && ops_are_noexcept<E, E, false>();
}

/// Do results a and b have memory in common?
template <class A, class B> bool shares_memory(A const& a, B const& b) {
  buffer const* const x = tensor_access::elements(a).get();
  buffer const* const y = tensor_access::elements(b).get();
  bool const is_same = static_cast<void const*>(&a) == static_cast<void const*>(&b);
  return !is_same && x != nullptr && y != nullptr && (x == y || x->overlaps(*y));
}
/// May the results of all kernels be written over out's elements while they are computed? Each of
/// the expressions gives up its handles. Not where another result goes there, too.
template <class Out, class... A>
bool may_overwrite_with_all(Out& out, device where, A const&... a) {
  buffer* const b = tensor_access::elements(out).get();
  std::size_t const size = out.shape().count() * sizeof(typename Out::value_type);
  if (b == nullptr || !(b->where() == where) || b->size() != size) return false;
  if (!b->is_external() && b->is_read_elsewhere()) return false;
  reads const all[]{reads_of<decltype(a.e), false>(a.e, out)...};
  int handles = 0;
  for (reads const& r : all) {
    if (r.elsewhere || r.named || r.overlaps) return false;
    handles += r.handles;
  }
  if ((shares_memory(out, a.out) || ...)) return false;
  return b->is_external() || b->owners() == 1 + handles;
}

/// Do all follow the same product or reduction, or none of them any? Else each goes together with
/// its own better than with the others.
template <class First, class... E> bool share_producer(First const& first, E const&... e) {
  if constexpr (!(has_epilogue<First, false> || ... || has_epilogue<E, false>)) {
    return true;
  } else if constexpr ((std::is_same_v<producer_type<E, false>, producer_type<First, false>> &&
                        ...)) {
    auto const& of_first = *producer_of<First, false>(first);
    return (same_value(*producer_of<E, false>(e), of_first) && ...);
  } else {
    return false;
  }
}

/// Operands of one of several kernels, of which what they have in common is computed once.
class shared_operands : public kernel_operands {
 public:
  template <std::size_t N>
  shared_operands(operand_slots<N>& slots, kernel_placement const& k, computed_values& known)
      : kernel_operands(slots, k.facts.decision.device, k.how, k.facts), known_(known) {}

  template <class X> auto compute(X const& x) {
    auto t = tensor_access::empty<tensor<typename X::value_type, typename X::extents_type>>();
    if (buffer_ref elements = known_.find(x)) {
      tensor_access::elements(t) = std::move(elements);
    } else {
      t = evaluated(x, no_pin{}, at());
      known_.add(x, tensor_access::elements(t));
    }
    return t;
  }

 private:
  computed_values& known_;
};

/// Some expressions of one shape, on one device, as one kernel.
template <class... A> struct joint;
template <class... Out, class... E> struct joint<assignment<Out, E>...> {
  template <std::size_t... I>
  static bool evaluate(std::index_sequence<I...>, assignment<Out, E>&... a) {
    auto const shape = shape_of_first(a...);
    if constexpr (((bare<decltype(a.e.shape())>::rank != decltype(shape)::rank) || ...)) {
      return false;
    } else {
      if (!((a.e.shape() == shape) && ...) || !share_producer(a.e...)) return false;
      kernel_placement k[]{resolve(a.e, no_pin{}, a.at.known() ? a.at : site_of_scope())...};
      for (kernel_placement& one : k) one.facts.id = k[0].facts.id;  // they are one kernel
      device const where = k[0].facts.decision.device;
      for (kernel_placement const& one : k)
        if (!(one.facts.decision.device == where)) return false;
      if (!where.is_cpu() && this_machine().real) return false;  // there each is a kernel
      throw_if_unrecorded("An op ran on", where);
      (report(a.e, k[I]), ...);

      auto to = pack<destination<typename Out::value_type, typename Out::extents_type>...>{
          {destination<typename Out::value_type, typename Out::extents_type>(
              a.out, converted<typename Out::extents_type>(shape, k[I].facts.root, k[I].facts.at),
              where, k[I].facts.requested,
              may_overwrite_with_all(a.out, where, a...) && a.out.shape() == shape,
              call_site_of(a.e, k[I].facts.at))}...};
      pack<operand_slots<leaves_below<E, E, false>>...> slots;
      computed_values known;
      auto sets = pack<typename operands_for<E>::type...>{
          {shared_operands(slots.template get<I>(), k[I], known)}...};

      pack<typename Out::value_type*...> const out{{to.template get<I>().data()}...};
      constexpr form by_type = weakest(form_of<E, E, false, bare<decltype(shape)>>()...);
      bool contiguous = by_type == form::contiguous;
      if constexpr (by_type == form::dynamic)
        contiguous = (is_contiguous<E, false>(a.e, shape) && ...);
      auto const log_ops = [&] { (log(a.e, k[I], sets.template get<I>()), ...); };
      if constexpr (by_type != form::strided) {
        if (contiguous)
          run(where, shape, out, log_ops, contiguous_form{},
              bind_contiguous<E, false>(a.e, sets.template get<I>())...);
      }
      if constexpr (by_type != form::contiguous) {
        if (!contiguous)
          run(where, shape, out, log_ops, strided_form{},
              bind_strided<E, false>(a.e, sets.template get<I>(), shape)...);
      }
      (to.template get<I>().keep(k[I].facts.root, k[I].facts.at), ...);
      return true;
    }
  }

 private:
  template <class> struct operands_for {
    using type = shared_operands;
  };

  template <class F, class...> struct first_type {
    using type = F;
  };
  template <class First, class... More>
  static auto shape_of_first(First const& first, More const&...) {
    return first.e.shape();
  }
  template <class... F> static constexpr form weakest(F... f) {
    form all = form::contiguous;
    ((all = weaker(all, f)), ...);
    return all;
  }
  template <class X> static void report(X const& e, kernel_placement const& k) {
    if (k.facts.decision.fell_back) [[unlikely]]
      report_fallback(e, k.facts, k.how);
    if (k.forbids_moves) [[unlikely]]
      throw_if_ops_moved(e, k);
  }
  template <class X>
  static void log(X const& e, kernel_placement const& k, kernel_operands const& set) {
    if constexpr (logs_ops<typename X::kernels>)
      if (k.how.reports_ops()) [[unlikely]]
        visit_ops<false>(e, static_cast<no_producer const*>(nullptr), set.facts_now(), log_op_of);
  }

  template <class X, class To, class Log, class Form, class... F>
  static void run(device where, X const& shape, To const& out, Log const& log_ops, Form in_form,
                  F const&... f) {
    log_ops();
    pack<F...> const all{{f}...};
    using found = common_exprs<F...>;
    if constexpr (!std::is_same_v<found, expr_list<>>) {
      if (are_shared(found{}, f...))
        return submit<found, expr_list<F...>>(where, shape, out, all, in_form);
    }
    submit<expr_list<>, expr_list<F...>>(where, shape, out, all, in_form);
  }
  template <class Shared, class Exprs, class X, class To, class F>
  static void submit(device where, X const& shape, To const& out, F const& f, contiguous_form) {
    enqueue(where, contiguous_maps_launch<op, element, Shared, To, F, Exprs>{
                       out, static_cast<index_t>(shape.count()), f});
  }
  template <class Shared, class Exprs, class X, class To, class F>
  static void submit(device where, X const& shape, To const& out, F const& f, strided_form) {
    enqueue(where, strided_maps_launch<op, element, Shared, To, X, F, Exprs>{out, shape, f});
  }
  template <class Launch> static void enqueue(device where, Launch const& kernel_launch) {
    launch_on{where}.template operator()<no_kernel, false>(op::name, kernel_launch);
  }

  using first_expression = typename first_type<E...>::type;
  using op = typename first_expression::op_type;
  using element = element_of<first_expression>;
};

template <class... Out, class... E> void evaluate_together(assignment<Out, E>&... a) try {
  void const* const targets[]{&a.out...};
  for (std::size_t i = 0; i != sizeof...(a); ++i)
    for (std::size_t j = 0; j != i; ++j)
      if (targets[i] == targets[j]) throw_same_target();
  if constexpr ((may_join_others<Out, E>() && ...)) {
    if (joint<assignment<Out, E>...>::evaluate(std::index_sequence_for<E...>{}, a...)) return;
  }
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
/// is a kernel of its own. Other expressions are computed one after another.
/// Throws: the errors of each evaluation; invalid_argument for a tensor that is named twice.
template <class Out, class E, class... More>
void evaluate(detail::assignment<Out, E> first, More... more)
    requires(... && detail::is_assignment<More>)
{
  detail::evaluate_together(first, more...);
}

}}  // namespace placement::v0_1
