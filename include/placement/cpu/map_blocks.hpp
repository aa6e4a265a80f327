#pragma once
/// The driver of block kernels, which every expression shares and which is compiled once. It
/// partitions the result into blocks and distributes them among threads. It copies strided operands
/// to contiguous memory, and writes large results by non-temporal stores.

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/block_kernel.hpp>
#include <placement/cpu/parallel_for.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Computes some elements of contiguous operands.
void run_contiguous_chunk(block_call const& call, work_chunk const& chunk);
/// Computes n elements of contiguous operands.
void run_contiguous_blocks(block_call const& call, index_t n, par on);
/// The call with its operands, copied to `operands`, as contiguous ones.
block_call contiguous_call(block_call const& call, block_operand* operands);
/// Computes the elements of a shape, to the positions of a layout.
void run_strided_blocks(block_call const& call, layout_level const& where, any_shape const& shape,
                        par on);

/// Computes the elements of a shape to call.out, in row-major order.
void run_dense_blocks(block_call const& call, any_shape const& shape, par on);

// ---- the operands of a bound expression

/// How many layouts a bound expression has, with those of reshapes.
template <class F> inline constexpr unsigned levels_in = 0;
template <class Reader, std::size_t R>
inline constexpr unsigned levels_in<strided_load<Reader, R>> = 1 + levels_in<Reader>;
template <class Child, class X>
inline constexpr unsigned levels_in<reshaped_expr<Child, X>> = levels_in<Child>;
template <bool Gpu, class Op, class... A>
inline constexpr unsigned levels_in<bound_expr<Gpu, Op, A...>> = (0U + ... + levels_in<A>);

/// Is a bound expression one operand in memory?
template <class F> inline constexpr bool is_operand_alone = false;
template <class T> inline constexpr bool is_operand_alone<dense_leaf<T>> = true;
template <class T, std::size_t R>
inline constexpr bool is_operand_alone<strided_load<dense_leaf<T>, R>> = true;

/// Lists the operands of a contiguous bound expression as inputs of its first block.
struct input_lister {
  block_input* in;

  template <class T> void add(scalar<T> const&) {}
  template <class T> void add(dense_leaf<T> const& l) { *in++ = {l.p, 0}; }
  template <class T> void add(single_leaf<T> const& l) { *in++ = {l.p, 0}; }
  template <class Op> void add(index_generator<Op> const&) { *in++ = {nullptr, 0}; }
  template <bool Gpu, class Op, class... A> void add(bound_expr<Gpu, Op, A...> const& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (add(f.args.template get<I>()), ...);
    }(std::index_sequence_for<A...>{});
  }
};

/// Lists the operands of a bound expression in the order of its slots.
struct operand_lister {
  block_operand* operand;
  layout_level* level;

  /// at: the layout of what is added. extent: the shape that its coordinates count in; nullptr for
  /// the result's.
  template <class T> void add(scalar<T> const&, layout_level const*, index_t const*) {}
  template <class T> void add(dense_leaf<T> const& l, layout_level const* at, index_t const*) {
    *operand++ = {l.p, at, sizeof(T), false};
  }
  template <class T> void add(single_leaf<T> const& l, layout_level const*, index_t const*) {
    *operand++ = {l.p, nullptr, sizeof(T), true};
  }
  template <class Op> void add(index_generator<Op> const&, layout_level const* at, index_t const*) {
    *operand++ = {nullptr, at, 0, false};
  }
  template <class Reader, std::size_t R>
  void add(strided_load<Reader, R> const& l, layout_level const* outer, index_t const* extent) {
    *level = {l.where.base, l.where.stride, R, extent, outer};
    add(l.read, level++, nullptr);
  }
  template <class Child, class X>
  void add(reshaped_expr<Child, X> const& r, layout_level const* at, index_t const*) {
    add(r.child, at, any_shape(r.shape).extent);
  }
  template <bool Gpu, class Op, class... A>
  void add(bound_expr<Gpu, Op, A...> const& f, layout_level const* at, index_t const* extent) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (add(f.args.template get<I>(), at, extent), ...);
    }(std::index_sequence_for<A...>{});
  }
};

/// Memory for the operands and layouts of a bound expression F, and its block kernel.
template <class R, class F> class block_kernel_of {
 public:
  using expression = block_expr<F>;
  static constexpr unsigned operands = slots_in<expression>;

  explicit block_kernel_of(F const& f) : expr_(slotted<F>::of(f)) {
    operand_lister{operand_, level_}.add(f, nullptr, nullptr);
  }
  block_kernel_of(block_kernel_of const&) = delete;
  block_kernel_of& operator=(block_kernel_of const&) = delete;

  block_call call(R* out, std::size_t cost_per_element) const {
    return {&run_block<R, expression>, &expr_, operand_,           operands, sizeof(R),
            cost_per_element,          out,    is_operand_alone<F>};
  }

 private:
  expression expr_;
  block_operand operand_[operands != 0 ? operands : 1];
  layout_level level_[levels_in<F> != 0 ? levels_in<F> : 1];
};

}}}  // namespace placement::v0_1::detail
