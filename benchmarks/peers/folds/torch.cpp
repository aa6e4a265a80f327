// LibTorch on one thread.

#include "rows.hpp"

#include <torch/torch.h>
#include <torch_threads.hpp>

struct libtorch {
  static constexpr char const* name = "torch";

  static torch::Tensor array(benchmark::State const& state) {
    bench::limit_torch_threads();
    return torch::tensor(bench::mixed(state));
  }
  static float sum(torch::Tensor const& a) { return a.sum().item<float>(); }
  static float mean(torch::Tensor const& a) { return a.mean().item<float>(); }
  static float max(torch::Tensor const& a) { return a.max().item<float>(); }
  static float min(torch::Tensor const& a) { return a.min().item<float>(); }
  static float variance(torch::Tensor const& a) { return a.var(false).item<float>(); }
  static float norm(torch::Tensor const& a) { return a.norm().item<float>(); }
  static bool any(torch::Tensor const& a) { return (a > 2).any().item<bool>(); }
  static bool all(torch::Tensor const& a) { return (a < 2).all().item<bool>(); }
  static std::int64_t argmax(torch::Tensor const& a) { return a.argmax().item<std::int64_t>(); }
};
static bench::reduction_rows<libtorch> const rows;
