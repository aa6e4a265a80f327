#pragma once
/// The rows, one function for each file of them, and the rows of CUB and Thrust. Those are in a
/// separate file, because their headers take nvcc many seconds.

#include <cuda_runtime.h>

#include <cstddef>

namespace bench {

void elementwise();
void folds();
void array_ops();
void host_costs();

namespace cub_side {
void negate(float const* x, float* out, std::size_t n, cudaStream_t on);
void negate(double const* x, double* out, std::size_t n, cudaStream_t on);
void add(float const* x, float const* y, float* out, std::size_t n, cudaStream_t on);
void add(double const* x, double const* y, double* out, std::size_t n, cudaStream_t on);
void triad(float const* x, float const* y, float* out, std::size_t n, cudaStream_t on);
void triad(double const* x, double const* y, double* out, std::size_t n, cudaStream_t on);
void chain(float const* x, float const* y, float const* z, float* out, std::size_t n,
           cudaStream_t on);
/// `scratch`: device memory of scratch_bytes_for_sum(n) bytes.
std::size_t scratch_bytes_for_sum(std::size_t n);
void sum(float const* x, float* out, std::size_t n, void* scratch, std::size_t bytes,
         cudaStream_t on);
/// `scratch`: device memory of scratch_bytes_for_sort(n) bytes.
std::size_t scratch_bytes_for_sort(std::size_t n);
void sort(float const* x, float* out, std::size_t n, void* scratch, std::size_t bytes,
          cudaStream_t on);
/// `scratch`: device memory of scratch_bytes_for_argsort(n) bytes. `numbers`: 0 to n - 1.
std::size_t scratch_bytes_for_argsort(std::size_t n);
void argsort(float const* x, float* sorted, int const* numbers, int* out, std::size_t n,
             void* scratch, std::size_t bytes, cudaStream_t on);
void scan(float const* x, float* out, std::size_t n, void* scratch, std::size_t bytes,
          cudaStream_t on);
}  // namespace cub_side
namespace thrust_side {
void triad(float const* x, float const* y, float* out, std::size_t n, cudaStream_t on);
}  // namespace thrust_side

}  // namespace bench
