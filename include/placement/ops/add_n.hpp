#pragma once

#include <placement/expr/list.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/ops/add.hpp>

#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void cannot_add(std::string const& a,
                                                              std::string const& b,
                                                              std::string const& location = {}) {
  throw shape_error("placement: add_n of shapes " + a + " and " + b +
                    ". Give operands of one shape, or use operator+, which broadcasts." + location);
}
[[noreturn, gnu::cold, gnu::noinline]] inline void nothing_to_add() {
  throw invalid_argument("placement: add_n of no tensors. Give at least one, or use zeros.");
}
}  // namespace detail

/// The sum of several operands of one shape, element by element: one op, whatever their number.
/// Shape: unchanged.  Type: any arithmetic but bool, the same in all; signed integers wrap.
/// Kernels: CPU, GPU (pattern map).  Throws: shape_error for shapes that differ.
struct add_n_op {
  static constexpr std::string_view name = "AddN";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <number_or_complex V, std::same_as<V>... More>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V sum, More... more) const noexcept {
    ((sum = add_op{}(sum, more)), ...);
    return sum;
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> static auto pullback(auto const& g, auto const&...) {
    return g;
  }
};
template <operand A, operand B, operand... More>
auto add_n(A&& a, B&& b, More&&... more) -> node<add_n_op, A, B, More...> {
  static_assert(
      detail::may_convert<typename bare<A>::extents_type, typename bare<B>::extents_type>() &&
          (detail::may_convert<typename bare<A>::extents_type,
                               typename bare<More>::extents_type>() &&
           ...),
      "placement: add_n takes operands of one shape. Slice or reshape one, or use operator+, "
      "which broadcasts.");
  auto check = [shape = a.shape()](auto const& other) {
    if (!(shape == other))
      detail::cannot_add(to_string(shape), to_string(other),
                         detail::location_text(add_n_op::name, {}));
  };
  check(b.shape());
  (check(more.shape()), ...);
  return {{}, {}, std::forward<A>(a), std::forward<B>(b), std::forward<More>(more)...};
}
/// The sum of one operand is that operand: no op, and no line in the log.
template <operand X> auto add_n(X&& x) -> bare<X> { return std::forward<X>(x); }

/// The sum of tensors whose number only the program knows.
struct add_n_list_op {
  static constexpr std::string_view name = "AddN";
  using pattern = custom;
  using gpu_lowering = lowered::add_n;
  template <class T> static constexpr bool has_gpu_kernel = wraps_or_rounds<T>;

  template <class X> static constexpr X result(shape_list<X> const& shapes) {
    for (X const& x : shapes.all)
      if (!(x == shapes.all.front()))
        detail::cannot_add(to_string(shapes.all.front()), to_string(x));
    return shapes.all.front();
  }
  template <wraps_or_rounds T, class X>
  void operator()(dense_view<T, X> out,
                  std::vector<dense_view<T const, X>> const& in) const noexcept {
    index_t const n = out.size();
    for (index_t i = 0; i != n; ++i) out[i] = add_op{}(in[0][i], in[1][i]);
    for (std::size_t k = 2; k < in.size(); ++k)
      for (index_t i = 0; i != n; ++i) out[i] = add_op{}(out[i], in[k][i]);
  }

  using pullback_reads = reads_nothing;
  template <class K> static auto pullback_of_item(std::size_t, auto const& g, auto const&) {
    return g;
  }
};
/// The sum of a vector's tensors, computed now: a single one is returned as it is. Placed by the
/// scope around it.
/// Throws: invalid_argument for none; shape_error for shapes that differ.
template <wraps_or_rounds T, class X, class K = kernels_here>
auto add_n(std::vector<tensor<T, X>> x, site at = site::here()) -> tensor<T, X> try {
  if (x.empty()) detail::nothing_to_add();
  if (x.size() == 1) return std::move(x.front());
  return {expr<add_n_list_op, K, list<T, X>>{{}, at, list<T, X>{std::move(x)}}, at};
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
