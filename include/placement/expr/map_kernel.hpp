#pragma once
/// What an element-wise expression compiles: its block kernel, and functions that list its operands
/// and its ops. All else about its evaluation is compiled once, in evaluate_map().

#include <placement/cpu/block_kernel.hpp>
#include <placement/expr/map_on_gpu.hpp>
#include <placement/expr/map_operands.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Gives the operands of a kernel their addresses on its device.
class operand_binder {
 public:
  operand_binder(kernel_operands& kept, operand_table& table, map_operands const& listed)
      : kept_(kept), table_(table), listed_(listed) {}

  site at() const { return kept_.at(); }
  /// Brings operand k to the device, as listed.
  void bring(unsigned k);
  /// The same for operand x as it is now: kernels that ran before may have changed it.
  template <class X> void bring(unsigned k, X const& x) { table_.operand[k].data = kept_.bring(x); }
  /// Sets operand k to the elements of a temporary, and keeps them.
  void keep(unsigned k, buffer_ref temporary);

 private:
  kernel_operands& kept_;
  operand_table& table_;
  map_operands const& listed_;
};

/// An element-wise kernel, as a constant.
struct map_kernel {
  kernel_type const& type;
  op_facts const& root;
  block_function run;
  void (*list)(void const* e, map_operands&);
  void (*write)(void const* e, void* slot_expression);
  /// Computes operands that are kernels of their own, and brings all others; null without such.
  void (*compute)(void const* e, void const* pin, operand_binder&);
  void (*visit)(void const* e, kernel_facts const&, op_visitor);
  table_size size;
  unsigned result_bytes;  ///< of an element
  std::size_t cost_per_element;
  bool is_one_operand;
  bool logs;
  map_launch_type launch;
  map_kernel const* split;  ///< of the split fusion group; null if it is never split
};

/// The functions of a map_kernel. Pin: for operands that are kernels of their own.
template <class E, bool Split, class Pin> struct map_functions {
  using slots = slot_expr<E, Split>;
  static_assert(
      alignof(slots) <= static_cast<std::size_t>(slot_alignment),
      "placement: an op of this expression is aligned to more than 64 bytes. Let it point to "
      "such memory.");
  static constexpr bool computes = computed_operands<E, Split, E>() != 0;

  static E const& at(void const* e) { return *static_cast<E const*>(e); }
  static void list(void const* e, map_operands& to) { list_operands<E, Split>(at(e), to); }
  static void write(void const* e, void* to) { ::new (to) slots(slot_expr_of<E, Split>(at(e))); }
  static void compute(void const* e, void const* pin, operand_binder& to) {
    unsigned k = 0;
    compute_operands<E, Split>(
        at(e), k, [&](unsigned i, auto const& x) { to.bring(i, x); },
        [&](unsigned i, auto const& x) {
          auto value = evaluated(x, *static_cast<Pin const*>(pin), to.at());
          to.keep(i, std::move(tensor_access::elements(value)));
        });
  }
  [[gnu::cold]] static void visit(void const* e, kernel_facts const& k, op_visitor visitor) {
    visit_ops<Split>(at(e), static_cast<no_producer const*>(nullptr), k, visitor);
  }
  static constexpr map_launch_type launch_type() {
    map_launch_type t{sizeof(slots), !ops_are_noexcept<E, E, Split>()};
    if constexpr (!std::is_trivially_copyable_v<slots>) t.copy = &copy_launch<slots>;
    if constexpr (gpu_kernel_of_form<E, Split>::exists) t.own = &own_map_launcher<E, Split>;
    else t.others = &map_launcher<typename kernel_signature<E, Split>::type>;
    return t;
  }
};

template <class E, bool Split, class Pin> constexpr map_kernel make_map_kernel();
template <class E, bool Split, class Pin>
inline constexpr map_kernel map_kernel_of = make_map_kernel<E, Split, Pin>();

template <class E, bool Split, class Pin> constexpr map_kernel make_map_kernel() {
  using functions = map_functions<E, Split, Pin>;
  using R = typename E::value_type;
  map_kernel k{type_of_kernel<E>,
               facts_of_op<E>,
               &run_block<R, typename functions::slots>,
               &functions::list,
               &functions::write,
               nullptr,
               &functions::visit,
               table_size_of<E, Split, E>(),
               sizeof(R),
               element_cost<E, Split, E>(),
               is_one_operand<E, Split, E>(),
               logs_ops<typename E::kernels>,
               functions::launch_type(),
               nullptr};
  if constexpr (functions::computes) k.compute = &functions::compute;
  if constexpr (splits<E> && !Split) k.split = &map_kernel_of<E, true, Pin>;
  return k;
}

// ---- evaluation: resolve the device, list the operands, choose the destination, bring the
// operands, log, launch, keep the result

/// The tensor that receives a result, without its type. `shape`: its shape so far.
struct result_tensor {
  buffer_ref& elements;
  device_spec& requested;
  any_shape shape;
};
/// An expression and how it is to be evaluated.
struct map_request {
  void const* expression;
  origin const& from;
  any_shape shape;
  requested_device requested;
  settings_change change;
  void const* pin;
  bool is_rvalue;  ///< the expression's handles end with it
  site at;         ///< for expressions without a location of their own
};

/// Computes an expression into a tensor, except for the tensor's shape. Strong: when it throws, the
/// tensor is unchanged.
void evaluate_map(map_kernel const& k, map_request const& request, result_tensor const& out);

}}}  // namespace placement::v0_1::detail
