// gpus: 2 4
// A kernel copies of an operand on another device only the bytes that it reads through its views:
// their number, the values, the plan and the log.
#include <support/gpus.hpp>
#include <support/log_lines.hpp>

#include <placement/expr/array2string.hpp>
#include <placement/ops/add_n.hpp>
#include <placement/ops/arange.hpp>
#include <placement/ops/diagonal.hpp>
#include <placement/ops/diff.hpp>
#include <placement/ops/permute.hpp>
#include <placement/ops/reverse.hpp>
#include <placement/ops/split.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace placement;

namespace {

using matrix_t = tensor<float, dextents<2>>;
device const there{kind::gpu, 1};

/// Rows of 4 floats: 0 1 2 3, 4 5 6 7, ... on a device.
matrix_t rows_on(std::string const& name, index_t n) {
  matrix_t const all = on("/cpu:0", reshape(arange(static_cast<float>(4 * n)), shape(n, 4)));
  return on(name, all);
}

struct made_copies {
  std::size_t copies, bytes;
  bool operator==(made_copies const&) const = default;
};
/// Evaluates e in /gpu:1. Checks that its copies are those of its plan, and that its values are
/// those of the CPU.
template <class E> made_copies copies_of(E const& e) {
  with_device const scope("/gpu:1");
  auto const planned = plan_of(on("/gpu:1", e));
  copy_count const before = all_copies();
  tensor const y = on("/gpu:1", e);
  copy_count const after = all_copies();
  CHECK(y.where() == there);
  made_copies const made{after.copies - before.copies, after.bytes - before.bytes};
  CHECK(made_copies{planned.copies(), planned.bytes_moved()} == made);
  tensor const expected = on("/cpu:0", e);
  CHECK(to_string(y) == to_string(expected));
  return made;
}

}  // namespace

TEST_CASE("rows of a tensor on another device are copied, and no other bytes") {
  for (std::string const source : {"/cpu:0", "/gpu:0"}) {
    matrix_t const t = rows_on(source, 100);
    CHECK(copies_of(slice(t, range{10, 13}) * 2.f) == made_copies{1, 48});
    CHECK(copies_of(slice(t, range{0, 1})) == made_copies{1, 16});
    CHECK(copies_of(slice(t, range{-2, range::open}) + 1.f) == made_copies{1, 32});
    CHECK(copies_of(slice(t, range{90, 1000}) + 1.f) == made_copies{1, 160});
    CHECK(copies_of(relu(t[7])) == made_copies{1, 16});
    CHECK(copies_of(relu(slice(t, 99, 3))) == made_copies{1, 4});
    CHECK(copies_of(slice(t, 5, range{1, 3}) + 1.f) == made_copies{1, 8});
    CHECK(copies_of(t * 2.f) == made_copies{1, 1600});
  }
}

TEST_CASE("an empty part is not copied") {
  matrix_t const t = rows_on("/cpu:0", 10);
  CHECK(copies_of(slice(t, range{4, 4}) * 2.f) == made_copies{0, 0});
  CHECK(copies_of(slice(t, range{6, 2}, range{1, 3})) == made_copies{0, 0});
  CHECK(copies_of(sum(slice(t, range{4, 4}))) == made_copies{0, 0});
  matrix_t const none = on("/cpu:0", zeros<float>(shape(0, 4)));
  CHECK(copies_of(slice(none, range{0, 4}) + 1.f) == made_copies{0, 0});
  matrix_t const w = on("/gpu:1", ones<float>(shape(4, 3)));
  CHECK(copies_of(matmul(slice(t, range{4, 4}), w)).copies == 0);
}

TEST_CASE("views of views are copied from the first to the last element that is read") {
  matrix_t const t = rows_on("/cpu:0", 50);
  auto const part = slice(t, range{10, 30});
  CHECK(copies_of(slice(part, range{2, 4}) + 0.f) == made_copies{1, 32});
  CHECK(copies_of(slice(slice(part, range{2, 4}), 1) + 0.f) == made_copies{1, 16});
  CHECK(copies_of(transpose(slice(part, range{2, 4})) + 0.f) == made_copies{1, 32});
  CHECK(copies_of(reverse(slice(part, range{0, 2}), axis<0>) + 0.f) == made_copies{1, 32});
  CHECK(copies_of(slice(t, range{9, 4, -1}) + 0.f) == made_copies{1, 80});
  CHECK(copies_of(slice(reshape(t, shape(25, 8)), range{3, 5}) + 0.f) == made_copies{1, 64});
  CHECK(copies_of(reshape(slice(t, range{3, 5}), shape(8)) + 0.f) == made_copies{1, 32});
  CHECK(copies_of(slice(reshape(slice(t, range{3, 5}), shape(8)), range{0, 2}) + 0.f) ==
        made_copies{1, 32});
  CHECK(copies_of(slice(t, range{.step = 25}) + 0.f) == made_copies{1, 26 * 16});
  CHECK(copies_of(slice(t, range{0, 2}, range{1, 3}) + 0.f) == made_copies{1, 6 * 4});
  CHECK(copies_of(diagonal(slice(t, range{20, 24})) + 0.f) == made_copies{1, 64});
  CHECK(copies_of(split<5>(t)[0] + 0.f) == made_copies{1, 160});
}

TEST_CASE("a view above an expression is copied from each operand") {
  matrix_t const a = rows_on("/cpu:0", 20), b = rows_on("/gpu:0", 20);
  tensor<float, dextents<1>> const row = on("/cpu:0", arange(4.f));
  CHECK(copies_of(slice(a + b, range{3, 5})) == made_copies{2, 64});
  CHECK(copies_of(slice(a + row, range{3, 5})) == made_copies{2, 32 + 16});
  CHECK(copies_of(slice(exp(a[3]) + b, range{3, 5})) == made_copies{2, 16 + 32});
  CHECK(copies_of(a[0] + on("/gpu:1", b)) == made_copies{2, 16 + 320});
}

TEST_CASE("reductions, products and epilogues copy the rows that they read") {
  matrix_t const t = rows_on("/cpu:0", 40);
  matrix_t const w = on("/gpu:1", ones<float>(shape(4, 3)));
  tensor<float, dextents<1>> const bias = on("/cpu:0", arange(30.f));
  CHECK(copies_of(sum(slice(t, range{8, 12}), axis<0>)) == made_copies{1, 64});
  CHECK(copies_of(sum(slice(t, range{8, 12}))) == made_copies{1, 64});
  CHECK(copies_of(matmul(slice(t, range{8, 12}), w)) == made_copies{1, 64});
  CHECK(copies_of(matmul(transpose(slice(t, range{8, 11})), slice(t, range{0, 3}))) ==
        made_copies{2, 96});
  CHECK(copies_of(relu(matmul(slice(t, range{8, 12}), w) + slice(bias, range{10, 13}))) ==
        made_copies{2, 64 + 12});
  CHECK(copies_of(slice(matmul(slice(t, range{8, 12}), w), range{1, 2}) + 0.f) ==
        made_copies{1, 64});
  CHECK(copies_of(softmax(slice(t, range{8, 12}))) == made_copies{1, 64});
}

TEST_CASE("a batch of products copies the matrices that it reads") {
  tensor<float, dextents<3>> const t = on("/cpu:0", reshape(arange(60.f), shape(5, 4, 3)));
  matrix_t const w = on("/gpu:1", ones<float>(shape(3, 2)));
  CHECK(copies_of(matmul(slice(t, range{1, 3}), w)) == made_copies{1, 2 * 48});
  CHECK(copies_of(matmul(slice(t, range{1, 3}), permute(slice(t, range{4, 5}), 0, 2, 1))) ==
        made_copies{2, 3 * 48});
}

TEST_CASE("parts of one tensor are copied together where they touch") {
  matrix_t const t = rows_on("/cpu:0", 20);
  auto const rows = [&](index_t first, index_t last) { return slice(t, range{first, last}); };
  CHECK(copies_of(rows(1, 2) + rows(5, 6)) == made_copies{2, 32});
  CHECK(copies_of(rows(5, 6) + rows(1, 2)) == made_copies{2, 32});
  CHECK(copies_of(rows(2, 4) + rows(4, 6)) == made_copies{1, 64});
  CHECK(copies_of(rows(4, 6) + rows(2, 4)) == made_copies{1, 64});
  CHECK(copies_of(rows(2, 4) + rows(2, 4)) == made_copies{1, 32});
  CHECK(copies_of(rows(0, 19) - rows(1, 20)) == made_copies{1, 320});
  CHECK(copies_of(diff(t, 0)) == made_copies{1, 320});
  CHECK(copies_of(rows(2, 3) + t) == made_copies{1, 320});
  CHECK(copies_of(rows(8, 9) + rows(0, 1) + rows(9, 10) + rows(1, 2)) == made_copies{2, 64});
  CHECK(copies_of(rows(0, 2) + rows(4, 6) + rows(2, 4)) == made_copies{1, 96});
  CHECK(copies_of(slice(t, everything, range{0, 2}) + slice(t, everything, range{2, 4})) ==
        made_copies{1, 320});
}

TEST_CASE("statements that read other rows copy those rows") {
  matrix_t t = rows_on("/cpu:0", 20);
  std::size_t bytes = copies_between(cpu0, there).bytes;
  with_device const scope("/gpu:1");
  for (index_t i = 0; i != 5; ++i) {
    matrix_t const y = slice(t, range{4 * i, 4 * i + 4}) + 1.f;
    CHECK(y.where() == there);
    std::vector<float> const values = to_vector(y);
    CHECK(values.front() == static_cast<float>(16 * i + 1));
    CHECK(values.back() == static_cast<float>(16 * i + 16));
    bytes += 64;
    CHECK(copies_between(cpu0, there).bytes == bytes);
  }
  {
    with_device const cpu("/cpu:0");
    slice(view(t), range{0, 1}) = 7.f;
  }
  tensor const y = slice(view(t), range{0, 1}) * 1.f;
  CHECK(to_string(y) == "[[7 7 7 7]]");
  CHECK(copies_between(cpu0, there).bytes == bytes + 16);
}

TEST_CASE("a GPU's rows come to the CPU") {
  matrix_t const t = rows_on("/gpu:1", 20);
  with_device const scope("/cpu:0");
  std::size_t const bytes = copies_between(there, cpu0).bytes;
  tensor const y = slice(t, range{2, 4}) * 2.f;
  CHECK(y.where() == cpu0);
  CHECK(to_string(y) == "[[16 18 20 22]\n [24 26 28 30]]");
  CHECK(copies_between(there, cpu0).bytes == bytes + 32);
}

TEST_CASE("rows of the result of a kernel on another device are copied") {
  matrix_t const t = rows_on("/gpu:0", 20);
  CHECK(copies_of(slice(on("/gpu:0", t * 2.f), range{2, 4}) + 1.f) == made_copies{1, 32});
  CHECK(copies_of(slice(on("/gpu:0", t), range{2, 4}) + slice(t, range{2, 4})) ==
        made_copies{1, 32});
}

TEST_CASE("static extents: the plan of the type, and the copies") {
  using static_rows = tensor<float, extents<128, 4>, dev<kind::cpu, 0>>;
  static_rows const t = reshape<128, 4>(rows_on("/cpu:0", 128));
  CHECK(copies_of(t[2] * 2.f) == made_copies{1, 16});
  CHECK(copies_of(slice(t, range{1, 3}) * 2.f) == made_copies{1, 32});
  CHECK(copies_of(transpose(t) * 2.f) == made_copies{1, 2048});

  machine const two{.gpus = 2};
  constexpr dev<kind::gpu, 1> gpu{};
  auto const row = on(gpu, t[2] * 2.f);
  auto const cell = on(gpu, slice(t, 2, 3) * 2.f);
  auto const column = on(gpu, slice(t, everything, 1) * 2.f);
  auto const turned = on(gpu, transpose(t) * 2.f);
  auto const turned_sum = on(gpu, transpose(t + t));
  auto const part = on(gpu, slice(t, range{1, 3}) * 2.f);
  auto const half = on(gpu, split<2>(t)[1] * 2.f);
  CHECK(plan_of<decltype(row)>(two).bytes_moved() == 16);
  CHECK(plan_of<decltype(cell)>(two).bytes_moved() == 4);
  CHECK(plan_of<decltype(column)>(two).bytes_moved() == 509 * 4);
  CHECK(plan_of<decltype(turned)>(two).bytes_moved() == 2048);
  CHECK(plan_of<decltype(turned_sum)>(two).bytes_moved() == 2 * 2048);
  CHECK(plan_of<decltype(half)>(two).bytes_moved() == 1024);
  CHECK(plan_of<decltype(part)>(two).copies() == 1);
  CHECK_THROWS_AS(plan_of<decltype(part)>(two).bytes_moved(), invalid_argument);
  CHECK(plan_of(row).bytes_moved() == 16);
  CHECK(plan_of(column).bytes_moved() == 509 * 4);
  CHECK(plan_of(half).bytes_moved() == 1024);
  CHECK(plan_of(part).bytes_moved() == 32);
}

TEST_CASE("towers read their rows of a batch on the CPU") {
  int const towers = gpus_of_test();
  matrix_t const batch = rows_on("/cpu:0", 8 * towers);
  std::vector<float> sums;
  for (int i = 0; i != towers; ++i) {
    with_device const scope("/gpu:" + std::to_string(i));
    device const tower{kind::gpu, i};
    std::size_t const before = copies_between(cpu0, tower).bytes;
    index_t const first = 8 * i;
    tensor const total = sum(slice(batch, range{first, first + 8}));
    CHECK(copies_between(cpu0, tower).bytes == before + 8 * 16);
    sums.push_back(item(total));
  }
  for (int i = 0; i != towers; ++i)
    CHECK(sums[static_cast<std::size_t>(i)] == static_cast<float>(32 * i) * 32.f + 31.f * 16.f);
}

TEST_CASE("the log, the explanation and the budget count the part") {
  matrix_t const t = rows_on("/cpu:0", 1000);
  with_device const scope("/gpu:1", at_most<copies, 1>{});
  CHECK(explain(slice(t, range{0, 3}) * 2.f).find(" 48 B ") != std::string::npos);
  log_lines log;
  set_log_level(log_level::copies);
  tensor const y = slice(t, range{0, 3}) * 2.f;
  auto const lines = log.take_all();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("placement: copy of 48 B from /CPU:0 to /GPU:1 for Mul at "));
  CHECK_THROWS_AS(tensor(slice(t, range{0, 1}) + slice(t, range{5, 6})), placement_error);
}
