// += and the other compound assignments, and the allocations of fused expressions: none.
#include <placement/expr/evaluate.hpp>
#include <placement/expr/typed_tensor.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/cast.hpp>
#include <placement/ops/clamp.hpp>
#include <placement/ops/compare.hpp>
#include <placement/ops/diagonal.hpp>
#include <placement/ops/divide.hpp>
#include <placement/ops/exp.hpp>
#include <placement/ops/iota.hpp>
#include <placement/ops/modulo.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/negative.hpp>
#include <placement/ops/ones.hpp>
#include <placement/ops/reverse.hpp>
#include <placement/ops/sigmoid.hpp>
#include <placement/ops/slice.hpp>
#include <placement/ops/subtract.hpp>
#include <placement/ops/transpose.hpp>
#include <placement/ops/where.hpp>
#include <support/counted_new.hpp>
#include <support/elementwise.hpp>
#include <support/heap_count.hpp>
#include <support/log_lines.hpp>

using namespace placement;

TEST_CASE("a tensor is updated by + - * / % with a tensor, an expression or a number") {
  each<types_of_run<numbers, types<std::int8_t, float>>>([]<class T>() {
    INFO(element_name<T>());
    on_each_device([](device d) {
      tensor<T, dextents<1>> x{1, 2, 3};
      tensor<T, dextents<1>> const y{3, 2, 1};
      x += y;
      CHECK(differences(x, {T(4), T(4), T(4)}) == no_differences);
      x *= x - y;
      CHECK(differences(x, {T(4), T(8), T(12)}) == no_differences);
      x -= 2;
      CHECK(differences(x, {T(2), T(6), T(10)}) == no_differences);
      x /= 2;
      CHECK(differences(x, {T(1), T(3), T(5)}) == no_differences);
      x %= y;
      CHECK(differences(x, {T(1), T(1), T(0)}) == no_differences);
      CHECK(x.where() == d);
    });
  });
}

TEST_CASE("a view is updated: only its elements change") {
  on_each_device([](device) {
    tensor<int, dextents<2>> x = iota(shape(3, 3), 1);
    slice(view(x), range{}, range{0, 1}) += 10;
    CHECK(differences(x, {11, 2, 3, 14, 5, 6, 17, 8, 9}) == no_differences);
    diagonal(view(x)) *= tensor{2, 3, 4};
    CHECK(differences(x, {22, 2, 3, 14, 15, 6, 17, 8, 36}) == no_differences);
    transpose(view(x)) -= transpose(x);
    CHECK(differences(x, std::vector<int>(9, 0)) == no_differences);
    view(x) += 7;
    view(x) %= 4;
    slice(view(x), range{0, 1}) /= 3;
    CHECK(differences(x, {1, 1, 1, 3, 3, 3, 3, 3, 3}) == no_differences);
  });
}

TEST_CASE("an update reads all of its right side before it writes") {
  on_each_device([](device) {
    tensor<int, dextents<1>> x = iota(5, 0);
    x += reverse(x, 0);
    CHECK(differences(x, {4, 4, 4, 4, 4}) == no_differences);
    tensor<int, dextents<1>> y = iota(5, 0);
    slice(view(y), range{1, 5}) += slice(y, range{0, 4});
    CHECK(differences(y, {0, 1, 3, 5, 7}) == no_differences);
  });
}

TEST_CASE("an update returns the tensor or view that it wrote to") {
  tensor x{1, 2};
  CHECK(&(x += 1) == &x);
  auto first = slice(view(x), range{0, 1});
  (first += 1) += 1;
  CHECK(differences(x, {4, 3}) == no_differences);
}

TEST_CASE("an update does not change tensors that shared the elements") {
  tensor x{1, 2};
  tensor const copy = x;
  x += 1;
  CHECK(differences(x, {2, 3}) == no_differences);
  CHECK(differences(copy, {1, 2}) == no_differences);
}

TEST_CASE("an update that fails leaves the tensor unchanged") {
  tensor x{1, 2};
  tensor const y{1, 2, 3};
  CHECK(
      error_message<shape_error>([&] { x += y; }) ==
      "placement: shapes [2] and [3] do not broadcast. Aligned at the right, extents must be equal or 1: reshape, "
      "slice or transpose one side. In Add.");
  CHECK(differences(x, {1, 2}) == no_differences);
}

TEST_CASE("only named tensors and views can be updated") {
  using vector = tensor<int, dextents<1>>;
  STATIC_CHECK(updatable<vector&>);
  STATIC_CHECK(updatable<reference<int, dextents<1>>>);
  STATIC_CHECK(updatable<decltype(slice(view(std::declval<vector&>()), range{}))>);
  STATIC_CHECK(!updatable<vector>);
  STATIC_CHECK(!updatable<vector const&>);
  STATIC_CHECK(!updatable<decltype(std::declval<vector&>() + 1)>);
  STATIC_CHECK(!updatable<decltype(slice(std::declval<vector&>(), range{}))>);
}

TEST_CASE("an update of an unshared tensor is in place, and allocates nothing") {
  on_each_device([](device) {
    tensor<float, dextents<1>> x = iota(1000, 0.f);
    tensor<float, dextents<1>> const y = iota(1000, 1.f);
    float const* const before = std::as_const(x).data();
    CHECK(heap_allocations([&] {
            x += y;
            x *= 2;
            x -= x / y;
          }) == 0);
    CHECK(std::as_const(x).data() == before);
    CHECK(same(x.read()(3), 14.f - 14.f / 4.f));
  });
}

TEST_CASE("an update of a view by a number allocates nothing on a CPU") {
  with_device const scope(cpu<0>);
  tensor<float, dextents<2>> x = iota(shape(30, 40), 0.f);
  CHECK(heap_allocations([&] { slice(view(x), range{3, 9}) += 1.f; }) == 0);
}

TEST_CASE(
    "a fused expression assigned to a tensor of its shape is one pass without an allocation") {
  on_each_device([](device) {
    tensor<float, dextents<2>> const x = iota(shape(30, 40), -600.f), y = iota(shape(30, 40), 1.f);
    tensor<float, dextents<2>> out = x;
    out = x + y;
    CHECK(heap_allocations([&] {
            out = sigmoid(x * 0.01f) + exp(-y) / clamp(y, 1.f, 9.f) - where(x < y, x, 2.f);
          }) == 0);
    auto const h = out.read();
    bool right = true;
    for (std::size_t i = 0; i != h.size(); ++i) {
      float const a = x.read()[i], b = y.read()[i];
      float const s = 1 / (1 + std::exp(-a * 0.01f));
      float const expected = s + std::exp(-b) / (b < 1 ? 1 : b > 9 ? 9 : b) - (a < b ? a : 2.f);
      right = right && std::fabs(h[i] - expected) <= 1e-5f * std::fabs(expected);
    }
    CHECK(right);
  });
}

TEST_CASE("a fused expression with broadcasts, views and casts allocates nothing either") {
  on_each_device([](device) {
    tensor<float, dextents<2>> const x = iota(shape(3, 4), 0.f);
    tensor<int, dextents<1>> const row = iota(4, 1);
    tensor<float, dextents<2>> out = x + 1.f;
    CHECK(heap_allocations(
              [&] { out = reverse(x, 1) * cast<float>(row) + transpose(transpose(x)); }) == 0);
    std::vector<float> expected;
    for (int i = 0; i != 3; ++i)
      for (int j = 0; j != 4; ++j)
        expected.push_back(static_cast<float>((i * 4 + 3 - j) * (j + 1) + i * 4 + j));
    CHECK(differences(out, expected) == no_differences);
  });
}

TEST_CASE("an expression assigned to a new tensor on a CPU is one allocation") {
  with_device const scope(cpu0);
  tensor<float, dextents<1>> const x = iota(100, 0.f);
  CHECK(heap_allocations([&] { tensor const y = exp(-x) / (1.f + x); }) == 1);
}

TEST_CASE("an update does not change the shape of its target") {
  tensor x = from(std::vector<float>{1, 2}, shape(2, 1));
  tensor const y = ones<float>(shape(2, 3));
  CHECK(
      error_message<shape_error>([&] { x += y; }) ==
      "placement: an update keeps the shape [2, 1] of what it writes to, and this one would make it "
      "[2, 3]. Broadcast it first: x = broadcast_to(x, shape), or write x = x + y. In Add.");
  CHECK(x.shape() == shape(2, 1));
  CHECK(x.read()(1, 0) == 2.f);
  tensor z = y;
  z *= x;  // the right side may broadcast
  CHECK(z.read()(1, 2) == 2.f);
  x = x + y;  // a plain assignment changes the shape
  CHECK(x.shape() == shape(2, 3));
}
