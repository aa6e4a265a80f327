#pragma once
/// One kernel, from a decision to finished elements: operands are brought, the ops are logged, the
/// loop runs.

#include <placement/expr/bind.hpp>
#include <placement/kernels/kernels.hpp>

namespace placement::inline v0_1::detail {

// ---- after a product or reduction: the element-wise region around it

struct nothing_after {
  constexpr void operator()(index_t, index_t) const noexcept {}
};
/// Reworks the finished elements [first, first + n), which lie in one row of the shape.
template <class T, class F, class X> auto epilogue_pass(flat_form, T* out, F const& f, X const&) {
  return [out, f](index_t first, index_t n) {
    for (index_t i = first; i != first + n; ++i) out[i] = f(i);
  };
}
template <class T, class F, class X>
auto epilogue_pass(rows_form, T* out, F const& f, X const& shape) {
  return [out, f, shape](index_t first, index_t n) {
    auto c = coordinates_of(first, shape);
    index_t const from = X::rank == 0 ? 0 : std::exchange(c.at[coordinates<X::rank>::slots - 1], 0);
    auto const row = f.row(c);
    for (index_t j = 0; j != n; ++j) out[first + j] = row(from + j);
  };
}

// ---- one pattern each: bind the operands, say ready(), run

template <bool Split, class E, class Set, class T, class Ready>
[[gnu::always_inline]] inline void run_map(E const& e, Set& set, T* out, Ready const& ready) {
  auto const shape = e.shape();
  auto const run = [&]<class Form>(Form, auto const& f) __attribute__((always_inline)) {
    ready();
    if constexpr (std::is_same_v<Form, flat_form>)
      cpu_kernel<E>::flat(out, static_cast<index_t>(shape.count()), f);
    else cpu_kernel<E>::rows(out, row_major(shape), shape, f);
  };
  bind_region<E, Split>(e, shape, set, run);
}

/// An operand of a product, repeated over the batch of the result's shape.
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
template <bool, class E, class Set, class T, class After, class Ready>
[[gnu::always_inline]] inline void run_contract(E const& e, Set& set, T* out, After const& after,
                                                Ready const& ready) {
  auto const& left = e.template arg<0>();
  auto const& right = e.template arg<1>();
  auto const a = strided_operand(left, set);
  auto const b = strided_operand(right, set);
  ready();
  auto const shape = e.shape();
  index_t const depth = left.shape().at(bare<decltype(left)>::extents_type::rank - 1);
  cpu_kernel<E>::run(out, shape, depth, batch_of(a, left.shape(), shape),
                     batch_of(b, right.shape(), shape), after);
}

template <bool Split, class E, class Set, class T, class After, class Ready>
void run_fold(E const& e, Set& set, T* out, After const& after, Ready const& ready) {
  auto const& input = e.template arg<0>();
  auto const shape = input.shape();
  using X = bare<decltype(shape)>;
  if constexpr (E::op_type::folds_all) {
    bind_region<E, Split>(input, shape, set, [&]<class Form>(Form, auto const& f) {
      ready();
      if constexpr (std::is_same_v<Form, flat_form>)
        *out = cpu_kernel<E>::flat(e.op, static_cast<index_t>(shape.count()), f);
      else *out = cpu_kernel<E>::rows(e.op, shape, f);
    });
    after(0, 1);
  } else {
    auto const f = bind_rows<E, Split>(input, set, shape);
    ready();
    std::size_t const axis = e.op.axis_of(shape);
    if (axis + 1 == X::rank) cpu_kernel<E>::last_axis(e.op, out, shape, f, after);
    else cpu_kernel<E>::inner_axis(e.op, out, shape, axis, f, after);
  }
}

template <class E, class Set, class T, class Ready>
void run_custom(E const& e, Set& set, T* out, Ready const& ready) {
  auto view_of = [&]<class C>(C const& c) {
    if constexpr (is_list<C>) return c.views(set);
    else
      return dense_view<typename C::value_type const, typename C::extents_type>{elements_of(c, set),
                                                                                c.shape()};
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    pack<decltype(view_of(e.template arg<I>()))...> const in{{view_of(e.template arg<I>())}...};
    ready();
    cpu_kernel<E>::run(e.op, dense_view<T, typename E::extents_type>{out, e.shape()},
                       in.template get<I>()...);
  }(std::make_index_sequence<E::arity>{});
}

/// Values written in the program: host memory that the op holds.
template <class E, class T, class Ready>
void run_literal(E const& e, device where, T* out, Ready const& ready) {
  ready();
  move_bytes(out, where, e.op.data(), cpu0, e.shape().count() * sizeof(T));
}

// ---- the kernel

/// Operands of the kernel whose root is E.
template <class E, bool Split> constexpr std::size_t operand_count() {
  if constexpr (contracting<E> || custom_node<E> || literal_node<E>) {
    return E::arity;
  } else {
    std::size_t n = leaves_below<E, E, Split>();
    if constexpr (has_epilogue<E, Split>) {
      using C = bare<decltype(*std::declval<epilogue_type<E, Split>>())>;
      if constexpr (contracting<C>) n += C::arity;
      else n += leaves_below<C, C, Split>();
    }
    return n;
  }
}

/// Runs the kernel whose root is e on operands as `set` brings them, writing its elements densely
/// to `out`. ready(producer) is called before the first write, with the node that the region
/// follows in one kernel.
template <bool Split, class E, class Set, class T, class Ready>
[[gnu::always_inline]] inline void run_kernel(E const& e, device where, Set& set, T* out,
                                              Ready const& ready) {
  auto alone = [&] { ready(static_cast<no_epilogue const*>(nullptr)); };
  if constexpr (has_epilogue<E, Split>) {
    auto const* const producer = epilogue_of<E, Split>(e);
    using C = bare<decltype(*producer)>;
    if (producer->shape() == e.shape()) {
      set.set_produced(producer, out);
      bind_region<E, Split>(e, e.shape(), set, [&](auto in_form, auto const& f) {
        set.set_produced(nullptr, nullptr);  // an operand of the producer may lie at its address
        auto const after = epilogue_pass(in_form, out, f, e.shape());
        auto together = [&] { ready(producer); };
        if constexpr (contracting<C>) run_contract<Split>(*producer, set, out, after, together);
        else run_fold<Split>(*producer, set, out, after, together);
      });
      return;
    }
  }
  if constexpr (fusing<E>) run_map<Split>(e, set, out, alone);
  else if constexpr (contracting<E>) run_contract<Split>(e, set, out, nothing_after{}, alone);
  else if constexpr (folding<E>) run_fold<Split>(e, set, out, nothing_after{}, alone);
  else if constexpr (literal_node<E>) run_literal(e, where, out, alone);
  else run_custom(e, set, out, alone);
}

/// Runs the kernel whose root is e on the device decided, writing its elements to `out` there.
/// Transfers and the kernels of boundary operands come before the first write.
template <bool Split, class E, class Pin, class T>
void launch(E const& e, Pin const& pin, kernel_facts const& facts, settings_word how, T* out) {
  device const where = facts.decision.device;
  operand_set<operand_count<E, Split>(), Pin> set(where, how, pin, facts);
  run_kernel<Split>(e, where, set, out, [&]<class Producer>(Producer const* produced) {
    if (how.level() == log_level::all) [[unlikely]]
      log_kernel<Split>(e, produced, facts, set.copies(), set.copied_bytes());
  });
}

}  // namespace placement::inline v0_1::detail
