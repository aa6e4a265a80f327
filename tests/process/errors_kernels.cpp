// gpus: 0 1 2
// env: [full] PLACEMENT_SIMULATED_GPU_MEMORY=8MiB
// Invalid input of products, epilogues, reductions, views and several results: the message, and
// that every tensor is unchanged and usable.
#include <support/gpus.hpp>
#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using namespace placement;

namespace {

/// The elements in row-major order.
template <class T> std::vector<float> values(T const& t) {
  auto const host = t.read();
  return {host.data(), host.data() + t.size()};
}
using floats = std::vector<float>;

/// The operands of every test, and their elements before it.
struct tensors {
  matrix<float> wide = iota(shape(2, 3), 0.f);
  matrix<float> high = iota(shape(3, 2), 1.f);
  matrix<float> square = iota(shape(2, 2), 2.f);
  vector<float> row = iota(2, 3.f);
  std::vector<floats> const before = all();

  std::vector<floats> all() const {
    return {values(wide), values(high), values(square), values(row)};
  }
  /// Unchanged, and every kind of kernel still computes.
  void check() {
    CHECK(all() == before);
    square = relu(matmul(wide, high) + row);
    CHECK(values(square) == floats{16, 20, 43, 56});
    row = sum(square, 1) * 2.f;
    CHECK(values(row) == floats{72, 198});
    evaluate(into(square) = square - row, into(row) = row + 1.f);
    CHECK(values(square) == floats{-56, -178, -29, -142});
    slice(view(square), range{0, 1}) = row;
    CHECK(values(square) == floats{73, 199, -29, -142});
  }
};

std::string const no_product =
    "placement: matmul of shapes [2, 3] and [2, 3]: the columns of the left side must be as many as the rows of the right. "
    "Transpose one side, or check the shapes.";
std::string const no_broadcast =
    "placement: shapes [2, 2] and [2, 3] do not broadcast. Aligned at the right, extents must be "
    "equal or 1: reshape, slice or transpose one side.";

}  // namespace

TEST_CASE("operands whose extents do not fit are errors that give the shapes") {
  tensors x;
  CHECK(error_of("MatMul", [&] { x.square = matmul(x.wide, x.wide); }) == no_product);
  CHECK(error_message([&] {
          x.square = relu(matmul(x.wide, x.high) + x.wide);
        }).starts_with(no_broadcast));
  CHECK(
      error_of("Sum", [&] { x.row = sqrt(sum(x.wide * x.wide, 2)); }) ==
      "placement: there is no axis 2 in a tensor of rank 2. Axes are 0 to rank - 1, or -1 for the last.");
  CHECK(error_of("MatMul", [&] {
          evaluate(into(x.square) = matmul(x.wide, x.high) + 1.f,
                   into(x.wide) = matmul(x.wide, x.wide));
        }) == no_product);
  CHECK(error_message([&] { slice(view(x.square), everything, range{0, 1}) = x.wide; })
            .starts_with("placement: a value of shape [2, 3] cannot be written to a view of shape "
                         "[2, 1]. Its extents must be those of the view, or 1."));
  x.check();
}

TEST_CASE("products and epilogues without elements have none, and a depth of 0 gives zeros") {
  tensors x;
  matrix<float> const no_rows = zeros<float>(shape(0, 3)), no_columns = zeros<float>(shape(2, 0)),
                      no_depth = zeros<float>(shape(0, 2));
  matrix<float> const empty = relu(matmul(no_rows, x.high) + x.row);
  CHECK(empty.shape() == shape(0, 2));
  matrix<float> const zero = matmul(no_columns, no_depth);
  CHECK(values(zero) == floats{0, 0, 0, 0});
  matrix<float> const rows = matmul(no_columns, no_depth) + x.row;
  CHECK(values(rows) == floats{3, 4, 3, 4});
  matrix<float> first = no_rows, second = no_rows;
  evaluate(into(first) = no_rows + 1.f, into(second) = no_rows * 2.f);
  CHECK(first.size() + second.size() == 0);
  slice(view(first), range{0, 0}) = 1.f;
  x.check();
}

TEST_CASE(
    "a reduction of no elements without an identity is an error, alone and with an epilogue") {
  tensors x;
  matrix<float> const none = zeros<float>(shape(2, 0));
  std::string const text =
      "placement: Max over no elements of a tensor of shape [2, 0] has no result. Check that what "
      "is reduced is not empty.";
  CHECK(error_of("Max", [&] { x.row = max(none, 1); }) == text);
  CHECK(error_of("Max", [&] { x.row = max(none, 1) + 1.f; }) == text);
  CHECK(error_of("Max", [&] {
          evaluate(into(x.row) = x.row + max(none), into(x.square) = x.square + 1.f);
        }) == text);
  x.check();
}

TEST_CASE("a missing device is an error of hard placement for each kind of kernel") {
  tensors x;
  std::vector<std::string> messages;
  {
    with_device const scope("/gpu:7", hard_placement{});
    auto const message = [&](auto const& f) {
      messages.push_back(error_message<placement_error>(f));
    };
    message([&] { x.square = relu(matmul(x.wide, x.high) + x.row); });
    message([&] { x.row = sqrt(sum(x.wide, 1)); });
    message([&] { evaluate(into(x.square) = x.square + 1.f, into(x.row) = x.row + 1.f); });
    message([&] { evaluate(into(x.square) = x.square + 1.f, into(x.wide) = x.wide * 2.f); });
    message([&] { slice(view(x.square), range{0, 1}) = x.row + 1.f; });
  }
  for (std::string const& text : messages) {
    INFO(text);
    CHECK(text.find("Could not satisfy explicit device specification '/gpu:7'") != text.npos);
    CHECK(text.find("available: /CPU:0") != text.npos);
  }
  x.check();
}

TEST_CASE("soft placement computes them elsewhere, and logs it", "[full]") {
  tensors x;
  log_lines lines;
  {
    with_device const scope("/gpu:7");
    x.check();
  }
  CHECK(lines.take_all().size() >= 4);
}

TEST_CASE("a GPU without memory for a result or an operand leaves the tensors as they were",
          "[full]") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  tensors x;
  matrix<float> const large = on(cpu0, zeros<float>(shape(1500, 1500)));  // 9 MB
  matrix<float> kept = iota(shape(2, 2), 0.f);
  with_device const scope("/gpu:0");
  auto const is_full = [&](auto const& f) {
    CHECK(error_message<out_of_memory>(f).find("out of memory on /GPU:0") != std::string::npos);
    CHECK(values(kept) == floats{0, 1, 2, 3});
  };
  is_full([&] { kept = relu(matmul(large, large) + 1.f); });
  is_full([&] { kept = zeros<float>(shape(1500, 1500)) + 1.f; });
  is_full([&] { static_cast<void>(item(sum(large))); });
  is_full([&] { evaluate(into(kept) = large + 1.f, into(x.wide) = large * 2.f); });
  is_full([&] { view(kept) = slice(large, range{0, 1500, 1499}, range{0, 2}); });
  x.check();
}
