#pragma once
/// Layer normalisation of the last dimension, with its gradient. placement.hpp does not include
/// this header.

#include <placement/cpu/layer_norm.hpp>
#include <placement/cpu/parallel_for.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/ops/cast.hpp>
#include <placement/ops/over_axes.hpp>
#include <placement/shape/strided_view.hpp>

#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_layer_parameter(char const* parameter,
                                                                         std::string const& has,
                                                                         std::string const& x,
                                                                         index_t n) {
  throw shape_error("placement: layer_norm of shape " + x + " with " + parameter + " of shape " +
                    has + ". Give a vector of " + std::to_string(n) +
                    ", one number for each element of a row.");
}
template <class X, class P>
constexpr void check_layer_parameter(char const* name, X const& x, P const& p) {
  static_assert(P::rank == 1, "placement: the scale and the offset of layer_norm are vectors.");
  static_assert(P::rank != 1 || may_convert<P, extents<X::static_extent(X::rank - 1)>>(),
                "placement: layer_norm's scale or offset has another size than the rows of x. Give "
                "one number for each element of a row.");
  index_t const n = x.at(X::rank - 1);
  if (p.at(0) != n) throw_layer_parameter(name, to_string(p), to_string(x), n);
}
template <class X> constexpr X check_layer(X const& x) {
  static_assert(X::rank > 0,
                "placement: layer_norm takes a vector or more. A scalar has no last dimension.");
  return x;
}
template <class X, class P> constexpr void check_layer_types() {
  static_assert(
      std::is_same_v<typename bare<P>::value_type, computed_in<typename bare<X>::value_type>>,
      "placement: scale and offset have the type that x is computed in: float for 16-bit numbers.");
}

/// Runs rows on the threads of a policy. Cost per element: the passes over a row.
template <template <class> class Work, class On, class T>
void run_layer_rows(On const& on, layer_norm_rows<T> const& all, index_t size) {
  constexpr std::size_t cost_per_element = 6;
  if (size == 0) return;
  on.parallel_for(
      {.units = size / all.n,
       .grain = 1,
       .cost = static_cast<std::size_t>(size) * cost_per_element},
      [&](work_chunk const& chunk) { run_by_level(Work<T>{all, chunk.begin, chunk.end}); });
}
template <class X> constexpr index_t last_extent(X const& x) { return x.at(X::rank - 1); }

/// x in the type of a scale and an offset: 16-bit numbers as float.
template <class X> auto in_wide(X const& x) {
  using T = typename X::value_type;
  if constexpr (std::is_same_v<computed_in<T>, T>) return x;
  else return cast<computed_in<T>>(x);
}
/// The sum over all dimensions but the last.
template <class X> auto sum_of_rows(X const& x) {
  constexpr std::size_t rank = bare<X>::extents_type::rank;
  if constexpr (rank == 1) {
    return x + 0;
  } else {
    return [&]<std::size_t... D>(std::index_sequence<D...>) {
      return sum(x, axis<static_cast<int>(D)...>);
    }(std::make_index_sequence<rank - 1>{});
  }
}

}  // namespace detail

/// The gradient of layer_norm with respect to x, for the gradient g of its result.
/// Shape: that of x.  Type: floating point, the same for g and x.
/// Kernels: CPU, GPU (pattern custom).
struct layer_norm_gradient_op {
  static constexpr std::string_view name = "LayerNormGrad";
  using pattern = custom;
  using gpu_lowering = lowered::layer_norm_gradient;
  static constexpr bool partitions = true;
  template <class T> static constexpr bool has_gpu_kernel = real_number<T>;

  double epsilon;

  template <class G, class X, class... S>
  static constexpr X result(G const&, X const& x, S const&...) {
    return x;
  }
  template <class On, class T, class G, class X, class... U, class... S>
  void run(On const& on, dense_view<T, X> out, dense_view<T const, G> g, dense_view<T const, X> x,
           dense_view<U const, S>... scale) const {
    computed_in<T> const* of_scale = nullptr;
    ((of_scale = scale.data), ...);
    detail::run_layer_rows<detail::gradient_of_rows>(
        on,
        detail::layer_norm_rows<T>{out.data, x.data, g.data, of_scale, nullptr,
                                   detail::last_extent(x.shape), epsilon},
        x.size());
  }
  template <class Out, class... In> void operator()(Out const& out, In const&... in) const {
    run(seq{}, out, in...);
  }
};

/// (x - mean) / sqrt(variance + epsilon) * scale + offset, with the moments of each row.
/// Shape: unchanged, rank 1 or more.  Type: floating point.  Kernels: CPU, GPU (pattern custom).
struct layer_norm_op {
  static constexpr std::string_view name = "LayerNorm";
  using pattern = custom;
  using gpu_lowering = lowered::layer_norm;
  static constexpr bool partitions = true;
  template <class T> static constexpr bool has_gpu_kernel = real_number<T>;

  double epsilon;

  template <class X> static constexpr X result(X const& x) { return detail::check_layer(x); }
  template <class X, class S, class O>
  static constexpr X result(X const& x, S const& scale, O const& offset) {
    detail::check_layer(x);
    detail::check_layer_parameter("a scale", x, scale);
    detail::check_layer_parameter("an offset", x, offset);
    return x;
  }
  template <class On, class T, class X>
  void run(On const& on, dense_view<T, X> out, dense_view<T const, X> x) const {
    run_all<T>(on, out, x, nullptr, nullptr);
  }
  template <class On, class T, class X, class U, class S, class O>
  void run(On const& on, dense_view<T, X> out, dense_view<T const, X> x,
           dense_view<U const, S> scale, dense_view<U const, O> offset) const {
    run_all<T>(on, out, x, scale.data, offset.data);
  }
  template <class Out, class... In> void operator()(Out const& out, In const&... in) const {
    run(seq{}, out, in...);
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K, class X, class... P>
  auto pullback(auto const& g, auto const&, X const& x, P const&... p) const {
    if constexpr (I == 1) {
      return detail::sum_of_rows(
          detail::in_wide(g) *
          detail::in_wide(expr<layer_norm_op, K, node_operand_t<X const&>>({epsilon}, {}, x)));
    } else if constexpr (I == 2) {
      return detail::sum_of_rows(detail::in_wide(g));
    } else if constexpr (sizeof...(P) == 0) {
      return expr<layer_norm_gradient_op, K, node_operand_t<decltype(g)>, node_operand_t<X const&>>(
          {epsilon}, {}, g, x);
    } else {
      auto const with = [&](auto const& scale, auto const&) {
        return expr<layer_norm_gradient_op, K, node_operand_t<decltype(g)>,
                    node_operand_t<X const&>, node_operand_t<decltype(scale)>>({epsilon}, {}, g, x,
                                                                               scale);
      };
      return with(p...);
    }
  }

 private:
  template <class T, class On, class X>
  void run_all(On const& on, dense_view<T, X> out, dense_view<T const, X> x,
               computed_in<T> const* scale, computed_in<T> const* offset) const {
    detail::run_layer_rows<detail::normalising_rows>(
        on,
        detail::layer_norm_rows<T>{out.data, x.data, nullptr, scale, offset,
                                   detail::last_extent(x.shape), epsilon},
        x.size());
  }
};

/// Each row of the last dimension, normalised: `layer_norm(x)`, or
/// `layer_norm(x, scale, offset)` with vectors of one number for each element of a row. The
/// variance is the biased one, from the differences to the mean. Moments are summed in double.
/// Shape: unchanged, rank 1 or more.  Type: floating point; 16-bit numbers are computed in float,
/// with a scale and an offset of float.  Kernels: CPU, GPU (pattern custom).
/// Throws: shape_error.  Cost: one pass over memory, four over a row in cache.
/// Source: Ba, Kiros, Hinton: Layer Normalization (2016).
template <operand X>
auto layer_norm(X&& x, double epsilon = 1e-5, site at = site::here()) -> unary<layer_norm_op, X> {
  static_assert(real_number<typename bare<X>::value_type>,
                "placement: layer_norm takes floating point. Write cast<float>(x).");
  return {{epsilon}, at, std::forward<X>(x)};
}
template <operand X, operand S, operand O>
auto layer_norm(X&& x, S&& scale, O&& offset, double epsilon = 1e-5, site at = site::here())
    -> node<layer_norm_op, X, S, O> {
  static_assert(real_number<typename bare<X>::value_type>,
                "placement: layer_norm takes floating point. Write cast<float>(x).");
  detail::check_layer_types<X, S>();
  detail::check_layer_types<X, O>();
  return {{epsilon}, at, std::forward<X>(x), std::forward<S>(scale), std::forward<O>(offset)};
}

}}  // namespace placement::v0_1
