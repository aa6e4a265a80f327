#pragma once
/// From an expression to its plan, by the functions that evaluation itself asks (decide, joins,
/// epilogue_of): from the type alone, at compile time, or from the expression with its shapes,
/// operands and scopes.

#include <placement/expr/decide.hpp>
#include <placement/expr/inline_tensor.hpp>
#include <placement/expr/list.hpp>
#include <placement/expr/plan.hpp>

#include <vector>

namespace placement::inline v0_1 {

namespace detail {

/// What is inside of nested on()s.
template <class E> constexpr auto const& unplaced(E const& e) {
  if constexpr (is_placed<E>) return unplaced(e.inner);
  else return e;
}
template <class E> using unplaced_t = bare<decltype(unplaced(std::declval<E const&>()))>;

/// The most nodes that a plan of E can have.
template <class E> constexpr std::size_t op_count() {
  if constexpr (is_placed<E>) {
    using inner = decltype(E::inner);
    return stored<inner> ? 1 : op_count<inner>();
  } else if constexpr (is_expr<E>) {
    std::size_t n = 1;
    operands_of<E>::each([&]<class C>() { n += op_count<C>(); });
    return n;
  } else {
    return 0;
  }
}

/// Walks an expression, or its type alone where the pointers are null, kernel by kernel in the
/// order they run.
template <std::size_t N> class planner {
 public:
  constexpr planner(machine m, policy p, wish scope) : machine_(m), policy_(p), scope_(scope) {}

  plan<N> made{};

  /// Plans the kernels of e; gives the device of its result.
  template <class E, class Pin> constexpr device whole(E const* e, Pin const& pin) {
    if constexpr (is_placed<E>) {
      using inner = decltype(E::inner);
      inner const* const below = e != nullptr ? &e->inner : nullptr;
      if constexpr (stored<inner>) return moved_tensor(below, pin_for(e));
      else return whole(below, pin_for(e));
    } else {
      asking const asked = asked_by_kernel(e, pin);
      policy const p = policy_under<typename Pin::policies>(policy_);
      verdict const v = decide<E>(asked, machine_, p);
      if constexpr (splits<E>) {
        if (v.split) return one_kernel<true>(e, pin, asked, v.decided);
      }
      return one_kernel<false>(e, pin, asked, v.decided);
    }
  }

 private:
  /// The operands of a kernel that are copied for it.
  struct arrivals {
    placement::device where;
    std::size_t copies = 0, bytes = 0;
    std::vector<void const*> seen{};  ///< buffers and inline tensors that were copied

    constexpr void from(placement::device d, std::size_t size) {
      if (d == where || size == 0) return;
      ++copies;
      bytes += size;
    }
    /// A tensor of which only the type is known; d says nothing where that leaves the device open.
    constexpr void of_type(placement::device d, std::size_t size) {
      if (!d.said() || d == where) return;
      ++copies;
      bytes += size;
    }
    void stored_elements(buffer const* b) {
      if (b != nullptr) stored_elements(b, b->where(), b->size());
    }
    void stored_elements(void const* source, placement::device at, std::size_t size) {
      if (at == where || size == 0) return;
      for (void const* s : seen)
        if (s == source) return;
      seen.push_back(source);
      from(at, size);
    }
  };

  template <class E, class D, class P> constexpr pinned_by<P> pin_for(placed<E, D, P> const* e) {
    if constexpr (D::value.said()) return {wish{D::value}};
    else return {e != nullptr ? e->asked : wish{}};
  }
  template <class E, class Pin> constexpr asking asked_by_kernel(E const* e, Pin const& pin) const {
    if constexpr (requires { pin.asked; })
      return {pin.asked, e != nullptr || pin.asked.said() ? Pin::who : asked_by::nobody};
    else if constexpr (device_in_type<E>::value.said())
      return {wish{device_in_type<E>::value}, asked_by::type};
    else if (e != nullptr) return {e->from.asked, e->from.who};
    else return {scope_, scope_.said() ? asked_by::scope : asked_by::nobody};
  }

  template <std::size_t I, class X> static constexpr auto operand_of(X const* x) {
    return x != nullptr ? &x->template arg<I>() : nullptr;
  }
  template <class X, class F> static constexpr void each_operand(X const* x, F f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f(operand_of<I>(x)), ...);
    }(std::make_index_sequence<X::arity>{});
  }

  /// on(device, tensor): a copy, unless it is there.
  template <class T, class Pin> constexpr device moved_tensor(T const* t, Pin const& pin) {
    decision const d = place({pin.asked, Pin::who, {true, true}}, machine_,
                             policy_under<typename Pin::policies>(policy_));
    plan_node n;
    n.op = "Copy";
    n.element = element_name<typename T::value_type>();
    n.device = d.device;
    n.why = d.why;
    n.fell_back = d.fell_back;
    n.refused = d.refused;
    n.asked = n.written = pin.asked;
    set_shape(n, t);
    arrivals in{d.device};
    if (t != nullptr) bring_stored(*t, in);
    else in.of_type(home_of<T>(), bytes_of(t));
    n.copies = in.copies;
    n.bytes = in.bytes;
    made.nodes[made.size++] = n;
    return d.device;
  }

  /// Where a tensor with its device in the type is.
  template <class C> constexpr device home_of() const {
    constexpr device d = device_in_type<C>::value;
    if constexpr (!d.said()) return d;
    else return place({wish{d}, asked_by::type, {true, true}}, machine_, policy_).device;
  }

  template <class T> static buffer const* buffer_of(T const& t) {
    if constexpr (is_reference<T>) return buffer_of(t.target());
    else return tensor_parts::elements(t).get();
  }
  template <class T> void bring_stored(T const& t, arrivals& in) {
    if constexpr (is_inline<T>)
      in.stored_elements(address_of_inline(t), cpu0, T::shape().count() * sizeof(*t.data()));
    else in.stored_elements(buffer_of(t));
  }
  template <class T, class X> static void const* address_of_inline(inline_ref<T, X> const& r) {
    return r.target;
  }
  template <class T, class X> static void const* address_of_inline(inline_tensor<T, X> const& t) {
    return &t;
  }

  /// An operand that is not part of the kernel.
  template <class C, class Pin> constexpr void arrive(C const* c, Pin const& pin, arrivals& in) {
    if constexpr (is_scalar<C>) {
      return;
    } else if constexpr (stored<C>) {
      if (c != nullptr) bring_stored(*c, in);
      else in.of_type(home_of<C>(), bytes_of(c));
    } else if constexpr (is_list<C>) {
      if (c != nullptr)
        for (auto const& t : c->items) bring_stored(t, in);
    } else {
      device const d = whole(c, pin);
      if constexpr (stored<unplaced_t<C>>) {  // memory that on() leaves where it is
        buffer const* const b = c != nullptr ? buffer_of(unplaced(*c)) : nullptr;
        if (b != nullptr && b->where() == d) return in.stored_elements(b);
      }
      in.from(d, bytes_of(c));
    }
  }
  template <class C> static constexpr std::size_t bytes_of(C const* c) {
    using X = typename C::extents_type;
    if constexpr (X::is_static) return X::count() * sizeof(typename C::value_type);
    else return c != nullptr ? c->shape().count() * sizeof(typename C::value_type) : 0;
  }

  /// The operands of a region, in the order in which evaluation brings them.
  template <class R, bool Split, class X, class Producer, class Pin>
  constexpr void arrive_region(X const* x, Producer const* producer, bool fused, Pin const& pin,
                               arrivals& in) {
    each_operand(x, [&]<class C>(C const* c) {
      if constexpr (joins<C, R, Split>) {
        arrive_region<R, Split>(c, producer, fused, pin, in);
      } else if constexpr (std::is_same_v<C, Producer>) {
        if (!(fused && c == producer)) arrive(c, pin, in);
      } else {
        arrive(c, pin, in);
      }
    });
  }
  template <class X, class Pin>
  constexpr void arrive_strided(X const* x, Pin const& pin, arrivals& in) {
    if constexpr (relayout<X> && is_viewable<X>) arrive_strided(operand_of<0>(x), pin, in);
    else arrive(x, pin, in);
  }
  template <bool Split, class E, class Pin>
  constexpr void arrive_kernel(E const* e, Pin const& pin, arrivals& in) {
    if constexpr (contracting<E>) {
      each_operand(e, [&](auto const* c) { arrive_strided(c, pin, in); });
    } else if constexpr (folding<E> || fusing<E>) {
      arrive_region<E, Split>(e, static_cast<no_epilogue const*>(nullptr), false, pin, in);
    } else {
      each_operand(e, [&](auto const* c) { arrive(c, pin, in); });
    }
  }

  template <bool Split, class E, class Pin>
  constexpr device one_kernel(E const* e, Pin const& pin, asking const& asked, decision const& d) {
    arrivals in{d.device};
    std::size_t const first_below = made.size;
    bool fused = false;
    if constexpr (has_epilogue<E, Split>) {
      using C = bare<decltype(*std::declval<epilogue_type<E, Split>>())>;
      C const* producer = nullptr;
      fused = true;
      if (e != nullptr) {
        producer = epilogue_of<E, Split>(*e);
        fused = producer->shape() == e->shape();
      }
      arrive_region<E, Split>(e, producer, fused, pin, in);
      if (fused) arrive_kernel<Split>(producer, pin, in);
      int const number = next_kernel(first_below);
      note_region<E, Split>(e, producer, fused, true, asked, d, number, in);
    } else {
      arrive_kernel<Split>(e, pin, in);
      int const number = next_kernel(first_below);
      note_region<E, Split>(e, static_cast<no_epilogue const*>(nullptr), false, true, asked, d,
                            number, in);
    }
    return d.device;
  }

  /// The number of a kernel whose operands' kernels are planned: what they make goes into it.
  constexpr int next_kernel(std::size_t first_below) {
    for (std::size_t i = first_below; i != made.size; ++i) {
      plan_node& n = made.nodes[i];
      if ((n.root || n.kernel < 0) && n.into < 0) n.into = made.kernels;
    }
    return made.kernels++;
  }

  /// The ops of a kernel, as for_each_fused visits them.
  template <class R, bool Split, class X, class Producer>
  constexpr void note_region(X const* x, Producer const* producer, bool fused, bool is_root,
                             asking const& asked, decision const& d, int kernel,
                             arrivals const& in) {
    if constexpr (is_expr<X>) {
      each_operand(x, [&]<class C>(C const* c) {
        if constexpr (contracting<X>) {
          if constexpr (relayout<C> && is_viewable<C>)
            note_region<C, false>(c, producer, fused, false, asked, d, kernel, in);
        } else if constexpr (!custom_node<X> && joins<C, R, Split>) {
          note_region<R, Split>(c, producer, fused, false, asked, d, kernel, in);
        } else if constexpr (std::is_same_v<C, Producer>) {
          if (fused && c == producer)
            note_region<C, Split>(c, producer, fused, false, asked, d, kernel, in);
        }
      });
      plan_node n;
      n.op = X::op_type::name;
      n.element = element_name<element_of<X>>();
      n.device = d.device;
      n.why = d.why;
      n.fell_back = d.fell_back;
      n.asked = asked.asked;
      n.written = x != nullptr ? x->from.asked : scope_;
      n.moved = !is_root && x != nullptr && !is_pinned(asked.who) && !(n.written == n.asked);
      n.refused = d.refused || (n.moved && n.written.said() && !policy_.soft);
      n.kernel = kernel;
      n.root = is_root;
      set_shape(n, x);
      if (is_root) {
        n.copies = in.copies;
        n.bytes = in.bytes;
      }
      made.nodes[made.size++] = n;
    }
  }
  template <class X> static constexpr void set_shape(plan_node& n, X const* x) {
    using S = typename X::extents_type;
    n.rank = S::rank;
    for (std::size_t i = 0; i != S::rank; ++i)
      n.extent[i] = x != nullptr ? x->shape().at(i) : S::static_extent(i);
  }

  machine machine_;
  policy policy_;
  wish scope_;
};

}  // namespace detail

/// The plan of an expression type on a machine: a constant. `scope`: the device scope it is written
/// in. Where the type does not tell, it is assumed that operands are where they are needed, that
/// extents which may be equal are, and that a run-time on() asks for nothing.
template <class E> constexpr auto plan_of(machine m, policy p = {}, wish scope = {}) {
  detail::planner<detail::op_count<bare<E>>()> walk(m, p, scope);
  walk.template whole<bare<E>>(nullptr, detail::no_pin{});
  return walk.made;
}
/// The plan of this expression: with the scopes its ops were written in, and where its operands are
/// now.
template <lazy E> auto plan_of(E const& e, machine m, policy p = {}) {
  detail::planner<detail::op_count<E>()> walk(m, p, {});
  walk.whole(&e, detail::no_pin{});
  return walk.made;
}
/// The plan of this expression on this machine, under the settings in force here.
template <lazy E> auto plan_of(E const& e) {
  return plan_of(e, this_machine(), detail::settings_here().policy());
}

}  // namespace placement::inline v0_1
