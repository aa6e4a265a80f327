#pragma once
/// The interface to libraries for matrix products. A component registers an engine; without one,
/// the library's own kernels multiply.

#include <placement/device/logical_device.hpp>
#include <placement/device/registry.hpp>
#include <placement/kernels/gemm_epilogue.hpp>
#include <placement/kernels/kernel_launch.hpp>
#include <placement/math/float16.hpp>
#include <placement/place/scope.hpp>
#include <placement/runtime/shared_word.hpp>
#include <placement/shape/strided_view.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 {

enum class product_element : unsigned char { f64, f32, f16, bf16 };

/// A matrix in memory: element (i, j) is at data + i * leading + j, or at data + i + j * leading if
/// transposed. The next matrix of a batch is `step` elements further.
struct product_operand {
  void const* data = nullptr;
  index_t leading = 1;
  index_t step = 0;
  bool transposed = false;

  friend constexpr bool operator==(product_operand const&, product_operand const&) = default;
};

/// out = a b for each matrix of a batch. Shapes: a is m x k, b is k x n, out is m x n with
/// contiguous rows; no extent is 0.
struct product_call {
  product_element element{};
  index_t m = 0, n = 0, k = 0, batch = 1;
  product_operand a, b;
  void* out = nullptr;  ///< its matrices are contiguous
  gemm_epilogue epilogue = gemm_epilogue::nothing;
  void const* bias = nullptr;    ///< n elements, one per column
  bool tensor_float_32 = false;  ///< f32 operands may be rounded to 10 bits of fraction

  friend constexpr bool operator==(product_call const&, product_call const&) = default;
};

/// Multiplies on one kind of device. Register an engine before its use; it must never be destroyed.
class product_engine {
 public:
  /// Adds the product to the device's queue. Returns false, without any effect, if the engine does
  /// not support it. Throws: errors of the library.
  virtual bool multiply(logical_device const& on, product_call const& call) = 0;

  product_engine(product_engine const&) = delete;
  product_engine& operator=(product_engine const&) = delete;

 protected:
  product_engine() = default;
  ~product_engine() = default;
};

namespace detail {

PLACEMENT_PROCESS_STATE inline constinit shared_word<product_engine*> gpu_products{nullptr};
PLACEMENT_PROCESS_STATE inline constinit shared_word<product_engine*> cpu_products{nullptr};

template <class T> inline constexpr bool has_product_element = false;
template <class T> inline constexpr product_element product_element_of{};
template <> inline constexpr bool has_product_element<double> = true;
template <> inline constexpr product_element product_element_of<double> = product_element::f64;
template <> inline constexpr bool has_product_element<float> = true;
template <> inline constexpr product_element product_element_of<float> = product_element::f32;
template <> inline constexpr bool has_product_element<float16> = true;
template <> inline constexpr product_element product_element_of<float16> = product_element::f16;
template <> inline constexpr bool has_product_element<bfloat16> = true;
template <> inline constexpr product_element product_element_of<bfloat16> = product_element::bf16;

// ---- recognizing the epilogue of a product

/// Whether the expression is the product itself, element by element.
template <class T> constexpr bool is_product(dense_leaf<T> const& leaf, T const* out) {
  return leaf.p == out;
}
template <class T, std::size_t R>
constexpr bool is_product(strided_load<dense_leaf<T>, R> const& leaf, T const* out) {
  return leaf.read.p == out;
}
template <class F, class T> constexpr bool is_product(F const&, T const*) { return false; }

/// The pointer to a row that is broadcast to all rows, or nullptr.
template <class T, std::size_t R>
constexpr T const* repeated_row(strided_load<dense_leaf<T>, R> const& leaf) {
  for (std::size_t d = 0; d + 1 < R; ++d)
    if (leaf.where.stride[d] != 0) return nullptr;
  return leaf.where.step() == 1 ? leaf.read.p + leaf.where.base : nullptr;
}
template <class F> constexpr std::nullptr_t repeated_row(F const&) { return nullptr; }

template <class F, class T>
constexpr recognized_epilogue epilogue_of_expr(F const& f, T const* out) {
  return {is_product(f, out), gemm_epilogue::nothing, nullptr};
}
template <bool Gpu, class Op, class A, class B, class T>
requires matches_epilogue<Op, gemm_epilogue::bias>
constexpr recognized_epilogue epilogue_of_expr(bound_expr<Gpu, Op, A, B> const& f, T const* out) {
  auto const& a = slot_value<0>(f.args);
  auto const& b = slot_value<1>(f.args);
  void const* bias = nullptr;
  if (is_product(a, out)) bias = repeated_row(b);
  else if (is_product(b, out)) bias = repeated_row(a);
  return {bias != nullptr, gemm_epilogue::bias, bias};
}
template <bool Gpu, class Op, class A, class T> requires matches_epilogue<Op, gemm_epilogue::relu>
constexpr recognized_epilogue epilogue_of_expr(bound_expr<Gpu, Op, A> const& f, T const* out) {
  recognized_epilogue inner = epilogue_of_expr(slot_value<0>(f.args), out);
  inner.known = inner.known && (inner.as == gemm_epilogue::nothing || inner.bias != nullptr);
  inner.as = inner.as == gemm_epilogue::bias ? gemm_epilogue::bias_relu : gemm_epilogue::relu;
  return inner;
}

template <class T> constexpr recognized_epilogue recognize_epilogue(no_epilogue const&, T const*) {
  return {true};
}
template <class T, class F>
constexpr recognized_epilogue recognize_epilogue(contiguous_epilogue<T, F> const& epilogue,
                                                 T const* out) {
  return epilogue_of_expr(epilogue.f, out);
}
template <class T, class F, class X>
constexpr recognized_epilogue recognize_epilogue(strided_epilogue<T, F, X> const& epilogue,
                                                 T const* out) {
  return epilogue_of_expr(epilogue.f, out);
}
template <class Epilogue, class T>
constexpr recognized_epilogue recognize_epilogue(Epilogue const&, T const*) {
  return {};
}

// ---- describing a product to an engine

/// out = a b for each matrix of a batch, of any rank: `a` and `b` are their first elements, the
/// strides have the rank of the result's shape.
template <class T> struct strided_product {
  T* out;
  any_shape shape;
  index_t depth;
  T const* a;
  index_t const* a_stride;
  T const* b;
  index_t const* b_stride;

  std::size_t dims() const { return shape.rank - 2; }  ///< of the batch
  index_t rows() const { return shape.extent[shape.rank - 2]; }
  index_t columns() const { return shape.extent[shape.rank - 1]; }
};
template <class T, class X>
constexpr strided_product<T> strided_product_of(T* out, X const& x, index_t depth,
                                                strided_view<T const, X::rank> const& a,
                                                strided_view<T const, X::rank> const& b) {
  return {out,           x, depth, a.data + a.where.base, a.where.stride, b.data + b.where.base,
          b.where.stride};
}

/// Describes a matrix with contiguous rows or columns; false for any other matrix. down, along:
/// strides.
constexpr bool describe(index_t down, index_t along, index_t rows, index_t columns,
                        product_operand& to) {
  if ((along == 1 || columns == 1) && (down >= columns || rows == 1)) {
    to.leading = rows == 1 || down < columns ? columns : down;
    to.transposed = false;
    return true;
  }
  to.leading = columns == 1 || along < rows ? rows : along;
  to.transposed = true;
  return (down == 1 || rows == 1) && (along >= rows || columns == 1);
}

/// Hands the product to an engine, with its epilogue if the engine supports that. Otherwise
/// run_epilogue() follows. Returns false, without any effect, if the engine does not support the
/// product. tf32: the engine may round floats to TF32.
template <class T, class RunEpilogue>
bool multiply_by(product_engine& engine, logical_device const& on, strided_product<T> const& p,
                 recognized_epilogue const& recognized, RunEpilogue const& run_epilogue,
                 bool tf32 = settings_here().rounds_to_tf32()) {
  std::size_t const dims = p.dims();
  product_call call;
  call.element = product_element_of<T>;
  call.m = p.rows();
  call.n = p.columns();
  call.k = p.depth;
  call.tensor_float_32 = tf32;
  if (p.shape.count() == 0 || p.depth == 0) return false;
  if (!describe(p.a_stride[dims], p.a_stride[dims + 1], call.m, call.k, call.a) ||
      !describe(p.b_stride[dims], p.b_stride[dims + 1], call.k, call.n, call.b))
    return false;
  if (recognized.known) {
    call.epilogue = recognized.as;
    call.bias = recognized.bias;
  }
  std::size_t const loops = dims == 0 ? 0 : dims - 1;  // one call covers the last dimension
  index_t calls = 1;
  for (std::size_t d = 0; d != loops; ++d) calls *= p.shape.extent[d];
  if (dims != 0) {
    call.batch = p.shape.extent[loops];
    call.a.step = p.a_stride[loops];
    call.b.step = p.b_stride[loops];
  }
  for (index_t i = 0; i != calls; ++i) {
    index_t a = 0, b = 0, left = i;
    for (std::size_t d = loops; d-- > 0; left /= p.shape.extent[d]) {
      a += left % p.shape.extent[d] * p.a_stride[d];
      b += left % p.shape.extent[d] * p.b_stride[d];
    }
    call.a.data = p.a + a;
    call.b.data = p.b + b;
    call.out = p.out + i * call.batch * call.m * call.n;
    if (!engine.multiply(on, call)) {
      if (i == 0) return false;
      throw placement_error(
          "placement: a matrix library did one product of a batch and not the next.");
    }
  }
  if (!recognized.known) run_epilogue();
  return true;
}

}  // namespace detail

/// Sets the engine for products on the CPU and on simulated GPUs; nullptr selects the library's own
/// kernels. The engine must never be destroyed. Thread: safe.
inline void set_cpu_products(product_engine* engine) noexcept {
  detail::cpu_products.publish(engine);
}
/// Sets the engine for products on GPUs; nullptr selects the library's own kernels. The engine must
/// never be destroyed. Thread: safe.
inline void set_gpu_products(product_engine* engine) noexcept {
  detail::gpu_products.publish(engine);
}

}}  // namespace placement::v0_1
