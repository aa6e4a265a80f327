#pragma once
/// Gradients across statements, as by tf.GradientTape.

#include <placement/expr/evaluate.hpp>
#include <placement/gradient/check_numerics.hpp>
#include <placement/gradient/cut.hpp>
#include <placement/gradient/tape_core.hpp>
#include <placement/gradient/visit_tensors.hpp>
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

template <class K, class T>
inline constexpr element_functions functions_of{&add_elements<K, T>, &find_faults<T>, sizeof(T)};

/// The scope of a policy's budget of copies.
template <class P> settings_scope budget_of() {
  if constexpr (has_budget<P>) return settings_scope{change_of(P{})};
  else return {};
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
    auto const each = [&](auto const& f) {
      for (auto const& t : p) f(t);
    };
    gradient_of_each(loss, each, [&](tensor<T, X> g) { all.push_back(std::move(g)); });
    return all;
  }

  /// The same for tensors of several types: each(f) calls f(tensor) for each, and found(g) gets
  /// the gradients in the same order.
  template <operand L, class Each, class Found>
  void gradient_of_each(L const& loss, Each const& each, Found const& found) {
    if constexpr (check_loss<L>()) visit_gradients(loss, each, found);
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
    if constexpr (is_tensor<X>)
      return detail::has_path<X> && find(detail::tensor_access::elements(x).get()) != none;
    else return tape_core::reaches(detail::tensors_in(x));
  }
  /// Adds g, summed over broadcast dimensions, to the gradient by a tensor. S: the shape of g.
  template <detail::gradient_shape S, class T, class X, class G>
  void add(tensor<T, X> const& t, G const& g);
  template <class T, class X, class G> void add(tensor<T, X> const& t, G const& g) {
    add<detail::gradient_shape::broadcasts>(t, g);
  }
  [[noreturn]] static void no_derivative(std::string_view op, site at) {
    detail::throw_no_derivative(op, at);
  }

 private:
  /// Asserts that a loss is one number. Otherwise the caller compiles nothing further.
  template <class L> static constexpr bool check_loss() {
    static_assert(L::rank == 0, "placement: a gradient is of one number. Write mean(loss).");
    return L::rank == 0;
  }
  template <class T, class X> void watch_one(tensor<T, X> const& t);
  /// Runs the records backwards from a loss of T.
  template <class T> void run_from(std::uint32_t loss);
  template <bool Zeros, class L, class... P> auto gradients_of(L const& loss, P const&... p);
  template <class L, class Each, class Found>
  void visit_gradients(L const& loss, Each const& each, Found const& found);
  template <bool Zeros, class P> detail::gradient_type<P> found_for(P const& p);
  gradient_tape* outer_tape() const { return static_cast<gradient_tape*>(outer()); }

  template <class E> void check(E const& e, site at) const;
  /// Throws: numerics_error if an element of t is infinite or NaN.
  template <class T, class X>
  [[gnu::cold, gnu::noinline]] void check_result(tensor<T, X> const& t, std::string_view what,
                                                 site at);
  template <class E> static constexpr std::string_view op_name() {
    if constexpr (is_expr<E>) return E::op_type::name;
    else return "a copy";
  }
  template <class E, class Pin> auto part(E const& e, Pin const& pin, site at);
};

}}  // namespace placement::v0_1
