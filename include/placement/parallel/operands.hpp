#pragma once
/// The operands of a collective: their checks, and their elements as vectors and as ranges of
/// vectors.

#include <placement/expr/memory.hpp>
#include <placement/parallel/collective_call.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

using placement::detail::tensor_access;

/// The rule for operands of one collective.
enum class shapes { equal, any };
enum class devices { distinct, any };

template <class T, class X>
operand_name name_of(std::vector<tensor<T, X>> const& x, std::size_t i) {
  return {i, to_string(x[i].shape()), x[i].where()};
}

/// Throws: invalid_argument for no operands, or for two on one device; shape_error for shapes that
/// differ, or for a tensor that was moved from. Also invalid_argument where a gradient tape watches
/// an operand.
template <class T, class X>
void check_operands(std::string_view function, std::vector<tensor<T, X>> const& x,
                    shapes shape_rule, devices device_rule, site at) {
  if (x.empty()) throw_no_operands(function, at);
  for (std::size_t i = 0; i != x.size(); ++i) {
    if (!tensor_access::elements(x[i]) && x[i].size() != 0)
      throw_moved_from(function, name_of(x, i), at);
    placement::detail::throw_if_watched(tensor_access::elements(x[i]).get(), function, at);
    if (shape_rule == shapes::equal && !(x[i].shape() == x[0].shape()))
      throw_different_shapes(function, name_of(x, 0), name_of(x, i), at);
    for (std::size_t j = 0; device_rule == devices::distinct && j != i; ++j)
      if (x[i].where() == x[j].where())
        throw_same_device(function, name_of(x, j), name_of(x, i), at);
  }
}

// ---- elements as vectors. Kernels of collectives are compiled for vectors only.

template <class T> using vector_of = tensor<T, dextents<1>>;

/// A tensor of these elements.
template <class Tensor>
Tensor tensor_of(buffer_ref elements, typename Tensor::extents_type const& shape) {
  auto t = tensor_access::empty<Tensor>();
  tensor_access::requested(t) = device_spec{elements->where()};
  tensor_access::elements(t) = std::move(elements);
  tensor_access::shape(t) = shape;
  return t;
}
/// The same elements as a vector.
template <class T, class X> vector_of<T> flat(tensor<T, X> const& t) {
  return tensor_of<vector_of<T>>(tensor_access::elements(t),
                                 placement::shape(static_cast<index_t>(t.size())));
}
template <class T, class X>
std::vector<vector_of<T>> all_flat(std::vector<tensor<T, X>> const& all) {
  std::vector<vector_of<T>> x;
  x.reserve(all.size());
  for (auto const& t : all) x.push_back(flat(t));
  return x;
}

/// A range of the elements of a vector.
struct range_of_elements {
  std::size_t first, count;
};
/// A vector of these elements, which shares their memory. No user may get it: its writes would
/// change the whole.
template <class T> vector_of<T> part_of(buffer_ref const& whole, range_of_elements const& r) {
  return tensor_of<vector_of<T>>(
      buffer_ref{buffer::part_of(*whole.get(), r.first * sizeof(T), r.count * sizeof(T))},
      placement::shape(static_cast<index_t>(r.count)));
}

}}}}  // namespace placement::v0_1::parallel::detail

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/parallel/collective_call.ipp>
#endif
