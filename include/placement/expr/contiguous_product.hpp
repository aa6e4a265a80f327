#pragma once
/// Small products of two matrices on CPU:0, with nothing to log: computed by one call, without an
/// operand table. evaluate_fused() gives the same result.

#include <placement/expr/decide.hpp>
#include <placement/expr/fusion.hpp>
#include <placement/expr/slice_op.hpp>
#include <placement/expr/tensor.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Contiguous elements of memory, in row-major order. Null if they are not contiguous.
struct dense_part {
  buffer const* elements = nullptr;
  index_t first = 0;     ///< the number of the first one in that memory
  bool is_whole = true;  ///< all elements of a tensor
};
/// Whether X may be such elements: a tensor, a part of one, or either with a dimension of extent 1
/// more. The op of such a view declares the latter.
template <class X> inline constexpr bool may_be_dense = is_tensor<X>;
template <class Op, class K, class A> requires Op::only_adds_dimension
inline constexpr bool may_be_dense<expr<Op, K, A>> = may_be_dense<A>;
template <slice_kind... Kinds, class K, class A>
inline constexpr bool may_be_dense<expr<slice_op<Kinds...>, K, A>> = is_tensor<A>;

/// Whether a layout is that of a dense array of shape x.
template <std::size_t R, class X> bool is_row_major(layout<R> const& where, X const& x) {
  index_t stride = 1;
  for (std::size_t d = R; d-- > 0;) {
    if (x.at(d) != 1 && where.stride[d] != stride) return false;
    stride *= x.at(d);
  }
  return true;
}
template <class X> dense_part dense_part_of(X const& x) {
  if constexpr (is_tensor<X>) {
    return {tensor_access::elements(x).get()};
  } else {
    auto const& inner = x.template arg<0>();
    if constexpr (requires { X::op_type::only_adds_dimension; }) {
      return dense_part_of(inner);
    } else {
      auto const where = x.op.moved(row_major(inner.shape()), inner.shape());
      if (!is_row_major(where, x.shape())) return {};
      return {tensor_access::elements(inner).get(), where.base, false};
    }
  }
}

/// Whether the types allow a product to be computed by one call: matrices of float or of double.
template <class E> constexpr bool may_be_contiguous_product() {
  if constexpr (!matmul_node<E>) return false;
  else if constexpr (!may_be_dense<operand_type<E, 0>> || !may_be_dense<operand_type<E, 1>>)
    return false;
  else if constexpr (E::extents_type::rank != 2 || E::extents_type::is_static) return false;
  else
    return std::is_same_v<typename E::value_type, float> ||
           std::is_same_v<typename E::value_type, double>;
}

/// A product of two dense matrices, and who evaluates it.
struct contiguous_product {
  requested_device const& requested;
  settings_change change;
  origin const& from;
  std::string_view op;
  bool logs;
  unsigned element_bytes;
  dense_part a, b;
  index_t rows, depth, columns;
  bool keeps_shape;  ///< the result has the shape of what it replaces
};
/// Where a product is written: the elements of `out`, or of a new buffer if `out` is empty. Null,
/// and no effect, if it is large, if it is not quietly on CPU:0, or if `out` cannot be overwritten.
/// Throws: out_of_memory.
void* destination_of(contiguous_product const& p, buffer_ref& out);
/// Computes a product.
PLACEMENT_ON_CALL void multiply_dense(contiguous_product const& p, float* out);
PLACEMENT_ON_CALL void multiply_dense(contiguous_product const& p, double* out);

/// Computes a product of two dense matrices by one call, if it can be. Strong.
template <class T, class X, class E, class Pin>
PLACEMENT_ALWAYS_INLINE inline bool multiplied_contiguously(tensor<T, X>& out, X const& shape,
                                                            E const& e, Pin const& pin) {
  requested_device const requested = request_of(e, pin);
  auto const& a = e.template arg<0>();
  auto const& b = e.template arg<1>();
  contiguous_product const product{requested,
                                   change_of(typename Pin::policies{}),
                                   e.from,
                                   E::op_type::name,
                                   logs_ops<typename E::kernels>,
                                   sizeof(T),
                                   dense_part_of(a),
                                   dense_part_of(b),
                                   shape.at(0),
                                   a.shape().at(1),
                                   shape.at(1),
                                   tensor_access::shape(out) == shape};
  void* const to = destination_of(product, tensor_access::elements(out));
  if (to == nullptr) return false;
  multiply_dense(product, static_cast<T*>(to));
  tensor_access::requested(out) = requested.requested;
  tensor_access::shape(out) = shape;
  return true;
}

}}}  // namespace placement::v0_1::detail
