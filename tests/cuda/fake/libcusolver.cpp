// cuSOLVER over the memory of the fake driver, for tests. LAPACK computes in stream order, with the
// arguments as the documentation of cuSOLVER describes them.
#include "give.hpp"

#include <cusolverDn.h>
#include <lapacke.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

struct cusolverDnContext {
  cudaStream_t stream;
};

namespace {

constexpr std::size_t device_bytes = 40, host_bytes = 24;

cusolverStatus_t sizes(std::size_t* device, std::size_t* host) {
  *device = device_bytes;
  *host = host_bytes;
  return CUSOLVER_STATUS_SUCCESS;
}
/// Enqueues a routine that returns LAPACK's info, after writes to all of its workspaces.
cusolverStatus_t enqueue(cusolverDnHandle_t handle, void* device, std::size_t device_size,
                         void* host, std::size_t host_size, int* info,
                         std::function<lapack_int()> const& routine) {
  if (device_size < device_bytes || host_size < host_bytes) return CUSOLVER_STATUS_INVALID_VALUE;
  std::memset(host, 0x5a, host_size);
  bool const enqueued = give(handle->stream, [=] {
    std::memset(device, 0x5a, device_size);
    *info = routine();
  });
  return enqueued ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

lapack_int to_int(std::int64_t n) { return static_cast<lapack_int>(n); }

/// Calls f(T{}) with the element type.
template <class F> auto with_type(cudaDataType type, F const& f) {
  switch (type) {
    case CUDA_R_32F: return f(float{});
    case CUDA_R_64F: return f(double{});
    case CUDA_C_32F: return f(std::complex<float>{});
    default: return f(std::complex<double>{});
  }
}
template <class T> auto* as_lapack(T* p) { return p; }
auto* as_lapack(std::complex<float>* p) { return reinterpret_cast<lapack_complex_float*>(p); }
auto* as_lapack(std::complex<double>* p) { return reinterpret_cast<lapack_complex_double*>(p); }

// One overload for each element type, under LAPACK's name without its first letter.
#define OVERLOADS(name, real_s, real_d, complex_c, complex_z)                               \
  template <class... A> lapack_int name(float*, A... a) { return LAPACKE_##real_s(a...); }  \
  template <class... A> lapack_int name(double*, A... a) { return LAPACKE_##real_d(a...); } \
  template <class... A> lapack_int name(std::complex<float>*, A... a) {                     \
    return LAPACKE_##complex_c(a...);                                                       \
  }                                                                                         \
  template <class... A> lapack_int name(std::complex<double>*, A... a) {                    \
    return LAPACKE_##complex_z(a...);                                                       \
  }
OVERLOADS(getrf, sgetrf, dgetrf, cgetrf, zgetrf)
OVERLOADS(getrs, sgetrs, dgetrs, cgetrs, zgetrs)
OVERLOADS(potrf, spotrf, dpotrf, cpotrf, zpotrf)
OVERLOADS(geqrf, sgeqrf, dgeqrf, cgeqrf, zgeqrf)
OVERLOADS(gesdd, sgesdd, dgesdd, cgesdd, zgesdd)
OVERLOADS(syevd, ssyevd, dsyevd, cheevd, zheevd)
#undef OVERLOADS

template <class T> struct real_part {
  using type = T;
};
template <class R> struct real_part<std::complex<R>> {
  using type = R;
};

std::vector<lapack_int> pivots_of(std::int64_t const* pivots, std::int64_t n) {
  std::vector<lapack_int> p(static_cast<std::size_t>(n));
  std::transform(pivots, pivots + n, p.begin(), to_int);
  return p;
}

}  // namespace

EXPORTED cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  *handle = new cusolverDnContext{};
  return CUSOLVER_STATUS_SUCCESS;
}
EXPORTED cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
EXPORTED cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
  *params = reinterpret_cast<cusolverDnParams_t>(new int);
  return CUSOLVER_STATUS_SUCCESS;
}

EXPORTED cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t,
                                                      std::int64_t, std::int64_t, cudaDataType,
                                                      void const*, std::int64_t, cudaDataType,
                                                      std::size_t* device, std::size_t* host) {
  return sizes(device, host);
}
EXPORTED cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t,
                                           std::int64_t m, std::int64_t n, cudaDataType type,
                                           void* a, std::int64_t rows, std::int64_t* pivots,
                                           cudaDataType, void* device, std::size_t device_size,
                                           void* host, std::size_t host_size, int* info) {
  return enqueue(handle, device, device_size, host, host_size, info, [=] {
    return with_type(type, [&]<class T>(T) {
      std::vector<lapack_int> p(static_cast<std::size_t>(std::min(m, n)));
      T* const x = static_cast<T*>(a);
      lapack_int const result =
          getrf(x, LAPACK_COL_MAJOR, to_int(m), to_int(n), as_lapack(x), to_int(rows), p.data());
      std::copy(p.begin(), p.end(), pivots);
      return result;
    });
  });
}
EXPORTED cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t,
                                           cublasOperation_t op, std::int64_t n, std::int64_t k,
                                           cudaDataType type, void const* a, std::int64_t rows,
                                           std::int64_t const* pivots, cudaDataType, void* b,
                                           std::int64_t rows_of_b, int* info) {
  bool const enqueued = give(handle->stream, [=] {
    *info = with_type(type, [&]<class T>(T) {
      T* const x = static_cast<T*>(const_cast<void*>(a));
      char const transposed = op == CUBLAS_OP_N ? 'N' : op == CUBLAS_OP_T ? 'T' : 'C';
      return getrs(x, LAPACK_COL_MAJOR, transposed, to_int(n), to_int(k), as_lapack(x),
                   to_int(rows), pivots_of(pivots, n).data(), as_lapack(static_cast<T*>(b)),
                   to_int(rows_of_b));
    });
  });
  return enqueued ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
EXPORTED cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t,
                                                      cublasFillMode_t, std::int64_t, cudaDataType,
                                                      void const*, std::int64_t, cudaDataType,
                                                      std::size_t* device, std::size_t* host) {
  return sizes(device, host);
}
EXPORTED cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t,
                                           cublasFillMode_t part, std::int64_t n, cudaDataType type,
                                           void* a, std::int64_t rows, cudaDataType, void* device,
                                           std::size_t device_size, void* host,
                                           std::size_t host_size, int* info) {
  return enqueue(handle, device, device_size, host, host_size, info, [=] {
    return with_type(type, [&]<class T>(T) {
      T* const x = static_cast<T*>(a);
      return potrf(x, LAPACK_COL_MAJOR, part == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L', to_int(n),
                   as_lapack(x), to_int(rows));
    });
  });
}
EXPORTED cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t,
                                                      std::int64_t, std::int64_t, cudaDataType,
                                                      void const*, std::int64_t, cudaDataType,
                                                      void const*, cudaDataType,
                                                      std::size_t* device, std::size_t* host) {
  return sizes(device, host);
}
EXPORTED cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t,
                                           std::int64_t m, std::int64_t n, cudaDataType type,
                                           void* a, std::int64_t rows, cudaDataType, void* scales,
                                           cudaDataType, void* device, std::size_t device_size,
                                           void* host, std::size_t host_size, int* info) {
  return enqueue(handle, device, device_size, host, host_size, info, [=] {
    return with_type(type, [&]<class T>(T) {
      T* const x = static_cast<T*>(a);
      return geqrf(x, LAPACK_COL_MAJOR, to_int(m), to_int(n), as_lapack(x), to_int(rows),
                   as_lapack(static_cast<T*>(scales)));
    });
  });
}
namespace {
lapack_int make_q(int m, int n, int k, float* a, int rows, float const* scales) {
  return LAPACKE_sorgqr(LAPACK_COL_MAJOR, m, n, k, a, rows, scales);
}
lapack_int make_q(int m, int n, int k, double* a, int rows, double const* scales) {
  return LAPACKE_dorgqr(LAPACK_COL_MAJOR, m, n, k, a, rows, scales);
}
lapack_int make_q(int m, int n, int k, cuComplex* a, int rows, cuComplex const* scales) {
  return LAPACKE_cungqr(LAPACK_COL_MAJOR, m, n, k, reinterpret_cast<lapack_complex_float*>(a), rows,
                        reinterpret_cast<lapack_complex_float const*>(scales));
}
lapack_int make_q(int m, int n, int k, cuDoubleComplex* a, int rows,
                  cuDoubleComplex const* scales) {
  return LAPACKE_zungqr(LAPACK_COL_MAJOR, m, n, k, reinterpret_cast<lapack_complex_double*>(a),
                        rows, reinterpret_cast<lapack_complex_double const*>(scales));
}
}  // namespace
#define MAKE_Q(name, type)                                                                         \
  EXPORTED cusolverStatus_t name##_bufferSize(cusolverDnHandle_t, int, int, int, type const*, int, \
                                              type const*, int* size) {                            \
    *size = static_cast<int>(device_bytes);                                                        \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  EXPORTED cusolverStatus_t name(cusolverDnHandle_t handle, int m, int n, int k, type* a,          \
                                 int rows, type const* scales, type* work, int, int* info) {       \
    char host[host_bytes];                                                                         \
    return enqueue(handle, work, device_bytes * sizeof *work, host, sizeof host, info,             \
                   [=] { return make_q(m, n, k, a, rows, scales); });                              \
  }
MAKE_Q(cusolverDnSorgqr, float)
MAKE_Q(cusolverDnDorgqr, double)
MAKE_Q(cusolverDnCungqr, cuComplex)
MAKE_Q(cusolverDnZungqr, cuDoubleComplex)
#undef MAKE_Q

EXPORTED cusolverStatus_t cusolverDnXgesvd_bufferSize(
    cusolverDnHandle_t, cusolverDnParams_t, signed char, signed char, std::int64_t m,
    std::int64_t n, cudaDataType, void const*, std::int64_t, cudaDataType, void const*,
    cudaDataType, void const*, std::int64_t, cudaDataType, void const*, std::int64_t, cudaDataType,
    std::size_t* device, std::size_t* host) {
  return m < n ? CUSOLVER_STATUS_INVALID_VALUE : sizes(device, host);
}
EXPORTED cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t,
                                           signed char job, signed char job_of_vh, std::int64_t m,
                                           std::int64_t n, cudaDataType type, void* a,
                                           std::int64_t rows, cudaDataType, void* s, cudaDataType,
                                           void* u, std::int64_t rows_of_u, cudaDataType, void* vh,
                                           std::int64_t rows_of_vh, cudaDataType, void* device,
                                           std::size_t device_size, void* host,
                                           std::size_t host_size, int* info) {
  if (m < n || job != job_of_vh) return CUSOLVER_STATUS_INVALID_VALUE;
  return enqueue(handle, device, device_size, host, host_size, info, [=] {
    return with_type(type, [&]<class T>(T) {
      T* const x = static_cast<T*>(a);
      return gesdd(x, LAPACK_COL_MAJOR, static_cast<char>(job), to_int(m), to_int(n), as_lapack(x),
                   to_int(rows), static_cast<typename real_part<T>::type*>(s),
                   as_lapack(static_cast<T*>(u)), to_int(rows_of_u), as_lapack(static_cast<T*>(vh)),
                   to_int(rows_of_vh));
    });
  });
}
EXPORTED cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t, cusolverDnParams_t,
                                                      cusolverEigMode_t, cublasFillMode_t,
                                                      std::int64_t, cudaDataType, void const*,
                                                      std::int64_t, cudaDataType, void const*,
                                                      cudaDataType, std::size_t* device,
                                                      std::size_t* host) {
  return sizes(device, host);
}
EXPORTED cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t,
                                           cusolverEigMode_t job, cublasFillMode_t part,
                                           std::int64_t n, cudaDataType type, void* a,
                                           std::int64_t rows, cudaDataType, void* values,
                                           cudaDataType, void* device, std::size_t device_size,
                                           void* host, std::size_t host_size, int* info) {
  return enqueue(handle, device, device_size, host, host_size, info, [=] {
    return with_type(type, [&]<class T>(T) {
      T* const x = static_cast<T*>(a);
      return syevd(x, LAPACK_COL_MAJOR, job == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N',
                   part == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L', to_int(n), as_lapack(x),
                   to_int(rows), static_cast<typename real_part<T>::type*>(values));
    });
  });
}
