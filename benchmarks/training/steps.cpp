// Training steps on request, as one side of table.py. Reads a row on each line of standard input,
// "ROW SECONDS", and answers with one line of JSON: the seconds of each step. "memory ROW" answers
// with the bytes by which the peak of this process exceeded its memory before the row's first
// steps.
#include "../../examples/mnist_conv/nets.hpp"
#include "by_hand.hpp"
#include "by_tape.hpp"

#include <placement/ops/arange.hpp>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

namespace {

using namespace mnist;
using pl::index_t;
using namespace training;

constexpr index_t images_of_a_step = 1000, statements = 1000;

/// A step of a net by the library's layers and Adam.
template <class Net> std::function<double()> conv_step(Net net) {
  return [net = std::move(net), adam = nn::adam(0.001),
          images = pl::tensor<float, pl::extents<pl::dyn, 28, 28, 1>>(
              pl::uniform<float>(pl::extents<pl::dyn, 28, 28, 1>{{images_of_a_step, 28, 28, 1}})),
          labels = some_classes(images_of_a_step)]() mutable {
    auto const begin = std::chrono::steady_clock::now();
    pl::item(adam.minimize([&] { return loss_of(net, images, labels); }, net));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
}

/// A variable of some standard deviation.
template <class X> nn::variable<float, X> kernel(std::string name, float deviation = 0.05f) {
  return {std::move(name), pl::truncated_normal<float>(X{}) * deviation};
}
template <index_t N> nn::variable<float, pl::extents<N>> bias(std::string name) {
  return {std::move(name), pl::zeros<float>(N)};
}
using images = pl::tensor<float, pl::dextents<4>>;

/// Net A by ops, a statement for each layer, as a user writes a net of another kind.
struct net_a_by_ops {
  nn::variable<float, pl::extents<5, 5, 1, 12>> w1 = kernel<pl::extents<5, 5, 1, 12>>("w1");
  nn::variable<float, pl::extents<12>> b1 = bias<12>("b1");
  nn::variable<float, pl::extents<3, 3, 12, 24>> w2 = kernel<pl::extents<3, 3, 12, 24>>("w2");
  nn::variable<float, pl::extents<24>> b2 = bias<24>("b2");
  nn::variable<float, pl::extents<600, 100>> w3 = kernel<pl::extents<600, 100>>("w3");
  nn::variable<float, pl::extents<100>> b3 = bias<100>("b3");
  nn::variable<float, pl::extents<100, 10>> w4 = kernel<pl::extents<100, 10>>("w4");
  nn::variable<float, pl::extents<10>> b4 = bias<10>("b4");

  auto parts() { return std::tie(w1, b1, w2, b2, w3, b3, w4, b4); }

  template <class X> scalar loss(X const& x, classes const& labels) {
    images const p1 = pl::max_pool2d(pl::relu(pl::conv2d(x, w1.value()) + b1.value()));
    images const p2 = pl::max_pool2d(pl::relu(pl::conv2d(p1, w2.value()) + b2.value()));
    matrix const rows = pl::reshape(p2, pl::shape(-1, 600));
    matrix const h = pl::dropout(pl::matmul(rows, w3.value()) + b3.value(), 0.75);
    matrix const logits = pl::matmul(h, w4.value()) + b4.value();
    return pl::mean(pl::softmax_cross_entropy(logits, labels));
  }
};
/// Net B by ops, without its moving statistics.
struct net_b_by_ops {
  nn::variable<float, pl::extents<5, 5, 1, 6>> w1 = kernel<pl::extents<5, 5, 1, 6>>("w1", 0.01f);
  nn::variable<float, pl::extents<6>> b1 = bias<6>("b1");
  nn::variable<float, pl::extents<5, 5, 6, 12>> w2 = kernel<pl::extents<5, 5, 6, 12>>("w2", 0.01f);
  nn::variable<float, pl::extents<12>> b2 = bias<12>("b2");
  nn::variable<float, pl::extents<588, 100>> w3 = kernel<pl::extents<588, 100>>("w3", 0.01f);
  nn::variable<float, pl::extents<100>> b3 = bias<100>("b3");
  nn::variable<float, pl::extents<100, 10>> w4 = kernel<pl::extents<100, 10>>("w4", 0.01f);
  nn::variable<float, pl::extents<10>> b4 = bias<10>("b4");

  auto parts() { return std::tie(w1, b1, w2, b2, w3, b3, w4, b4); }

  template <class X> scalar loss(X const& x, classes const& labels) {
    auto const normalised = [](auto const& y, auto const& offset) {
      return pl::relu(pl::batch_norm_training(y, pl::batch_moments(y), 1.f, offset.value()));
    };
    images const c1 = pl::conv2d<same>(x, w1.value());
    images const n1 = normalised(c1, b1);
    images const p1 = pl::max_pool2d(n1);
    images const c2 = pl::conv2d<same>(p1, w2.value());
    images const n2 = normalised(c2, b2);
    images const p2 = pl::max_pool2d(n2);
    matrix const d = pl::matmul(pl::reshape(p2, pl::shape(-1, 588)), w3.value());
    matrix const h = pl::dropout(normalised(d, b3), 0.5);
    matrix const logits = pl::matmul(h, w4.value()) + b4.value();
    return pl::mean(pl::softmax_cross_entropy(logits, labels));
  }
};
template <class Net> std::function<double()> step_by_ops() {
  return [net = Net{}, adam = nn::adam(0.001),
          x = images(pl::uniform<float>(pl::shape(images_of_a_step, 28, 28, 1))),
          labels = some_classes(images_of_a_step)]() mutable {
    auto const begin = std::chrono::steady_clock::now();
    pl::item(adam.minimize([&] { return net.loss(x, labels); }, net));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
}

template <class Step> std::function<double()> perceptron_step(Step step) {
  return [p = perceptron{}, step]() mutable {
    auto const begin = std::chrono::steady_clock::now();
    step(p);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
}

/// The seconds of one of many statements of one element: without a tape, recorded, and backward.
enum class part { plain, recorded, backward };
template <part Part> double statement() {
  vector const x = pl::ones<float>(1);
  auto const run = [&] {
    vector y = x;
    for (index_t i = 0; i != statements; ++i) y = y * 1.001f;
    return y;
  };
  using clock = std::chrono::steady_clock;
  auto const begin = clock::now();
  if constexpr (Part == part::plain) {
    vector const y = run();
    return std::chrono::duration<double>(clock::now() - begin).count() / statements;
  } else {
    pl::gradient_tape tape(x);
    vector const y = run();
    auto const recorded = clock::now();
    if constexpr (Part == part::recorded) {
      return std::chrono::duration<double>(recorded - begin).count() / statements;
    } else {
      scalar const loss = pl::sum(y);
      vector const g = tape.gradient(loss, x);
      return std::chrono::duration<double>(clock::now() - recorded).count() / statements;
    }
  }
}

/// An element-wise chain of 16,384 elements, and its gradient: as an expression, and across
/// statements.
struct chain {
  static constexpr index_t elements = 16384;
  vector x = pl::uniform<float>(pl::shape(elements)), w = pl::uniform<float>(pl::shape(elements));
  vector b = pl::uniform<float>(pl::shape(elements)), y = x, g = x;

  auto of(auto const& weights) const { return pl::exp(pl::tanh(pl::sigmoid(x * weights) * x) + b); }
};
void chain_forward(chain& c) { c.y = c.of(c.w); }
void chain_gradient(chain& c) { c.g = pl::gradient<0>(pl::sum(c.of(pl::leaf<0>(c.w)))); }
void chain_by_tape(chain& c) {
  pl::gradient_tape tape(c.w);
  scalar const loss = pl::sum(c.of(c.w));
  c.g = tape.gradient(loss, c.w);
}
template <auto Step> std::function<double()> chain_step() {
  return [c = chain{}]() mutable {
    auto const begin = std::chrono::steady_clock::now();
    Step(c);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
}

std::map<std::string, std::function<std::function<double()>()>> const rows{
    {"net_a", [] { return conv_step(net_a()); }},
    {"net_b", [] { return conv_step(net_b()); }},
    {"net_a_by_ops", step_by_ops<net_a_by_ops>},
    {"net_b_by_ops", step_by_ops<net_b_by_ops>},
    {"perceptron_by_tape", [] { return perceptron_step(step_by_tape); }},
    {"perceptron_by_hand", [] { return perceptron_step(step_by_hand); }},
    {"chain", chain_step<chain_forward>},
    {"chain_gradient", chain_step<chain_gradient>},
    {"chain_by_tape", chain_step<chain_by_tape>},
    {"statement", [] { return statement<part::plain>; }},
    {"statement_recorded", [] { return statement<part::recorded>; }},
    {"statement_backward", [] { return statement<part::backward>; }},
};

/// A line of /proc/self/status, in bytes.
long memory(std::string const& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return 1024 * std::stol(line.substr(name.size() + 1));
  return 0;
}

}  // namespace

int main() {
  std::map<std::string, std::function<double()>> steps;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string row;
    words >> row;
    bool const of_memory = row == "memory";
    if (of_memory) words >> row;
    double seconds = 0;
    words >> seconds;
    if (!rows.contains(row)) {
      std::puts("[]");
    } else if (of_memory) {
      long const before = memory("VmRSS");
      auto const step = rows.at(row)();
      for (int i = 0; i != 3; ++i) step();
      std::printf("[%ld]\n", memory("VmHWM") - before);
    } else {
      if (!steps.contains(row)) {
        steps[row] = rows.at(row)();
        steps[row]();
      }
      std::string answer;
      double spent = 0;
      for (int i = 0; spent < seconds || i < 3; ++i) {
        double const found = steps[row]();
        spent += row.starts_with("statement") ? found * statements : found;
        answer += (i == 0 ? "[" : ", ") + std::to_string(found * 1e9);
      }
      std::printf("%s]\n", answer.c_str());
    }
    std::fflush(stdout);
  }
}
