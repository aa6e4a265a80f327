#pragma once
/// The short way of an evaluation, for what a loop repeats: all operands are on CPU:0, none is seen
/// turned or in part, and nothing is to be said of it. It asks the questions of the long way
/// (evaluate.hpp) of a few words of memory. Where one of them has another answer nothing was done,
/// and the long way is taken.

#include <placement/expr/destination.hpp>
#include <placement/expr/launch.hpp>

namespace placement::inline v0_1::detail {

/// Does an element-wise region read nothing but tensors and numbers, at the index that is written?
template <class X> inline constexpr bool reads_tensors_only = is_scalar<X> || is_tensor<X>;
template <class Op, class K, class... A>
requires(mapping<expr<Op, K, A...>> || renumbering<expr<Op, K, A...>>)
inline constexpr bool reads_tensors_only<expr<Op, K, A...>> = (reads_tensors_only<A> && ...);

/// Is one of them seen in another shape, so that what is repeated is no row of the result?
template <class X> inline constexpr bool renumbers_below = false;
template <class Op, class K, class... A>
inline constexpr bool renumbers_below<expr<Op, K, A...>> =
    renumbering<expr<Op, K, A...>> || (renumbers_below<A> || ...);

/// What the one loop of a kernel goes over: a region, or what a reduction of all elements takes in.
template <class E> constexpr auto const& looped_over(E const& e) {
  if constexpr (folding<E>) return e.template arg<0>();
  else return e;
}
template <class E> using loop_of = bare<decltype(looped_over(std::declval<E const&>()))>;
template <class E>
inline constexpr form form_of_loop =
    form_of<loop_of<E>, E, false, typename loop_of<E>::extents_type>();
/// May operands be repeated along some dimensions?
template <class E>
inline constexpr bool may_repeat = form_of_loop<E> != form::flat && !renumbers_below<loop_of<E>>;

/// Do types allow it? One loop over tensors, which cannot throw.
template <class E> constexpr bool has_short_way() {
  if constexpr (!reads_tensors_only<loop_of<E>>) return false;
  else if constexpr (form_of_loop<E> == form::rows && !may_repeat<E>) return false;
  else if constexpr (folding<E>) return E::op_type::folds_all && ops_are_noexcept<E, E, false>();
  else return ops_are_noexcept<E, E, false>();
}

/// The operands of a region of so many elements, looked at and then brought.
struct operands_at_hand {
  std::size_t count;
  buffer const* out;
  bool are_here = true;  ///< all on CPU:0
  bool are_flat = true;  ///< and have an element for each of the region
  int handles_out = 0;   ///< that are held of the buffer to be written

  template <class X> void look_at(X const& x) {
    if constexpr (is_tensor<X>) {
      constexpr std::size_t element = sizeof(typename X::value_type);
      buffer const* const b = tensor_parts::elements(x).get();
      are_here = are_here && b != nullptr && b->where() == cpu0;
      are_flat = are_flat && are_here && b->size() == (X::rank == 0 ? 1 : count) * element;
      handles_out += b == out ? 1 : 0;
    } else if constexpr (is_expr<X>) {
      for_each_operand(x, [this](auto const& below) { this->look_at(below); });
    }
  }
  template <class T, class X> static T const* bring(tensor<T, X> const& t) {
    return static_cast<T const*>(tensor_parts::elements(t)->data());
  }
};

/// Runs the loop of e, whose elements go to `out`.
template <class E, class T>
[[gnu::always_inline]] inline void run_flat(E const& e, operands_at_hand& set, T* out) {
  using Op = typename E::op_type;
  auto const n = static_cast<index_t>(set.count);
  auto const f = bind_flat<E, false>(looped_over(e), set);
  using F = bare<decltype(f)>;
  constexpr start_there here{cpu0};
  if constexpr (folding<E>)
    here.run(flat_fold_job<Op, element_of<E>, T, F, nothing_after>{e.op, out, n, f, {}});
  else here.run(flat_map_job<Op, element_of<E>, T, F>{out, n, f});
}
/// The same where operands are repeated.
template <class E, class T>
[[gnu::noinline]] void run_rows(E const& e, operands_at_hand& set, T* out) {
  using Op = typename E::op_type;
  auto const shape = looped_over(e).shape();
  using X = bare<decltype(shape)>;
  auto const f = bind_rows<E, false>(looped_over(e), set, shape);
  using F = bare<decltype(f)>;
  constexpr start_there here{cpu0};
  if constexpr (folding<E>)
    here.run(rows_fold_job<Op, element_of<E>, T, X, F, nothing_after>{e.op, out, shape, f, {}});
  else {
    using where = unturned_layout<X::rank>;
    here.run(rows_map_job<Op, element_of<E>, T, X, F, where>{out, {row_major(shape)}, shape, f});
  }
}
template <class E, class T>
[[gnu::always_inline]] inline void run_loop(E const& e, operands_at_hand& set, T* out) {
  if constexpr (form_of_loop<E> == form::rows) run_rows(e, set, out);
  else if constexpr (!may_repeat<E>) run_flat(e, set, out);
  else if (set.are_flat) run_flat(e, set, out);
  else run_rows(e, set, out);
}

/// Do settings, operands and shapes lead this way? Looks at the operands. Throws: shape_error for
/// more elements than can be counted.
template <class E, class Pin>
[[gnu::always_inline]] inline bool leads_the_short_way(E const& e, asking const& asked, Pin const&,
                                                       operands_at_hand& set) {
  using kernels = typename E::kernels;
  if (!runs_quietly_on_cpu0<kernels>(asked, change_of(typename Pin::policies{}))) return false;
  set.look_at(looped_over(e));
  if (!set.are_here) return false;
  if (!set.are_flat) {
    if constexpr (!may_repeat<E>) return false;
    else  // no operand is so large
      checked_count(looped_over(e).shape(), sizeof(typename E::value_type), E::op_type::name,
                    e.from.where);
  }
  return true;
}

/// Is an operand of x in borrowed memory?
template <class X> [[gnu::always_inline]] inline bool reads_borrowed(X const& x) {
  if constexpr (is_tensor<X>) {
    return tensor_parts::elements(x)->borrowed();
  } else if constexpr (is_expr<X>) {
    bool any = false;
    for_each_operand(x, [&any](auto const& below) { any = any || reads_borrowed(below); });
    return any;
  } else {
    return false;
  }
}
/// Does e read elements of out through borrowed memory?
template <class E, class T, class X>
[[gnu::cold, gnu::noinline]] bool reads_through_others(E const& e, tensor<T, X> const& out) {
  reads const r = reads_of<E, false>(e, out);
  return r.overlaps || r.named;
}
/// Computes e, of shape `shape`, into out where the short way leads there. Strong: what is written
/// in place cannot fail.
template <class T, class X, class E, class Pin>
[[gnu::always_inline]] inline bool went_short_way(tensor<T, X>& out, X const& shape, E const& e,
                                                  Pin const& pin, bool expiring) {
  asking const asked = asking_of(e, pin);
  buffer_ref& elements = tensor_parts::elements(out);
  operands_at_hand set{looped_over(e).shape().count(), elements.get()};
  if (!leads_the_short_way(e, asked, pin, set)) return false;

  std::size_t const bytes = shape.count() * sizeof(T);
  if (!elements) {
    if (e.from.name != label::none) [[unlikely]]
      return false;  // its memory has that name
    site const at = e.from.where;
    buffer_ref made{buffer::make(cpu0, bytes, {E::op_type::name, at.file, at.line})};
    run_loop(e, set, static_cast<T*>(made->data()));
    elements = std::move(made);
  } else {
    if (folding<E> && set.handles_out != 0) return false;
    if (borrowed_memory_exists.peek() && reads_borrowed(e) && reads_through_others(e, out))
        [[unlikely]]
      return false;
    if (!elements->is_free_to_write(cpu0, bytes, expiring ? set.handles_out : 0)) return false;
    run_loop(e, set, static_cast<T*>(elements->data()));
  }
  tensor_parts::asked(out) = asked.asked;
  tensor_parts::shape(out) = shape;
  return true;
}
/// The same into memory of the host that no tensor has. Allocates nothing.
template <class T, class E, class Pin>
[[gnu::always_inline]] inline bool went_short_way(T* out, E const& e, Pin const& pin) {
  operands_at_hand set{looped_over(e).shape().count(), nullptr};
  if (!leads_the_short_way(e, asking_of(e, pin), pin, set)) return false;
  run_loop(e, set, out);
  return true;
}

}  // namespace placement::inline v0_1::detail
