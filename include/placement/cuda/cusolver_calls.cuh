#pragma once
/// cuSOLVER's functions on column-major matrices, with workspaces of the device's pool.

#include <placement/cuda/context.cuh>
#include <placement/device/logical_device.hpp>
#include <placement/gpu/matrices.hpp>
#include <placement/memory/transfer.hpp>

#include <cusolverDn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace cuda { namespace detail {

/// Throws: placement_error if the call failed.
inline void check_cusolver(cusolverStatus_t status, std::string_view call,
                           logical_device const& on) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  throw placement_error("placement: " + std::string(call) + " on " + to_string(on.id) +
                        " failed: cusolverStatus_t " + std::to_string(static_cast<int>(status)) +
                        ". Linear algebra can go on without cuSOLVER, on the CPU: "
                        "set_gpu_linear_algebra(nullptr).");
}

/// cuSOLVER's names of an element type.
template <class T> struct cusolver_type;
template <> struct cusolver_type<float> {
  static constexpr cudaDataType_t element = CUDA_R_32F, real = CUDA_R_32F;
  static constexpr auto make_q_bytes = &cusolverDnSorgqr_bufferSize;
  static constexpr auto make_q = &cusolverDnSorgqr;
  using name = float;
};
template <> struct cusolver_type<double> {
  static constexpr cudaDataType_t element = CUDA_R_64F, real = CUDA_R_64F;
  static constexpr auto make_q_bytes = &cusolverDnDorgqr_bufferSize;
  static constexpr auto make_q = &cusolverDnDorgqr;
  using name = double;
};
template <> struct cusolver_type<placement::detail::complex_parts<float>> {
  static constexpr cudaDataType_t element = CUDA_C_32F, real = CUDA_R_32F;
  static constexpr auto make_q_bytes = &cusolverDnCungqr_bufferSize;
  static constexpr auto make_q = &cusolverDnCungqr;
  using name = cuComplex;
};
template <> struct cusolver_type<placement::detail::complex_parts<double>> {
  static constexpr cudaDataType_t element = CUDA_C_64F, real = CUDA_R_64F;
  static constexpr auto make_q_bytes = &cusolverDnZungqr_bufferSize;
  static constexpr auto make_q = &cusolverDnZungqr;
  using name = cuDoubleComplex;
};

/// A handle of cuSOLVER for one GPU, which must be current.
struct cusolver_handle {
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
};

/// The calls of one op, for `count` matrices of T. Each stores whether its matrix has a result.
template <class T> class cusolver_calls {
 public:
  using real = typename placement::detail::parts_of<T>::real;
  using type = cusolver_type<T>;

  cusolver_calls(logical_device const& on, cusolver_handle with, std::string_view op, index_t count)
      : on_(on),
        with_(with),
        op_(op),
        count_(count),
        infos_(on, static_cast<std::size_t>(count + 1) * sizeof(int)) {}

  /// The LU factors of a, n x n.
  void factor_lu(index_t i, index_t n, T* a, std::int64_t* pivots) {
    auto const [device, host] = room([&](std::size_t* d, std::size_t* h) {
      return cusolverDnXgetrf_bufferSize(with_.handle, with_.params, n, n, type::element, a, n,
                                         type::element, d, h);
    });
    check(cusolverDnXgetrf(with_.handle, with_.params, n, n, type::element, a, n, pivots,
                           type::element, device_.data(), device, host_.get(), host, info(i)),
          "cusolverDnXgetrf");
  }
  /// b, n x k, becomes the solution x of a x = b, or of transpose(a) x = b, from the factors of a.
  void solve(cublasOperation_t transposed, index_t n, index_t k, T const* a,
             std::int64_t const* pivots, T* b) {
    check(cusolverDnXgetrs(with_.handle, with_.params, transposed, n, k, type::element, a, n,
                           pivots, type::element, b, n, info(count_)),
          "cusolverDnXgetrs");
  }
  /// The upper Cholesky factor of a, in its upper triangle.
  void factor_cholesky(index_t i, index_t n, T* a) {
    auto const [device, host] = room([&](std::size_t* d, std::size_t* h) {
      return cusolverDnXpotrf_bufferSize(with_.handle, with_.params, CUBLAS_FILL_MODE_UPPER, n,
                                         type::element, a, n, type::element, d, h);
    });
    check(cusolverDnXpotrf(with_.handle, with_.params, CUBLAS_FILL_MODE_UPPER, n, type::element, a,
                           n, type::element, device_.data(), device, host_.get(), host, info(i)),
          "cusolverDnXpotrf");
  }
  /// The QR factors of a, m x n.
  void factor_qr(index_t i, index_t m, index_t n, T* a, T* scales) {
    auto const [device, host] = room([&](std::size_t* d, std::size_t* h) {
      return cusolverDnXgeqrf_bufferSize(with_.handle, with_.params, m, n, type::element, a, m,
                                         type::element, scales, type::element, d, h);
    });
    check(
        cusolverDnXgeqrf(with_.handle, with_.params, m, n, type::element, a, m, type::element,
                         scales, type::element, device_.data(), device, host_.get(), host, info(i)),
        "cusolverDnXgeqrf");
  }
  /// The first k columns of Q in a, from `reflections` reflections in it.
  void make_q(index_t m, index_t k, index_t reflections, T* a, T const* scales) {
    auto* const matrix = reinterpret_cast<typename type::name*>(a);
    auto const* const tau = reinterpret_cast<typename type::name const*>(scales);
    int const rows = static_cast<int>(m), columns = static_cast<int>(k),
              steps = static_cast<int>(reflections);
    int size = 0;
    static_cast<void>(room([&](std::size_t* d, std::size_t* h) {
      auto const status =
          type::make_q_bytes(with_.handle, rows, columns, steps, matrix, rows, tau, &size);
      *d = static_cast<std::size_t>(size) * sizeof(T);
      *h = 0;
      return status;
    }));
    check(type::make_q(with_.handle, rows, columns, steps, matrix, rows, tau,
                       static_cast<typename type::name*>(device_.data()), size, info(count_)),
          "cusolverDnXorgqr");
  }
  /// The singular value decomposition of a, m x n with m >= n. `job`: 'A', 'S' or 'N', for both.
  void singular_values(index_t i, signed char job, index_t m, index_t n, T* a, real* s, T* u,
                       T* vh) {
    auto const [device, host] = room([&](std::size_t* d, std::size_t* h) {
      return cusolverDnXgesvd_bufferSize(with_.handle, with_.params, job, job, m, n, type::element,
                                         a, m, type::real, s, type::element, u, m, type::element,
                                         vh, n, type::element, d, h);
    });
    check(cusolverDnXgesvd(with_.handle, with_.params, job, job, m, n, type::element, a, m,
                           type::real, s, type::element, u, m, type::element, vh, n, type::element,
                           device_.data(), device, host_.get(), host, info(i)),
          "cusolverDnXgesvd");
  }
  /// The eigenvalues of a Hermitian matrix whose upper triangle is in a, and its eigenvectors in a.
  void eigenvalues(index_t i, cusolverEigMode_t job, index_t n, T* a, real* values) {
    auto const [device, host] = room([&](std::size_t* d, std::size_t* h) {
      return cusolverDnXsyevd_bufferSize(with_.handle, with_.params, job, CUBLAS_FILL_MODE_UPPER, n,
                                         type::element, a, n, type::real, values, type::element, d,
                                         h);
    });
    check(cusolverDnXsyevd(with_.handle, with_.params, job, CUBLAS_FILL_MODE_UPPER, n,
                           type::element, a, n, type::real, values, type::element, device_.data(),
                           device, host_.get(), host, info(i)),
          "cusolverDnXsyevd");
  }

  /// Waits for the calls. The number of the first matrix without a result, or -1.
  index_t first_without_result() {
    on_.owner->launched(on_.work, op_);
    auto const host = std::make_unique<int[]>(static_cast<std::size_t>(count_));
    placement::detail::copy_by_queue(host.get(), cpu0, infos_.data(), on_.id,
                                     static_cast<std::size_t>(count_) * sizeof(int),
                                     placement::detail::timeline_point_of(on_.id));
    for (index_t i = 0; i != count_; ++i)
      if (host[static_cast<std::size_t>(i)] != 0) return i;
    return -1;
  }

 private:
  struct sizes {
    std::size_t device, host;
  };

  void check(cusolverStatus_t status, std::string_view call) const {
    check_cusolver(status, call, on_);
  }
  int* info(index_t i) const { return static_cast<int*>(infos_.data()) + i; }
  /// Memory of the sizes that query(device, host) gives.
  template <class Query> sizes room(Query const& query) {
    sizes needed{};
    check(query(&needed.device, &needed.host), "cusolverDn bufferSize");
    device_.grow(on_, needed.device);
    if (needed.host > host_bytes_) {
      host_ = std::make_unique<std::byte[]>(needed.host);
      host_bytes_ = needed.host;
    }
    return needed;
  }

  /// Memory for the calls, which run in the order of their queue.
  struct growing_scratch {
    std::optional<scratch> memory;
    void grow(logical_device const& on, std::size_t bytes) {
      if (bytes != 0 && (!memory || memory->size() < bytes)) memory.emplace(on, bytes);
    }
    void* data() const { return memory ? memory->data() : nullptr; }
  };

  logical_device const& on_;
  cusolver_handle with_;
  std::string_view op_;
  index_t count_;
  scratch infos_;  ///< one for each matrix, and one that nobody reads
  growing_scratch device_;
  std::unique_ptr<std::byte[]> host_;
  std::size_t host_bytes_ = 0;
};

}}}}  // namespace placement::v0_1::cuda::detail
