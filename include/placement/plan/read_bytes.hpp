#pragma once
/// The bytes of its operands that a kernel reads, for a plan.

#include <placement/expr/list_operands.hpp>
#include <placement/plan/abstract_expr.hpp>
#include <placement/plan/operand_copies.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The operands of the fused kernel with root E in the order of their slots, as an evaluation lists
/// them.
template <class E, bool Split> class listed_operands {
 public:
  explicit listed_operands(E const& e)
      : shape_(input_of(e).shape()),
        table_(operands_, levels_, shape_),
        listed_(table_, sources_, collected_, E::op_type::name, e.from.where) {
    list_kernel<E, Split>(&e, listed_);
  }
  listed_operands(listed_operands const&) = delete;
  listed_operands& operator=(listed_operands const&) = delete;

  /// The operands of an op in the kernel.
  template <class X> listed_operands& below(auto const&, bool) { return *this; }
  void skip() { ++next_; }
  /// Counts the next operand, which is in memory.
  template <class T> void count_stored(T const&, operand_copies& in) {
    operand_source const& s = listed_.source(next_);
    in.stored_elements(s, listed_.copied_bytes(next_++, s));
  }
  /// The bytes that the kernel reads of the next operand, which is in memory of this size.
  byte_range next_of(std::size_t bytes) { return table_.read_bytes(next_++, bytes); }

 private:
  static constexpr table_size size = table_size_of_kernel<E, Split>();

  bare<decltype(input_of(std::declval<E const&>()).shape())> shape_;
  block_operand operands_[size.operands + 1];
  table_level levels_[size.levels + 1];
  operand_source sources_[size.operands + 1];
  read_collector collected_;
  operand_table table_;
  fused_operands listed_;
  unsigned next_ = 0;
};

/// The operands of a kernel that reads all of their elements.
struct whole_operands {
  constexpr void skip() {}
  template <class T> void count_stored(T const& t, operand_copies& in) { in.stored_elements(t); }
  constexpr byte_range next_of(std::size_t bytes) { return {0, bytes}; }
  constexpr std::size_t of(std::size_t bytes, std::size_t) const { return bytes; }
};

// ---- by type

/// Whether all view ops of this type that have results of equal extents read equally many elements,
/// from the first to the last. Those with run-time extents may differ.
template <class X> constexpr bool has_sample_views() {
  if constexpr (stored<X>) return true;
  else if constexpr (!std::is_default_constructible_v<typename X::op_type>) return false;
  else return has_sample_views<operand_type<X, 0>>();
}
template <class X> constexpr bool is_static_view() {
  if constexpr (stored<X>) return X::extents_type::is_static;
  else return X::extents_type::is_static && is_static_view<operand_type<X, 0>>();
}
template <class Op> constexpr Op sample_op() {
  Op op{};
  if constexpr (requires { op.items[0].first; })
    for (range& item : op.items) item.first = 0;
  return op;
}
template <class X, class Node> constexpr auto sample_layout(Node const& n) {
  if constexpr (stored<X>) {
    return row_major(n.shape());
  } else {
    auto const& child = n.template arg<0>();
    return sample_op<typename X::op_type>().moved(sample_layout<operand_type<X, 0>>(child),
                                                  child.shape());
  }
}
/// The elements from the first to the last one that the view X of memory reads; unknown_size if
/// they depend on run-time values.
template <class X, class Node>
constexpr std::size_t elements_read(Node const& n, bool shapes_known) {
  if constexpr (has_sample_views<X>()) {
    if (shapes_known || is_static_view<X>()) {
      auto const shape = n.shape();
      auto const where = sample_layout<X>(n);
      return static_cast<std::size_t>(positions_read(where.base, where.stride, shape).count);
    }
  }
  return unknown_size;
}

/// The operands below an op of an abstract expression.
struct abstract_operands {
  bool are_viewed = false;
  std::size_t read = 0;  ///< elements of a viewed operand

  /// X: the op. Its outermost view decides what is read of memory.
  template <class X, class Node>
  constexpr abstract_operands below(Node const& n, bool shapes_known) const {
    if constexpr (relayout<X>) {
      if (are_viewed) return *this;
      if constexpr (is_viewable<X>) return {true, elements_read<X>(n, shapes_known)};
      bool const known = shapes_known || X::extents_type::is_static;
      if (!known || n.shape().count() != n.template arg<0>().shape().count())
        return {true, unknown_size};
    }
    return *this;
  }
  constexpr void skip() {}
  /// element: the size of one.
  constexpr std::size_t of(std::size_t bytes, std::size_t element) const {
    if (!are_viewed || bytes == 0) return bytes;
    return read == unknown_size ? unknown_size : read * element;
  }
};

/// The operands that a plan of the kernel with root E reads.
template <class E, bool Split, class Node> constexpr auto operands_read(Node const& n) {
  if constexpr (is_abstract<Node>) return abstract_operands{};
  else if constexpr (is_fused<E>()) return listed_operands<E, Split>(n);
  else return whole_operands{};
}

}}}  // namespace placement::v0_1::detail
