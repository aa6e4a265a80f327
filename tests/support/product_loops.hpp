#pragma once
/// A matrix product library for tests. It records the calls that it receives.

#include <placement/kernels/product_engine.hpp>

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace placement { inline namespace v0_1 {

/// A matrix product library of plain loops, which does not validate its arguments.
class product_loops final : public product_engine {
 public:
  std::vector<product_call> calls;
  bool refuses = false;

  explicit product_loops(device expected) : expected_(expected) {}

  bool multiply(logical_device const& on, product_call const& call) override {
    if (refuses) return false;
    CHECK(on.id == expected_);
    calls.push_back(call);
    switch (call.element) {
      case product_element::f64: run<double>(call); break;
      case product_element::f32: run<float>(call); break;
      case product_element::f16: run<float16>(call); break;
      case product_element::bf16: run<bfloat16>(call); break;
    }
    return true;
  }

 private:
  template <class T>
  static computed_in<T> at(product_operand const& x, index_t matrix, index_t i, index_t j) {
    return static_cast<T const*>(
        x.data)[matrix * x.step + (x.transposed ? i + j * x.leading : i * x.leading + j)];
  }
  template <class T> static void run(product_call const& c) {
    T* out = static_cast<T*>(c.out);
    for (index_t matrix = 0; matrix != c.batch; ++matrix)
      for (index_t i = 0; i != c.m; ++i)
        for (index_t j = 0; j != c.n; ++j) {
          computed_in<T> sum{};
          for (index_t k = 0; k != c.k; ++k)
            sum += at<T>(c.a, matrix, i, k) * at<T>(c.b, matrix, k, j);
          if (c.bias != nullptr) sum += static_cast<T const*>(c.bias)[j];
          bool const relu =
              c.epilogue == gemm_epilogue::relu || c.epilogue == gemm_epilogue::bias_relu;
          *out++ = static_cast<T>(relu && sum < 0 ? 0 : sum);
        }
  }

  device expected_;
};

}}  // namespace placement::v0_1
