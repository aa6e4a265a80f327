#pragma once
/// Matrix products on NVIDIA's GPUs by cuBLASLt. Include this header in one file of a program that
/// links placement::cublaslt. All GPU products of the program then use cuBLASLt, in every file.

#include <placement/kernels/product_engine.hpp>
#include <placement/src/cuda/toolkit.ipp>

#include <cublasLt.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 { namespace cuda {

namespace detail {

/// Throws: placement_error if the call failed.
inline void check_cublaslt(cublasStatus_t status, std::string_view call, logical_device const& on) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw placement_error("placement: " + std::string(call) + " on " + to_string(on.id) +
                        " failed: " + cublasLtGetStatusName(status) + " (" +
                        cublasLtGetStatusString(status) +
                        "). Products can go on without cuBLASLt: "
                        "set_gpu_products(nullptr).");
}

/// Owns a cuBLASLt handle and destroys it in its destructor.
template <class Handle, auto Destroy> class cublaslt_owned {
 public:
  cublaslt_owned() = default;
  cublaslt_owned(cublaslt_owned&& other) noexcept : h_(std::exchange(other.h_, nullptr)) {}
  cublaslt_owned& operator=(cublaslt_owned&& other) noexcept {
    std::swap(h_, other.h_);
    return *this;
  }
  ~cublaslt_owned() {
    if (h_ != nullptr) static_cast<void>(Destroy(h_));
  }
  Handle* out() noexcept { return &h_; }  ///< where cuBLASLt stores the created handle
  Handle get() const noexcept { return h_; }

 private:
  Handle h_ = nullptr;
};

/// The data, scale and compute types that cuBLASLt uses for an element type.
struct cublaslt_types {
  cudaDataType_t data, scale;
  cublasComputeType_t compute;
};
constexpr cublaslt_types types_of(product_element e, bool tensor_float_32) {
  switch (e) {
    case product_element::f64: return {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
    case product_element::f16: return {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case product_element::bf16: return {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case product_element::f32: break;
  }
  return {CUDA_R_32F, CUDA_R_32F,
          tensor_float_32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F};
}

constexpr std::size_t bytes_of(product_element e) {
  return e == product_element::f64 ? 8 : e == product_element::f32 ? 4 : 2;
}

/// The descriptors and the algorithm for all products of one kind, made once.
/// cuBLASLt's matrices are column-major, so it computes the transpose of our result: out' = b' a'.
struct cublaslt_plan {
  int ordinal = -1;
  product_call kind;  ///< the call without its addresses
  cublaslt_owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> product;
  cublaslt_owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy> left, right, out;
  cublasLtMatmulAlgo_t algorithm{};
  std::size_t workspace_bytes = 0;
  bool exists = false;  ///< false if cuBLASLt has no algorithm for this kind
};

constexpr cublasLtEpilogue_t epilogue_of(gemm_epilogue f) {
  switch (f) {
    case gemm_epilogue::bias: return CUBLASLT_EPILOGUE_BIAS;
    case gemm_epilogue::relu: return CUBLASLT_EPILOGUE_RELU;
    case gemm_epilogue::bias_relu: return CUBLASLT_EPILOGUE_RELU_BIAS;
    case gemm_epilogue::nothing: break;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

}  // namespace detail

/// cuBLASLt as the product engine for GPUs. cuBLASLt's heuristics choose the algorithms, which are
/// cached by shape and alignment. The workspace of at most 32 MiB comes from the device's pool; all
/// products of a recording share one.
/// Thread: safe.
class cublaslt_products final : public product_engine {
 public:
  static constexpr std::size_t max_workspace = std::size_t{32} << 20;

  bool multiply(logical_device const& on, product_call const& call) override {
    if (on.owner->simulated()) return false;
    CUstream const stream = stream_of(on);  // also makes the device current
    lock_guard const guard(guard_);
    detail::cublaslt_plan& plan = plan_for(on, call);
    if (!plan.exists) return false;
    if (call.bias != nullptr)
      set(plan.product.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, call.bias, on);
    double const one64 = 1, zero64 = 0;
    float const one32 = 1, zero32 = 0;
    bool const wide = call.element == product_element::f64;
    void const* const one = wide ? static_cast<void const*>(&one64) : &one32;
    void const* const zero = wide ? static_cast<void const*>(&zero64) : &zero32;
    std::optional<scratch> own;
    void* workspace = nullptr;
    if (plan.workspace_bytes != 0) {
      placement::detail::recorder* const recorder = placement::detail::recorder_here;
      workspace = recorder != nullptr ? recorder->workspace(plan.workspace_bytes)
                                      : own.emplace(on, plan.workspace_bytes).data();
    }
    detail::check_cublaslt(
        cublasLtMatmul(handle_of(on), plan.product.get(), one, call.b.data, plan.left.get(),
                       call.a.data, plan.right.get(), zero, call.out, plan.out.get(), call.out,
                       plan.out.get(), &plan.algorithm, workspace, plan.workspace_bytes, stream),
        "cublasLtMatmul", on);
    return true;
  }

 private:
  static constexpr std::size_t plans = 256, max_devices = 64;

  template <class T>
  static void set(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t what, T const& value,
                  logical_device const& on) {
    detail::check_cublaslt(cublasLtMatmulDescSetAttribute(d, what, &value, sizeof value),
                           "cublasLtMatmulDescSetAttribute", on);
  }
  template <class T>
  static void set(cublasLtMatrixLayout_t l, cublasLtMatrixLayoutAttribute_t what, T const& value,
                  logical_device const& on) {
    detail::check_cublaslt(cublasLtMatrixLayoutSetAttribute(l, what, &value, sizeof value),
                           "cublasLtMatrixLayoutSetAttribute", on);
  }

  /// The handle of the physical device, which must be current.
  cublasLtHandle_t handle_of(logical_device const& on) {
    cublasLtHandle_t& handle = handles_[static_cast<std::size_t>(on.ordinal) % max_devices];
    if (handle == nullptr) detail::check_cublaslt(cublasLtCreate(&handle), "cublasLtCreate", on);
    return handle;
  }

  /// Creates a matrix layout. `rows` and `columns` are those of cuBLASLt's column-major view.
  static void lay_out(cublasLtMatrixLayout_t* to, cudaDataType_t type, index_t rows,
                      index_t columns, index_t leading, index_t batch, index_t step,
                      logical_device const& on) {
    detail::check_cublaslt(cublasLtMatrixLayoutCreate(to, type, static_cast<std::uint64_t>(rows),
                                                      static_cast<std::uint64_t>(columns), leading),
                           "cublasLtMatrixLayoutCreate", on);
    if (batch == 1) return;
    set(*to, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(batch), on);
    set(*to, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{step}, on);
  }

  /// The alignment of the matrices of a batch in bytes, 256 at most; fast kernels of cuBLASLt need
  /// 16. `step`: bytes from one matrix to the next, 0 for a single one.
  static std::uint32_t alignment_of(void const* p, std::uintptr_t step) {
    auto const address = reinterpret_cast<std::uintptr_t>(p);
    std::uint32_t bytes = 256;
    while (address % bytes != 0 || step % bytes != 0) bytes /= 2;
    return bytes;
  }

  /// The kind of a product: the call with alignments in place of addresses.
  static product_call kind_of(product_call call) {
    auto const aligned = [&](void const* p, index_t step) {
      auto const bytes =
          call.batch == 1 ? 0 : static_cast<std::uintptr_t>(step) * detail::bytes_of(call.element);
      return p == nullptr ? nullptr
                          : reinterpret_cast<void const*>(std::uintptr_t{alignment_of(p, bytes)});
    };
    call.a.data = aligned(call.a.data, call.a.step);
    call.b.data = aligned(call.b.data, call.b.step);
    call.bias = aligned(call.bias, 0);
    call.out = const_cast<void*>(aligned(call.out, call.m * call.n));
    return call;
  }
  static std::size_t hash_of(int ordinal, product_call const& kind) {
    std::uint64_t h = static_cast<std::uint64_t>(ordinal) + 1;
    for (index_t const part :
         {kind.m, kind.n, kind.k, kind.batch, kind.a.leading, kind.b.leading, kind.a.step,
          kind.b.step, index_t{kind.a.transposed} + 2 * index_t{kind.b.transposed},
          static_cast<index_t>(kind.epilogue), static_cast<index_t>(kind.element)})
      h = (h ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15u;
    return (h >> 32) % plans;
  }

  detail::cublaslt_plan& plan_for(logical_device const& on, product_call const& call) {
    product_call const kind = kind_of(call);
    detail::cublaslt_plan& place = plans_[hash_of(on.ordinal, kind)];
    if (place.ordinal != on.ordinal || !(place.kind == kind)) place = made_plan(on, kind);
    return place;
  }

  detail::cublaslt_plan made_plan(logical_device const& on, product_call const& kind) {
    detail::cublaslt_plan plan;
    plan.ordinal = on.ordinal;
    plan.kind = kind;
    auto const types = detail::types_of(kind.element, kind.tensor_float_32);
    detail::check_cublaslt(cublasLtMatmulDescCreate(plan.product.out(), types.compute, types.scale),
                           "cublasLtMatmulDescCreate", on);
    auto const transposed_flag = [](product_operand const& x) {
      return static_cast<std::int32_t>(x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    };
    set(plan.product.get(), CUBLASLT_MATMUL_DESC_TRANSA, transposed_flag(kind.b), on);
    set(plan.product.get(), CUBLASLT_MATMUL_DESC_TRANSB, transposed_flag(kind.a), on);
    set(plan.product.get(), CUBLASLT_MATMUL_DESC_EPILOGUE, detail::epilogue_of(kind.epilogue), on);
    auto const operand = [&](cublasLtMatrixLayout_t* to, product_operand const& x, index_t rows,
                             index_t columns) {
      lay_out(to, types.data, x.transposed ? columns : rows, x.transposed ? rows : columns,
              x.leading, kind.batch, x.step, on);
    };
    operand(plan.left.out(), kind.b, kind.n, kind.k);
    operand(plan.right.out(), kind.a, kind.k, kind.m);
    lay_out(plan.out.out(), types.data, kind.n, kind.m, kind.n, kind.batch, kind.m * kind.n, on);
    choose_algorithm(plan, on);
    return plan;
  }

  void choose_algorithm(detail::cublaslt_plan& plan, logical_device const& on) {
    detail::cublaslt_owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> wanted;
    detail::check_cublaslt(cublasLtMatmulPreferenceCreate(wanted.out()),
                           "cublasLtMatmulPreferenceCreate", on);
    auto const prefer = [&](cublasLtMatmulPreferenceAttributes_t what, auto value) {
      detail::check_cublaslt(
          cublasLtMatmulPreferenceSetAttribute(wanted.get(), what, &value, sizeof value),
          "cublasLtMatmulPreferenceSetAttribute", on);
    };
    auto const bytes = [](void const* alignment) {
      return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(alignment));
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{max_workspace});
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, bytes(plan.kind.b.data));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, bytes(plan.kind.a.data));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, bytes(plan.kind.out));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, bytes(plan.kind.out));
    cublasLtMatmulHeuristicResult_t best{};
    int found = 0;
    cublasStatus_t const status = cublasLtMatmulAlgoGetHeuristic(
        handle_of(on), plan.product.get(), plan.left.get(), plan.right.get(), plan.out.get(),
        plan.out.get(), wanted.get(), 1, &best, &found);
    plan.exists = status == CUBLAS_STATUS_SUCCESS && found > 0;
    plan.algorithm = best.algo;
    plan.workspace_bytes = best.workspaceSize;
  }

  lock guard_;
  std::array<cublasLtHandle_t, max_devices> handles_{};
  std::array<detail::cublaslt_plan, plans> plans_;
};

/// The engine of this process. Never destroyed: cuBLASLt must not be called once exit has begun.
PLACEMENT_PROCESS_STATE inline cublaslt_products& cublaslt_of_process() {
  static cublaslt_products& all = *new cublaslt_products;
  return all;
}

namespace detail {
/// Registers the engine during static initialisation.
PLACEMENT_PROCESS_STATE inline bool const cublaslt_is_used =
    (set_gpu_products(&cublaslt_of_process()), true);
}  // namespace detail

}}}  // namespace placement::v0_1::cuda
