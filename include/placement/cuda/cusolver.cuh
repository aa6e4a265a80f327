#pragma once
/// Linear algebra on NVIDIA's GPUs by cuSOLVER. Include this header in one file of a program that
/// links placement::cusolver, and that nvcc compiles. The ops of lapack.hpp but lstsq then have GPU
/// kernels, in every file of the program.

#include <placement/cuda/cusolver_calls.cuh>
#include <placement/cuda/grid.cuh>
#include <placement/kernels/linear_algebra_engine.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/cuda/toolkit.ipp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace cuda {

namespace detail {

/// Memory of a device for n elements.
template <class T> class elements_on {
 public:
  elements_on(logical_device const& on, index_t n)
      : memory_(on, static_cast<std::size_t>(n < 1 ? 1 : n) * sizeof(T)) {}
  T* data() const { return static_cast<T*>(memory_.data()); }

 private:
  scratch memory_;
};

/// The ops for one element type, on row-major matrices. cuSOLVER reads a row-major matrix as its
/// transpose.
template <class T> class cusolver_ops {
 public:
  using real = typename placement::detail::parts_of<T>::real;

  cusolver_ops(logical_device const& on, cusolver_handle with, std::string_view op,
               matrix_batch const& x)
      : on_(on),
        grid_(on, op),
        calls_(on, with, op, x.count),
        m_(x.m),
        n_(x.n),
        count_(x.count),
        in_(static_cast<T const*>(x.data)) {}

  index_t cholesky(T* out) {
    copy(in_, out, count_ * n_ * n_);
    for (index_t i = 0; i != count_; ++i) calls_.factor_cholesky(i, n_, out + i * n_ * n_);
    each(count_ * n_ * n_, placement::detail::clear_upper<T>{out, n_});
    return calls_.first_without_result();
  }
  index_t inverse(T* out) {
    factors const lu(*this);
    each(count_ * n_ * n_, placement::detail::write_identities<T>{out, n_, n_ * n_});
    for (index_t i = 0; i != count_; ++i) {
      calls_.factor_lu(i, n_, lu.of(i), lu.pivots_of(i));
      // The inverse of the transpose is the transpose of the inverse.
      calls_.solve(CUBLAS_OP_N, n_, n_, lu.of(i), lu.pivots_of(i), out + i * n_ * n_);
    }
    return calls_.first_without_result();
  }
  void det(T* out) {
    factors const lu(*this);
    for (index_t i = 0; i != count_ && n_ != 0; ++i)
      calls_.factor_lu(i, n_, lu.of(i), lu.pivots_of(i));
    each(count_, placement::detail::multiply_diagonals<T>{lu.of(0), lu.pivots_of(0), out, n_});
  }
  index_t solve(right_sides const& b, T* out) {
    factors const lu(*this);
    index_t const size = n_ * b.k;
    elements_on<T> const sides(on_, size);
    for (index_t i = 0, factored = -1; i != b.count; ++i) {
      index_t const matrix = b.matrix_of[i];
      if (matrix > factored) calls_.factor_lu(matrix, n_, lu.of(matrix), lu.pivots_of(matrix));
      factored = matrix > factored ? matrix : factored;
      transpose(static_cast<T const*>(b.data) + b.side_of[i] * size, n_, b.k, sides.data());
      calls_.solve(CUBLAS_OP_T, n_, b.k, lu.of(matrix), lu.pivots_of(matrix), sides.data());
      transpose(sides.data(), b.k, n_, out + i * size);
    }
    return calls_.first_without_result();
  }
  void qr(index_t k, T* out) {
    index_t const reflections = m_ < n_ ? m_ : n_, columns = k < n_ ? n_ : k;
    elements_on<T> const matrix(on_, m_ * columns), scales(on_, reflections);
    for (index_t i = 0; i != count_; ++i) {
      T *const a = matrix.data(), *const q = out + i * (m_ * k + k * n_);
      transpose(in_ + i * m_ * n_, m_, n_, a);
      if (reflections != 0) calls_.factor_qr(i, m_, n_, a, scales.data());
      each(k * n_, placement::detail::write_r<T>{a, q + m_ * k, m_, n_});
      if (reflections != 0) {
        calls_.make_q(m_, k, reflections, a, scales.data());
        transpose(a, k, m_, q);
      } else {
        each(m_ * k, placement::detail::write_identities<T>{q, m_, m_ * k});
      }
    }
  }
  index_t svd(index_t of_u, index_t of_v, T* out) {
    index_t const k = m_ < n_ ? m_ : n_, u_size = m_ * of_u, row = u_size + k + of_v * n_;
    if (k == 0) {  // complete factors of a matrix without elements
      each(count_ * m_ * m_, placement::detail::write_identities<T>{out, m_, row});
      each(count_ * n_ * n_, placement::detail::write_identities<T>{out, n_, row});
      return linear_algebra_engine::all_exist;
    }
    elements_on<T> const a(on_, m_ * n_), u(on_, u_size), v(on_, of_v * n_);
    elements_on<real> const s(on_, count_ * k);
    signed char const job = of_u == m_ && of_v == n_ ? 'A' : 'S';
    for (index_t i = 0; i != count_; ++i) {
      T *const to_u = out + i * row, *const to_v = to_u + u_size + k;
      if (m_ <= n_) {  // its transpose has m >= n, and the factors of that are in row-major order
        copy(in_ + i * m_ * n_, a.data(), m_ * n_);
        calls_.singular_values(i, job, n_, m_, a.data(), s.data() + i * k, to_v, to_u);
      } else {
        transpose(in_ + i * m_ * n_, m_, n_, a.data());
        calls_.singular_values(i, job, m_, n_, a.data(), s.data() + i * k, u.data(), v.data());
        transpose(u.data(), of_u, m_, to_u);
        transpose(v.data(), n_, of_v, to_v);
      }
    }
    each(count_ * k, placement::detail::store_reals<T>{s.data(), out + u_size, k, row});
    return calls_.first_without_result();
  }
  index_t svdvals(real* out) {
    index_t const k = m_ < n_ ? m_ : n_;
    elements_on<T> const a(on_, m_ * n_);
    for (index_t i = 0; i != count_; ++i) {
      T const* const x = in_ + i * m_ * n_;
      if (m_ <= n_) copy(x, a.data(), m_ * n_);
      else transpose(x, m_, n_, a.data());
      calls_.singular_values(i, 'N', m_ < n_ ? n_ : m_, k, a.data(), out + i * k, nullptr, nullptr);
    }
    return calls_.first_without_result();
  }
  index_t eigh(T* out) {
    index_t const size = n_ * n_, row = n_ + size;
    elements_on<T> const a(on_, size);
    elements_on<real> const values(on_, count_ * n_);
    for (index_t i = 0; i != count_; ++i) {
      copy(in_ + i * size, a.data(), size);
      calls_.eigenvalues(i, CUSOLVER_EIG_MODE_VECTOR, n_, a.data(), values.data() + i * n_);
      // The eigenvectors of the transpose are the conjugates.
      placement::detail::transpose_matrix<T> to{a.data(), out + i * row + n_, n_, n_};
      to.conjugates = true;
      each(size, to);
    }
    each(count_ * n_, placement::detail::store_reals<T>{values.data(), out, n_, row});
    return calls_.first_without_result();
  }
  index_t eigvalsh(real* out) {
    elements_on<T> const a(on_, n_ * n_);
    for (index_t i = 0; i != count_; ++i) {
      copy(in_ + i * n_ * n_, a.data(), n_ * n_);
      calls_.eigenvalues(i, CUSOLVER_EIG_MODE_NOVECTOR, n_, a.data(), out + i * n_);
    }
    return calls_.first_without_result();
  }

 private:
  /// Copies of all matrices, which become their LU factors, and their pivots.
  class factors {
   public:
    explicit factors(cusolver_ops const& op)
        : n_(op.n_),
          elements_(op.on_, op.count_ * op.n_ * op.n_),
          pivots_(op.on_, op.count_ * op.n_) {
      op.copy(op.in_, elements_.data(), op.count_ * op.n_ * op.n_);
    }
    T* of(index_t i) const { return elements_.data() + i * n_ * n_; }
    std::int64_t* pivots_of(index_t i) const { return pivots_.data() + i * n_; }

   private:
    index_t n_;
    elements_on<T> elements_;
    elements_on<std::int64_t> pivots_;
  };

  template <class F> void each(index_t n, F const& f) const {
    placement::detail::for_each_index(grid_, n, f);
  }
  void copy(T const* from, T* to, index_t n) const { transpose(from, 1, n, to); }
  void transpose(T const* from, index_t rows, index_t columns, T* to) const {
    each(rows * columns, placement::detail::transpose_matrix<T>{from, to, rows, columns});
  }

  logical_device const& on_;
  grid grid_;
  cusolver_calls<T> calls_;
  index_t m_, n_, count_;
  T const* in_;
};

}  // namespace detail

/// cuSOLVER as the engine of linear algebra for GPUs. It has one handle for each GPU. Matrices of a
/// batch are computed one after the other. Workspaces come from the device's pool.
/// Thread: safe. One op runs at a time, and the host waits for those that may have no result.
class cusolver_engine final : public linear_algebra_engine {
 public:
  index_t cholesky(logical_device const& on, matrix_batch const& x, void* out) override {
    return with_ops(on, "Cholesky", x, [&](auto& ops) { return ops.cholesky(as(ops, out)); });
  }
  index_t inverse(logical_device const& on, matrix_batch const& x, void* out) override {
    return with_ops(on, "MatrixInverse", x, [&](auto& ops) { return ops.inverse(as(ops, out)); });
  }
  void det(logical_device const& on, matrix_batch const& x, void* out) override {
    with_ops(on, "MatrixDeterminant", x, [&](auto& ops) {
      ops.det(as(ops, out));
      return all_exist;
    });
  }
  index_t solve(logical_device const& on, matrix_batch const& a, right_sides const& b,
                void* out) override {
    return with_ops(on, "MatrixSolve", a, [&](auto& ops) { return ops.solve(b, as(ops, out)); });
  }
  void qr(logical_device const& on, matrix_batch const& x, index_t k, void* out) override {
    with_ops(on, "Qr", x, [&](auto& ops) {
      ops.qr(k, as(ops, out));
      return all_exist;
    });
  }
  index_t svd(logical_device const& on, matrix_batch const& x, index_t of_u, index_t of_v,
              void* out) override {
    return with_ops(on, "Svd", x, [&](auto& ops) { return ops.svd(of_u, of_v, as(ops, out)); });
  }
  index_t svdvals(logical_device const& on, matrix_batch const& x, void* out) override {
    return with_ops(on, "SvdVals", x, [&](auto& ops) { return ops.svdvals(as_real(ops, out)); });
  }
  index_t eigh(logical_device const& on, matrix_batch const& x, void* out) override {
    return with_ops(on, "SelfAdjointEigV2", x, [&](auto& ops) { return ops.eigh(as(ops, out)); });
  }
  index_t eigvalsh(logical_device const& on, matrix_batch const& x, void* out) override {
    return with_ops(on, "Eigvalsh", x, [&](auto& ops) { return ops.eigvalsh(as_real(ops, out)); });
  }

 private:
  static constexpr std::size_t max_devices = 64;

  template <class T> static T* as(detail::cusolver_ops<T>&, void* out) {
    return static_cast<T*>(out);
  }
  template <class T> static auto* as_real(detail::cusolver_ops<T>&, void* out) {
    return static_cast<typename detail::cusolver_ops<T>::real*>(out);
  }
  /// Calls f with the ops for the element type.
  template <class F>
  index_t with_ops(logical_device const& on, std::string_view op, matrix_batch const& x,
                   F const& f) {
    using placement::detail::complex_parts;
    CUstream const stream = stream_of(on);  // also makes the device current
    lock_guard const guard(guard_);
    detail::cusolver_handle const& with = handle_of(on);
    detail::check_cusolver(cusolverDnSetStream(with.handle, stream), "cusolverDnSetStream", on);
    auto const call = [&]<class T>(T) {
      detail::cusolver_ops<T> ops(on, with, op, x);
      return f(ops);
    };
    switch (x.element) {
      case matrix_element::f32: return call(float{});
      case matrix_element::f64: return call(double{});
      case matrix_element::complex_f32: return call(complex_parts<float>{});
      case matrix_element::complex_f64: break;
    }
    return call(complex_parts<double>{});
  }
  detail::cusolver_handle const& handle_of(logical_device const& on) {
    detail::cusolver_handle& h = handles_[static_cast<std::size_t>(on.ordinal) % max_devices];
    if (h.handle == nullptr)
      detail::check_cusolver(cusolverDnCreate(&h.handle), "cusolverDnCreate", on);
    if (h.params == nullptr)
      detail::check_cusolver(cusolverDnCreateParams(&h.params), "cusolverDnCreateParams", on);
    return h;
  }

  lock guard_;
  std::array<detail::cusolver_handle, max_devices> handles_{};
};

/// The engine of this process. Never destroyed: cuSOLVER must not be called once exit has begun.
PLACEMENT_PROCESS_STATE inline cusolver_engine& cusolver_of_process() {
  static cusolver_engine& all = *new cusolver_engine;
  return all;
}

namespace detail {
/// Registers the engine during static initialisation.
PLACEMENT_PROCESS_STATE inline bool const cusolver_is_used =
    (set_gpu_linear_algebra(&cusolver_of_process()), true);
}  // namespace detail

}}}  // namespace placement::v0_1::cuda
