// gpus: 0 1
// The fast path of repeated evaluations: its limits, and that its results match those of the full
// evaluation.
#include <support/counted_new.hpp>
#include <support/gpus.hpp>
#include <support/log_lines.hpp>
#include <support/matrices.hpp>

#include <placement/ops/array_equal.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

using namespace placement;

TEST_CASE("a repeated evaluation writes to the same memory, and allocates nothing") {
  with_device const scope(cpu<0>);
  matrix<float> const a = counted(), b = counted();
  matrix<float> out = a * b;
  float const* const first = std::as_const(out).data();
  CHECK(heap_allocations([&] {
          for (int i = 0; i != 10; ++i) out = a * b + a;
        }) == 0);
  CHECK(std::as_const(out).data() == first);
  CHECK(to_string(out) == "[[2 6 12]\n [20 30 42]]");
  CHECK(out.requested() == device_spec{cpu0});
}

TEST_CASE("an update reads and writes the same elements") {
  with_device const scope(cpu<0>);
  matrix<float> x = counted();
  float const* const first = std::as_const(x).data();
  x = x + x;
  x = x * x - x;
  x += x;
  CHECK(std::as_const(x).data() == first);
  CHECK(to_string(x) == "[[4 24 60]\n [112 180 264]]");
}

TEST_CASE("tensors that share the elements of a result keep them when it is computed again") {
  with_device const scope(cpu<0>);
  matrix<float> const a = counted();
  matrix<float> out = a + a;
  matrix<float> const kept = out;
  auto const read = out.read();
  out = a * a;
  CHECK(to_string(kept) == "[[2 4 6]\n [8 10 12]]");
  CHECK(read(1, 2) == 12);
  CHECK(to_string(out) == "[[1 4 9]\n [16 25 36]]");
}

TEST_CASE("a named expression keeps its operands, also if they are assigned to") {
  with_device const scope(cpu<0>);
  matrix<float> x = counted();
  auto const twice = x + x;
  x = twice;
  CHECK(to_string(x) == "[[2 4 6]\n [8 10 12]]");
  x = twice;
  CHECK(to_string(x) == "[[2 4 6]\n [8 10 12]]");
}

TEST_CASE("a result with equal element count but another shape takes the new shape") {
  with_device const scope(cpu<0>);
  matrix<float> out = counted() + counted();
  matrix<float> const turned = on_cpu({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  out = turned + turned;
  CHECK(out.shape() == shape(3, 2));
  CHECK(to_string(out) == "[[2 4]\n [6 8]\n [10 12]]");
  tensor<float, extents<2, 3>> fixed = counted() + counted();
  CHECK_THROWS_AS(fixed = turned + turned, shape_error);
  CHECK(fixed.read()(1, 2) == 12);
}

TEST_CASE("operands broadcast correctly also if their element count equals that of the result") {
  with_device const scope(cpu<0>);
  matrix<float> const column = on_cpu({{1.f}, {2.f}}), row = on_cpu({{10.f, 20.f}});
  matrix<float> out = column + row;
  out = column + row;
  CHECK(to_string(out) == "[[11 21]\n [12 22]]");
  out = row + row;
  CHECK(to_string(out) == "[[20 40]]");
  for (int i = 0; i != 2; ++i) out = column + row * row;
  CHECK(to_string(out) == "[[101 401]\n [102 402]]");
}

TEST_CASE("broadcast operands are read in place, and nothing is allocated") {
  with_device const scope(cpu<0>);
  matrix<float> const x = counted();
  tensor<float, dextents<1>> const bias = copy_to(cpu<0>, tensor{10.f, 20.f, 30.f});
  tensor<float, extents<>> total = sum(x + bias);
  matrix<float> out = x + bias;
  CHECK(heap_allocations([&] {
          for (int i = 0; i != 3; ++i) {
            out = x * bias + x;
            total = sum(x + bias);
          }
        }) == 0);
  CHECK(to_string(out) == "[[11 42 93]\n [44 105 186]]");
  CHECK(total.read()() == 141);

  matrix<float> wide = constant(1.f, shape(5, 1000));  // longer than a staging buffer
  tensor<float, dextents<1>> const step = iota(1000, 0.f);
  matrix<float> const column = on_cpu({{100.f}, {200.f}, {300.f}, {400.f}, {500.f}});
  wide = wide * step + column;
  auto const read = wide.read();
  for (int i = 0; i != 5; ++i)
    for (int j = 0; j != 1000; ++j) REQUIRE(read(i, j) == static_cast<float>(j + 100 * (i + 1)));
}

TEST_CASE("a product of a matrix and a vector is written to the memory of its result") {
  if (detail::buffer::large != std::size_t{1} << 20)
    SKIP("the address sanitizer wants all tensors from the heap");
  with_device const scope(cpu<0>);
  constexpr index_t n = 300'000;  // results of more than 1 MiB
  matrix<float> const tall = constant(2.f, shape(n, 3)), wide = transpose(tall);
  tensor<float, dextents<1>> const v{1.f, 2.f, 4.f};
  reset_memory_peak(cpu0);
  std::size_t const before = memory_stats_of(cpu0).peak;
  tensor<float, dextents<1>> const x = matmul(tall, slice(v, everything));
  tensor<float, dextents<1>> const y = matmul(v, wide);
  constexpr std::size_t bytes = std::size_t{n} * sizeof(float);
  CHECK(memory_stats_of(cpu0).peak >= before + 2 * bytes);
  CHECK(memory_stats_of(cpu0).peak < before + 3 * bytes);
  CHECK(x.requested() == device_spec{cpu0});
  CHECK(item(min(x)) == 14.f);
  CHECK(item(max(x)) == 14.f);
  CHECK(array_equal(x, y));
  CHECK(tensor(matmul(constant(2.f, shape(0, 3)), v)).size() == 0);
}

TEST_CASE("a product of a matrix and a vector replaces a value, and allocates nothing") {
  with_device const scope(cpu<0>);
  matrix<float> const a = counted(), square{{1.f, 2.f}, {3.f, 4.f}};
  using floats = tensor<float, dextents<1>>;
  floats const v{1.f, 2.f, 4.f};
  floats x = matmul(a, v);
  float const* const first = std::as_const(x).data();
  CHECK(heap_allocations([&] { x = matmul(a, v); }) == 0);
  CHECK(std::as_const(x).data() == first);
  CHECK(to_string(x) == "[17 38]");
  CHECK(x.requested() == device_spec{cpu0});
  floats const kept = x;
  x = matmul(square, x);
  CHECK(to_string(x) == "[93 203]");
  x = matmul(x, square);
  CHECK(to_string(x) == "[702 998]");
  CHECK(to_string(kept) == "[17 38]");
  CHECK_THROWS_AS(x = matmul(a, x), shape_error);
  CHECK(to_string(x) == "[702 998]");
  x = matmul(v, transpose(a));  // a factor in another order
  CHECK(to_string(x) == "[17 38]");
  x = matmul(v * 1.f, matrix<float>(transpose(a)));
  CHECK(to_string(x) == "[17 38]");
  x = matmul(matrix<float>(transpose(a)), kept);  // another shape
  CHECK(to_string(x) == "[169 224 279]");
  float memory[] = {0, 0};
  floats out = borrow(memory, shape(2));
  out = matmul(a, v);
  CHECK(memory[1] == 38);
  CHECK_THROWS_AS(out = matmul(kept, a), shape_error);  // three elements
  CHECK(memory[1] == 38);
}

TEST_CASE("a product reads parts of matrices in place if they are dense, and allocates nothing") {
  with_device const scope(cpu<0>);
  using floats = tensor<float, dextents<1>>;
  matrix<float> const m{{3, 1, 4}, {1, 5, 9}, {2, 6, 5}, {3, 5, 8}},
      w{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  floats const row = m[2] * 1.f;
  floats x = matmul(w, row);
  floats const of_row = x;
  x = matmul(w, row);
  CHECK(heap_allocations([&] { x = matmul(w, m[2]); }) == 0);
  CHECK(array_equal(x, of_row));
  matrix<float> const rows = slice(m, range{1, 3}) * 1.f;
  matrix<float> y = matmul(rows, w);
  CHECK(heap_allocations([&] { y = matmul(slice(m, range{1, 3}), w); }) == 0);
  CHECK(array_equal(y, matmul(rows, w)));
  matrix<float> const column = slice(m, everything, range{1, 2}) * 1.f;
  // others are not dense: columns, steps, rows in another order
  CHECK(array_equal(matmul(w, slice(m, range{0, 3}, range{1, 2})),
                    matmul(w, slice(column, range{0, 3}))));
  CHECK(array_equal(matmul(slice(m, range{0, 4, 2}), w),
                    matmul(matrix<float>(slice(m, range{0, 4, 2}) * 1.f), w)));
  CHECK(array_equal(matmul(slice(m, range{3, 0, -1}), w),
                    matmul(matrix<float>(slice(m, range{3, 0, -1}) * 1.f), w)));
  CHECK(array_equal(matmul(w, slice(m, 3, range{2, range::open, -1})),
                    matmul(w, floats(slice(m, 3, range{2, range::open, -1}) * 1.f))));
  // a result that is part of its own operand
  matrix<float> z = m;
  z = matmul(slice(z, range{1, 3}), w);
  CHECK(array_equal(z, matmul(rows, w)));
  CHECK_THROWS_AS(x = matmul(w, m[4]), shape_error);
}

TEST_CASE("an update with a broadcast operand reads and writes the same elements") {
  with_device const scope(cpu<0>);
  matrix<float> x = counted();
  matrix<float> const row = on_cpu({{10.f, 20.f, 30.f}}), column = on_cpu({{1.f}, {2.f}});
  float const* const first = std::as_const(x).data();
  x = x + row;
  x = relu(x * column - x);
  CHECK(std::as_const(x).data() == first);
  CHECK(to_string(x) == "[[0 0 0]\n [14 25 36]]");
  matrix<float> shared = row;
  shared = shared * column;  // `shared` becomes larger, and `row` still has the elements
  CHECK(to_string(shared) == "[[10 20 30]\n [20 40 60]]");
  CHECK(to_string(row) == "[[10 20 30]]");
}

TEST_CASE("a result whose element count overflows is an error and leaves the target unchanged") {
  with_device const scope(cpu<0>);
  constexpr index_t many = index_t{1} << 21;  // 2 many * many * many is 2^64
  using cube = tensor<std::int8_t, dextents<3>>;
  auto const ones = [](auto const& s) { return cube(constant(std::int8_t{1}, s)); };
  cube const a = ones(shape(2 * many, 1, 1)), b = ones(shape(1, many, 1)),
             c = ones(shape(1, 1, many));
  cube out = ones(shape(1, 1, 2));
  CHECK_THROWS_AS(out = a + b + c, shape_error);
  CHECK_THROWS_AS(cube(a + b + c), shape_error);
  CHECK_THROWS_AS(item(max(a + b + c)), shape_error);
  CHECK_THROWS_AS(evaluate(max(a + b + c, axis<1>)), shape_error);
  CHECK(to_string(out) == "[[[1 1]]]");

  // 2^62 bytes as int8, too many as double
  cube const fewer = ones(shape(1, many / 2, 1));
  CHECK_THROWS_AS(tensor(cast<double>(a + fewer + ones(shape(1, 1, many / 2)))), shape_error);
}

TEST_CASE("a moved-from operand is an error, and the result is unchanged") {
  with_device const scope(cpu<0>);
  tensor<float, extents<2, 2>> a = on_cpu({{1.f, 2.f}, {3.f, 4.f}}), out = a + a;
  auto const gone = std::move(a);
  CHECK_THROWS_AS(out = a * 2.f, shape_error);
  CHECK(to_string(out) == "[[2 4]\n [6 8]]");
}

TEST_CASE("a result in borrowed memory is written to that memory") {
  with_device const scope(cpu<0>);
  float memory[] = {0, 0, 0, 0, 0, 0};
  auto out = borrow(memory, shape(2, 3));
  for (int i = 0; i != 2; ++i) out = counted() + counted();
  CHECK(memory[5] == 12);
  CHECK_THROWS_AS(out = on_cpu({{1.f}}) + 1.f, shape_error);
  CHECK(memory[5] == 12);
  matrix<float> const a = counted(), kept = out;
  CHECK(heap_allocations([&] { out = a * 2.f + a; }) == 0);
  CHECK(heap_allocations([&] { out = out - a; }) == 0);
  CHECK(memory[5] == 12);
  CHECK(to_string(kept) == "[[2 4 6]\n [8 10 12]]");  // a handle of the same memory
  CHECK_THROWS_AS(out = reshape(a, shape(3, 2)) * 1.f, shape_error);
  CHECK(out.shape() == shape(2, 3));
}

TEST_CASE("operands in borrowed memory are read in place, and nothing is allocated") {
  with_device const scope(cpu<0>);
  float memory[] = {1, 2, 3, 4, 5, 6};
  matrix<float> const a = borrow(memory, shape(2, 3));
  matrix<float> out = a * 1.f;
  CHECK(heap_allocations([&] { out = a * a + 1.f; }) == 0);
  CHECK(to_string(out) == "[[2 5 10]\n [17 26 37]]");
  tensor<float, extents<>> total = sum(a);
  CHECK(heap_allocations([&] { total = sum(a * a); }) == 0);
  CHECK(total.read()() == 91);
}

TEST_CASE("an operand in borrowed memory that overlaps the result is read before it is written") {
  with_device const scope(cpu<0>);
  using floats = tensor<float, dextents<1>>;
  floats out{1.f, 2.f, 3.f, 4.f, 5.f, 6.f};
  float* const memory = out.data();
  floats const behind = borrow(memory + 1, shape(5)), before = borrow(memory, shape(5)),
               whole = borrow(memory, shape(6));
  tensor<float, extents<>> const first = borrow(memory, shape());
  auto target = borrow(memory, shape(5));
  target = behind * 1.f;
  CHECK(to_string(out) == "[2 3 4 5 6 6]");
  auto shifted = borrow(memory + 1, shape(5));
  shifted = before * 1.f;
  CHECK(to_string(out) == "[2 2 3 4 5 6]");
  out = whole + out;
  CHECK(to_string(out) == "[4 4 6 8 10 12]");
  float const* const same = std::as_const(out).data();
  auto all = borrow(out.data(), shape(6));
  all = all - first;
  CHECK(std::as_const(out).data() == same);
  CHECK(all.read()(5) == all.read()(0) + 8);
}

TEST_CASE("a product of borrowed matrices is written to borrowed memory") {
  with_device const scope(cpu<0>);
  float memory[] = {1, 2, 3, 4}, result[] = {0, 0, 0, 0};
  matrix<float> const a = borrow(memory, shape(2, 2));
  matrix<float> out = borrow(result, shape(2, 2));
  CHECK(heap_allocations([&] { out = matmul(a, a); }) == 0);
  CHECK(to_string(a) == "[[1 2]\n [3 4]]");
  CHECK(result[3] == 22);
  matrix<float> in_place = borrow(memory, shape(2, 2));
  in_place = matmul(a, out);  // reads what it overwrites
  CHECK(to_string(a) == "[[37 54]\n [81 118]]");
  CHECK_THROWS_AS(out = matmul(slice(a, range{0, 1}), a), shape_error);
  CHECK(result[3] == 22);
}

TEST_CASE("full reductions of their own target, and into a scalar that is shared, are correct") {
  with_device const scope(cpu<0>);
  tensor<float, extents<>> total = sum(counted());
  auto const kept = total;
  total = sum(counted() * 2.f);
  CHECK(kept.read()() == 21);
  CHECK(total.read()() == 42);
  total = max(total);
  CHECK(total.read()() == 42);
  tensor const squares = sum(counted() * counted());
  CHECK(squares.read()() == 91);
}

TEST_CASE("the root of a total is computed on the fast path, also in place of its operand") {
  with_device const scope(cpu<0>);
  matrix<float> const a = counted();
  tensor<float, extents<>> root = sqrt(sum(square(a)));
  CHECK(root.read()() == std::sqrt(91.f));
  float const* const first = std::as_const(root).data();
  CHECK(heap_allocations([&] {
          for (int i = 0; i != 10; ++i) root = sqrt(sum(square(a)));
        }) == 0);
  CHECK(std::as_const(root).data() == first);
  root = sqrt(sum(square(root)));
  CHECK(root.read()() == std::sqrt(91.f) * 1.f);
  auto const kept = root;
  root = sqrt(mean(a));
  CHECK(kept.read()() == std::sqrt(91.f));
  CHECK(root.read()() == std::sqrt(3.5f));
  CHECK(item(sqrt(max(a))) == std::sqrt(6.f));
  CHECK(item(sqrt(sum(a * a))) == std::sqrt(91.f));
  log_lines log;
  {
    with_device const logged(cpu<0>, log_placement{true});
    root = sqrt(sum(square(a)));
  }
  CHECK_FALSE(log.take_all().empty());
  CHECK(root.read()() == std::sqrt(91.f));
}

TEST_CASE("reductions of no element and of one element are correct") {
  with_device const scope(cpu<0>);
  tensor<float, dextents<1>> const none = constant(1.f, shape(0)), one = constant(3.f, shape(1));
  tensor<float, extents<>> total = sum(one);
  total = sum(none);
  CHECK(total.read()() == 0);
  total = mean(one);
  CHECK(total.read()() == 3);
}

TEST_CASE("each evaluation is logged if the log is on") {
  with_device const scope(cpu<0>);
  matrix<float> const a = counted();
  matrix<float> out = a + a;
  log_lines log;
  out = a + a;
  CHECK(log.take_all().empty());
  {
    with_device const logged(cpu<0>, log_placement{true});
    for (int i = 0; i != 3; ++i) out = a + a;
  }
  CHECK(log.take_all().size() == 3);
}

TEST_CASE("hard placement checks the requests of operands on the fast path too") {
  matrix<float> const a = counted();
  matrix<float> out = on(cpu<0>, a + a);
  auto const of_another_gpu = [&] {
    with_device const scope(gpu<7>);
    return a * a;
  }();
  with_device const scope(cpu<0>, hard_placement{});
  CHECK_THROWS_AS(out = of_another_gpu + a, placement_error);
  CHECK_THROWS_AS(out = of_another_gpu, placement_error);
  CHECK(out.read()(0, 0) == 2);
}

TEST_CASE("an expression without a request runs on the default device when repeated too") {
  matrix<float> const a = counted();
  matrix<float> out = on(cpu<0>, a + a);
  out = a + a;
  CHECK(out.where() == (gpus_of_test() > 0 ? gpu0 : cpu0));
  CHECK(to_string(out) == "[[2 4 6]\n [8 10 12]]");
  out = on(cpu<0>, out + out);
  CHECK(out.where() == cpu0);
  CHECK(to_string(out) == "[[4 8 12]\n [16 20 24]]");
}

TEST_CASE("operands on other devices are copied, and counted") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  matrix<float> const a = counted(), b = copy_to(gpu<0>, a);
  matrix<float> out = on(cpu<0>, a + a);
  with_device const scope(cpu<0>);
  CHECK_THROWS_AS(out = evaluate(a + b, no_copies), placement_error);
  CHECK(out.read()(1, 2) == 12);
  out = a * b;
  CHECK(out.where() == cpu0);
  CHECK(out.read()(1, 2) == 36);
}

TEST_CASE("a result of another element type is correct") {
  with_device const scope(cpu<0>);
  matrix<float> const a = counted();
  tensor<bool, dextents<2>> out = a > 3.f;
  out = a < 3.f;
  CHECK(out.read()(0, 1));
  CHECK_FALSE(out.read()(0, 2));
  tensor<double, dextents<2>> wide = cast<double>(a);
  wide = cast<double>(a * a);
  CHECK(wide.read()(1, 2) == 36);
}
