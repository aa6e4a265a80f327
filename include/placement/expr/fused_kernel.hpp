#pragma once
/// What an element-wise expression, a reduction or a product compiles: its block kernel, and
/// functions that list its operands and its ops. All else about its evaluation is compiled once, in
/// evaluate_fused().

#include <placement/cpu/block_kernel.hpp>
#include <placement/exec/kernels.hpp>
#include <placement/expr/epilogue.hpp>
#include <placement/expr/factors.hpp>
#include <placement/expr/fused_on_gpu.hpp>
#include <placement/expr/fused_operands.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Gives the operands of a kernel their addresses on its device.
class operand_binder {
 public:
  /// in_place: the operand that the kernel's producer computes; -1 for none.
  operand_binder(kernel_operands& kept, operand_table& table, fused_operands const& listed,
                 int in_place)
      : kept_(kept), table_(table), listed_(listed), in_place_(in_place) {}

  site at() const { return kept_.at(); }
  bool is_computed_in_place(unsigned k) const { return static_cast<int>(k) == in_place_; }
  /// Brings operand k to the device, as listed.
  void bring(unsigned k);
  /// The same for operand x as it is now: kernels that ran before may have changed it.
  template <class X> void bring(unsigned k, X const& x) { table_.operand[k].data = kept_.bring(x); }
  /// Sets operand k to the elements of a temporary, and keeps them.
  void keep(unsigned k, buffer_ref temporary);

 private:
  kernel_operands& kept_;
  operand_table& table_;
  fused_operands const& listed_;
  int in_place_;
};

struct fused_kernel;

/// A product or reduction that an element-wise kernel follows as its epilogue where the shapes are
/// equal.
struct followed_kernel {
  fused_kernel const& kernel;
  void const* (*find)(void const* e);  ///< its node in e; nullptr if the shapes differ
  int slot;                            ///< of its result among the operands of the epilogue
  epilogue_form form;
};

/// A fused kernel, as a constant.
struct fused_kernel {
  kernel_type const& type;
  op_facts const& root;
  block_function run;
  void (*list)(void const* e, fused_operands&);
  /// Writes ops and numbers, as fused_launch_type describes.
  void (*write)(void const* e, void* to);
  /// Computes operands that are kernels of their own, and brings all others; null without such.
  void (*compute)(void const* e, void const* pin, operand_binder&);
  void (*visit)(void const* e, kernel_facts const&, op_visitor);
  /// Of a reduction or product; null for element-wise kernels.
  void (*set_extents)(void const* e, kernel_extents&);
  table_size size;
  unsigned element_bytes;  ///< of what the block kernel computes
  unsigned result_bytes;   ///< of an element of the result
  std::size_t cost_per_element;
  std::size_t cost_of_reshapes;  ///< per element, unless all operands are contiguous
  bool is_one_operand;
  bool logs;
  fused_launch_type launch;
  fused_kernel const* split;        ///< of the split fusion group; null if it is never split
  followed_kernel const* producer;  ///< null if this kernel is no epilogue
};

/// The op of a reduction and the expression of its block kernel, or the latter alone, in one block
/// of memory.
template <class E, bool Split> struct fused_ops {
  using slots = slot_expr<E, Split>;
  using op_type = typename E::op_type;
  static constexpr std::size_t expr_at =
      reduce_node<E> ? (sizeof(op_type) + alignof(slots) - 1) / alignof(slots) * alignof(slots) : 0;
  static constexpr std::size_t bytes = expr_at + sizeof(slots);
  static_assert(
      alignof(slots) <= static_cast<std::size_t>(slot_alignment) &&
          alignof(op_type) <= static_cast<std::size_t>(slot_alignment),
      "placement: an op of this expression is aligned to more than 64 bytes. Let it point to "
      "such memory.");
  static constexpr bool is_trivial = std::is_trivially_copyable_v<slots> &&
                                     (!reduce_node<E> || std::is_trivially_copyable_v<op_type>);

  static void write(void const* e, void* to) {
    E const& from = *static_cast<E const*>(e);
    ::new (part(to)) slots(slot_expr_of<E, Split>(input_of(from)));
    copy_op(to, &from.op);
  }
  /// A launch_copier.
  static void copy(void* to, void const* from) {
    if (from == nullptr) {
      static_cast<slots*>(part(to))->~slots();
      if constexpr (reduce_node<E>) static_cast<op_type*>(to)->~op_type();
    } else {
      auto const* const s = static_cast<unsigned char const*>(from) + expr_at;
      ::new (part(to)) slots(*reinterpret_cast<slots const*>(s));
      copy_op(to, from);
    }
  }

 private:
  static void* part(void* to) { return static_cast<unsigned char*>(to) + expr_at; }
  /// Copies the op of a reduction. If that throws, it destroys the expression.
  static void copy_op([[maybe_unused]] void* to, [[maybe_unused]] void const* from) {
    if constexpr (!reduce_node<E>) {
      return;
    } else if constexpr (std::is_nothrow_copy_constructible_v<op_type>) {
      ::new (to) op_type(*static_cast<op_type const*>(from));
    } else {
      try {
        ::new (to) op_type(*static_cast<op_type const*>(from));
      } catch (...) {
        static_cast<slots*>(part(to))->~slots();
        throw;
      }
    }
  }
};

/// The producer_function of a reduction: for elements of type T and results of type R.
template <class Op, class T, class R>
void reduce_fused(fused_call const& c, block_epilogue const* epilogue, par on) {
  using loops = kernel<cpu_kernels, reduce, Op, T>;
  Op const& op = *static_cast<Op const*>(c.op);
  R* const out = static_cast<R*>(c.blocks.out);
  if constexpr (!Op::reduces_all)
    return loops::axis_blocks(on, op, out, c.blocks, c.shape, c.axis, callback_of(epilogue));
  if (c.is_contiguous) loops::contiguous_blocks(on, op, out, c.blocks, c.elements);
  else loops::strided_blocks(on, op, out, c.blocks, c.shape);
  callback_of(epilogue)({0, 1, 0, 1, 1});
}

/// The producer_function of a product.
template <class T>
void multiply_fused(fused_call const& c, block_epilogue const* epilogue, par on) {
  auto const first = [](block_operand const& o) {
    return static_cast<T const*>(o.data) + o.level->base;
  };
  block_operand const& a = c.blocks.operand[0];
  block_operand const& b = c.blocks.operand[1];
  product_operands<T> const p{static_cast<T*>(c.blocks.out),
                              c.shape,
                              c.depth,
                              first(a),
                              a.level->stride,
                              first(b),
                              b.level->stride};
  multiply(on, p, epilogue == nullptr ? recognized_epilogue{true} : epilogue->recognized,
           callback_of(epilogue));
}

/// The functions of a fused_kernel. Pin: for operands that are kernels of their own.
template <class E, bool Split, class Pin> struct fused_functions {
  using ops = fused_ops<E, Split>;

  static E const& at(void const* e) { return *static_cast<E const*>(e); }
  static void list(void const* e, fused_operands& to) { list_kernel<E, Split>(at(e), to); }
  static void compute(void const* e, void const* pin, operand_binder& to) {
    compute_kernel<E, Split>(
        at(e), [&](unsigned i, auto const& x) { to.bring(i, x); },
        [&](unsigned i, auto const& x) {
          if (to.is_computed_in_place(i)) return;
          auto value = evaluated(x, *static_cast<Pin const*>(pin), to.at());
          to.keep(i, std::move(tensor_access::elements(value)));
        });
  }
  [[gnu::cold]] static void visit(void const* e, kernel_facts const& k, op_visitor visitor) {
    visit_ops_of_kernel<Split>(at(e), k, visitor);
  }
  static void extents(void const* e, kernel_extents& to) { set_extents(at(e), to); }
  static void const* find(void const* e) {
    auto const* const node = producer_of<E, Split>(at(e));
    return node->shape() == at(e).shape() ? node : nullptr;
  }

  static constexpr fused_launch_type launch_type() {
    fused_launch_type t{ops::bytes, ops::expr_at, !ops_are_noexcept<E, E, Split>()};
    if constexpr (reduce_node<E>)
      t.produce = &reduce_fused<typename E::op_type, element_of<E>, typename E::value_type>;
    else if constexpr (matmul_node<E>) t.produce = &multiply_fused<typename E::value_type>;
    if constexpr (!ops::is_trivial) t.copy = &ops::copy;
    return t;
  }
  static constexpr void add_launchers(fused_launch_type& t) {
    if constexpr (gpu_kernel_of_form<E, Split>::exists) t.own = &own_fused_launcher<E, Split>;
    else t.others = &fused_launcher<typename kernel_signature<E, Split>::type>;
  }
};

/// The kernel of E as the producer of an epilogue, whose launch it is part of.
template <class E, bool Split, class Pin> constexpr fused_kernel make_producer() {
  using functions = fused_functions<E, Split, Pin>;
  using input = input_type<E>;
  using T = typename input::value_type;
  fused_kernel k{type_of_kernel<E>,
                 facts_of_op<E>,
                 nullptr,
                 &functions::list,
                 &functions::ops::write,
                 nullptr,
                 nullptr,
                 nullptr,
                 table_size_of_kernel<E, Split>(),
                 sizeof(T),
                 sizeof(typename E::value_type),
                 element_cost<E, Split, input>(),
                 reshape_cost<E, Split, input>(),
                 is_one_operand<E, Split, input>(),
                 logs_ops<typename E::kernels>,
                 functions::launch_type(),
                 nullptr,
                 nullptr};
  if constexpr (!matmul_node<E>) k.run = &run_block<T, slot_expr<E, Split>>;
  if constexpr (!fusible_node<E>) k.set_extents = &functions::extents;
  if constexpr (computes_operands<E, Split>()) k.compute = &functions::compute;
  return k;
}
template <class E, bool Split, class Pin>
inline constexpr fused_kernel producer_kernel = make_producer<E, Split, Pin>();

template <class E, bool Split, class Pin>
inline constexpr followed_kernel followed_by{
    producer_kernel<bare<decltype(*std::declval<producer_type<E, Split>>())>, Split, Pin>,
    &fused_functions<E, Split, Pin>::find, producer_slot<E, Split, E>(),
    epilogue_form_of<E, Split, E>()};

template <class E, bool Split, class Pin> constexpr fused_kernel make_fused_kernel();
template <class E, bool Split, class Pin>
inline constexpr fused_kernel fused_kernel_of = make_fused_kernel<E, Split, Pin>();

template <class E, bool Split, class Pin> constexpr fused_kernel make_fused_kernel() {
  using functions = fused_functions<E, Split, Pin>;
  fused_kernel k = make_producer<E, Split, Pin>();
  k.visit = &functions::visit;
  functions::add_launchers(k.launch);
  if constexpr (splits<E> && !Split) k.split = &fused_kernel_of<E, true, Pin>;
  if constexpr (fusible_node<E>)
    if constexpr (has_epilogue<E, Split>) k.producer = &followed_by<E, Split, Pin>;
  return k;
}

// ---- evaluation: resolve the device, list the operands, choose the destination, bring the
// operands, log, launch, keep the result

/// The tensor that receives a result, without its type. `shape`: its shape so far. host: memory for
/// a result on CPU:0, which the tensor then does not receive; null for none.
struct result_tensor {
  buffer_ref& elements;
  device_spec& requested;
  any_shape shape;
  void* host = nullptr;
};
/// An expression and how it is to be evaluated.
struct fused_request {
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
void evaluate_fused(fused_kernel const& k, fused_request const& request, result_tensor const& out);

}}}  // namespace placement::v0_1::detail
