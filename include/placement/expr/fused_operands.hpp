#pragma once
/// Lists the operands of a fused kernel, so that all else about them is compiled once.

#include <placement/exec/operand_table.hpp>
#include <placement/expr/fusion.hpp>
#include <placement/expr/reads.hpp>
#include <placement/expr/tensor.hpp>
#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Where the elements of an operand are before the kernel reads them. `elements` is null for a
/// tensor without elements; `data` is set for an inline tensor.
struct operand_source {
  buffer const* elements;
  void const* data;
  std::size_t count;
};

/// The operands of a fused kernel.
class fused_operands {
 public:
  fused_operands(operand_table& t, operand_source* sources, read_collector& c,
                 std::string_view root, site at)
      : table(t), collected(c), source_(sources), root_(root), at_(at) {}

  operand_table& table;
  read_collector& collected;
  bool are_views = false;    ///< what is added now lies below a view op
  bool are_factors = false;  ///< of a product: they have a layout, also if their rank is 0

  /// Adds an operand in memory. `as`: the shape it is read with.
  template <class T, class X> void add(tensor<T, X> const& t, any_shape const& as) {
    add_buffer(tensor_access::elements(t).get(), t.size(), sizeof(T), true, as);
  }
  template <class T, class X> void add(reference<T, X> const& r, any_shape const& as) {
    tensor<T, X> const& t = target_now(r, root_, at_);
    add_buffer(tensor_access::elements(t).get(), t.size(), sizeof(T), false, as);
  }
  template <class T, class X> requires(is_inline<inline_tensor<T, X>>)
  void add(inline_tensor<T, X> const& t, any_shape const& as) {
    add_inline(t.data(), t.size(), sizeof(T), as);
  }
  template <class T, class X> void add(inline_ref<T, X> const& r, any_shape const& as) {
    add(*r.target, as);
  }
  /// Adds an operand that is computed later.
  void add_computed(unsigned bytes, any_shape const& as);

  operand_source const& source(unsigned k) const { return source_[k]; }

 private:
  void add_buffer(buffer const* b, std::size_t count, unsigned bytes, bool is_handle,
                  any_shape const& as);
  void add_inline(void const* data, std::size_t count, unsigned bytes, any_shape const& as);
  operand_source& add_slot(unsigned bytes, any_shape const& as);

  operand_source* source_;
  std::string_view root_;
  site at_;
};

/// Lists the operands below node x of the fusion group with root R, in the order of their slots.
template <class R, bool Split, class X> void list_operands(X const& x, fused_operands& to);

/// Lists an operand outside of the fusion group.
template <class R, bool Split, class X>
void list_leaf(X const& x, fused_operands& to, any_shape const& as) {
  if constexpr (stored<X>) {
    to.add(x, as);
  } else {
    collect_reads<R, Split>(to.collected, x, true, to.are_views);
    to.add_computed(sizeof(typename X::value_type), as);
  }
}
/// Lists a view. list_child(child, to): lists its operand.
template <class X, class ListChild>
void list_view(X const& x, fused_operands& to, ListChild const& list_child) {
  auto const& child = x.template arg<0>();
  auto const shape = child.shape();
  auto const frame = to.table.begin_view(shape);
  list_child(child, to);
  to.table.change_layouts(frame, [&](table_level& l) {
    using C = bare<decltype(shape)>;
    layout<C::rank> given;
    given.base = l.layout.base;
    for (std::size_t d = 0; d != C::rank; ++d) given.stride[d] = l.stride[d];
    auto const moved = x.op.moved(given, shape);
    l.layout.base = moved.base;
    l.layout.rank = moved.rank;
    for (std::size_t d = 0; d != moved.rank; ++d) l.stride[d] = moved.stride[d];
  });
  to.table.end_view(frame, x.shape_);
}
template <class R, bool Split, class X> void list_reshape(X const& x, fused_operands& to) {
  auto const& child = x.template arg<0>();
  if constexpr (joins<bare<decltype(child)>, R, Split>) {
    auto const shape = child.shape();
    auto const frame = to.table.begin_reshape(x.shape_, shape);
    list_operands<R, Split>(child, to);
    to.table.end_reshape(frame);
  } else {
    list_leaf<R, Split>(child, to, x.shape_);
  }
}
template <class R, bool Split, class X> void list_operands(X const& x, fused_operands& to) {
  if constexpr (is_scalar<X>) {
    return;
  } else if constexpr (!joins<X, R, Split>) {
    auto const shape = x.shape();
    list_leaf<R, Split>(x, to, shape);
  } else if constexpr (has_pattern<typename X::op_type, view_op>) {
    bool const above = to.are_views;
    to.are_views = true;
    if constexpr (relayout<X>)
      list_view(x, to, [](auto const& c, fused_operands& t) { list_operands<R, Split>(c, t); });
    else list_reshape<R, Split>(x, to);
    to.are_views = above;
  } else if constexpr (has_pattern<typename X::op_type, fill>) {
    to.table.add_generator(x.shape_);
  } else {
    for_each_operand(x, [&](auto const& operand) { list_operands<R, Split>(operand, to); });
  }
}

// ---- operands that are kernels of their own

/// The number of operands that are the results of other kernels.
template <class R, bool Split, class X> constexpr unsigned computed_operands() {
  if constexpr (is_scalar<X>) {
    return 0;
  } else if constexpr (!joins<X, R, Split>) {
    return stored<X> ? 0 : 1;
  } else {
    unsigned n = 0;
    operands_of<X>::each([&]<class C>() { n += computed_operands<R, Split, C>(); });
    return n;
  }
}
/// Gives the operands their addresses in order. bring(k, x): for memory; compute(k, x): for the
/// result of a kernel.
template <class R, bool Split, class X, class Bring, class Compute>
void compute_operands(X const& x, unsigned& k, Bring const& bring, Compute const& compute) {
  if constexpr (is_scalar<X>) {
    return;
  } else if constexpr (!joins<X, R, Split>) {
    if constexpr (stored<X>) bring(k++, x);
    else compute(k++, x);
  } else if constexpr (has_pattern<typename X::op_type, fill>) {
    ++k;
  } else {
    for_each_operand(
        x, [&](auto const& operand) { compute_operands<R, Split>(operand, k, bring, compute); });
  }
}

}}}  // namespace placement::v0_1::detail
