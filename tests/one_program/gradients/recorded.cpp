// One program of a file that records gradients and a file that does not, with the same expressions.
// Built in both orders of the files.
#include <placement/gradient.hpp>

#include <support/log_lines.hpp>
#include "expressions.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace placement;
using shared::vec;

namespace {

constexpr char refused[] =
    " reads a tensor that a gradient_tape watches, and cannot be recorded. In its file include "
    "placement/gradient.hpp before placement.hpp, or write no_gradient around code without "
    "gradients.";
template <class Call> bool is_refused(Call call) {
  return error_message(call).find(refused) != std::string::npos;
}

}  // namespace

TEST_CASE("a file that includes gradient.hpp records, and the other one throws") {
  vec const x{1, 2}, b{3, -5};
  gradient_tape tape(x, b);
  CHECK(is_refused([&] { shared::layer_there(x, b); }));
  CHECK(is_refused([&] { shared::product_there(x); }));
  vec first = x, second = b;
  CHECK(is_refused([&] { shared::clear_first_there(first); }));
  CHECK(is_refused([&] { shared::assign_both_there(first, second); }));
  CHECK(to_string(first) == "[1 2]");
  CHECK(to_string(second) == "[3 -5]");

  tensor<float, extents<>> const loss = sum(shared::layer<>(x, b)) + sum(shared::product<>(x));
  auto const [of_x, of_b] = tape.gradient(loss, x, b);
  CHECK(to_string(of_x) == "[4 4]");
  CHECK(to_string(of_b) == "[1 0]");
}
TEST_CASE("the other file computes with what no tape watches, and with no_gradient") {
  vec const x{1, 2}, b{3, -5};
  gradient_tape tape(x);
  CHECK(to_string(shared::layer_there(b, b)) == "[9 0]");
  {
    no_gradient const pause;
    CHECK(to_string(shared::layer_there(x, b)) == "[5 0]");
    CHECK(shared::total_there(x) == 5);
  }
  vec y = x;
  shared::clear_first<>(y);
  tensor<float, extents<>> const loss = sum(y * x);
  CHECK(to_string(tape.gradient(loss, x)) == "[0 4]");
}
TEST_CASE("without a tape both files compute the same") {
  vec const x{1, 2}, b{3, -5};
  CHECK(to_string(shared::layer_there(x, b)) == to_string(shared::layer<>(x, b)));
  CHECK(to_string(shared::product_there(x)) == to_string(shared::product<>(x)));
  CHECK(shared::total_there(x) == shared::total<>(x));
}
