#pragma once
/// Computes matrix products on the CPU with a BLAS: OpenBLAS, BLIS, MKL or another library with
/// cblas.h. Include this in one file of a program that links placement::blas. Larger products of
/// all its files then go to the BLAS.
///
/// Threads: a BLAS has its own. OpenBLAS, BLIS and MKL are limited to `intra_op_threads()`, if that
/// is set, before their first product. Other libraries use their own default. placement's threads
/// are idle during a product.

#include <placement/device/configuration.hpp>
#include <placement/kernels/product_engine.hpp>

#include <cblas.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include <dlfcn.h>

namespace placement { inline namespace v0_1 {

namespace detail {

/// An operand in the terms of CBLAS.
struct cblas_operand {
  CBLAS_TRANSPOSE transpose;
  int leading;
};
inline cblas_operand cblas_operand_of(product_operand const& x) {
  return {x.transposed ? CblasTrans : CblasNoTrans, static_cast<int>(x.leading)};
}

inline void cblas_gemm(int m, int n, int k, float const* a, cblas_operand left, float const* b,
                       cblas_operand right, float* out) {
  cblas_sgemm(CblasRowMajor, left.transpose, right.transpose, m, n, k, 1, a, left.leading, b,
              right.leading, 0, out, n);
}
inline void cblas_gemm(int m, int n, int k, double const* a, cblas_operand left, double const* b,
                       cblas_operand right, double* out) {
  cblas_dgemm(CblasRowMajor, left.transpose, right.transpose, m, n, k, 1, a, left.leading, b,
              right.leading, 0, out, n);
}
/// out = x times a vector; m and n are the rows and columns of the matrix as stored.
inline void cblas_gemv(CBLAS_TRANSPOSE transpose, int m, int n, float const* x, int leading,
                       float const* vector, int step, float* out) {
  cblas_sgemv(CblasRowMajor, transpose, m, n, 1, x, leading, vector, step, 0, out, 1);
}
inline void cblas_gemv(CBLAS_TRANSPOSE transpose, int m, int n, double const* x, int leading,
                       double const* vector, int step, double* out) {
  cblas_dgemv(CblasRowMajor, transpose, m, n, 1, x, leading, vector, step, 0, out, 1);
}

/// Calls a function of the linked library by its name. False: the library has no such function.
template <class Count> bool call_with(char const* function, int count) {
  void* const found = dlsym(RTLD_DEFAULT, function);
  if (found != nullptr) reinterpret_cast<void (*)(Count)>(found)(static_cast<Count>(count));
  return found != nullptr;
}

}  // namespace detail

/// The product engine that calls a BLAS on the CPU, for float and double. Each matrix of a batch is
/// one call. The epilogue is applied after each matrix: in cache if the matrix is small, else as
/// one pass over it. Thread: safe, as the BLAS is.
class blas_products final : public product_engine {
 public:
  bool multiply(logical_device const&, product_call const& call) override {
    static bool const threads_set = set_threads(intra_op_threads());
    static_cast<void>(threads_set);
    if (!fits(call)) return false;
    if (call.element == product_element::f32) return multiply_as<float>(call);
    if (call.element == product_element::f64) return multiply_as<double>(call);
    return false;
  }

  /// Limits the library's threads; 0 sets no limit. False: no limit was set, as the library has no
  /// such function.
  static bool set_threads(int count) {
    return count != 0 && (detail::call_with<int>("openblas_set_num_threads", count) ||
                          detail::call_with<std::ptrdiff_t>("bli_thread_set_num_threads", count) ||
                          detail::call_with<int>("MKL_Set_Num_Threads", count));
  }

 private:
  /// CBLAS takes sizes as int.
  static bool fits(product_call const& c) {
    for (index_t const n : {c.m, c.n, c.k, c.a.leading, c.b.leading})
      if (n > std::numeric_limits<int>::max()) return false;
    return true;
  }

  template <class T> static bool multiply_as(product_call const& c) {
    auto const* a = static_cast<T const*>(c.a.data);
    auto const* b = static_cast<T const*>(c.b.data);
    auto* out = static_cast<T*>(c.out);
    for (index_t matrix = 0; matrix != c.batch; ++matrix) {
      multiply_one(c, a, b, out);
      apply_epilogue(c, out);
      a += c.a.step;
      b += c.b.step;
      out += c.m * c.n;
    }
    return true;
  }

  template <class T>
  static void multiply_one(product_call const& c, T const* a, T const* b, T* out) {
    int const m = static_cast<int>(c.m), n = static_cast<int>(c.n), k = static_cast<int>(c.k);
    auto const left = detail::cblas_operand_of(c.a), right = detail::cblas_operand_of(c.b);
    if (n == 1 || m == 1) std::fill_n(out, c.m * c.n, T{});  // some compute 0 * out: NaN stays
    if (n == 1)
      detail::cblas_gemv(left.transpose, c.a.transposed ? k : m, c.a.transposed ? m : k, a,
                         left.leading, b, c.b.transposed ? 1 : right.leading, out);
    else if (m == 1)
      detail::cblas_gemv(c.b.transposed ? CblasNoTrans : CblasTrans, c.b.transposed ? n : k,
                         c.b.transposed ? k : n, b, right.leading, a,
                         c.a.transposed ? left.leading : 1, out);
    else detail::cblas_gemm(m, n, k, a, left, b, right, out);
  }

  template <class T> static void apply_epilogue(product_call const& c, T* out) {
    auto const* const bias = static_cast<T const*>(c.bias);
    if (c.epilogue == gemm_epilogue::bias)
      each_element(c, out, [&](T x, index_t j) { return x + bias[j]; });
    else if (c.epilogue == gemm_epilogue::relu)
      each_element(c, out, [](T x, index_t) { return x < 0 ? T{} : x; });
    else if (c.epilogue == gemm_epilogue::bias_relu)
      each_element(c, out, [&](T x, index_t j) { return x + bias[j] < 0 ? T{} : x + bias[j]; });
  }
  template <class T, class F> static void each_element(product_call const& c, T* out, F const& f) {
    for (index_t i = 0; i != c.m; ++i) {
      T* const row = out + i * c.n;
      PLACEMENT_SAME_INDEX_ONLY
      for (index_t j = 0; j < c.n; ++j) row[j] = f(row[j], j);
    }
  }
};

/// The engine of this process.
PLACEMENT_PROCESS_STATE inline blas_products& blas_of_process() {
  static blas_products& all = *new blas_products;
  return all;
}

namespace detail {
/// Registers the engine during static initialisation.
PLACEMENT_PROCESS_STATE inline bool const blas_is_used =
    (set_cpu_products(&blas_of_process()), true);
}  // namespace detail

}}  // namespace placement::v0_1
