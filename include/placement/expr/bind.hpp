#pragma once
/// From nodes to what a kernel sees: operands are brought to the kernel's device, then the region
/// is bound to them.

#include <placement/expr/decide.hpp>
#include <placement/expr/inline_tensor.hpp>
#include <placement/expr/list.hpp>
#include <placement/expr/tensor.hpp>
#include <placement/kernels/bound.hpp>

namespace placement::inline v0_1::detail {

template <class E, class Pin> auto evaluated(E const& e, Pin const& pin, site at);

/// Operands of one kernel, on its device. Those that are elsewhere are copied, once each, and the
/// copies live as long as this does. N: how many operands there are, apart from those in lists.
template <std::size_t N, class Pin> class operand_set {
 public:
  operand_set(device where, settings_word how, Pin const& pin, kernel_facts const& facts)
      : where_(where), how_(how), pin_(pin), facts_(facts) {}
  operand_set(operand_set const&) = delete;
  operand_set& operator=(operand_set const&) = delete;

  /// The result of a kernel of its own.
  template <class X> auto compute(X const& x) { return evaluated(x, pin_, facts_.at); }
  std::size_t copies() const { return copies_; }
  std::size_t copied_bytes() const { return bytes_; }

  /// The node whose result is written where the kernel writes, and that place.
  void set_produced(void const* node, void const* at) {
    produced_ = node;
    produced_at_ = at;
  }
  void const* produced(void const* node) const {
    return node == produced_ ? produced_at_ : nullptr;
  }

  /// Elements of a tensor, which outlives this.
  template <class T, class X> T const* bring(tensor<T, X> const& t) {
    buffer_ref const& b = tensor_parts::elements(t);
    if (!b) {
      if (t.size() != 0) moved_from();
      return nullptr;
    }
    return static_cast<T const*>(b->where() == where_ ? b->data() : copy_of(*b.get()));
  }
  template <class T, class X> T const* bring(reference<T, X> const& r) { return bring(r.target()); }
  template <class T, class X> requires(is_inline<inline_tensor<T, X>>)
  T const* bring(inline_tensor<T, X> const& t) {
    if (where_ == cpu0 || t.size() == 0) return t.data();
    return static_cast<T const*>(copy_of(&t, {t.data(), cpu0, t.size() * sizeof(T)}));
  }
  template <class T, class X> T const* bring(inline_ref<T, X> const& r) { return bring(*r.target); }
  /// Elements of a temporary, which this keeps.
  template <class T, class X> T const* keep(tensor<T, X>&& t) {
    buffer_ref b = std::move(tensor_parts::elements(t));
    if (!b) return nullptr;
    if (!(b->where() == where_)) {
      void const* const p = copy_of(*b.get());
      if (b->owners() == 1) forget(b.get());  // the next temporary may lie at its address
      return static_cast<T const*>(p);
    }
    T const* const p = static_cast<T const*>(b->data());
    next().copy = std::move(b);
    return p;
  }

 private:
  struct held {
    buffer_ref copy;
    void const* source = nullptr;  ///< the buffer or inline tensor it is a copy of
  };

  held& at(std::size_t i) { return i < N ? held_[i] : more_[i - N]; }
  held& next() {
    if (used_ >= N) more_.emplace_back();
    return at(used_++);
  }

  void forget(void const* b) noexcept {
    for (std::size_t i = 0; i != used_; ++i)
      if (at(i).source == b) at(i).source = nullptr;
  }

  void const* copy_of(buffer const& b) { return copy_of(&b, {b.data(), b.where(), b.size(), &b}); }
  void const* copy_of(void const* source, byte_source const& bytes) {
    device const from = bytes.where;
    std::size_t const size = bytes.size;
    for (std::size_t i = 0; i != used_; ++i)
      if (at(i).source == source) return at(i).copy->data();
    if (size == 0) return nullptr;
    if (how_.moves() == transfers::refuse) refuse_copy(from);
    charge_copy(how_, facts_.root, from, where_, facts_.at);
    buffer_ref copy = copied_to(where_, bytes, {"Copy", facts_.at.file, facts_.at.line});
    void const* const p = copy->data();
    held& h = next();
    h.copy = std::move(copy);
    h.source = source;
    ++copies_;
    bytes_ += size;
    if (how_.moves() == transfers::warn || how_.level() >= log_level::copies) [[unlikely]]
      log_copy(facts_.root, from, where_, size, facts_.at, how_.moves() == transfers::warn);
    return p;
  }
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_copy(device from) const {
    throw placement_error("placement: explicit transfers: an operand of " +
                          std::string(facts_.root) + " is on " + to_string(from) +
                          ", the op runs on " + to_string(where_) + place_text(facts_.at) +
                          ". Move it with copy_to, or allow transfers.");
  }

  held held_[N > 0 ? N : 1];
  std::vector<held> more_;  // operands of a list, whose number only the program knows
  std::size_t used_ = 0;
  device where_;
  settings_word how_;
  Pin const& pin_;
  kernel_facts const& facts_;
  void const* produced_ = nullptr;
  void const* produced_at_ = nullptr;
  std::size_t copies_ = 0, bytes_ = 0;
};

/// The elements of an operand that is not part of the kernel: memory, or the result of a kernel of
/// its own.
template <class X, class Set> typename X::value_type const* elements_of(X const& x, Set& set) {
  if constexpr (stored<X>) {
    return set.bring(x);
  } else {
    if constexpr (contracting<X> || folding<X>) {
      if (void const* p = set.produced(&x)) return static_cast<typename X::value_type const*>(p);
    }
    return set.keep(set.compute(x));
  }
}

// ---- flat: every operand densely in the result's shape

template <class R, bool Split, class X, class Set> auto bind_flat(X const& x, Set& set) {
  if constexpr (is_scalar<X>) {
    return x;
  } else if constexpr (renumbering<X> && joins<X, R, Split>) {
    return bind_flat<R, Split>(x.template arg<0>(), set);
  } else if constexpr (joins<X, R, Split>) {
    using Op = typename X::op_type;
    if constexpr (has_pattern<Op, fill>) {
      return generated<Op>{x.op};
    } else {
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        using result =
            bound<declared<R>, Op, decltype(bind_flat<R, Split>(x.template arg<I>(), set))...>;
        return result{x.op, {{bind_flat<R, Split>(x.template arg<I>(), set)}...}};
      }(std::make_index_sequence<X::arity>{});
    }
  } else {
    auto const* const p = elements_of(x, set);
    if constexpr (X::extents_type::rank == 0) return single_leaf<typename X::value_type>{p};
    else return dense_leaf<typename X::value_type>{p};
  }
}

// ---- rows: anything else

/// The layout l of shape x, seen as shape `to`.
template <class X, class To>
constexpr layout<To::rank> as_shape(layout<X::rank> const& l, X const& x, To const& to) {
  if constexpr (std::is_same_v<X, To> && X::is_static) return l;
  else return broadcast_layout(l, x, to);
}

template <class R, bool Split, class X, class Set, class To>
auto bind_rows(X const& x, Set& set, To const& to);

/// What gives the element with a given number of x: memory, a formula, or a reshaped region.
template <class R, bool Split, class X, class Set> auto reader_of(X const& x, Set& set) {
  if constexpr (renumbering<X> && joins<X, R, Split>) {
    auto const& child = x.template arg<0>();
    using C = bare<decltype(child)>;
    if constexpr (joins<C, R, Split>) {
      auto const inner = bind_rows<R, Split>(child, set, child.shape());
      return renumbered<bare<decltype(inner)>, typename C::extents_type>{inner, child.shape()};
    } else {
      return dense_leaf<typename X::value_type>{elements_of(child, set)};
    }
  } else if constexpr (joins<X, R, Split>) {
    return generated<typename X::op_type>{x.op};
  } else {
    return dense_leaf<typename X::value_type>{elements_of(x, set)};
  }
}

/// The region below x, seen as shape `to`. Element-wise ops hand `to` down to the leaves: broadcast
/// in steps or at once, a layout becomes the same.
template <class R, bool Split, class X, class Set, class To>
auto bind_rows(X const& x, Set& set, To const& to) {
  if constexpr (is_scalar<X>) {
    return x;
  } else if constexpr (relayout<X> && joins<X, R, Split>) {
    auto const& child = x.template arg<0>();
    return relaid(bind_rows<R, Split>(child, set, child.shape()), [&](auto const& l) {
      return as_shape(x.op.moved(l, child.shape()), x.shape(), to);
    });
  } else if constexpr (mapping<X> && joins<X, R, Split>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      using result = bound<declared<R>, typename X::op_type,
                           decltype(bind_rows<R, Split>(x.template arg<I>(), set, to))...>;
      return result{x.op, {{bind_rows<R, Split>(x.template arg<I>(), set, to)}...}};
    }(std::make_index_sequence<X::arity>{});
  } else {
    auto const read = reader_of<R, Split>(x, set);
    return lane<bare<decltype(read)>, To::rank>{read,
                                                as_shape(row_major(x.shape()), x.shape(), to)};
  }
}

/// Calls f(region) with the region bound flat where its operands allow it, else in rows. f has two
/// overloads, chosen by a tag: f(flat_form{}, region) and f(rows_form{}, region).
struct flat_form {};
struct rows_form {};
template <class R, bool Split, class X, class S, class Set, class F>
[[gnu::always_inline]] inline void bind_region(X const& x, S const& shape, Set& set, F f) {
  constexpr form by_type = form_of<X, R, Split, S>();
  if constexpr (by_type == form::flat) {
    f(flat_form{}, bind_flat<R, Split>(x, set));
  } else if constexpr (by_type == form::rows) {
    f(rows_form{}, bind_rows<R, Split>(x, set, shape));
  } else {
    if (is_flat<R, Split>(x, shape)) f(flat_form{}, bind_flat<R, Split>(x, set));
    else f(rows_form{}, bind_rows<R, Split>(x, set, shape));
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

}  // namespace placement::inline v0_1::detail
