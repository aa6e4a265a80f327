// usage: bench_gpu_products [PART OF A ROW'S NAME]
// Matrix products through cuBLASLt, beside direct calls of cuBLASLt and the library's own kernel.
#include "measure.hpp"

#include <placement/cuda/cublaslt.cuh>

#include <cublasLt.h>

#include <type_traits>

namespace {

using namespace bench;

void check(cublasStatus_t status, char const* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", call, cublasLtGetStatusString(status));
  std::exit(1);
}

/// out = a b of row-major square matrices, which cuBLASLt computes as out' = b' a'.
class direct {
 public:
  direct(pl::index_t n, cudaDataType_t type, cublasComputeType_t how, void const* bias) {
    check(cublasLtCreate(&handle_), "cublasLtCreate");
    check(cublasLtMatmulDescCreate(&product_, how, CUDA_R_32F), "cublasLtMatmulDescCreate");
    if (bias != nullptr) {
      cublasLtEpilogue_t const after = CUBLASLT_EPILOGUE_RELU_BIAS;
      check(cublasLtMatmulDescSetAttribute(product_, CUBLASLT_MATMUL_DESC_EPILOGUE, &after,
                                           sizeof after),
            "epilogue");
      check(cublasLtMatmulDescSetAttribute(product_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
                                           sizeof bias),
            "bias");
    }
    auto const side = static_cast<std::uint64_t>(n);
    check(cublasLtMatrixLayoutCreate(&layout_, type, side, side, n), "layout");
    cublasLtMatmulPreference_t wanted = nullptr;
    check(cublasLtMatmulPreferenceCreate(&wanted), "preference");
    check(cublasLtMatmulPreferenceSetAttribute(wanted, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &workspace_bytes, sizeof workspace_bytes),
          "workspace");
    cublasLtMatmulHeuristicResult_t found[1];
    int count = 0;
    check(cublasLtMatmulAlgoGetHeuristic(handle_, product_, layout_, layout_, layout_, layout_,
                                         wanted, 1, found, &count),
          "cublasLtMatmulAlgoGetHeuristic");
    algorithm_ = found[0].algo;
    check(cublasLtMatmulPreferenceDestroy(wanted), "preference");
    bench::check(cudaMalloc(&workspace_, workspace_bytes), "cudaMalloc");
  }
  ~direct() {
    static_cast<void>(cudaFree(workspace_));
    static_cast<void>(cublasLtMatrixLayoutDestroy(layout_));
    static_cast<void>(cublasLtMatmulDescDestroy(product_));
    static_cast<void>(cublasLtDestroy(handle_));
  }
  direct(direct const&) = delete;
  direct& operator=(direct const&) = delete;

  void run(void const* a, void const* b, void* out) const {
    float const one = 1, zero = 0;
    check(cublasLtMatmul(handle_, product_, &one, b, layout_, a, layout_, &zero, out, layout_, out,
                         layout_, &algorithm_, workspace_, workspace_bytes, stream()),
          "cublasLtMatmul");
  }

 private:
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t layout_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
  void* workspace_ = nullptr;
};

template <class T> std::vector<matrix<T>> matrices(pl::index_t rows, pl::index_t columns) {
  auto wide = random_sets<float>(pl::shape(rows, columns));
  if constexpr (std::is_same_v<T, float>) {
    return wide;
  } else {
    std::vector<matrix<T>> all;
    for (auto const& w : wide) all.emplace_back(pl::cast<T>(w));
    return all;
  }
}

template <class T, class K = pl::kernels_here> void products(std::string const& type, bool tf32) {
  auto const data = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_16BF;
  auto const how = tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  pl::set_tensor_float_32_execution(tf32);
  for (pl::index_t const n : {1024, 2048, 4096, 8192}) {
    std::string const size = " " + std::to_string(n);
    if (!is_wanted("matmul " + type + size) && !is_wanted("relu(x w + b) " + type + size)) continue;
    double const flops =
        2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    auto a = matrices<T>(n, n), b = matrices<T>(n, n), c = matrices<T>(n, n);
    vector<T> const bias = pl::reshape(matrices<T>(1, n).front(), pl::shape(n));
    direct const plain(n, data, how, nullptr), layer(n, data, how, bias.data());
    auto const by = [&](direct const& d) {
      return [&](int r) {
        d.run(std::as_const(of_round(a, r)).data(), std::as_const(of_round(b, r)).data(),
              of_round(c, r).data());
      };
    };
    compare(
        "matmul " + type + size, {0, flops},
        {{"placement", [&](int r) { of_round(c, r) = pl::matmul(of_round(a, r), of_round(b, r)); }},
         {"cublasLt", by(plain)}});
    compare("relu(x w + b) " + type + size, {0, flops},
            {{"placement",
              [&](int r) {
                of_round(c, r) = pl::relu(pl::matmul(of_round(a, r), of_round(b, r)) + bias);
              }},
             {"cublasLt", by(layer)},
             {"plain product", by(plain)}});
  }
}

/// Products without cuBLASLt.
template <class K = pl::kernels_here> void own_kernel() {
  if (!is_wanted("own kernel")) return;
  pl::set_gpu_products(nullptr);
  for (pl::index_t const n : {1024, 4096}) {
    double const flops =
        2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    auto a = random_sets<float>(pl::shape(n, n)), b = random_sets<float>(pl::shape(n, n)),
         c = random_sets<float>(pl::shape(n, n));
    compare("matmul f32 " + std::to_string(n) + ", own kernel", {0, flops},
            {{"placement",
              [&](int r) { of_round(c, r) = pl::matmul(of_round(a, r), of_round(b, r)); }}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (int const none = start(argc, argv); none != 0) return none;
  measure([] { products<float>("f32", false); });
  measure([] { products<float>("tf32", true); });
  measure([] { products<pl::bfloat16>("bf16", false); });
  measure([] { own_kernel(); });
}
