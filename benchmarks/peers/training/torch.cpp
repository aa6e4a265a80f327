// LibTorch in eager mode: `torch` with automatic gradients and an optimiser, as its users write it;
// `torch_by_hand` with the formulas of the example.

#include "rows.hpp"

#include <torch/torch.h>
#include <torch_threads.hpp>

#include <cmath>

static constexpr std::int64_t pixels = 28 * 28, classes = 10, hidden = 128;

struct batch {
  explicit batch(benchmark::State const& state) {
    bench::limit_torch_threads();
    images = torch::rand({bench::size_of(state), pixels});
    labels = torch::randint(classes, {bench::size_of(state)});
  }
  torch::Tensor images, labels;
};

// ---- by automatic gradients

static void train(benchmark::State& state, torch::nn::Sequential model, double rate) {
  batch const part(state);
  torch::optim::SGD optimizer(model->parameters(), rate);
  for (auto _ : state) {
    optimizer.zero_grad();
    auto const loss =
        torch::nn::functional::cross_entropy(model->forward(part.images), part.labels);
    loss.backward();
    optimizer.step();
    float value = loss.item<float>();
    benchmark::DoNotOptimize(value);
  }
}
static void softmax(benchmark::State& state) {
  train(state, torch::nn::Sequential(torch::nn::Linear(pixels, classes)), 0.1);
}
static void perceptron(benchmark::State& state) {
  train(state,
        torch::nn::Sequential(torch::nn::Linear(pixels, hidden), torch::nn::ReLU(),
                              torch::nn::Linear(hidden, classes)),
        0.3);
}
static bench::training_rows const automatic("torch", softmax, perceptron);

// ---- by hand

struct slope {
  torch::Tensor loss, logits;
};
static slope cross_entropy(torch::Tensor const& logits, torch::Tensor const& labels) {
  auto const target = torch::one_hot(labels, classes).to(torch::kFloat);
  return {-(target * torch::log_softmax(logits, 1)).sum(1).mean(),
          (torch::softmax(logits, 1) - target) / logits.size(0)};
}
static torch::Tensor layer(std::int64_t in, std::int64_t out) {
  double const max = std::sqrt(6. / static_cast<double>(in));
  return torch::empty({in, out}).uniform_(-max, max);
}

static void softmax_by_hand(benchmark::State& state) {
  c10::InferenceMode const no_gradients;
  batch const part(state);
  auto const& x = part.images;
  auto w = torch::zeros({pixels, classes}), b = torch::zeros({1, classes});
  for (auto _ : state) {
    auto const [loss, dy] = cross_entropy(torch::addmm(b, x, w), part.labels);
    w.sub_(torch::mm(x.t(), dy), 0.1);
    b.sub_(dy.sum(0, true), 0.1);
    float value = loss.item<float>();
    benchmark::DoNotOptimize(value);
  }
}
static void perceptron_by_hand(benchmark::State& state) {
  c10::InferenceMode const no_gradients;
  batch const part(state);
  auto const& x = part.images;
  auto w1 = layer(pixels, hidden), b1 = torch::zeros({1, hidden});
  auto w2 = layer(hidden, classes), b2 = torch::zeros({1, classes});
  for (auto _ : state) {
    auto const h = torch::relu(torch::addmm(b1, x, w1));
    auto const [loss, dy] = cross_entropy(torch::addmm(b2, h, w2), part.labels);
    auto const dh = torch::mm(dy, w2.t()) * (h > 0);
    w1.sub_(torch::mm(x.t(), dh), 0.3);
    b1.sub_(dh.sum(0, true), 0.3);
    w2.sub_(torch::mm(h.t(), dy), 0.3);
    b2.sub_(dy.sum(0, true), 0.3);
    float value = loss.item<float>();
    benchmark::DoNotOptimize(value);
  }
}
static bench::training_rows const by_hand("torch_by_hand", softmax_by_hand, perceptron_by_hand);
