#pragma once
/// How an expression reads the elements of a buffer, which it may also be assigned to.

#include <placement/expr/fusion.hpp>
#include <placement/expr/tensor.hpp>
#include <placement/fwd.hpp>
#include <placement/memory/buffer.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace detail {

/// How an expression reads a buffer.
struct reads {
  int handles = 0;         ///< held by the expression's nodes
  bool named = false;      ///< through view()
  bool elsewhere = false;  ///< by its fusion group, at another index than the written one
  bool overlaps = false;   ///< partly, through an external buffer
};
/// Collects how an expression reads buffer b, whose elements have `element` bytes. `next`: the
/// collector of another result of the expression's kernel.
struct read_collector {
  buffer const* b = nullptr;
  std::size_t element = 0;
  read_collector* next = nullptr;
  reads found{};

  /// Adds an operand with elements in `read`. is_handle: its node holds the buffer; otherwise
  /// view() names it. is_elsewhere: it is read at another index than the written one.
  void add(buffer const* read, std::size_t element_bytes, bool is_handle, bool is_elsewhere);
  /// Adds elements of an inline tensor.
  void add_inline(void const* data, std::size_t bytes);
  /// Adds the elements of a literal, which its node holds.
  void add_literal(buffer const* held) {
    if (held == b) ++found.handles;
    if (next != nullptr) next->add_literal(held);
  }
};
/// Walks an expression of a fusion group. `here`: x is in the fusion group, or memory that it
/// reads; otherwise x is computed before the first write. `moved`: x is below an op that reads at
/// other indices.
template <fused_nodes N, class X>
void collect_reads(read_collector& to, X const& x, bool here, bool moved);
template <fused_nodes N, class X, std::size_t... I>
void collect_reads_of_operands(read_collector& to, X const& x, bool here, bool moved,
                               std::index_sequence<I...>) {
  (collect_reads<N>(to, x.template arg<I>(), here, moved), ...);
}
template <fused_nodes N, class X>
void collect_reads(read_collector& to, X const& x, [[maybe_unused]] bool here,
                   [[maybe_unused]] bool moved) {
  if constexpr (is_tensor<X>) {
    to.add(tensor_access::elements(x).get(), sizeof(typename X::value_type), true, here && moved);
  } else if constexpr (is_reference<X>) {
    to.add(tensor_access::elements(x.target()).get(), sizeof(typename X::value_type), false,
           here && moved);
  } else if constexpr (is_inline<X>) {
    to.add_inline(x.data(), X::extents_type::count() * sizeof(typename X::value_type));
  } else if constexpr (is_placed<X>) {
    collect_reads<N>(to, x.inner, here, moved);  // no copy of memory already on the device
  } else if constexpr (is_list<X>) {
    for (auto const& t : x.items) collect_reads<N>(to, t, false, false);
  } else if constexpr (is_expr<X>) {
    if constexpr (X::arity != 0)
      collect_reads_of_operands<N>(to, x, here && joins<X, N>,
                                   moved || has_pattern<typename X::op_type, view_op>,
                                   std::make_index_sequence<X::arity>{});
    if constexpr (literal_node<X>) to.add_literal(x.op.keep.get());
  }
}
/// How the kernel of x reads the elements of `t`. On a GPU, the fusion group of x may be split.
template <class X, class T, class Y> reads reads_of(X const& x, tensor<T, Y> const& t) {
  read_collector to{tensor_access::elements(t).get(), sizeof(T)};
  collect_reads<fused_nodes::all>(to, x, true, false);
  return to.found;
}

}}}  // namespace placement::v0_1::detail
