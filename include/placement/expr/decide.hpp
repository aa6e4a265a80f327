#pragma once
/// Where an expression meets the placer: what each kernel asks for, and what comes of it.

#include <placement/expr/device_in_type.hpp>
#include <placement/expr/region.hpp>
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
  static constexpr asked_by who = asked_by::pin;
  wish asked;
};

/// The answer of a type to where a kernel runs, in place of a scope.
template <class D> struct pinned_by_type {
  using policies = soft_t;
  static constexpr asked_by who = asked_by::type;
  static constexpr wish asked{D::value};
};

/// Does E name a device in its type that nothing around it overrules? Then all that is inside runs
/// there, also what names none: fills, numbers written in the program.
template <class E, class Pin>
inline constexpr bool pinned_by_its_type =
    std::is_same_v<Pin, no_pin> && device_in_type<E>::value.said();

/// copy_to() around a tensor: no budget counts it.
struct by_hand : pinned_by<soft_t> {};

template <class E, class D, class P> pinned_by<P> pin_of(placed<E, D, P> const& p) {
  return {p.asked};
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
template <class E, class Pin> constexpr asking asking_of(E const& e, Pin const& pin) {
  if constexpr (requires { pin.asked; }) return {pin.asked, Pin::who};
  else return {e.from.asked, e.from.who};
}

/// What was decided for a kernel, and whether its region is split because it goes to a GPU.
struct verdict {
  decision decided;
  bool split = false;
};

/// Can another file of this program launch the kernel? See launchable.hpp.
template <class E, bool Split> bool launched_elsewhere();

/// The kernels for the region of E: what is declared and what this file can launch; on a machine
/// with real GPUs, when the program runs, also what others can.
template <class E, bool Split> constexpr kernels_for kernels_on(machine const& m) {
  kernels_for k = kernels_of<E>;
  if constexpr (declared<E> && !launches_gpu<typename E::kernels>) {
    if (m.real && !std::is_constant_evaluated()) [[unlikely]]
      k.launchable = launched_elsewhere<E, Split>();
  }
  return k;
}

/// The decision for the kernel whose root is E. Pure.
template <class E>
constexpr verdict decide(asking const& asked, machine const& m, policy const& p) {
  if constexpr (splits<E>) {
    kernels_for k = kernels_on<E, true>(m);
    k.launchable = k.launchable || launches_gpu<typename E::kernels>;
    k.declared = true;
    if (place({asked.asked, asked.who, k}, m, p).device.is_gpu())
      return {place({asked.asked, asked.who, kernels_on<E, true>(m)}, m, p), true};
  }
  return {place({asked.asked, asked.who, kernels_on<E, false>(m)}, m, p)};
}

// ---- copies, within a budget

template <class Once = void>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_beyond_budget(std::string_view op, device from,
                                                                 device to, std::uint32_t most,
                                                                 site at) {
  throw placement_error(
      "placement: at most " + std::to_string(most) + (most == 1 ? " copy is" : " copies are") +
      " allowed here, and an operand of " + std::string(op) + " on " + to_string(from) +
      " would be another, to " + to_string(to) + place_text(at) +
      ". Move it with copy_to, run the op where its operands are, or allow more.");
}
/// Counts a copy that is about to be made for a kernel. Throws: placement_error beyond the budget.
inline void charge_copy(settings_word how, std::string_view op, device from, device to, site at) {
  std::uint32_t const made = copies_made - this_scope.copies_before;
  if (std::uint32_t const below = how.copies_below(); below != 0 && made + 1 >= below) [[unlikely]]
    refuse_beyond_budget(op, from, to, below - 1, at);
  ++copies_made;
}

// ---- what is said of it

/// What the log says of the kernel that an op is in.
struct kernel_facts {
  std::string_view root{};
  wish asked{};
  asked_by who{};
  placement::decision decision{};
  site at{};  ///< for ops that do not know their line
  std::size_t copies = 0, bytes = 0;
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
  return !is_pinned(k.who) && !(from.asked == k.asked);
}

/// Not a template: expressions have many ops, and this is compiled once for all of them.
template <class Once = void>
[[gnu::cold, gnu::noinline]] op_record record_of(op_facts const& op, std::string shape,
                                                 origin const& from, kernel_facts const& k,
                                                 bool is_root) {
  op_record r;
  r.op = op.op;
  r.element = op.element;
  r.shape = std::move(shape);
  r.decision = k.decision;
  r.asked = k.asked;
  r.who = k.who;
  r.where = from.where.known() ? from.where : k.at;
  r.name = from.name;
  r.constant = op.constant;
  if (is_root) {
    r.copies = k.copies;
    r.copied_bytes = k.bytes;
  } else {
    r.fused_in = k.root;
    r.written = from.asked;
    r.moved = was_moved(from, k);
  }
  return r;
}
template <class X> op_record record_of(X const& x, kernel_facts const& k, bool is_root) {
  return record_of(facts_of_op<X>, to_string(x.shape()), x.from, k, is_root);
}

/// Calls f(node, is_root) for each op of the kernel whose root is R, operands first. `produced`:
/// the product or reduction that takes the region as its epilogue, or null.
template <class R, bool Split, class X, class Producer, class F>
constexpr void for_each_fused(X const& x, Producer const* produced, bool is_root, F const& f) {
  if constexpr (is_expr<X>) {
    for_each_operand(x, [&]<class C>(C const& c) {
      if constexpr (contracting<X>) {
        if constexpr (relayout<C> && is_viewable<C>)
          for_each_fused<C, false>(c, produced, false, f);
      } else if constexpr (!custom_node<X> && joins<C, R, Split>) {
        for_each_fused<R, Split>(c, produced, false, f);
      } else if constexpr (std::is_same_v<C, Producer>) {
        if (&c == produced) for_each_fused<C, Split>(c, produced, false, f);
      }
    });
    f(x, is_root);
  }
}
/// The same with the producer found.
template <class E, bool Split, class F>
constexpr void for_each_op_of_kernel(E const& e, F const& f) {
  if constexpr (has_epilogue<E, Split>) {
    auto const* const producer = epilogue_of<E, Split>(e);
    for_each_fused<E, Split>(e, producer->shape() == e.shape() ? producer : nullptr, true, f);
  } else {
    for_each_fused<E, Split>(e, static_cast<no_epilogue const*>(nullptr), true, f);
  }
}

/// Logs the ops of a kernel that is about to run.
template <bool Split, class E, class Producer>
[[gnu::cold, gnu::noinline]] void log_kernel(E const& e, Producer const* produced, kernel_facts k,
                                             std::size_t copies, std::size_t bytes) {
  k.copies = copies;
  k.bytes = bytes;
  for_each_fused<E, Split>(e, produced, true,
                           [&](auto const& x, bool is_root) { log_op(record_of(x, k, is_root)); });
}

/// Logs, counts, or refuses a kernel that does not run where it was asked to. Throws:
/// placement_error.
template <class E>
[[gnu::cold]] void report_fallback(E const& e, kernel_facts const& k, settings_word how) {
  if (k.decision.refused) refuse(record_of(e, k, true), how);
  log_fallback(record_of(e, k, true));
}

/// Hard placement: an op that fusing would move to another device than it asks for is an error. One
/// that asks for none runs anywhere.
template <class E>
[[gnu::cold]] void refuse_moved_ops(E const& e, kernel_facts const& k, bool split) {
  auto check = [&](auto const& x, bool is_root) {
    if (!is_root && x.from.asked.said() && was_moved(x.from, k))
      refuse_move(record_of(x, k, false));
  };
  if constexpr (splits<E>) {
    if (split) return for_each_op_of_kernel<E, true>(e, check);
  }
  for_each_op_of_kernel<E, false>(e, check);
}

}  // namespace placement::inline v0_1::detail
