#pragma once
/// Gradients across statements, as by tf.GradientTape.

#include <placement/expr/evaluate.hpp>
#include <placement/gradient/check_numerics.hpp>
#include <placement/gradient/cut.hpp>
#include <placement/gradient/tape_core.hpp>
#include <placement/kernels/kept_bytes.hpp>
#include <placement/ops/add.hpp>

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

namespace placement { inline namespace v0_1 {

/// For a gradient_tape: gradient() may be called more than once.
struct persistent_t {};
inline constexpr persistent_t persistent{};
/// For gradient(): zeros for tensors that the loss does not depend on, instead of an error.
struct unconnected_zeros_t {};
inline constexpr unconnected_zeros_t unconnected_zeros{};
/// Nothing is recorded on this thread while the object lives.
using no_gradient = detail::gradient_pause;

namespace detail {

template <class P> using gradient_type = tensor<typename P::value_type, typename P::extents_type>;

/// Adds n elements of T to a gradient, in place where it is the only owner.
template <class K, class T> void add_elements(tape_value& to, buffer_ref more) {
  using flat = tensor<T, dextents<1>>;
  auto const wrap = [](buffer_ref b) {
    auto t = tensor_access::empty<flat>();
    tensor_access::shape(t).n[0] = static_cast<index_t>(b->size() / sizeof(T));
    tensor_access::elements(t) = std::move(b);
    return t;
  };
  flat sum = wrap(std::move(to.gradient));
  to.gradient = {};
  flat const other = wrap(std::move(more));
  evaluate_pinned(sum, expr<add_op, K, flat, flat>{{}, site_of_scope(), sum, other}, no_pin{}, true,
                  site_of_scope());
  to.gradient = std::move(tensor_access::elements(sum));
}

/// The scope of a policy's budget of copies.
template <class P> settings_scope budget_of() {
  if constexpr (has_budget<P>) return settings_scope{change_of(P{})};
  else return {};
}

/// Calls f(t) for each tensor in x, and for the tensors that views name.
template <class X, class F> void for_each_tensor(X const& x, F const& f) {
  if constexpr (is_tensor<X>) f(x);
  else if constexpr (is_reference<X>) f(x.target());
  else if constexpr (is_placed<X>) for_each_tensor(x.inner, f);
  else if constexpr (is_list<X>)
    for (auto const& t : x.items) f(t);
  else if constexpr (is_expr<X>)
    for_each_operand(x, [&](auto const& below) { for_each_tensor(below, f); });
}
/// Calls f(elements) for each tensor in x that a gradient can reach.
template <class X, class F> void for_each_reached(X const& x, F const& f) {
  if constexpr (has_path<X>) {
    if constexpr (is_expr<X>)
      for_each_operand(x, [&](auto const& below) { for_each_reached(below, f); });
    else if constexpr (is_placed<X>) for_each_reached(x.inner, f);
    else for_each_tensor(x, [&](auto const& t) { f(tensor_access::elements(t).get()); });
  }
}

}  // namespace detail

/// Records what this thread computes from watched tensors, while it lives:
///
///     gradient_tape tape(w, b);
///     tensor loss = mean(square(matmul(x, w) + b - y));
///     auto [dw, db] = tape.gradient(loss, w, b);
///
/// Only files that include gradient.hpp before placement.hpp are recorded. Other files throw where
/// they read a watched tensor. Tapes nest: each records. Loops, branches, updates in place and
/// shared results are recorded as they run. A tape is of first order: gradient<0>(e) of an
/// expression can be differentiated again.
/// Thread: a tape belongs to the thread that made it.
/// Cost: a handle of each operand and result, until gradient(); about 70 ns for a statement.
class gradient_tape final : public detail::tape_core {
 public:
  /// Watches these tensors. Throws: as watch().
  template <class... P> requires(is_tensor<P> && ...)
  explicit gradient_tape(P const&... p) : tape_core(false) {
    watch(p...);
  }
  template <class... P> explicit gradient_tape(persistent_t, P const&... p) : tape_core(true) {
    watch(p...);
  }
  /// Throws numerics_error where a recorded statement, or a gradient, is infinite or NaN.
  /// Cost: a pass over each result on the host, and a copy from GPUs. For finding a fault.
  template <class... P>
  explicit gradient_tape(check_numerics_t, P const&... p) : gradient_tape(p...) {
    checks_numerics();
  }
  template <class T, class X>
  explicit gradient_tape(std::vector<tensor<T, X>> const& p) : tape_core(false) {
    watch(p);
  }

  /// Gradients by these tensors can be asked for. Call it before they are used. Those that the tape
  /// has computed are watched already.
  /// Throws: invalid_argument for tensors in borrowed memory, or two that share their elements.
  template <class... P> requires(is_tensor<P> && ...)
  void watch(P const&... p) {
    (watch_one(p), ...);
  }
  template <class T, class X> void watch(std::vector<tensor<T, X>> const& p) {
    for (auto const& t : p) watch_one(t);
  }

  /// The gradients of the loss, which is one number, by these tensors: a tensor, or a tuple of
  /// several. Each is computed on the device of its forward op. The records are given up, unless
  /// the tape is persistent.
  /// Throws: invalid_argument for a tensor that the loss does not depend on; what the ops throw.
  /// Then the records are given up as well.
  template <operand L, class... P> requires(is_tensor<P> && ...)
  auto gradient(L const& loss, P const&... p) {
    if constexpr (check_loss<L>()) return gradients_of<false>(loss, p...);
  }
  template <operand L, class... P> requires(is_tensor<P> && ...)
  auto gradient(unconnected_zeros_t, L const& loss, P const&... p) {
    if constexpr (check_loss<L>()) return gradients_of<true>(loss, p...);
  }

  /// The same for tensors whose number only the program knows.
  template <operand L, class T, class X>
  std::vector<tensor<T, X>> gradient(L const& loss, std::vector<tensor<T, X>> const& p) {
    std::vector<tensor<T, X>> all;
    all.reserve(p.size());
    auto const ask = [&] {
      for (auto const& t : p) keep_gradient(detail::tensor_access::elements(t));
    };
    if constexpr (check_loss<L>())
      run<false>(loss, ask, [&] {
        for (auto const& t : p) all.push_back(found_for<false>(t));
      });
    return all;
  }

  /// The same for tensors of several types: each(f) calls f(tensor) for each, and found(g) gets
  /// the gradients in the same order.
  template <operand L, class Each, class Found>
  void gradient_of_each(L const& loss, Each const& each, Found const& found) {
    auto const ask = [&] {
      each([&](auto const& t) { keep_gradient(detail::tensor_access::elements(t)); });
    };
    if constexpr (check_loss<L>())
      run<false>(loss, ask, [&] { each([&](auto const& t) { found(found_for<false>(t)); }); });
  }

  // ---- for the evaluation and the pullbacks

  /// Computes e into out, and records it if it reads what a tape of this thread watches.
  template <class T, class X, class E, class Pin>
  void compute(tensor<T, X>& out, E const& e, Pin const& pin, bool is_rvalue, site at);
  /// Writes x through a view, and records the new value of its tensor.
  template <class K, class View, class X>
  void assign(View const& to, X const& x, bool is_rvalue, site at);

  /// Whether this tape knows a tensor in x that a gradient reaches.
  template <class X> bool reaches(X const& x) const {
    bool found = false;
    detail::for_each_reached(x, [&](detail::buffer const* b) { found = found || find(b) != none; });
    return found;
  }
  /// The next record reads the tensors in x.
  template <class X> void note_reads(X const& x) noexcept {
    detail::for_each_reached(x, [&](detail::buffer const* b) { note_read(b); });
  }
  /// Adds g, summed over broadcast dimensions, to the gradient by a tensor.
  template <class T, class X, class G> void add(tensor<T, X> const& t, G const& g);
  [[noreturn]] static void no_derivative(std::string_view op, site at) {
    detail::throw_no_derivative(op, at);
  }

 private:
  /// Asserts that a loss is one number. Otherwise the caller compiles nothing further.
  template <class L> static constexpr bool check_loss() {
    static_assert(L::rank == 0, "placement: a gradient is of one number. Write mean(loss).");
    return L::rank == 0;
  }
  template <class T, class X> bool knows(tensor<T, X> const& t) const {
    return real_number<T> && find(detail::tensor_access::elements(t).get()) != none;
  }
  template <class T, class X> void watch_one(tensor<T, X> const& t);
  /// Runs the records backwards from the loss: calls ask(), then collect(). Zeros: also if the loss
  /// was not recorded.
  template <bool Zeros, class L, class Ask, class Collect>
  void run(L const& loss, Ask const& ask, Collect const& collect);
  template <bool Zeros, class L, class... P> auto gradients_of(L const& loss, P const&... p);
  template <bool Zeros, class P> detail::gradient_type<P> found_for(P const& p);
  gradient_tape* outer_tape() const { return static_cast<gradient_tape*>(outer()); }

  template <class X> bool any_reaches(X const& x) const {
    for (gradient_tape const* t = this; t != nullptr; t = t->outer_tape())
      if (t->reaches(x)) return true;
    return false;
  }
  template <class E> void check(E const& e, site at) const;
  /// Throws: invalid_argument if e reads a gradient.
  template <class E> [[gnu::cold, gnu::noinline]] void check_operands(E const& e, site at) const {
    detail::for_each_tensor(
        e, [&](auto const& x) { check_first_order(detail::tensor_access::elements(x).get(), at); });
  }
  /// Throws: numerics_error if an element of t is infinite or NaN.
  template <class T, class X>
  [[gnu::cold, gnu::noinline]] void check_result(tensor<T, X> const& t, std::string_view what,
                                                 site at);
  template <class E> static constexpr std::string_view op_name() {
    if constexpr (is_expr<E>) return E::op_type::name;
    else return "a copy";
  }
  template <class E, class Pin> auto part(E const& e, Pin const& pin, site at);
  /// Records that `result` is the value of e, in each tape of the thread that e reaches.
  template <class K, class E, class T, class X>
  void note(E e, tensor<T, X> const& result, site at, detail::copied_operands copies);
};

}}  // namespace placement::v0_1
