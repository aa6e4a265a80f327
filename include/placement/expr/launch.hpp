#pragma once
/// One kernel, from the placement decision to its launch: operands are copied to the device, the
/// ops are logged, the kernel launch goes to the device.

#include <placement/exec/kernels.hpp>
#include <placement/exec/launch_on.hpp>
#include <placement/expr/bind.hpp>
#include <placement/expr/launchable.hpp>
#include <placement/expr/noexcept.hpp>
#include <placement/place/location.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

// ---- one function per pattern: bind the operands, submit the launch

template <bool Split, class E, class Set, class T, class Submit>
[[gnu::always_inline]] inline void run_map(E const& e, Set& set, T* out, Submit const& submit) {
  using Op = typename E::op_type;
  auto const shape = e.shape();
  using X = bare<decltype(shape)>;
  bind_fusion<E, Split>(
      e, shape, set, [&]<class Form, class F>(Form, F const& f) __attribute__((always_inline)) {
        if constexpr (std::is_same_v<Form, contiguous_form>)
          submit(contiguous_map_launch<Op, element_of<E>, T, F>{
              out, static_cast<index_t>(shape.count()), f});
        else {
          using where = std::conditional_t<changes_layouts<E, E, Split>, layout<X::rank>,
                                           untransposed_layout<X::rank>>;
          submit(strided_map_launch<Op, element_of<E>, T, X, F, where>{
              out, {row_major(shape)}, shape, f});
        }
      });
}

/// An operand of a product, broadcast over the batch of the result's shape.
template <class T, std::size_t R, class X, class To>
strided_view<T, To::rank> batch_of(strided_view<T, R> const& v, X const& x, To const& to) {
  strided_view<T, To::rank> r{v.data, {}};
  r.where.base = v.where.base;
  for (std::size_t d = 0; d != R; ++d) {
    std::size_t const t = d + To::rank - R;
    r.where.stride[t] = d + 2 < R && x.at(d) == 1 && to.at(t) != 1 ? 0 : v.where.stride[d];
  }
  return r;
}
template <bool, class E, class Set, class T, class Epilogue, class Submit>
[[gnu::always_inline]] inline void run_matmul(E const& e, Set& set, T* out,
                                              Epilogue const& epilogue, Submit const& submit) {
  auto const& left = e.template arg<0>();
  auto const& right = e.template arg<1>();
  auto const a = strided_operand(left, set);
  auto const b = strided_operand(right, set);
  auto const shape = e.shape();
  index_t const depth = left.shape().at(bare<decltype(left)>::extents_type::rank - 1);
  submit(matmul_launch<typename E::op_type, element_of<E>, bare<decltype(shape)>, Epilogue>{
      out, shape, depth, batch_of(a, left.shape(), shape), batch_of(b, right.shape(), shape),
      epilogue});
}

template <bool Split, class E, class Set, class T, class Epilogue, class Submit>
void run_reduce(E const& e, Set& set, T* out, Epilogue const& epilogue, Submit const& submit) {
  using Op = typename E::op_type;
  auto const& input = e.template arg<0>();
  auto const shape = input.shape();
  using X = bare<decltype(shape)>;
  if constexpr (E::op_type::reduces_all) {
    bind_fusion<E, Split>(input, shape, set, [&]<class Form, class F>(Form, F const& f) {
      if constexpr (std::is_same_v<Form, contiguous_form>)
        submit(contiguous_reduce_launch<Op, element_of<E>, T, F, Epilogue>{
            e.op, out, static_cast<index_t>(shape.count()), f, epilogue});
      else
        submit(strided_reduce_launch<Op, element_of<E>, T, X, F, Epilogue>{e.op, out, shape, f,
                                                                           epilogue});
    });
  } else {
    auto const f = bind_strided<E, Split>(input, set, shape);
    submit(axis_reduce_launch<Op, element_of<E>, T, X, bare<decltype(f)>, Epilogue>{
        e.op, out, shape, e.op.axis_of(shape), f, epilogue});
  }
}

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

/// Copies the values of a literal, which are in host memory of the op.
template <class E, class T> void run_literal(E const& e, device where, T* out) {
  move_bytes(out, where, e.op.data(), cpu0, e.shape().count() * sizeof(T));
}

// ---- the kernel

/// The number of operands of the kernel whose root is E.
template <class E, bool Split> constexpr std::size_t operand_count() {
  if constexpr (matmul_node<E> || custom_node<E> || literal_node<E>) {
    return E::arity;
  } else {
    std::size_t n = leaves_below<E, E, Split>;
    if constexpr (has_epilogue<E, Split>) {
      using C = bare<decltype(*std::declval<producer_type<E, Split>>())>;
      if constexpr (matmul_node<C>) n += C::arity;
      else n += leaves_below<C, C, Split>;
    }
    return n;
  }
}

/// Can the kernel of E throw? Queues then wait for it.
template <class E, bool Split> constexpr bool may_throw() {
  if constexpr (fusible_node<E> || reduce_node<E>) return !ops_are_noexcept<E, E, Split>();
  else return false;  // custom ops say it of the call, see start()
}

/// Runs the kernel whose root is e. `set` gives the operands, `out` is dense memory for the result,
/// `submit` takes the kernel launch. ready(producer) is called before the first write with the
/// product or reduction that the kernel's epilogue follows.
template <bool Split, class E, class Submit, class Set, class T, class Ready>
[[gnu::always_inline]] inline void run_kernel(E const& e, Submit const& submit, Set& set, T* out,
                                              Ready const& ready) {
  using throws = std::bool_constant<may_throw<E, Split>()>;
  auto const without_epilogue = [&](auto const& kernel_launch) __attribute__((always_inline)) {
    ready(static_cast<no_producer const*>(nullptr));
    submit.template operator()<gpu_kernel_of_form<E, Split>, throws::value>(E::op_type::name,
                                                                            kernel_launch);
  };
  if constexpr (has_epilogue<E, Split>) {
    auto const* const producer = producer_of<E, Split>(e);
    using C = bare<decltype(*producer)>;
    if (producer->shape() == e.shape()) {
      set.set_produced(producer, out);
      bind_fusion<E, Split>(
          e, e.shape(), set, [&](auto in_form, auto const& f) __attribute__((always_inline)) {
            set.set_produced(nullptr,
                             nullptr);  // an operand of the producer may lie at its address
            auto const epilogue = make_epilogue(in_form, out, f, e.shape());
            auto const with_epilogue =
                [&](auto const& kernel_launch) __attribute__((always_inline)) {
                  ready(producer);
                  using kernel_of_both =
                      std::conditional_t<Split || !splits<E>, gpu_kernel_here<C>, no_kernel>;
                  submit.template operator()<kernel_of_both, throws::value>(E::op_type::name,
                                                                            kernel_launch);
                };
            if constexpr (matmul_node<C>)
              run_matmul<Split>(*producer, set, out, epilogue, with_epilogue);
            else run_reduce<Split>(*producer, set, out, epilogue, with_epilogue);
          });
      return;
    }
  }
  if constexpr (fusible_node<E>) {
    run_map<Split>(e, set, out, without_epilogue);
  } else if constexpr (matmul_node<E>) {
    run_matmul<Split>(e, set, out, no_epilogue{}, without_epilogue);
  } else if constexpr (reduce_node<E>) {
    run_reduce<Split>(e, set, out, no_epilogue{}, without_epilogue);
  } else if constexpr (literal_node<E>) {
    ready(static_cast<no_producer const*>(nullptr));
    run_literal(e, submit.where, out);
  } else {
    auto const kernel_launch = custom_launch_of(e, set, out);
    if constexpr (!bare<decltype(kernel_launch)>::may_throw) {
      without_epilogue(kernel_launch);
    } else {
      try {
        without_epilogue(kernel_launch);
      } catch (shape_error& error) {
        add_location(error, E::op_type::name, e.from.where);
        throw;
      }
    }
  }
}

/// Runs the kernel whose root is e on its resolved device and writes its elements to `out` there.
/// Transfers and kernels of operands run before the first write.
template <bool Split, class E, class Pin, class T>
void launch(E const& e, Pin const& pin, kernel_placement const& k, T* out) {
  device const where = k.facts.decision.device;
  throw_if_unrecorded("An op ran on", where);
  operand_slots<operand_count<E, Split>()> slots;
  operand_set<Pin> set(slots, where, k.how, pin, k.facts);
  if constexpr (launches_gpu<typename E::kernels> && (Split || !splits<E>))
    static_cast<void>(&has_kernels<E, Split>::registered);
  run_kernel<Split>(e, launch_on{where}, set, out, [&]<class Producer>(Producer const* produced) {
    if constexpr (logs_ops<typename E::kernels>)
      if (k.how.reports_ops()) [[unlikely]]
        visit_ops<Split>(e, produced, set.facts_now(), log_op_of);
  });
}

}}}  // namespace placement::v0_1::detail
