#pragma once
/// Where a result is written: into the tensor that receives it where that is safe, else into a new
/// buffer.

#include <placement/expr/decide.hpp>
#include <placement/expr/list.hpp>
#include <placement/expr/noexcept.hpp>

namespace placement::inline v0_1::detail {

/// How many handles of buffer b the nodes of x hold.
template <class X> int handles_of(X const& x, buffer const* b) {
  if constexpr (is_tensor<X>) {
    return tensor_parts::elements(x).get() == b;
  } else if constexpr (is_placed<X>) {
    return handles_of(x.inner, b);
  } else if constexpr (is_list<X>) {
    int n = 0;
    for (auto const& t : x.items) n += handles_of(t, b);
    return n;
  } else if constexpr (is_expr<X>) {
    int n = 0;
    for_each_operand(x, [&](auto const& c) { n += handles_of(c, b); });
    if constexpr (literal_node<X>) n += x.op.keep.get() == b;
    return n;
  } else {
    return 0;
  }
}

/// Does x name buffer b through view()?
template <class X> bool names(X const& x, buffer const* b) {
  if constexpr (is_reference<X>) {
    return tensor_parts::elements(x.target()).get() == b;
  } else if constexpr (is_placed<X>) {
    return names(x.inner, b);
  } else if constexpr (is_expr<X>) {
    bool found = false;
    for_each_operand(x, [&](auto const& c) { found = found || names(c, b); });
    return found;
  } else {
    return false;
  }
}

/// Does the region read buffer b at another index than the one it writes?
template <class R, bool Split, class X>
bool reads_elsewhere(X const& x, buffer const* b, bool moved = false) {
  if constexpr (stored<X>) {
    return moved && (handles_of(x, b) != 0 || names(x, b));
  } else if constexpr (joins<X, R, Split>) {
    bool found = false;
    bool const below = moved || has_pattern<typename X::op_type, reindex>;
    for_each_operand(
        x, [&](auto const& c) { found = found || reads_elsewhere<R, Split>(c, b, below); });
    return found;
  } else if constexpr (is_placed<X>) {
    return reads_elsewhere<R, Split>(x.inner, b,
                                     moved);  // memory that is there already is not copied
  } else {
    return false;  // computed before the first write
  }
}

/// May e's kernel write straight into out's elements?
template <bool Split, class T, class X, class E>
bool may_overwrite_as(tensor<T, X>& out, E const& e, device where, bool expiring) {
  buffer* const b = tensor_parts::elements(out).get();
  if (b == nullptr || !(b->where() == where) || b->size() != e.shape().count() * sizeof(T))
    return false;
  if constexpr (fusing<E> || folding<E>) {
    if constexpr (!ops_are_noexcept<E, E, Split>()) return false;
  } else if constexpr (custom_node<E>) {
    return false;
  }
  if (!b->borrowed() && b->is_read_elsewhere()) return false;
  int const own = handles_of(e, b);
  if (!b->borrowed() && b->owners() != 1 + (expiring ? own : 0)) return false;
  if (fusing<E> && !has_epilogue<E, Split>) return !reads_elsewhere<E, Split>(e, b);
  return own == 0 && !names(e, b);
}
template <class T, class X, class E>
bool may_overwrite(tensor<T, X>& out, E const& e, verdict const& v, bool expiring) {
  if constexpr (splits<E>) {
    if (v.split) return may_overwrite_as<true>(out, e, v.decided.device, expiring);
  }
  return may_overwrite_as<false>(out, e, v.decided.device, expiring);
}

/// Says that elements came from another device, where such things are logged.
inline void log_if_moved(std::string_view op, device from, buffer const& to, site at) {
  if (!(from == to.where()) && to.size() != 0 && settings_here().level() >= log_level::copies)
      [[unlikely]]
    log_copy(op, from, to.where(), to.size(), at, false);
}

/// The memory a kernel writes to, given to the tensor by keep(). Until then the tensor is untouched
/// unless it is written in place, which cannot fail.
template <class T, class X> class destination {
 public:
  /// Throws: out_of_memory; shape_error for a borrowed tensor of another shape.
  destination(tensor<T, X>& out, X const& shape, device where, wish asked, bool in_place,
              holder const& who = {})
      : out_(out), shape_(shape), asked_(asked) {
    refuse_after_fork(where);
    std::size_t const size = checked_count(shape, sizeof(T)) * sizeof(T);
    buffer_ref const& old = tensor_parts::elements(out);
    if (old && old->borrowed() && !(out.shape() == shape))
      refuse_borrowed(to_string(out.shape()), to_string(shape));
    if (!in_place) fresh_ = buffer_ref{buffer::make(where, size, who)};
    else if (old) old->await_readers();
  }

  T* data() const {
    return static_cast<T*>(fresh_ ? fresh_->data() : tensor_parts::elements(out_)->data());
  }
  /// `op`, `at`: what the log says of a copy into borrowed memory on another device.
  void keep(std::string_view op = {}, site at = {}) {
    buffer_ref& old = tensor_parts::elements(out_);
    if (fresh_ && old && old->borrowed()) {
      fresh_->written();
      copy_into(*old.get(), {fresh_->data(), fresh_->where(), old->size(), fresh_.get()});
      log_if_moved(op, fresh_->where(), *old.get(), at);
    } else if (fresh_) {
      old = std::move(fresh_);
    }
    if (old) old->written();
    tensor_parts::asked(out_) = asked_;
    tensor_parts::shape(out_) = shape_;
  }

 private:
  [[noreturn, gnu::cold, gnu::noinline]] static void refuse_borrowed(std::string const& has,
                                                                     std::string const& given) {
    throw shape_error("placement: a tensor in borrowed memory keeps its shape " + has +
                      "; the value has shape " + given +
                      ". Slice the value, or borrow memory of its size.");
  }

  tensor<T, X>& out_;
  X shape_;
  wish asked_;
  buffer_ref fresh_;
};

/// The elements of a tensor, moved to where they are pinned; shared where they are there already.
/// Throws: placement_error for a device that does not exist under hard placement; out_of_memory.
template <class T, class X, class Y, class Pin>
void store_handle(tensor<T, X>& out, tensor<T, Y> const& t, Pin const& pin, site at) {
  X const shape = converted<X>(t.shape());
  buffer_ref const& elements = tensor_parts::elements(t);
  buffer_ref& old = tensor_parts::elements(out);
  device where = t.where();
  wish asked = t.requested();
  if constexpr (requires { pin.asked; }) {
    asked = pin.asked;
    decision const d =
        place({asked, Pin::who, {true, true}}, this_machine(), settings_for(pin).policy());
    if (d.fell_back) [[unlikely]] {
      op_record r;
      r.op = "Copy";
      r.element = element_name<T>();
      r.shape = to_string(shape);
      r.decision = d;
      r.asked = asked;
      r.who = Pin::who;
      r.where = at;
      if (d.refused) refuse(r, settings_for(pin));
      log_fallback(r);
    }
    where = d.device;
  }
  if (old && old->borrowed()) {
    if (!elements && shape.count() != 0) moved_from();
    destination<T, X> to(out, shape, where, asked, true);
    if (elements && elements.get() != old.get()) {
      copy_into(*old.get(),
                {elements->data(), elements->where(), elements->size(), elements.get()});
      log_if_moved("", elements->where(), *old.get(), at);
    }
    to.keep();
    return;
  }
  if (elements && !(elements->where() == where)) {
    if constexpr (!std::is_same_v<Pin, by_hand>)
      if (elements->size() != 0)
        charge_copy(settings_for(pin), "Copy", elements->where(), where, at);
    buffer_ref moved = copied_to(where, *elements.get(), at.file, at.line);
    log_if_moved("", elements->where(), *moved.get(), at);
    old = std::move(moved);
  } else if (elements.get() != old.get()) {
    old = elements;
  }
  tensor_parts::asked(out) = asked;
  tensor_parts::shape(out) = shape;
}

/// A handle to a copy of elements in host memory.
template <class T, class X> tensor<T, X> handle_of(T const* from, X const& shape) {
  auto t = tensor_parts::empty<tensor<T, X>>();
  std::size_t const size = shape.count() * sizeof(T);
  tensor_parts::elements(t) = buffer_ref{buffer::make(cpu0, size)};
  move_bytes(tensor_parts::elements(t)->data(), cpu0, from, cpu0, size);
  tensor_parts::shape(t) = shape;
  tensor_parts::asked(t) = wish{cpu0};
  return t;
}
/// The same of anything stored.
template <class T, class X, class S, class Pin>
void store_copy(tensor<T, X>& out, S const& from, Pin const& pin, site at) {
  if constexpr (is_reference<S>) return store_copy(out, from.target(), pin, at);
  else if constexpr (is_inline<S>)
    return store_copy(out, handle_of(from.data(), from.shape()), pin, at);
  else store_handle<T, X>(out, from, pin, at);
}
}  // namespace placement::inline v0_1::detail
