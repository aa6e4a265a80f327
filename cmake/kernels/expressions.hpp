#pragma once
/// The expressions that placement::kernels has GPU kernels for, as types. A fused expression is one
/// kernel, so each of these is one kernel. A program must compile kernels for all other expressions
/// itself: see make_gpu_kernels.

#include <placement/expr/make_gpu_kernels.hpp>
#include <placement/placement.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace placement { inline namespace v0_1 { namespace common_kernels {

template <class T, std::size_t R> using dense = tensor<T, dextents<R>>;
template <class X> X of() noexcept;

/// Compiles the kernels of these expressions, and registers them.
template <class... E> void make() {
  static_cast<void>((detail::make_kernels<E, kernel_source::placement_kernels>() && ...));
}

// ---- single element-wise ops

/// An expression of one tensor and numbers is contiguous for any shape. So all ranks share one
/// kernel.
template <class T, class Op> void elementwise_of_one(Op op) {
  make<decltype(op(of<dense<T, 1>>())), decltype(op(of<dense<T, 2>>())),
       decltype(op(of<dense<T, 3>>()))>();
}

template <class T> void unary_of_numbers() {
  elementwise_of_one<T>([](auto const& x) { return abs(x); });
  elementwise_of_one<T>([](auto const& x) { return relu(x); });
  elementwise_of_one<T>([](auto const& x) { return sign(x); });
  elementwise_of_one<T>([](auto const& x) { return square(x); });
  elementwise_of_one<T>([](auto const& x) { return -x; });
  elementwise_of_one<T>([](auto const& x) { return cast<float>(x); });
  elementwise_of_one<T>([](auto const& x) { return cast<double>(x); });
  elementwise_of_one<T>([](auto const& x) { return cast<int>(x); });
  elementwise_of_one<T>([](auto const& x) { return cast<std::int64_t>(x); });
  elementwise_of_one<T>([](auto const& x) { return cast<bool>(x); });
}
template <class T> void unary_of_floating_point() {
  elementwise_of_one<T>([](auto const& x) { return ceil(x); });
  elementwise_of_one<T>([](auto const& x) { return cos(x); });
  elementwise_of_one<T>([](auto const& x) { return erf(x); });
  elementwise_of_one<T>([](auto const& x) { return exp(x); });
  elementwise_of_one<T>([](auto const& x) { return expm1(x); });
  elementwise_of_one<T>([](auto const& x) { return floor(x); });
  elementwise_of_one<T>([](auto const& x) { return is_finite(x); });
  elementwise_of_one<T>([](auto const& x) { return is_nan(x); });
  elementwise_of_one<T>([](auto const& x) { return log(x); });
  elementwise_of_one<T>([](auto const& x) { return log1p(x); });
  elementwise_of_one<T>([](auto const& x) { return reciprocal(x); });
  elementwise_of_one<T>([](auto const& x) { return round(x); });
  elementwise_of_one<T>([](auto const& x) { return rsqrt(x); });
  elementwise_of_one<T>([](auto const& x) { return sigmoid(x); });
  elementwise_of_one<T>([](auto const& x) { return sin(x); });
  elementwise_of_one<T>([](auto const& x) { return sqrt(x); });
  elementwise_of_one<T>([](auto const& x) { return tanh(x); });
}

/// Two tensors of one rank, each of which may be broadcast; a tensor and a number, in both orders.
template <class T, class Op> void binary(Op op) {
  make<decltype(op(of<dense<T, 1>>(), of<dense<T, 1>>())),
       decltype(op(of<dense<T, 2>>(), of<dense<T, 2>>())),
       decltype(op(of<dense<T, 3>>(), of<dense<T, 3>>()))>();
  elementwise_of_one<T>([op](auto const& x) { return op(x, T{}); });
  elementwise_of_one<T>([op](auto const& x) { return op(T{}, x); });
}
/// The same, and tensors of two ranks.
template <class T, class Op> void binary_of_ranks(Op op) {
  binary<T>(op);
  make<decltype(op(of<dense<T, 2>>(), of<dense<T, 1>>())),
       decltype(op(of<dense<T, 1>>(), of<dense<T, 2>>())),
       decltype(op(of<dense<T, 3>>(), of<dense<T, 1>>())),
       decltype(op(of<dense<T, 3>>(), of<dense<T, 2>>()))>();
}
template <class T> void arithmetic() {
  binary_of_ranks<T>([](auto const& a, auto const& b) { return a + b; });
  binary_of_ranks<T>([](auto const& a, auto const& b) { return a - b; });
  binary_of_ranks<T>([](auto const& a, auto const& b) { return a * b; });
  binary_of_ranks<T>([](auto const& a, auto const& b) { return a / b; });
  binary<T>([](auto const& a, auto const& b) { return maximum(a, b); });
  binary<T>([](auto const& a, auto const& b) { return minimum(a, b); });
}
template <class T> void comparisons() {
  binary<T>([](auto const& a, auto const& b) { return a == b; });
  binary<T>([](auto const& a, auto const& b) { return a != b; });
  binary<T>([](auto const& a, auto const& b) { return a < b; });
  binary<T>([](auto const& a, auto const& b) { return a <= b; });
  binary<T>([](auto const& a, auto const& b) { return a > b; });
  binary<T>([](auto const& a, auto const& b) { return a >= b; });
}

// ---- common combinations of ops, each in one kernel

template <class T, std::size_t R> void fused_of_rank() {
  using x = dense<T, R>;
  make<decltype(T{} * of<x>() + of<x>()), decltype(of<x>() * T{} + of<x>()),
       decltype(of<x>() + T{} * of<x>()), decltype(of<x>() - T{} * of<x>())>();
}
template <class T> void fused() {
  fused_of_rank<T, 1>();
  fused_of_rank<T, 2>();
  elementwise_of_one<T>([](auto const& x) { return x * T{} + T{}; });
  elementwise_of_one<T>([](auto const& x) { return T{} * x + T{}; });
  elementwise_of_one<T>([](auto const& x) { return clamp(x, T{}, T{}); });
  make<decltype(relu(of<dense<T, 2>>() + of<dense<T, 1>>())),
       decltype(where(of<dense<bool, 1>>(), of<dense<T, 1>>(), of<dense<T, 1>>())),
       decltype(where(of<dense<bool, 2>>(), of<dense<T, 2>>(), of<dense<T, 2>>()))>();
}

// ---- views, fills and assignment through views

/// Assignments through a view of such a tensor: of a number, and of elements in any layout.
template <class T, std::size_t R> void assignment_of_rank() {
  using X = dextents<R>;
  constexpr auto source = kernel_source::placement_kernels;
  static_cast<void>(detail::own_assign_launcher<kernels_here, T, X, scalar<T>, source>());
  static_cast<void>(
      detail::own_assign_launcher<kernels_here, T, X, detail::memory_slot<T>, source>());
}
template <class T> void views() {
  make<decltype(transpose(of<dense<T, 2>>())), decltype(transpose(of<dense<T, 3>>())),
       decltype(permute(of<dense<T, 3>>(), 0, 2, 1)),
       decltype(reverse(of<dense<T, 1>>(), axis<0>))>();
  assignment_of_rank<T, 1>();
  assignment_of_rank<T, 2>();
  assignment_of_rank<T, 3>();
}
template <class T, std::size_t R> void fills_of_rank() {
  using X = dextents<R>;
  make<decltype(zeros<T>(of<X>())), decltype(ones<T>(of<X>())), decltype(constant(T{}, of<X>()))>();
  if constexpr (std::is_floating_point_v<T>)
    make<decltype(uniform<T>(of<X>())), decltype(normal<T>(of<X>())),
         decltype(truncated_normal<T>(of<X>()))>();
}
template <class T> void fills() {
  fills_of_rank<T, 1>();
  fills_of_rank<T, 2>();
  fills_of_rank<T, 3>();
  make<decltype(iota<T>(index_t{}, T{}))>();
}

// ---- full reductions, and reductions along each axis

template <class T, class Fold> void fold_of(Fold f) {
  using x = dense<T, 1>;
  using y = dense<T, 2>;
  using z = dense<T, 3>;
  make<decltype(f(of<x>())), decltype(f(of<y>())), decltype(f(of<z>())),
       decltype(f(of<y>(), axis<0>)), decltype(f(of<y>(), axis<1>)), decltype(f(of<z>(), axis<0>)),
       decltype(f(of<z>(), axis<1>)), decltype(f(of<z>(), axis<2>))>();
}
template <class T> void folds_of_numbers() {
  fold_of<T>([](auto const&... x) { return sum(x...); });
  fold_of<T>([](auto const&... x) { return mean(x...); });
  if constexpr (std::is_same_v<T, float>) {
    fold_of<T>([](auto const&... x) { return sum<double>(x...); });
    fold_of<T>([](auto const&... x) { return mean<double>(x...); });
  }
  fold_of<T>([](auto const&... x) { return max(x...); });
  fold_of<T>([](auto const&... x) { return min(x...); });
  fold_of<T>([](auto const&... x) { return argmax(x...); });
}

// ---- products, and ops over rows

template <class T> void products() {
  using m = dense<T, 2>;
  using v = dense<T, 1>;
  using b = dense<T, 3>;
  make<decltype(matmul(of<m>(), of<m>())), decltype(matmul(of<b>(), of<b>())),
       decltype(matmul(of<m>(), of<m>()) + of<v>()), decltype(matmul(of<m>(), of<m>()) + of<m>()),
       decltype(relu(matmul(of<m>(), of<m>()))), decltype(relu(matmul(of<m>(), of<m>()) + of<v>())),
       decltype(relu(matmul(of<m>(), of<m>()) + of<m>()))>();
}
template <class T> void rows() {
  make<decltype(softmax(of<dense<T, 1>>())), decltype(softmax(of<dense<T, 2>>())),
       decltype(log_softmax(of<dense<T, 1>>())), decltype(log_softmax(of<dense<T, 2>>()))>();
}

}}}  // namespace placement::v0_1::common_kernels
