#include "device_check.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace pl = placement;
using pl::index_t;
using matrix = pl::tensor<float, pl::dextents<2>>;

/// A matrix on the host, with integers from -11 to 11.
struct host_matrix {
  index_t rows, columns;
  std::vector<float> elements;

  host_matrix(index_t r, index_t c, index_t step) : rows(r), columns(c) {
    elements.reserve(static_cast<std::size_t>(r * c));
    for (index_t i = 0; i != r * c; ++i) elements.push_back(static_cast<float>(i * step % 23 - 11));
  }
  float operator()(index_t i, index_t j) const {
    return elements[static_cast<std::size_t>(i * columns + j)];
  }
  matrix on_device() const { return pl::from(elements.data(), pl::shape(rows, columns)); }
};

std::string name_of(pl::device d) { return to_string(d); }

/// The error for elements that differ, or that another device computed; empty if all is right.
template <class Tensor>
std::string difference(Tensor const& computed, std::vector<float> const& expected, pl::device d) {
  if (!(computed.where() == d)) return "ran on " + name_of(computed.where());
  auto const read = computed.read();
  if (read.size() != expected.size())
    return "has " + std::to_string(read.size()) + " elements, not " +
           std::to_string(expected.size());
  for (std::size_t i = 0; i != expected.size(); ++i)
    if (!(read[i] == expected[i]))
      return "element " + std::to_string(i) + " is " + std::to_string(read[i]) + ", not " +
             std::to_string(expected[i]);
  return {};
}

std::string element_wise(pl::device d) {
  host_matrix const a(512, 256, 7), b(512, 256, 5);
  std::vector<float> expected;
  for (std::size_t i = 0; i != a.elements.size(); ++i)
    expected.push_back(std::max(a.elements[i] * 2 + b.elements[i], 0.f));
  matrix const x = a.on_device(), y = b.on_device();
  matrix const computed = pl::relu(x * 2.f + y);
  return difference(computed, expected, d);
}

std::string reduction(pl::device d) {
  host_matrix const a(300, 500, 7);
  std::vector<float> expected;
  for (index_t i = 0; i != a.rows; ++i) {
    float sum = 0;
    for (index_t j = 0; j != a.columns; ++j) sum += a(i, j);
    expected.push_back(sum);
  }
  matrix const x = a.on_device();
  pl::tensor<float, pl::dextents<1>> const computed = pl::sum(x, pl::axis<1>);
  return difference(computed, expected, d);
}

std::string product(pl::device d) {
  host_matrix const a(129, 160, 7), b(160, 193, 5);
  std::vector<float> expected;
  for (index_t i = 0; i != a.rows; ++i)
    for (index_t j = 0; j != b.columns; ++j) {
      float sum = 0;
      for (index_t k = 0; k != a.columns; ++k) sum += a(i, k) * b(k, j);
      expected.push_back(sum);
    }
  matrix const x = a.on_device(), y = b.on_device();
  matrix const computed = pl::matmul(x, y);
  return difference(computed, expected, d);
}

}  // namespace

std::vector<op_check> check_device(pl::device d) {
  using run = std::string (*)(pl::device);
  using clock = std::chrono::steady_clock;
  std::vector<op_check> checks;
  for (auto const& [op, compute] : {std::pair<char const*, run>{"element-wise", element_wise},
                                    std::pair<char const*, run>{"reduction", reduction},
                                    std::pair<char const*, run>{"product", product}}) {
    op_check check{op, {}, 0};
    auto const begin = clock::now();
    try {
      pl::with_device const scope(d, pl::hard_placement{}, pl::transfers::silent);
      check.error = compute(d);
    } catch (std::exception const& e) { check.error = e.what(); }
    check.milliseconds = std::chrono::duration<double, std::milli>(clock::now() - begin).count();
    checks.push_back(std::move(check));
  }
  return checks;
}
