#pragma once
/// Sums and products of float and double, in the loops that are compiled once.

#include <placement/cpu/product_blocks.hpp>
#include <placement/cpu/sum_blocks.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The states of an op by its compiled loops. This one has none.
template <class Op, class T> struct total {
  static constexpr bool exists = false;
  static constexpr bool reads(block_form) { return false; }
};

template <class Op, class T> requires sums_elements<Op, T>
struct total<Op, T> {
  static constexpr bool exists = true;
  using state = typename Op::template state<T>;

  /// Whether the operands of such a block kernel are read in place.
  static constexpr bool reads(block_form form) { return form != block_form::any; }
  /// The state of n elements of operands in memory.
  static state of(summands<T> const& all, index_t n) { return with(sum_of(all, n)); }
  /// The state of the elements [begin, end) of a shape.
  static state of(block_reader& from, index_t begin, index_t end) {
    return with(sum_of<T>(from, begin, end));
  }
  /// f(i, state) for some rows of n elements, from element `first` on. They are read together.
  template <class F>
  static void each(block_reader& from, index_t first, index_t rows, index_t n, F const& f) {
    each(find_summands<T>(from, first, rows * n), rows, n, f);
  }
  template <class F>
  static void each(summands<T> const& all, index_t rows, index_t n, F const& f) {
    each_sum(all, rows, n, [&](index_t i, double sum) { f(i, with(sum)); });
  }
  static state with(double sum) { return Op::template state_of_sum<T>(sum); }
};

template <class Op, class T> requires multiplies_elements<Op, T>
struct total<Op, T> {
  static constexpr bool exists = true;
  using state = typename Op::template state<T>;

  static constexpr bool reads(block_form form) { return form == block_form::operand; }
  static state of(summands<T> const& all, index_t n) { return with(product_of(all.left, n)); }
  static state of(block_reader& from, index_t begin, index_t end) {
    return with(product_of<T>(from, begin, end));
  }
  template <class F>
  static void each(block_reader& from, index_t first, index_t rows, index_t n, F const& f) {
    T const* const p = static_cast<T const*>(read_elements(from, first, rows * n));
    each({block_form::operand, p, p}, rows, n, f);
  }
  template <class F>
  static void each(summands<T> const& all, index_t rows, index_t n, F const& f) {
    each_product(all.left, rows, n, [&](index_t i, double product) { f(i, with(product)); });
  }
  static state with(double product) { return Op::template state_of_product<T>(product); }
};

}}}  // namespace placement::v0_1::detail
