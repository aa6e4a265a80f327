#pragma once
/// The interface to libraries for linear algebra on GPUs. A component registers an engine; without
/// one, the ops of lapack/ run on the CPU.

#include <placement/config.hpp>
#include <placement/runtime/shared_word.hpp>
#include <placement/shape/extents.hpp>

#include <complex>

namespace placement { inline namespace v0_1 {

struct logical_device;

enum class matrix_element : unsigned char { f32, f64, complex_f32, complex_f64 };

/// `count` dense matrices, m x n in row-major order, in memory of the GPU.
struct matrix_batch {
  matrix_element element{};
  index_t m = 0, n = 0, count = 1;
  void const* data = nullptr;
};
/// The right sides of equations: out[i] has the matrix a[matrix_of[i]] and the side b[side_of[i]],
/// n x k.
struct right_sides {
  index_t k = 0, count = 1;
  void const* data = nullptr;
  index_t const *matrix_of = nullptr, *side_of = nullptr;  ///< in host memory
};

/// Computes the ops of lapack/ on GPUs, as they document them. `out` is the result of the op, in
/// memory of the GPU; no operand and no result is empty. A function returns when the result is
/// known to exist: the number of the first matrix without one, or `all_exist`.
/// Throws: errors of the library. Register an engine before its use; it must never be destroyed.
class linear_algebra_engine {
 public:
  static constexpr index_t all_exist = -1;

  virtual index_t cholesky(logical_device const& on, matrix_batch const& x, void* out) = 0;
  virtual index_t inverse(logical_device const& on, matrix_batch const& x, void* out) = 0;
  virtual void det(logical_device const& on, matrix_batch const& x, void* out) = 0;
  virtual index_t solve(logical_device const& on, matrix_batch const& a, right_sides const& b,
                        void* out) = 0;
  /// Rows of q, m x k, and r, k x n.
  virtual void qr(logical_device const& on, matrix_batch const& x, index_t k, void* out) = 0;
  /// Rows of u, m x of_u, the singular values, and vh, of_v x n.
  virtual index_t svd(logical_device const& on, matrix_batch const& x, index_t of_u, index_t of_v,
                      void* out) = 0;
  virtual index_t svdvals(logical_device const& on, matrix_batch const& x, void* out) = 0;
  /// Rows of eigenvalues, and eigenvectors, n x n.
  virtual index_t eigh(logical_device const& on, matrix_batch const& x, void* out) = 0;
  virtual index_t eigvalsh(logical_device const& on, matrix_batch const& x, void* out) = 0;

  linear_algebra_engine(linear_algebra_engine const&) = delete;
  linear_algebra_engine& operator=(linear_algebra_engine const&) = delete;

 protected:
  linear_algebra_engine() = default;
  ~linear_algebra_engine() = default;
};

namespace detail {

PLACEMENT_PROCESS_STATE inline constinit shared_word<linear_algebra_engine*> gpu_linear_algebra{
    nullptr};

template <class T> inline constexpr matrix_element matrix_element_of{};
template <> inline constexpr matrix_element matrix_element_of<float> = matrix_element::f32;
template <> inline constexpr matrix_element matrix_element_of<double> = matrix_element::f64;
template <>
inline constexpr matrix_element matrix_element_of<std::complex<float>> =
    matrix_element::complex_f32;
template <>
inline constexpr matrix_element matrix_element_of<std::complex<double>> =
    matrix_element::complex_f64;

/// The gpu_library of these ops.
struct registered_linear_algebra {
  static bool is_registered() noexcept { return gpu_linear_algebra.peek() != nullptr; }
  static linear_algebra_engine& engine() noexcept { return *gpu_linear_algebra.peek(); }
};

}  // namespace detail

/// Sets the engine for linear algebra on GPUs; nullptr selects the CPU. The engine must never be
/// destroyed. Thread: safe.
inline void set_gpu_linear_algebra(linear_algebra_engine* engine) noexcept {
  detail::gpu_linear_algebra.publish(engine);
}

}}  // namespace placement::v0_1
