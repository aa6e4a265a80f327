#include "rows.hpp"

#include <torch/torch.h>
#include <torch_threads.hpp>

/// f(result, operand) with matrices.
template <class F> static auto by(F const& f) {
  return [f](benchmark::State& state, bench::matrix_shape const& shape) {
    c10::InferenceMode const no_gradients;
    bench::limit_torch_threads();
    auto const x = torch::tensor(bench::logits(shape)).view({shape.rows, shape.columns});
    auto y = torch::empty_like(x);
    for (auto _ : state) {
      f(y, x);
      benchmark::ClobberMemory();
    }
    bench::note_third(state, y.data_ptr<float>());
  };
}
using torch::Tensor;
static bench::softmax_rows const softmax("torch", by([](Tensor& y, Tensor const& x) {
                                           at::_softmax_out(y, x, 1, false);
                                         }));
static bench::log_softmax_rows const log_softmax("torch", by([](Tensor& y, Tensor const& x) {
                                                   at::_log_softmax_out(y, x, 1, false);
                                                 }));
static bench::layer_norm_rows const layer_norm("torch", by([](Tensor& y, Tensor const& x) {
                                                 y = torch::layer_norm(x, {x.size(1)}, {}, {},
                                                                       double{bench::epsilon});
                                               }));
