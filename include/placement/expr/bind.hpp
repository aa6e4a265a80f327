#pragma once
/// Binds an expression to its operands: they are copied to the kernel's device where needed, then
/// the nodes become a bound expression.

#include <placement/exec/operand_table.hpp>
#include <placement/expr/fusion.hpp>
#include <placement/expr/gradient_recorder.hpp>
#include <placement/expr/tensor.hpp>
#include <placement/kernels/bound_expr.hpp>
#include <placement/kernels/kernel_launch.hpp>
#include <placement/place/kernel_facts.hpp>
#include <placement/place/settings.hpp>
#include <placement/shape/strided_view.hpp>

#include <new>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

template <class E, class Pin> auto evaluated(E const& e, Pin const& pin, site at);

/// Memory that a kernel owns for an operand: a temporary, or a copy on the kernel's device.
struct operand_storage {
  buffer_ref owner;
  void const* source = nullptr;  ///< the buffer or inline tensor it is a copy of
  byte_range part{0, 0};         ///< of the source
};
/// Memory for the operand_storage of a kernel, except for lists. kernel_operands constructs and
/// destroys the objects.
template <std::size_t N> struct operand_slots {
  static constexpr std::size_t count = N;
  alignas(operand_storage) unsigned char all[(N > 0 ? N : 1) * sizeof(operand_storage)];
};

/// The operands of a kernel, independent of their types. Operands on other devices are copied, once
/// each. The copies live as long as this object.
class kernel_operands {
 public:
  /// shared: copies that other kernels of the evaluation read, too; null for none.
  template <std::size_t N>
  kernel_operands(operand_slots<N>& slots, device where, settings_word how,
                  kernel_facts const& facts, copied_operands* shared = nullptr)
      : slots_(slots.all),
        room_(N),
        where_(where),
        how_(how),
        records_gradients_(gradients_here != nullptr),
        facts_(facts),
        shared_copies_(shared) {}
  ~kernel_operands() {
    if (used_ != 0) release_all();
  }
  kernel_operands(kernel_operands const&) = delete;
  kernel_operands& operator=(kernel_operands const&) = delete;

  site at() const { return facts_.at; }
  std::string_view root() const { return facts_.root; }
  /// A device of this process; of another task if nothing runs here.
  device where() const { return where_; }
  /// The facts with the copies so far.
  kernel_facts facts_now() const {
    kernel_facts now = facts_;
    now.copies = copies_;
    now.bytes = bytes_;
    return now;
  }

  /// Elements of a tensor that outlives this object.
  template <class T, class X> T const* bring(tensor<T, X> const& t) {
    return static_cast<T const*>(bring(tensor_access::elements(t).get(), t.size()));
  }
  template <class T, class X> T const* bring(reference<T, X> const& r) {
    return bring(target_now(r, facts_.root, facts_.at));
  }
  template <class T, class X> requires(is_inline<inline_tensor<T, X>>)
  T const* bring(inline_tensor<T, X> const& t) {
    if (where_ == cpu0 || t.size() == 0) return t.data();
    return static_cast<T const*>(copy_of(&t, {t.data(), cpu0, t.size() * sizeof(T)}));
  }
  template <class T, class X> T const* bring(inline_ref<T, X> const& r) { return bring(*r.target); }
  /// Elements of a buffer that outlives this object; null for a tensor without elements.
  void const* bring(buffer const* b, std::size_t elements) {
    void const* const here = in_place(b);
    return here != nullptr ? here : bring_from(b, elements);
  }
  /// The elements of a buffer that the kernel can read where they are; null for others, and if a
  /// gradient tape may watch them.
  void const* in_place(buffer const* b) const {
    return b != nullptr && b->where() == where_ && !records_gradients_ ? b->data() : nullptr;
  }
  /// The same for elements in host memory.
  void const* in_place(void const* data) const { return where_ == cpu0 ? data : nullptr; }
  /// Bytes of a buffer that outlives this object; null if there are none. Sets `part` to the bytes
  /// that begin at the result. They may be more, if the buffer is here or copied already.
  [[gnu::cold]] void const* bring_part(buffer const* b, std::size_t elements, byte_range& part);
  /// The same for memory on another device that `source` identifies.
  [[gnu::cold]] void const* copy_of(void const* source, byte_source const& bytes, byte_range& part);
  /// Elements of a temporary, which this object takes over.
  void const* keep(buffer_ref b) {
    byte_range whole{0, b ? b->size() : 0};
    return keep(std::move(b), whole);
  }
  /// The same for bytes of it, as by bring_part().
  void const* keep(buffer_ref b, byte_range& part);
  template <class T, class X> T const* keep(tensor<T, X>&& t) {
    return static_cast<T const*>(keep(std::move(tensor_access::elements(t))));
  }

 private:
  operand_storage& at(std::size_t i) {
    return i < room_ ? *std::launder(static_cast<operand_storage*>(slots_) + i)
                     : (*more_)[i - room_];
  }
  operand_storage& next();
  void forget(void const* b) noexcept;

  void release_all() noexcept;
  /// For a tensor on another device, one without elements, or one that a gradient tape may watch.
  [[gnu::cold]] void const* bring_from(buffer const* b, std::size_t elements);
  void const* copy_of(void const* source, byte_source const& all) {
    byte_range whole{0, all.size};
    return copy_of(source, all, whole);
  }
  void const* copy_of(buffer const& b) { return copy_of(&b, {b.data(), b.where(), b.size(), &b}); }
  /// is_lasting: the elements live and keep their values until the evaluation ends. temporary: an
  /// owner of them that is none of the expression's tensors.
  [[gnu::cold]] void const* copy_of(void const* source, byte_source const& bytes, byte_range& part,
                                    bool is_lasting, buffer_ref const& temporary);
  copied_operand const* known_copy(buffer const* of, byte_range const& part) const;
  void note_copy(buffer const* of, byte_range const& part, buffer_ref const& copy,
                 buffer_ref const& temporary) const;
  /// Elements of tasks: of this one, or by a message.
  void const* bring_of_tasks(buffer const& b, byte_range& part);
  [[noreturn]] void throw_explicit_transfer(device from) const;

  void* slots_;
  std::size_t room_;
  std::vector<operand_storage>* more_ =
      nullptr;  // operands of a list, whose number is a run-time value
  std::size_t used_ = 0;
  device where_;
  settings_word how_;
  bool records_gradients_;  ///< a gradient tape may watch operands
  kernel_facts const& facts_;
  copied_operands* shared_copies_;
  std::size_t copies_ = 0, bytes_ = 0;
};

/// The elements of an operand outside of the fusion group: memory, or the result of another kernel.
template <class X, class Set> typename X::value_type const* elements_of(X const& x, Set& set) {
  if constexpr (stored<X>) {
    return set.bring(x);
  } else {
    if constexpr (requires { set.produced(&x); }) {
      if (void const* p = set.produced(&x)) return static_cast<typename X::value_type const*>(p);
    }
    return set.keep(set.compute(x));
  }
}

// ---- contiguous: every operand is dense in the result's shape

template <class X, class Set> auto bind_contiguous(X const& x, Set& set);
template <class X, class Set, std::size_t... I>
auto bind_contiguous_op(X const& x, Set& set, std::index_sequence<I...>) {
  using result = bound_expr<false, typename X::op_type,
                            decltype(bind_contiguous(x.template arg<I>(), set))...>;
  return result{x.op, {{bind_contiguous(x.template arg<I>(), set)}...}};
}
template <class X, class Set> auto bind_contiguous(X const& x, Set& set) {
  if constexpr (is_scalar<X>) {
    return x;
  } else if constexpr (reshaping_node<X> && fusible_node<X>) {
    return bind_contiguous(x.template arg<0>(), set);
  } else if constexpr (fusible_node<X>) {
    using Op = typename X::op_type;
    if constexpr (has_pattern<Op, fill>) {
      return index_generator<Op>{x.op};
    } else {
      return bind_contiguous_op(x, set, std::make_index_sequence<X::arity>{});
    }
  } else {
    auto const* const p = elements_of(x, set);
    if constexpr (X::extents_type::rank == 0) return single_leaf<typename X::value_type>{p};
    else return dense_leaf<typename X::value_type>{p};
  }
}

// ---- strided: any other layout

/// The layout l of shape x, broadcast to shape `to`.
template <class X, class To>
constexpr layout<To::rank> as_shape(layout<X::rank> const& l, X const& x, To const& to) {
  if constexpr (std::is_same_v<X, To> && X::is_static) return l;
  else return broadcast_layout(l, x, to);
}

/// The layout of dense elements of shape x, broadcast to shape `to`. Dynamic shapes share one
/// function among all expressions.
template <class X, class To>
[[gnu::noinline]] layout<To::rank> dynamic_layout(X const& x, To const& to) {
  return as_shape(row_major(x), x, to);
}
template <class X, class To> constexpr layout<To::rank> dense_layout(X const& x, To const& to) {
  if constexpr (X::is_static && To::is_static) return as_shape(row_major(x), x, to);
  else return dynamic_layout(x, to);
}

template <class X, class Set, class To> auto bind_strided(X const& x, Set& set, To const& to);

/// The reader of x's elements by number: memory, an index generator, or a reshaped expression.
template <class X, class Set> auto reader_of(X const& x, Set& set) {
  if constexpr (reshaping_node<X> && fusible_node<X>) {
    auto const& child = x.template arg<0>();
    using C = bare<decltype(child)>;
    if constexpr (fusible_node<C>) {
      auto const inner = bind_strided(child, set, child.shape());
      return reshaped_expr<bare<decltype(inner)>, typename C::extents_type>{child.shape(), inner};
    } else {
      return dense_leaf<typename X::value_type>{elements_of(child, set)};
    }
  } else if constexpr (fusible_node<X>) {
    return index_generator<typename X::op_type>{x.op};
  } else {
    return dense_leaf<typename X::value_type>{elements_of(x, set)};
  }
}

/// Dense elements of shape x, broadcast to shape `to`.
template <class T, class X, class To>
strided_load<dense_leaf<T>, To::rank> strided_load_over(T const* p, X const& x, To const& to) {
  return {{p}, dense_layout(x, to)};
}
template <class X, class Set, class To, std::size_t... I>
auto bind_strided_op(X const& x, Set& set, To const& to, std::index_sequence<I...>) {
  using result = bound_expr<false, typename X::op_type,
                            decltype(bind_strided(x.template arg<I>(), set, to))...>;
  return result{x.op, {{bind_strided(x.template arg<I>(), set, to)}...}};
}

/// The expression below x, broadcast to shape `to`. Element-wise ops pass `to` on to their
/// operands: broadcasting in several steps or in one gives the same layout.
template <class X, class Set, class To> auto bind_strided(X const& x, Set& set, To const& to) {
  if constexpr (is_scalar<X>) {
    return x;
  } else if constexpr (relayout<X> && fusible_node<X>) {
    auto const& child = x.template arg<0>();
    return relaid(bind_strided(child, set, child.shape()), [&](auto const& l) {
      return as_shape(x.op.moved(l, child.shape()), x.shape(), to);
    });
  } else if constexpr (map_node<X> && fusible_node<X>) {
    return bind_strided_op(x, set, to, std::make_index_sequence<X::arity>{});
  } else if constexpr (!fusible_node<X>) {
    return strided_load_over(elements_of(x, set), x.shape(), to);
  } else {
    auto const read = reader_of(x, set);
    return strided_load<bare<decltype(read)>, To::rank>{read, dense_layout(x.shape(), to)};
  }
}

/// Calls f(contiguous_form{}, e) with the bound expression if all operands are contiguous, else
/// f(strided_form{}, e).
template <class X, class S, class Set, class F>
PLACEMENT_ALWAYS_INLINE inline void bind_fusion(X const& x, S const& shape, Set& set, F f) {
  constexpr form by_type = form_of<X, fused_nodes::all, S>();
  if constexpr (by_type == form::contiguous) {
    f(contiguous_form{}, bind_contiguous(x, set));
  } else if constexpr (by_type == form::strided) {
    f(strided_form{}, bind_strided(x, set, shape));
  } else {
    if (is_contiguous<fused_nodes::all>(x, shape)) f(contiguous_form{}, bind_contiguous(x, set));
    else f(strided_form{}, bind_strided(x, set, shape));
  }
}

// ---- operands of a product: any layout of memory will do

template <class X, class Set>
strided_view<typename X::value_type const, X::extents_type::rank> strided_operand(X const& x,
                                                                                  Set& set) {
  if constexpr (is_viewable<X> && !stored<X>) {
    auto const& child = x.template arg<0>();
    auto const below = strided_operand(child, set);
    return {below.data, x.op.moved(below.where, child.shape())};
  } else {
    return {elements_of(x, set), row_major(x.shape())};
  }
}

}}}  // namespace placement::v0_1::detail
