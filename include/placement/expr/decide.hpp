#pragma once
/// Where an expression meets the placer: what each kernel asks for, and what comes of it.

#include <placement/expr/device_in_type.hpp>
#include <placement/expr/fusion.hpp>
#include <placement/memory/recorder.hpp>
#include <placement/place/log.hpp>

namespace placement::inline v0_1::detail {

// ---- who pinned the kernels below

/// Nobody: each kernel goes by the device in its type, or else by the scope it was written in.
struct no_pin {
  using policies = soft_t;
};
/// An on() around them, with the policies of its scope.
template <class P> struct pinned_by {
  using policies = P;
  static constexpr request_source requested_by = request_source::pin;
  device_spec requested;
};

/// The answer of a type to where a kernel runs, in place of a scope.
template <class D> struct pinned_by_type {
  using policies = soft_t;
  static constexpr request_source requested_by = request_source::type;
  device_spec requested = spec_of_tag<D>();
};

/// Does E name a device in its type that nothing around it overrules? Then all that is inside runs
/// there, also what names none: fills, numbers written in the program.
template <class E, class Pin>
inline constexpr bool pinned_by_its_type =
    std::is_same_v<Pin, no_pin> && device_in_type<E>::value.has_value();

/// copy_to() around a tensor: no budget counts it.
struct by_hand : pinned_by<soft_t> {};

template <class E, class D, class P> pinned_by<P> pin_of(placed<E, D, P> const& p) {
  return {p.requested};
}
template <class Pin> settings_word settings_for(Pin const&) {
  using P = typename Pin::policies;
  if constexpr (std::is_same_v<P, soft_t>) return settings_here();
  else return settings_word{change_of(P{}).applied_to(settings_here().bits())};
}
/// The same of what the placer asks.
template <class P> constexpr policy policy_under(policy p) {
  if constexpr (includes<P, strict_t>) p.soft = false;
  if constexpr (includes<P, no_fallback_t>) p.fall_back = false;
  return p;
}

/// What the kernel whose root is e asks for.
template <class E, class Pin> constexpr requested_device request_of(E const& e, Pin const& pin) {
  if constexpr (requires { pin.requested; }) return {pin.requested, Pin::requested_by};
  else return {e.from.requested, e.from.requested_by};
}

/// What was decided for a kernel, and whether its region is split because it goes to a GPU.
struct split_decision {
  decision decided;
  bool split = false;
};

/// Can another file of this program launch the kernel? See launchable.hpp.
template <class E, bool Split> bool launched_elsewhere();

/// What the type of a kernel says of where it may run: one constant for each type.
struct kernel_type {
  std::string_view root;
  kernels_for kernels;            ///< that are declared, and that this file can launch
  bool splits = false;            ///< its region is another one on a GPU
  bool launches = false;          ///< then: this file can launch kernels of the part that has them
  bool (*elsewhere)() = {};       ///< asked where this file cannot launch it, on real GPUs
  bool (*part_elsewhere)() = {};  ///< the same of what is left of a split region
};
template <class E> constexpr kernel_type make_kernel_type() {
  kernel_type t{E::op_type::name, kernels_of<E>};
  constexpr bool asks = declared<E> && !launches_gpu<typename E::kernels>;
  if constexpr (asks) t.elsewhere = &launched_elsewhere<E, false>;
  if constexpr (splits<E>) {
    t.splits = true;
    t.launches = launches_gpu<typename E::kernels>;
    if constexpr (asks) t.part_elsewhere = &launched_elsewhere<E, true>;
  }
  return t;
}
template <class E> inline constexpr kernel_type type_of_kernel = make_kernel_type<E>();

/// What a kernel asks for, as its type and its root say it.
struct question {
  requested_device requested;
  kernels_for whole;      ///< where the region is not split
  bool splits = false;    ///< its region is another one on a GPU
  kernels_for part = {};  ///< of what is left of it then
  bool launches = false;  ///< this file can launch kernels of the part that has them
};
constexpr question question_of(kernel_type const& t, requested_device const& requested,
                               machine const& m) {
  question q{requested, t.kernels, t.splits, t.kernels, t.launches};
  if (m.real && !std::is_constant_evaluated()) [[unlikely]] {
    if (t.elsewhere != nullptr) q.whole.launchable = t.elsewhere();
    if (t.part_elsewhere != nullptr) q.part.launchable = t.part_elsewhere();
  }
  return q;
}

/// The decision for a kernel. Pure.
constexpr split_decision decide(question const& q, machine const& m, policy const& p) {
  requested_device const a = q.requested;
  if (q.splits) {
    kernels_for const some{true, q.part.launchable || q.launches};
    if (place({a.requested, a.requested_by, some}, m, p).device.is_gpu())
      return {place({a.requested, a.requested_by, q.part}, m, p), true};
  }
  return {place({a.requested, a.requested_by, q.whole}, m, p)};
}
template <class E>
constexpr split_decision decide(requested_device const& requested, machine const& m,
                                policy const& p) {
  return decide(question_of(type_of_kernel<E>, requested, m), m, p);
}

// ---- copies, within a budget

/// Throws the error of a copy beyond the budget.
template <class Once = void>
[[noreturn, gnu::cold, gnu::noinline]] void throw_beyond_budget(std::string_view op, device from,
                                                                device to, std::uint32_t max,
                                                                site at);
/// Counts a copy that is about to be made for a kernel. Throws: placement_error beyond the budget.
inline void charge_copy(settings_word how, std::string_view op, device from, device to, site at) {
  std::uint32_t const made = copies_made - this_scope.settings.copies_before;
  if (std::uint32_t const below = how.copies_below(); below != 0 && made + 1 >= below) [[unlikely]]
    throw_beyond_budget(op, from, to, below - 1, at);
  ++copies_made;
}

// ---- what is said of it

/// What the log says of the kernel that an op is in.
struct kernel_facts {
  std::string_view root{};
  device_spec requested{};
  request_source requested_by{};
  placement::decision decision{};
  site at{};  ///< for ops that do not know their line
  std::size_t copies = 0, bytes = 0;
  std::uint64_t id = 0;  ///< where somebody observes
};

/// What the log says of one op, apart from its shape.
struct op_facts {
  std::string_view op, element;
  bool constant;
};
template <class X>
inline constexpr op_facts facts_of_op{X::op_type::name, element_name<element_of<X>>(),
                                      literal_node<X>};

/// Was an op written for another device than the kernel it is in?
inline bool was_moved(origin const& from, kernel_facts const& k) {
  return !is_pinned(k.requested_by) && !(from.requested == k.requested);
}

/// One op of a kernel, whatever its type: expressions have many ops, and what is said of them is
/// compiled once.
struct op_of_kernel {
  op_facts const& op;
  any_shape shape;
  origin const& from;
  bool is_root;
};
/// Something to do about each op of a kernel.
using op_visitor = void (*)(op_of_kernel const& op, kernel_facts const& k);

/// Where ops are reported.
template <class Once = void>
[[gnu::cold, gnu::noinline]] void log_op_of(op_of_kernel const& op, kernel_facts const& k);
/// Hard placement: an op that fusing would move to another device than it asks for is an error. One
/// that asks for none runs anywhere. Throws: placement_error.
template <class Once = void>
[[gnu::cold, gnu::noinline]] void throw_if_moved(op_of_kernel const& op, kernel_facts const& k);
/// Logs, counts, or refuses a kernel that does not run where it was asked to. Throws:
/// placement_error.
template <class Once = void>
[[gnu::cold, gnu::noinline]] void report_fallback_of(op_of_kernel const& root,
                                                     kernel_facts const& k, settings_word how);

/// For the op that is the root of its kernel.
template <class X>
[[gnu::cold]] void report_fallback(X const& root, kernel_facts const& k, settings_word how) {
  report_fallback_of(op_of_kernel{facts_of_op<X>, root.shape_, root.from, true}, k, how);
}

/// What the life of a kernel is told by: where it runs, and under which settings.
struct kernel_placement {
  kernel_facts facts;
  settings_word how;
  bool split = false;          ///< as in verdict
  bool forbids_moves = false;  ///< an op that fusing would move to another device is an error
};
/// The decision for a kernel here and now, under settings that differ from this thread's by `c`.
template <class Once = void>
[[gnu::noinline]] kernel_placement resolve(kernel_type const& type,
                                           requested_device const& requested, settings_change c,
                                           site at);
/// The same for the kernel whose root is e.
template <class E, class Pin> kernel_placement resolve(E const& e, Pin const& pin, site at) {
  return resolve(type_of_kernel<E>, request_of(e, pin), change_of(typename Pin::policies{}),
                 e.from.where.known() ? e.from.where : at);
}

/// Does settle() plainly answer CPU:0, under settings that have nothing to log or to refuse? Not
/// said before the devices are fixed. Set: the expression's kernels.
template <class Set>
inline bool runs_quietly_on_cpu0(requested_device const& requested, settings_change c) {
  machine const* const fixed = fixed_machine.load();
  if (fixed == nullptr || recorder_here != nullptr || scope_faults.peek() != 0) return false;
  if (!is_plainly_cpu0(requested.requested, requested.requested_by, *fixed)) return false;
  settings_word const how{c.applied_to(settings_here().bits())};
  return logs_ops<Set> ? how.is_soft_and_quiet() : how.soft();
}

/// Shows each op of a kernel to a visitor, operands first. R: the kernel's root. `produced`: the
/// product or reduction that takes the region as its epilogue, or null.
template <class R, bool Split, class Producer> struct op_walk {
  Producer const* produced;
  kernel_facts const& k;
  op_visitor visit;

  template <class X> void node(X const& x, bool is_root) const {
    operands(x, std::make_index_sequence<X::arity>{});
    visit(op_of_kernel{facts_of_op<X>, x.shape_, x.from, is_root}, k);
  }

 private:
  template <class X, std::size_t... I> void operands(X const& x, std::index_sequence<I...>) const {
    (below<X>(x.template arg<I>()), ...);
  }
  /// An operand of a node of type X: is it of this kernel?
  template <class X, class C> void below(C const& c) const {
    if constexpr (matmul_node<X>) {
      if constexpr (relayout<C> && is_viewable<C>)
        op_walk<C, false, Producer>{produced, k, visit}.node(c, false);
    } else if constexpr (!custom_node<X> && joins<C, R, Split>) {
      node(c, false);
    } else if constexpr (std::is_same_v<C, Producer>) {
      if (&c == produced) op_walk<C, Split, Producer>{produced, k, visit}.node(c, false);
    }
  }
};
template <bool Split, class E, class Producer>
[[gnu::cold, gnu::noinline]] void visit_ops(E const& e, Producer const* produced,
                                            kernel_facts const& k, op_visitor visit) {
  op_walk<E, Split, Producer>{produced, k, visit}.node(e, true);
}
/// The same with the producer found.
template <bool Split, class E>
void visit_ops_of_kernel(E const& e, kernel_facts const& k, op_visitor visit) {
  if constexpr (has_epilogue<E, Split>) {
    auto const* const producer = producer_of<E, Split>(e);
    visit_ops<Split>(e, producer->shape() == e.shape() ? producer : nullptr, k, visit);
  } else {
    visit_ops<Split>(e, static_cast<no_producer const*>(nullptr), k, visit);
  }
}

template <class E> [[gnu::cold]] void throw_if_ops_moved(E const& e, kernel_placement const& k) {
  if constexpr (splits<E>) {
    if (k.split) return visit_ops_of_kernel<true>(e, k.facts, throw_if_moved<>);
  }
  visit_ops_of_kernel<false>(e, k.facts, throw_if_moved<>);
}

}  // namespace placement::inline v0_1::detail
