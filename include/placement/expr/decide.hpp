#pragma once
/// Connects expressions with the placer: the request of each kernel, and its resolved placement.

#include <placement/expr/device_in_type.hpp>
#include <placement/expr/fusion.hpp>
#include <placement/expr/gradient_recorder.hpp>
#include <placement/kernels/element.hpp>
#include <placement/memory/recorder.hpp>
#include <placement/place/kernel_facts.hpp>
#include <placement/place/placer.hpp>
#include <placement/place/scope.hpp>
#include <placement/place/settings.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

// ---- pins of kernels

/// No pin: each kernel uses the device in its type, or else the scope in which it was written.
struct no_pin {
  using policies = soft_t;
};
/// A pin by an enclosing on(), with the policies of its scope.
template <class P> struct pinned_by {
  using policies = P;
  static constexpr request_source requested_by = request_source::pin;
  device_spec requested;
};

/// A pin by the device in a type, which replaces the scope.
template <class D> struct pinned_by_type {
  using policies = soft_t;
  static constexpr request_source requested_by = request_source::type;
  device_spec requested = spec_of_tag<D>();
};

/// Whether E's type names a device and no pin overrides it. All of E then runs there, also parts
/// without a device: fills and numbers of the program.
template <class E, class Pin>
inline constexpr bool pinned_by_its_type =
    std::is_same_v<Pin, no_pin> && device_in_type<E>::value.has_value();

/// The pin of copy_to() of a tensor. No copy budget counts such copies.
struct by_hand : pinned_by<soft_t> {};

template <class E, class D, class P> pinned_by<P> pin_of(placed<E, D, P> const& p) {
  return {p.requested};
}
template <class Pin> settings_word settings_for(Pin const&) {
  using P = typename Pin::policies;
  if constexpr (std::is_same_v<P, soft_t>) return settings_here();
  else return settings_word{change_of(P{}).applied_to(settings_here().bits())};
}
/// The same change of policy for the placer.
template <class P> constexpr policy policy_under(policy p) {
  if constexpr (includes<P, strict_t>) p.soft = false;
  if constexpr (includes<P, no_fallback_t>) p.fall_back = false;
  return p;
}

/// The device request of the kernel with root e.
template <class E, class Pin> constexpr requested_device request_of(E const& e, Pin const& pin) {
  if constexpr (requires { pin.requested; }) return {pin.requested, Pin::requested_by, 0};
  else return {e.from.requested, e.from.requested_by, e.from.rule};
}

/// The decision for a kernel, and whether its fusion group is split because it goes to a GPU.
struct split_decision {
  decision decided;
  bool split = false;
  kernel_source source = kernel_source::none;
};

/// The other file of this program that can launch the kernel. See launchable.hpp.
template <class E, bool Split> kernel_source launched_elsewhere();

/// What a kernel's type determines about its placement: one constant per type.
struct kernel_type {
  std::string_view root;
  kernels_for kernels;    ///< declared, and launchable by this file.
  bool splits = false;    ///< its fusion group is split on a GPU.
  bool launches = false;  ///< if split: this file can launch kernels of the part with GPU kernels.
  kernel_source (*elsewhere)() = {};  ///< for real GPUs, if this file cannot launch the kernel.
  kernel_source (*part_elsewhere)() = {};  ///< the same for the rest of a split fusion group.
};
/// The source of the kernel of an op that a library computes.
template <class Op> kernel_source source_in_library() {
  return Op::gpu_library::is_registered() ? kernel_source::library : kernel_source::none;
}
template <class E> constexpr kernel_type make_kernel_type() {
  kernel_type t{E::op_type::name, kernels_of<E>};
  if constexpr (has_gpu_library<typename E::op_type>)
    t.elsewhere = &source_in_library<typename E::op_type>;
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

/// The placement query of a kernel, from its type and its root.
struct placement_query {
  requested_device requested;
  kernels_for whole;      ///< if the fusion group is not split.
  bool splits = false;    ///< the fusion group is split on a GPU.
  kernels_for part = {};  ///< of the remaining part after a split.
  bool launches = false;  ///< this file can launch kernels of the part with GPU kernels.
  kernel_source whole_source = kernel_source::this_file;  ///< where it is launchable
  kernel_source part_source = kernel_source::this_file;
};
constexpr placement_query query_of(kernel_type const& t, requested_device const& requested,
                                   machine const& m) {
  placement_query q{requested, t.kernels, t.splits, t.kernels, t.launches};
  if (m.real && !std::is_constant_evaluated()) [[unlikely]] {
    if (t.elsewhere != nullptr) {
      q.whole_source = t.elsewhere();
      q.whole.launchable = q.whole_source != kernel_source::none;
      q.whole.declared |= q.whole_source == kernel_source::library;
    }
    if (t.part_elsewhere != nullptr) {
      q.part_source = t.part_elsewhere();
      q.part.launchable = q.part_source != kernel_source::none;
    }
  }
  return q;
}
/// A decision with the kernel's source, if a hardware GPU runs it.
constexpr split_decision with_source(decision d, bool split, kernel_source s, machine const& m) {
  return {d, split, m.real && d.device.type == kind::gpu ? s : kernel_source::none};
}

/// The decision for a kernel. Pure.
constexpr split_decision decide(placement_query const& q, machine const& m, policy const& p) {
  requested_device const a = q.requested;
  if (q.splits) {
    kernels_for const some{true, q.part.launchable || q.launches};
    if (place({a.requested, a.requested_by, some}, m, p).device.type == kind::gpu)
      return with_source(place({a.requested, a.requested_by, q.part}, m, p), true, q.part_source,
                         m);
  }
  return with_source(place({a.requested, a.requested_by, q.whole}, m, p), false, q.whole_source, m);
}
template <class E>
constexpr split_decision decide(requested_device const& requested, machine const& m,
                                policy const& p) {
  return decide(query_of(type_of_kernel<E>, requested, m), m, p);
}

// ---- copies within a budget

/// Throws the error for a copy beyond the budget.
[[noreturn, gnu::cold]] void throw_beyond_budget(std::string_view op, device from, device to,
                                                 std::uint32_t max, site at, label name);
/// Counts a copy before it is made for a kernel. Throws: placement_error beyond the budget.
inline void charge_copy(settings_word how, std::string_view op, device from, device to, site at,
                        label name) {
  std::uint32_t const made = copies_made - this_scope.settings.copies_before;
  if (std::uint32_t const below = how.copies_below(); below != 0 && made + 1 >= below) [[unlikely]]
    throw_beyond_budget(op, from, to, below - 1, at, name);
  ++copies_made;
}

// ---- logging

/// Whether an op was written for another device than its kernel's.
inline bool was_moved(origin const& from, kernel_facts const& k) {
  return !is_pinned(k.requested_by) && !(from.requested == k.requested);
}

/// One op of a kernel, type-erased, so that logging is compiled once for all ops.
struct op_of_kernel {
  op_type_facts const& op;
  any_shape shape;
  origin const& from;
  bool is_root;
};
/// A function that is called for each op of a kernel.
using op_visitor = void (*)(op_of_kernel const& op, kernel_facts const& k);

/// Logs an op.
[[gnu::cold]] void log_op_of(op_of_kernel const& op, kernel_facts const& k);
/// Throws under hard placement if fusion moves an op from the device that it requests. An op
/// without a request runs anywhere. Throws: placement_error.
[[gnu::cold]] void throw_if_moved(op_of_kernel const& op, kernel_facts const& k);
/// Logs and counts a kernel that does not run on its requested device, or throws. Throws:
/// placement_error.
[[gnu::cold]] void report_fallback_of(op_of_kernel const& root, kernel_facts const& k,
                                      settings_word how);

/// The placement of a kernel: its device and the settings in force.
struct kernel_placement {
  kernel_facts facts;
  settings_word how;
  bool split = false;          ///< as in split_decision.
  bool forbids_moves = false;  ///< throw if fusion moves an op to another device.
};
/// Resolves the placement of a kernel under this thread's settings, changed by `c`.
kernel_placement resolve(kernel_type const& type, requested_device const& requested,
                         settings_change c, site at, label name);
/// Whether resolve() certainly gives CPU:0, under settings that neither log nor reject anything.
/// False before the devices are fixed. logs: the kernel logs its ops.
inline bool runs_quietly_on_cpu0(requested_device const& requested, settings_change c, bool logs) {
  machine const* const fixed = fixed_machine.load();
  if (fixed == nullptr || recorder_here != nullptr || gradients_here != nullptr ||
      scope_faults.peek() != 0)
    return false;
  if (!is_plainly_cpu0(requested.requested, requested.requested_by, *fixed)) return false;
  settings_word const how{c.applied_to(settings_here().bits())};
  return logs ? how.is_soft_and_quiet() : how.is_soft_and_untraced();
}

/// Visits the ops of a kernel. `produced`: the product or reduction whose epilogue the kernel is,
/// or null.
struct op_walk {
  void const* produced;
  kernel_facts const& k;
  op_visitor visit;
};
/// Visits the ops of a kernel from node x down, operands first. N: the nodes of its fusion group.
template <fused_nodes N, class Producer, class X>
void visit_node(op_walk const& w, X const& x, bool is_root);

/// Visits an operand if it belongs to the kernel.
template <fused_nodes N, class Producer, class C>
void visit_operand([[maybe_unused]] op_walk const& w, [[maybe_unused]] C const& c) {
  if constexpr (joins<C, N>) {
    visit_node<N, Producer>(w, c, false);
  } else if constexpr (std::is_same_v<C, Producer>) {
    if (&c == w.produced) visit_node<N, Producer>(w, c, false);
  }
}
/// Visits the views of a product's operand.
template <class C> void visit_factor([[maybe_unused]] op_walk const& w, C const& c) {
  if constexpr (relayout<C> && is_viewable<C>)
    visit_node<fused_nodes::all, no_producer>(w, c, false);
}
template <fused_nodes N, class Producer, class X, std::size_t... I>
void visit_operands(op_walk const& w, X const& x, std::index_sequence<I...>) {
  if constexpr (matmul_node<X>) (visit_factor(w, x.template arg<I>()), ...);
  else (visit_operand<N, Producer>(w, x.template arg<I>()), ...);
}
template <fused_nodes N, class Producer, class X>
void visit_node(op_walk const& w, X const& x, bool is_root) {
  if constexpr (X::arity != 0 && !custom_node<X>)
    visit_operands<N, Producer>(w, x, std::make_index_sequence<X::arity>{});
  w.visit(op_of_kernel{facts_of_op<X>, x.shape_, x.from, is_root}, w.k);
}
/// The same for the kernel whose root, of type E, is at `root`. IsEpilogue: of its producer.
template <class E, bool Split, bool IsEpilogue = has_epilogue<E, Split>>
[[gnu::cold]] void visit_ops_of_kernel(void const* root, kernel_facts const& k, op_visitor visit) {
  E const& e = *static_cast<E const*>(root);
  if constexpr (IsEpilogue) {
    auto const* const producer = producer_of<E, Split>(e);
    void const* const produced = producer->shape() == e.shape() ? producer : nullptr;
    visit_node<nodes_of<E, Split>, bare<decltype(*producer)>>({produced, k, visit}, e, true);
  } else {
    visit_node<nodes_of<E, Split>, no_producer>({nullptr, k, visit}, e, true);
  }
}

}}}  // namespace placement::v0_1::detail
