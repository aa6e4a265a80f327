/// The source lines of backward kernels are those of the forward ops, and never of the library.

#include <placement/gradient.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace placement;

namespace {

using reals = tensor<float, dextents<1>>;
using number_of = tensor<float, extents<>>;

/// The ops that ran during its lifetime, with their lines: "TanhGrad:20".
class observed_lines {
 public:
  observed_lines() { set_op_observer(&observed_lines::note, this); }
  ~observed_lines() { set_op_observer(nullptr); }
  observed_lines(observed_lines const&) = delete;
  observed_lines& operator=(observed_lines const&) = delete;

  /// The lines at which ops ran, in order, each once. Line 0: of another file.
  std::vector<unsigned> lines() const {
    std::vector<unsigned> all;
    for (auto const& [op, line] : seen_) all.push_back(line);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  /// The line of the first op of this name; 0 without one.
  unsigned line_of(std::string const& op) const {
    for (auto const& [name, line] : seen_)
      if (name == op) return line;
    return 0;
  }
  std::string text() const {
    std::string all;
    for (auto const& [op, line] : seen_) all += op + ":" + std::to_string(line) + " ";
    return all;
  }

 private:
  static void note(op_event const& e, void* self) noexcept {
    bool const is_here = e.where.known() && std::string(e.where.file) == __FILE__;
    static_cast<observed_lines*>(self)->seen_.emplace_back(e.op, is_here ? e.where.line : 0);
  }
  std::vector<std::pair<std::string, unsigned>> seen_;
};

matrix<float> const x{{1, 2}, {3, 4}, {5, 6}};
reals const offset{1, 2}, weights{1, 2, 3};

}  // namespace

TEST_CASE("A tape's kernels have the lines of the statements that it recorded", "[gradient]") {
  gradient_tape tape(x, offset, weights);
  unsigned const first = __LINE__ + 1;
  matrix<float> const h = tanh(x * x + offset);
  matrix<float> const c = h * slice(weights, range{0, 2}) + sum(h, 0);
  number_of const loss = mean(square(c)) + sum(slice(x, range{0, 2}, range{0, 1})) + sum(c);
  observed_lines const ops;
  auto const gradients = tape.gradient(loss, x, offset, weights);
  INFO(ops.text());
  CHECK(ops.lines() == std::vector{first, first + 1, first + 2});
  CHECK(ops.line_of("TanhGrad") == first);
  CHECK(ops.line_of("Fill") == first + 2);  // the gradient of the loss
}
TEST_CASE("The gradients of a static form have the lines of its ops", "[gradient]") {
  unsigned const first = __LINE__ + 1;
  auto const h = tanh(leaf<0>(x) * leaf<0>(x) + leaf<1>(offset));
  auto const scaled = multiply(h, slice(leaf<2>(weights), range{0, 2}));
  auto const loss = sum(square(add(scaled, sum(leaf<0>(x), 0))));
  observed_lines const ops;
  matrix<float> const by_x = gradient<0>(loss);
  reals const by_offset = gradient<1>(loss);
  reals const by_weights = gradient<2>(loss);
  INFO(ops.text());
  CHECK(ops.line_of("TanhGrad") == first);
  CHECK(ops.line_of("Fill") == first + 2);
  CHECK(ops.lines().front() == first);  // none is 0
}
TEST_CASE("Zeros of a tensor without a path have the line of the scope", "[gradient]") {
  reals const other{1, 2};
  gradient_tape tape(x, other);
  number_of const loss = sum(x);
  with_device const scope("/cpu:0");
  unsigned const line = __LINE__ - 1;
  observed_lines const ops;
  reals const g = tape.gradient(unconnected_zeros, loss, other);
  INFO(ops.text());
  CHECK(ops.lines() == std::vector{line - 1, line});
}
