#pragma once
/// Writes and sums at indices. placement.hpp does not include this header.

#include <placement/kernels/join.hpp>
#include <placement/ops/flatten.hpp>
#include <placement/ops/host_operand.hpp>
#include <placement/ops/index_check.hpp>
#include <placement/ops/update.hpp>

#include <cstring>

namespace placement { inline namespace v0_1 {

namespace detail {

namespace no_adl {
/// Replaces an element.
struct scatter_write {
  static constexpr std::string_view name = "Scatter";
  template <class T> PLACEMENT_HD static void join(T& to, T x) { to = x; }
};
/// Adds to an element; integers wrap.
struct scatter_add : joined_sum {
  static constexpr std::string_view name = "IndexAdd";
};
}  // namespace no_adl
using no_adl::scatter_add;
using no_adl::scatter_write;
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_slices(std::string_view op,
                                                                      std::string const& slices,
                                                                      std::string const& x,
                                                                      index_t count) {
  throw shape_error("placement: " + std::string(op) + " of values of shape " + slices + " at " +
                    std::to_string(count) + " indices of a tensor of shape " + x +
                    ". Values have x's shape, with the number of indices along the axis.");
}

}  // namespace detail

/// x with the slices at some indices of an axis joined with values, in the order of the indices.
template <class Rule, class Axis> struct scatter_op {
  static constexpr std::string_view name = Rule::name;
  using pattern = custom;
  using rule = Rule;
  using gpu_lowering = lowered::scatter;
  template <class> static constexpr bool has_gpu_kernel = true;

  [[no_unique_address]] Axis axis;

  template <class X, class I, class V>
  constexpr X result(X const& x, I const& indices, V const& values) const {
    static_assert(I::rank == 1, "placement: the indices are a vector. Write flatten(indices).");
    static_assert(X::rank == V::rank, "placement: values have the rank of x. Reshape them.");
    std::size_t const along = detail::dimension_of<X::rank>(axis);
    for (std::size_t d = 0; d != X::rank; ++d)
      if (values.at(d) != (d == along ? indices.at(0) : x.at(d)))
        detail::throw_wrong_slices(name, to_string(values), to_string(x), indices.at(0));
    return x;
  }
  template <class T, class X, class Index, class I, class V>
  void operator()(dense_view<T, X> out, dense_view<T const, X> x,
                  dense_view<Index const, I> indices, dense_view<T const, V> values) const {
    std::size_t const d = detail::dimension_of<X::rank>(axis);
    index_t const n = x.shape.at(d), m = indices.size();
    detail::check_all(indices.data, m, n, name);
    if (out.size() == 0) return;
    if (out.data != x.data)
      std::memcpy(static_cast<void*>(out.data), x.data,
                  static_cast<std::size_t>(out.size()) * sizeof(T));
    auto const [before, after] = detail::sides_of(x.shape, d);
    if (before == 1 && after == 1) return join_elements(out.data, indices.data, values.data, m, n);
    for (index_t b = 0; b != before; ++b)
      for (index_t i = 0; i != m; ++i) {
        T* const to = out.data + (b * n + detail::wrapped_index(indices[i], n)) * after;
        T const* const from = values.data + (b * m + i) * after;
        for (index_t j = 0; j != after; ++j) Rule::join(to[j], from[j]);
      }
  }

 private:
  /// m elements of a vector of n.
  template <class T, class Index>
  static void join_elements(T* out, Index const* indices, T const* values, index_t m, index_t n) {
    for (index_t i = 0; i != m; ++i)
      Rule::join(out[detail::wrapped_index(indices[i], n)], values[i]);
  }
};

/// x with the slices at these indices of an axis replaced by values; the first axis unless said. Of
/// equal indices the last one counts.
/// Shape: x's; values: x's with the number of indices along the axis.  Type: any, the same for
/// both; any integer for the indices, of which negative ones count from the end.
/// Throws: shape_error, for an index outside of the axis when evaluated.
/// Kernels: CPU, GPU (pattern custom).
template <operand X, operand I, operand V, axis_like A = axis_t<0>>
auto scatter(X&& x, I&& indices, V&& values, A along = {}, site at = site::here())
    -> node<scatter_op<detail::scatter_write, decltype(detail::as_axis(along))>, X, I, V> {
  detail::check_indices<I>();
  return {{detail::as_axis(along)},
          at,
          std::forward<X>(x),
          std::forward<I>(indices),
          std::forward<V>(values)};
}
/// x with values added to the slices at these indices of an axis; the first axis unless said. Equal
/// indices add up, in their order: the result is reproducible.
/// Shape, Type, Throws, Kernels: those of scatter.
template <operand X, operand I, operand V, axis_like A = axis_t<0>>
auto index_add(X&& x, I&& indices, V&& values, A along = {}, site at = site::here())
    -> node<scatter_op<detail::scatter_add, decltype(detail::as_axis(along))>, X, I, V> {
  detail::check_indices<I>();
  return {{detail::as_axis(along)},
          at,
          std::forward<X>(x),
          std::forward<I>(indices),
          std::forward<V>(values)};
}
/// Writes values to the elements of x with these row-major numbers: NumPy's `x.flat[indices] =
/// values`.
/// Shape: indices and values are vectors of one length.  Type: as scatter.
/// Kernels: CPU, GPU (pattern custom).  Throws: shape_error; x then stays.
/// Cost: a new tensor for x.
template <class T, class X, class D, operand I, operand V, class K = kernels_here>
tensor<T, X, D>& put(tensor<T, X, D>& x, I const& indices, V const& values,
                     site at = site::here()) {
  return x = reshape(scatter(flatten(x, at), indices, values, axis<0>, at), x.shape(), at);
}

}}  // namespace placement::v0_1
