#pragma once
/// Fourier transforms on NVIDIA's GPUs by cuFFT. Include this header in one file of a program that
/// links placement::cufft, and that nvcc compiles. The ops of fft.hpp then have GPU kernels, in
/// every file of the program.

#include <placement/cuda/cufft_plans.cuh>
#include <placement/cuda/grid.cuh>
#include <placement/gpu/fourier.hpp>
#include <placement/kernels/transform_engine.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/cuda/toolkit.ipp>

#include <cstdint>
#include <optional>

namespace placement { inline namespace v0_1 { namespace cuda {

namespace detail {

/// cuFFT's functions and types for each precision.
template <class R> struct cufft_of;
template <> struct cufft_of<float> {
  static constexpr cufftType complex = CUFFT_C2C, to_complex = CUFFT_R2C, to_real = CUFFT_C2R;
  using real = cufftReal;
  using number = cufftComplex;
  static constexpr auto run_complex = &cufftExecC2C;
  static constexpr auto run_to_complex = &cufftExecR2C;
  static constexpr auto run_to_real = &cufftExecC2R;
};
template <> struct cufft_of<double> {
  static constexpr cufftType complex = CUFFT_Z2Z, to_complex = CUFFT_D2Z, to_real = CUFFT_Z2D;
  using real = cufftDoubleReal;
  using number = cufftDoubleComplex;
  static constexpr auto run_complex = &cufftExecZ2Z;
  static constexpr auto run_to_complex = &cufftExecD2Z;
  static constexpr auto run_to_real = &cufftExecZ2D;
};

/// Memory of a device for n elements, where it is needed.
template <class T> class optional_elements {
 public:
  T* allocate(logical_device const& on, index_t n) {
    return static_cast<T*>(memory_.emplace(on, static_cast<std::size_t>(n) * sizeof(T)).data());
  }

 private:
  std::optional<scratch> memory_;
};

/// The transforms of one precision. Fibers that are no dense rows are gathered, and scattered
/// afterwards; so are the operands that cuFFT overwrites.
template <class R> class cufft_ops {
 public:
  using number = placement::detail::complex_parts<R>;
  using functions = cufft_of<R>;

  cufft_ops(cufft_plans& plans, logical_device const& on, CUstream_st* stream, std::string_view op)
      : plans_(plans), on_(on), stream_(stream), grid_(on, op) {}

  void run(fiber_transform const& t, void const* in, void* out) {
    switch (t.kind) {
      case transform_kind::complex_to_complex:
        return along<number, number>(t, t.n, t.n, functions::complex, in, out);
      case transform_kind::half_to_real:
        return along<number, R>(t, t.n / 2 + 1, t.n, functions::to_real, in, out);
      case transform_kind::real_to_complex:
      case transform_kind::real_to_half: break;
    }
    along<R, number>(t, t.n, t.n / 2 + 1, functions::to_complex, in, out);
  }
  void run(plane_transform const& t, void const* in, void* out) {
    index_t const plane = t.m * t.n;
    number const* from = static_cast<number const*>(in);
    optional_elements<number> numbers;
    if (t.is_real) {
      number* const to = numbers.allocate(on_, t.count * plane);
      each(t.count * plane,
           placement::detail::gather_fibers<number, R>{static_cast<R const*>(in), to, 1, 1, 1});
      from = to;
    }
    cufft_shape shape{on_.ordinal, functions::complex, 2, {t.m, t.n}, t.count, plane, plane};
    execute(shape, t.is_inverse, from, static_cast<number*>(out));
    scale(static_cast<number*>(out), t.count * plane, t.scale);
  }

 private:
  /// needed, given: the elements of a row that cuFFT reads and writes.
  template <class In, class Out>
  void along(fiber_transform const& t, index_t needed, index_t given, cufftType type,
             void const* in, void* out) {
    index_t const rows = t.before * t.after;
    bool const reads_rows = t.after == 1 && t.in >= needed && type != functions::to_real &&
                            reinterpret_cast<std::uintptr_t>(in) % sizeof(number) == 0;
    bool const writes_rows = t.after == 1 && given == t.out && !is_conjugated(t);
    In const* from = static_cast<In const*>(in);
    optional_elements<In> gathered;
    if (!reads_rows) {
      In* const to = gathered.allocate(on_, rows * needed);
      placement::detail::gather_fibers<In, In> gather{from, to, needed, t.in, t.after};
      if (type == functions::to_real) gather.real_at = t.n % 2 == 0 ? t.n / 2 : 0;
      each(rows * needed, gather);
      from = to;
    }
    optional_elements<Out> transformed;
    Out* const to = writes_rows ? static_cast<Out*>(out) : transformed.allocate(on_, rows * given);
    cufft_shape shape{on_.ordinal, type, 1, {t.n, 1}, rows, reads_rows ? t.in : needed, given};
    execute(shape, t.is_inverse, from, to);
    if (writes_rows) return scale(to, rows * given, t.scale);
    placement::detail::scatter_fibers<Out> scatter{
        to,      static_cast<Out*>(out),  given,           t.out,
        t.after, static_cast<R>(t.scale), is_conjugated(t)};
    each(rows * t.out, scatter);
  }
  /// The inverse of real numbers is the conjugate of their transform.
  static bool is_conjugated(fiber_transform const& t) {
    return t.kind == transform_kind::real_to_complex && t.is_inverse;
  }

  void execute(cufft_shape const& s, bool is_inverse, number const* from, number* to) {
    int const direction = is_inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    plans_.run(on_, stream_, s, [&](cufftHandle plan) {
      return functions::run_complex(plan, as<typename functions::number>(from),
                                    as<typename functions::number>(to), direction);
    });
  }
  void execute(cufft_shape const& s, bool, R const* from, number* to) {
    plans_.run(on_, stream_, s, [&](cufftHandle plan) {
      return functions::run_to_complex(plan, as<typename functions::real>(from),
                                       as<typename functions::number>(to));
    });
  }
  void execute(cufft_shape const& s, bool, number const* from, R* to) {
    plans_.run(on_, stream_, s, [&](cufftHandle plan) {
      return functions::run_to_real(plan, as<typename functions::number>(from),
                                    as<typename functions::real>(to));
    });
  }
  /// cuFFT's pointers are not const, also for operands that it only reads.
  template <class To, class From> static To* as(From const* p) {
    return reinterpret_cast<To*>(const_cast<From*>(p));
  }

  template <class T> void scale(T* x, index_t n, double factor) const {
    if (factor == 1) return;
    each(n, placement::detail::scatter_fibers<T>{x, x, 1, 1, 1, static_cast<R>(factor), false});
  }
  template <class F> void each(index_t n, F const& f) const {
    placement::detail::for_each_index(grid_, n, f);
  }

  cufft_plans& plans_;
  logical_device const& on_;
  CUstream_st* stream_;
  grid grid_;
};

}  // namespace detail

/// cuFFT as the engine of transforms for GPUs. It keeps 64 plans. Workspaces come from the device's
/// pool. Thread: safe; one transform is enqueued at a time.
class cufft_engine final : public transform_engine {
 public:
  void run(logical_device const& on, fiber_transform const& t, void const* in, void* out) override {
    enqueue(on, t, in, out);
  }
  void run(logical_device const& on, plane_transform const& t, void const* in, void* out) override {
    enqueue(on, t, in, out);
  }
  /// The number of plans that are kept. For tests.
  std::size_t plans_kept() {
    lock_guard const guard(guard_);
    return plans_.kept();
  }

 private:
  template <class Transform>
  void enqueue(logical_device const& on, Transform const& t, void const* in, void* out) {
    CUstream const stream = stream_of(on);  // also makes the device current
    lock_guard const guard(guard_);
    if (t.is_double) detail::cufft_ops<double>(plans_, on, stream, "FFT").run(t, in, out);
    else detail::cufft_ops<float>(plans_, on, stream, "FFT").run(t, in, out);
  }

  lock guard_;
  detail::cufft_plans plans_;
};

/// The engine of this process. Never destroyed: cuFFT must not be called once exit has begun.
PLACEMENT_PROCESS_STATE inline cufft_engine& cufft_of_process() {
  static cufft_engine& all = *new cufft_engine;
  return all;
}

namespace detail {
/// Registers the engine during static initialisation.
PLACEMENT_PROCESS_STATE inline bool const cufft_is_used =
    (set_gpu_transforms(&cufft_of_process()), true);
}  // namespace detail

}}}  // namespace placement::v0_1::cuda
