#pragma once
/// Gradients of bounded norm.

#include <placement/expr/evaluate.hpp>
#include <placement/expr/memory.hpp>
#include <placement/gradient/record.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/divide.hpp>
#include <placement/ops/maximum.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/sqrt.hpp>
#include <placement/ops/square.hpp>
#include <placement/ops/subtract.hpp>
#include <placement/ops/sum.hpp>
#include <placement/place/scope.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

namespace placement { inline namespace v0_1 { namespace nn {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_no_norm(double norm) {
  throw invalid_argument("placement: gradients cannot be clipped to a norm of " +
                         std::to_string(norm) + ". Give a number above 0.");
}
inline void check_norm(double norm) {
  if (!(norm > 0)) throw_no_norm(norm);
}
}  // namespace detail

/// x, scaled to this norm if its Euclidean norm is larger: x norm / max(|x|, norm).
/// Shape: unchanged.  Type: floating point.  Throws: invalid_argument unless norm > 0.
/// Source: tf.clip_by_norm.
template <operand E, class K = kernels_here> auto clip_by_norm(E const& x, double norm) {
  using T = typename E::value_type;
  using result = tensor<T, typename E::extents_type>;
  detail::check_norm(norm);
  result const t = x;
  T const limit = static_cast<T>(norm);
  return result(t * (limit / maximum(sqrt(sum(square(t))), limit)));
}

/// The norm of several tensors as one vector. Each sum of squares is computed on the device of its
/// tensor, the norm in the enclosing scope.
/// Type: floating point, the same for all.  Shape: [].
template <class T, class... X, class K = kernels_here>
tensor<T, extents<>> global_norm(std::tuple<tensor<T, X>...> const& gradients) {
  tensor<T, extents<>> total{T{0}};
  std::apply(
      [&](auto const&... g) {
        auto const add = [&](auto const& one) {
          auto const squares = [&] {
            with_device const beside(one.where());
            return tensor<T, extents<>>(sum(square(one)));
          }();
          total = total + squares;
        };
        (add(g), ...);
      },
      gradients);
  return tensor<T, extents<>>(sqrt(total));
}
/// The tensors, scaled by norm / max(global_norm, norm), each on its own device. If the global norm
/// is infinite or NaN, all elements are NaN.
/// Type: floating point, the same for all.  Throws: invalid_argument unless norm > 0.
/// Source: tf.clip_by_global_norm; Pascanu et al.: On the Difficulty of Training Recurrent Neural
/// Networks (2013).
template <class T, class... X, class K = kernels_here>
std::tuple<tensor<T, X>...> clip_by_global_norm(std::tuple<tensor<T, X>...> const& gradients,
                                                double norm) {
  detail::check_norm(norm);
  T const limit = static_cast<T>(norm);
  tensor<T, extents<>> const found = global_norm(gradients);
  tensor<T, extents<>> const scale = limit / maximum(found, limit) + (found - found);
  auto const scaled = [&]<class Y>(tensor<T, Y> const& g) {
    with_device const beside(g.where());
    return tensor<T, Y>(g * scale);
  };
  return std::apply([&](auto const&... g) { return std::tuple<tensor<T, X>...>{scaled(g)...}; },
                    gradients);
}

}}}  // namespace placement::v0_1::nn
