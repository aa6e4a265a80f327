#pragma once
/// Gradients of bounded norm.

#include <placement/expr/evaluate.hpp>
#include <placement/expr/memory.hpp>
#include <placement/gradient/record.hpp>
#include <placement/math/float16.hpp>
#include <placement/nn/gradient_list.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/cast.hpp>
#include <placement/ops/divide.hpp>
#include <placement/ops/maximum.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/sqrt.hpp>
#include <placement/ops/square.hpp>
#include <placement/ops/subtract.hpp>
#include <placement/ops/sum.hpp>
#include <placement/place/scope.hpp>
#include <placement/runtime/escape.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace nn {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_no_norm(double norm) {
  throw invalid_argument("placement: gradients cannot be clipped to a norm of " +
                         placement::detail::text_of_number(norm) + ". Give a number above 0.");
}
inline void check_norm(double norm) {
  if (!(norm > 0)) throw_no_norm(norm);
}
/// The type of the norm of gradients of several types: at least float.
template <class... T> using norm_of = std::common_type_t<computed_in<T>...>;
}  // namespace detail

/// x, scaled to this norm if its Euclidean norm is larger: x norm / max(|x|, norm).
/// Shape: unchanged.  Type: floating point.  Throws: invalid_argument unless norm > 0.
/// Source: tf.clip_by_norm.
template <operand E, class K = kernels_here> auto clip_by_norm(E const& x, double norm) {
  using T = typename E::value_type;
  using result = tensor<T, typename E::extents_type>;
  using N = detail::norm_of<T>;
  detail::check_norm(norm);
  result const t = x;
  N const limit = static_cast<N>(norm);
  auto const clipped = [&](auto const& wide) {
    return wide * (limit / maximum(sqrt(sum(square(wide))), limit));
  };
  if constexpr (std::is_same_v<N, T>) return result(clipped(t));
  else return result(cast<T>(clipped(cast<N>(t))));
}

namespace detail {
/// The sum of squares of g in N, on the device of g.
template <class N, class K, class T, class X>
tensor<N, extents<>> sum_of_squares(tensor<T, X> const& g) {
  with_device const beside(g.where());
  if constexpr (std::is_same_v<N, T>) return sum(square(g));
  else return sum(square(cast<N>(g)));
}
/// norm / max(found, norm): below 1 if found is larger, NaN if it is infinite or NaN.
template <class K, class N>
tensor<N, extents<>> scale_to(tensor<N, extents<>> const& found, double norm) {
  N const limit = static_cast<N>(norm);
  return limit / maximum(found, limit) + (found - found);
}
/// g times a number, on the device of g.
template <class K, class N, class T, class X>
tensor<T, X> scaled(tensor<T, X> const& g, tensor<N, extents<>> const& scale) {
  with_device const beside(g.where());
  if constexpr (std::is_same_v<N, T>) return g * scale;
  else return cast<T>(cast<N>(g) * scale);
}
}  // namespace detail

/// The norm of several tensors as one vector. Each sum of squares is computed on the device of its
/// tensor, the norm in the enclosing scope.
/// Shape: [].  Type: double if one of the tensors is, else float.
template <class... T, class... X, class K = kernels_here>
auto global_norm(std::tuple<tensor<T, X>...> const& gradients) {
  using N = detail::norm_of<T...>;
  tensor<N, extents<>> total{N{0}};
  std::apply([&](auto const&... g) { ((total = total + detail::sum_of_squares<N, K>(g)), ...); },
             gradients);
  return tensor<N, extents<>>(sqrt(total));
}
/// The same for the gradients of a variable_store. Type: double.
template <class K = kernels_here> tensor<double, extents<>> global_norm(gradient_list const& all) {
  tensor<double, extents<>> total{0.};
  all.for_each([&](auto const& g) { total = total + detail::sum_of_squares<double, K>(g); });
  return sqrt(total);
}

/// The tensors, scaled by norm / max(global_norm, norm), each on its own device. If the global norm
/// is infinite or NaN, all elements are NaN.
/// Type: floating point, each its own.  Throws: invalid_argument unless norm > 0.
/// Source: tf.clip_by_global_norm; Pascanu et al.: On the Difficulty of Training Recurrent Neural
/// Networks (2013).
template <class... T, class... X, class K = kernels_here>
std::tuple<tensor<T, X>...> clip_by_global_norm(std::tuple<tensor<T, X>...> const& gradients,
                                                double norm) {
  detail::check_norm(norm);
  auto const scale = detail::scale_to<K>(global_norm(gradients), norm);
  return std::apply(
      [&](auto const&... g) { return std::tuple<tensor<T, X>...>{detail::scaled<K>(g, scale)...}; },
      gradients);
}
/// The same for the gradients of a variable_store.
template <class K = kernels_here>
gradient_list clip_by_global_norm(gradient_list const& gradients, double norm) {
  detail::check_norm(norm);
  auto const scale = detail::scale_to<K>(global_norm(gradients), norm);
  gradient_list clipped;
  gradients.for_each([&](auto const& g) { clipped.add(detail::scaled<K>(g, scale)); });
  return clipped;
}

}}}  // namespace placement::v0_1::nn
