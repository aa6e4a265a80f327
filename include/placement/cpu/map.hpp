#pragma once
/// The CPU kernel of a fused element-wise expression: its block kernel, run by the common driver.

#include <placement/cpu/block_kernel.hpp>
#include <placement/cpu/map_blocks.hpp>
#include <placement/kernels/cost.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement { inline namespace v0_1 {

/// T: the operands' element type. The result's may be another: comparisons give bool.
template <class Op, class T> struct kernel<cpu_kernels, map, Op, T> {
  static constexpr bool exists = true;

  /// out[i] = f(i) for every i. Cost: one pass, no allocation.
  /// Inlined, so that a length in the type is a constant of the loop.
  template <class On, class R, class F>
  PLACEMENT_ALWAYS_INLINE static inline void contiguous(On const& on, R* out, index_t n,
                                                        F const& f) {
    if constexpr (!std::is_same_v<On, seq>) run_contiguous(on, out, n, f);
    else if constexpr (is_loop_of_elements<R, F>()) detail::write_each(out, n, f);
    else if (__builtin_constant_p(n) && n <= max_short_count) detail::write_each(out, n, f);
    else run_one_block(out, n, f);
  }

  /// The element of `out` at each position of a layout, f.row(c)(j), for every row c of shape x.
  /// Cost: one pass, no allocation.
  template <class On, class R, class Where, class F, class X>
  static void strided(On const& on, R* out, Where const& where, X const& x, F const& f) {
    if constexpr (is_static_and_short<X>()) run_rows(out, where, x, f);
    else run_strided(on, out, where, x, f);
  }

 private:
  /// Elements of a static shape that are computed without the driver.
  static constexpr index_t max_short_count = 64;
  template <class X> static constexpr bool is_static_and_short() {
    if constexpr (X::is_static) return X::count() <= static_cast<std::size_t>(max_short_count);
    else return false;
  }

  /// Whether a loop over elements is as good as packs: compilers make vector code of it, or the
  /// expression has no packs. True for other functions than bound expressions.
  template <class R, class F> static constexpr bool is_loop_of_elements() {
    if constexpr (!requires { typename detail::block_expr<F>; }) return true;
    else if constexpr (detail::is_arithmetic<F>) return !number_of_16_bits<R>;
    else return detail::block_lanes<R, detail::block_expr<F>> == 1;
  }

  /// All elements by one call of the block kernel.
  template <class R, class F>
  [[gnu::noinline]] static void run_one_block(R* out, index_t n, F const& f) {
    using expression = detail::block_expr<F>;
    detail::block_input in[detail::slots_in<expression> + 1];
    detail::input_lister{in}.add(f);
    expression const expr = detail::slotted<F>::of(f);
    detail::run_block<R, expression>(&expr, out, in, n);
  }
  template <class R, class F>
  [[gnu::noinline]] static void run_contiguous(par on, R* out, index_t n, F const& f) {
    if (n <= detail::block_length) return run_one_block(out, n, f);
    detail::block_kernel_of<R, F> const kernel(f);
    detail::run_contiguous_blocks(kernel.call(out, detail::cost_per_element_of<F>), n, on);
  }
  template <class R, class F, class X>
  [[gnu::noinline]] static void run_strided(par on, R* out, layout<X::rank> const& where,
                                            X const& x, F const& f) {
    detail::block_kernel_of<R, F> const kernel(f);
    detail::layout_level const level{where.base, where.stride, X::rank, nullptr, nullptr};
    detail::run_strided_blocks(kernel.call(out, detail::cost_per_element_of<F>), level, x, on);
  }
  template <class R, class F, class X>
  static void run_strided(seq, R* out, layout<X::rank> const& where, X const& x, F const& f) {
    run_strided(par{.is_parallel = false}, out, where, x, f);
  }

  template <class R, class F, class X>
  static void run_rows(R* out, layout<X::rank> const& where, X const& x, F const& f) {
    index_t const n = row_length(x), step = where.step();
    for_each_row(x, [&](coordinates<X::rank> const& c) {
      auto const row = f.row(c);
      R* const to = out + where.row(c);
      for (index_t j = 0; j != n; ++j) to[j * step] = row(j);
    });
  }
};

}}  // namespace placement::v0_1
