// cuBLASLt over the memory of the fake driver, for tests. Products are computed by loops in stream
// order, as the documentation of cuBLASLt describes the arguments. Matrices are column-major.
#include <cuda.h>

#include "give.hpp"

#include <placement/math/float16.hpp>

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

struct matrix {
  cudaDataType_t type{};
  std::uint64_t rows = 0, columns = 0;
  std::int64_t leading = 0, step = 0;
  std::int32_t batch = 1;
};
struct product {
  cublasComputeType_t compute{};
  cudaDataType_t scale{};
  std::int32_t turn_a = CUBLAS_OP_N, turn_b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void const* bias = nullptr;
};

matrix& at(cublasLtMatrixLayout_t l) { return *reinterpret_cast<matrix*>(l); }
product& at(cublasLtMatmulDesc_t d) { return *reinterpret_cast<product*>(d); }

template <class T> cublasStatus_t keep(T& to, void const* from, std::size_t bytes) {
  if (bytes != sizeof to) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&to, from, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

bool follows_bias(cublasLtEpilogue_t e) {
  return e == CUBLASLT_EPILOGUE_BIAS || e == CUBLASLT_EPILOGUE_RELU_BIAS;
}
bool follows_relu(cublasLtEpilogue_t e) {
  return e == CUBLASLT_EPILOGUE_RELU || e == CUBLASLT_EPILOGUE_RELU_BIAS;
}

/// Elements are of type E. Sums, `alpha` and `beta` are of type T.
template <class E, class T>
void multiply(product const& p, matrix const& a, void const* a_data, matrix const& b,
              void const* b_data, matrix const& d, void* d_data, T alpha, T beta) {
  auto const value = [](matrix const& m, void const* data, std::int32_t turn, std::int64_t batch,
                        std::uint64_t i, std::uint64_t j) {
    if (turn == CUBLAS_OP_T) {
      std::uint64_t const other = i;
      i = j;
      j = other;
    }
    return T(static_cast<E const*>(data)[batch * m.step + static_cast<std::int64_t>(i) +
                                         static_cast<std::int64_t>(j) * m.leading]);
  };
  std::uint64_t const depth = p.turn_a == CUBLAS_OP_T ? a.rows : a.columns;
  for (std::int64_t batch = 0; batch != d.batch; ++batch)
    for (std::uint64_t j = 0; j != d.columns; ++j)
      for (std::uint64_t i = 0; i != d.rows; ++i) {
        T sum{};
        for (std::uint64_t k = 0; k != depth; ++k)
          sum += value(a, a_data, p.turn_a, batch, i, k) * value(b, b_data, p.turn_b, batch, k, j);
        E& to = static_cast<E*>(d_data)[batch * d.step + static_cast<std::int64_t>(i) +
                                        static_cast<std::int64_t>(j) * d.leading];
        sum = beta == T{} ? alpha * sum : alpha * sum + beta * T(to);
        if (follows_bias(p.epilogue)) sum += T(static_cast<E const*>(p.bias)[i]);
        if (follows_relu(p.epilogue) && sum < T{}) sum = T{};
        to = E(sum);
      }
}

}  // namespace

/// Counts of heuristic calls and products, the last compute type, and the alignments that the last
/// heuristic call got.
struct fake_cublaslt {
  int heuristics = 0, products = 0;
  cublasComputeType_t compute{};
  std::size_t workspace = 1 << 20;                ///< workspace that an algorithm requires
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;  ///< of the following products
  std::uint32_t left = 0, right = 0, result = 0;  ///< bytes, of the operands of D = A B
  void* last_workspace = nullptr;                 ///< of the last product
};
EXPORTED fake_cublaslt* fake_cublaslt_control() {
  static fake_cublaslt control;
  return &control;
}

EXPORTED cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  static int one;
  *handle = reinterpret_cast<cublasLtHandle_t>(&one);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORTED char const* cublasLtGetStatusName(cublasStatus_t s) {
  return s == CUBLAS_STATUS_EXECUTION_FAILED ? "CUBLAS_STATUS_EXECUTION_FAILED" : "CUBLAS_STATUS";
}
EXPORTED char const* cublasLtGetStatusString(cublasStatus_t) { return "as the test wanted"; }

EXPORTED cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* d, cublasComputeType_t c,
                                                 cudaDataType_t scale) {
  *d = reinterpret_cast<cublasLtMatmulDesc_t>(new product{.compute = c, .scale = scale});
  return CUBLAS_STATUS_SUCCESS;
}
EXPORTED cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d) {
  delete &at(d);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORTED cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d,
                                                       cublasLtMatmulDescAttributes_t what,
                                                       void const* from, std::size_t bytes) {
  switch (what) {
    case CUBLASLT_MATMUL_DESC_TRANSA: return keep(at(d).turn_a, from, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB: return keep(at(d).turn_b, from, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return keep(at(d).epilogue, from, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return keep(at(d).bias, from, bytes);
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
EXPORTED cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* l, cudaDataType type,
                                                   std::uint64_t rows, std::uint64_t columns,
                                                   std::int64_t leading) {
  if (leading < static_cast<std::int64_t>(rows)) return CUBLAS_STATUS_INVALID_VALUE;
  *l = reinterpret_cast<cublasLtMatrixLayout_t>(
      new matrix{.type = type, .rows = rows, .columns = columns, .leading = leading});
  return CUBLAS_STATUS_SUCCESS;
}
EXPORTED cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l) {
  delete &at(l);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORTED cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t l,
                                                         cublasLtMatrixLayoutAttribute_t what,
                                                         void const* from, std::size_t bytes) {
  switch (what) {
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return keep(at(l).batch, from, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return keep(at(l).step, from, bytes);
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
EXPORTED cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* p) {
  static int one;
  *p = reinterpret_cast<cublasLtMatmulPreference_t>(&one);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORTED cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t) {
  return CUBLAS_STATUS_SUCCESS;
}
EXPORTED cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t what, void const* from,
    std::size_t bytes) {
  fake_cublaslt& control = *fake_cublaslt_control();
  switch (what) {
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES: return keep(control.left, from, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES: return keep(control.right, from, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: return keep(control.result, from, bytes);
    default: return CUBLAS_STATUS_SUCCESS;
  }
}
/// As in cuBLASLt, double has neither bias nor activation epilogues.
EXPORTED cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t d, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t,
    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int,
    cublasLtMatmulHeuristicResult_t* results, int* found) {
  ++fake_cublaslt_control()->heuristics;
  bool const plain = at(d).epilogue == CUBLASLT_EPILOGUE_DEFAULT;
  *found = plain || at(a).type != CUDA_R_64F;
  results[0].workspaceSize = fake_cublaslt_control()->workspace;
  return *found != 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}
EXPORTED cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t p, void const* alpha,
                                       void const* a, cublasLtMatrixLayout_t a_at, void const* b,
                                       cublasLtMatrixLayout_t b_at, void const* beta, void const*,
                                       cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t d_at,
                                       cublasLtMatmulAlgo_t const*, void* workspace,
                                       std::size_t workspace_bytes, cudaStream_t stream) {
  fake_cublaslt& control = *fake_cublaslt_control();
  if (control.status != CUBLAS_STATUS_SUCCESS) return control.status;
  if (workspace_bytes != 0 && workspace == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  ++control.products;
  control.compute = at(p).compute;
  control.last_workspace = workspace;
  auto const compute = [&]<class E, class T>(E, T) {
    return give(stream, [=, what = at(p), left = at(a_at), right = at(b_at), to = at(d_at),
                         by = *static_cast<T const*>(alpha), add = *static_cast<T const*>(beta)] {
      if (workspace_bytes != 0) std::memset(workspace, 0xEE, workspace_bytes);
      multiply<E, T>(what, left, a, right, b, to, d, by, add);
    });
  };
  bool given = false;
  for (matrix const& m : {at(b_at), at(d_at)})
    if (m.type != at(a_at).type) return CUBLAS_STATUS_NOT_SUPPORTED;
  bool const is_double = at(p).scale == CUDA_R_64F;
  if (is_double != (at(a_at).type == CUDA_R_64F)) return CUBLAS_STATUS_NOT_SUPPORTED;
  switch (at(a_at).type) {
    case CUDA_R_64F: given = compute(double{}, double{}); break;
    case CUDA_R_32F: given = compute(float{}, float{}); break;
    case CUDA_R_16F: given = compute(placement::float16{}, float{}); break;
    case CUDA_R_16BF: given = compute(placement::bfloat16{}, float{}); break;
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  return given ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
