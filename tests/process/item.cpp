// gpus: 0 1
// item(): the value of an expression or tensor with one element.
#include <support/counted_new.hpp>
#include <support/gpus.hpp>
#include <support/log_lines.hpp>
#include <support/matrices.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

using namespace placement;

TEST_CASE("item of a reduction, of its epilogue, and of an element-wise expression") {
  matrix<float> const x = counted();
  CHECK(item(sum(x)) == 21);
  CHECK(item(max(x) - min(x)) == 5);
  CHECK(item(sqrt(mean(square(x)) + 0.f)) == std::sqrt(91.f / 6));
  CHECK(item(sum(x + tensor{10.f, 20.f, 30.f})) == 141);
  CHECK(item(sum(transpose(x) + x.read()(0, 0) - transpose(x))) == 6);
  CHECK(item(sum(on_cpu({{1.f}, {2.f}}), 0)) == 3);
  tensor<double, extents<>> const half(0.5);
  CHECK(item(half * half + half) == 0.75);
  CHECK(item(matmul(on_cpu({{1.f, 2.f}}), on_cpu({{3.f}, {4.f}}))) == 11);
  CHECK(item(all(x > 0.f)));
  static_assert(std::same_as<decltype(item(argmax(x))), std::int64_t>);
  CHECK(item(argmax(x)) == 5);
  matrix<float> const with_nan = on_cpu({{1.f, std::numeric_limits<float>::quiet_NaN(), 7.f}});
  CHECK(std::isnan(item(max(with_nan))));
}

TEST_CASE("item of a tensor of any rank on any device") {
  tensor<float, extents<>> const scalar(3.f);
  CHECK(item(scalar) == 3);
  CHECK(item(on_cpu({{4.f}})) == 4);
  CHECK(item(tensor{true}));
  matrix<float> x = on_cpu({{5.f}});
  CHECK(item(view(x)) == 5);
  CHECK_THROWS_AS(item(view(x) + counted() * 2.f), shape_error);
}

TEST_CASE("item of tensors with a device in their types") {
  tensor<float, extents<2, 3>, dev<kind::cpu, 0>> const few{{1, 2, 3}, {4, 5, 6}};
  CHECK(item(sum(few)) == 21);
  CHECK(item(sum(few * few)) == 91);
  tensor<float, dextents<2>, dev<kind::cpu, 0>> const some = few;
  CHECK(item(sum(some)) == 21);
  tensor<float, extents<>, dev<kind::cpu, 0>> const one(3.f);
  CHECK(item(one) == 3);
}

TEST_CASE("on the CPU item writes to the stack and allocates nothing") {
  with_device const scope(cpu<0>);
  matrix<float> const x = counted();
  tensor<float, dextents<1>> const bias = copy_to(cpu<0>, tensor{10.f, 20.f, 30.f});
  tensor<float, extents<>> const loss = sum(x);
  float total = 0;
  CHECK(heap_allocations([&] {
          for (int i = 0; i != 3; ++i)
            total += item(sum(x)) + item(mean(x + bias)) + item(loss) + item(loss * loss);
        }) == 0);
  CHECK(total == 3 * (21 + 23.5f + 21 + 441));
}

TEST_CASE("item computes an expression on its device, and copies one element") {
  matrix<float> const x = copy_to(gpus_of_test() != 0 ? "/gpu:0" : "/cpu:0", counted());
  log_lines log;
  with_device const scope(gpus_of_test() != 0 ? "/gpu:0" : "/cpu:0", log_level::all);
  auto const before = all_copies();
  CHECK(item(sum(x * 2.f)) == 42);
  auto const after = all_copies();
  CHECK(after.copies - before.copies == (gpus_of_test() != 0 ? 1u : 0u));
  CHECK(after.bytes - before.bytes == (gpus_of_test() != 0 ? sizeof(float) : 0));
  std::string said;
  for (std::string const& line : log.take_all()) said += line + "\n";
  CAPTURE(said);
  CHECK(said.find(gpus_of_test() != 0 ? "on /GPU:0" : "on /CPU:0") != said.npos);
  CHECK(said.find("Sum") != said.npos);
  CHECK(said.find("Mul") != said.npos);
}

TEST_CASE("on() and the scope decide where item is computed") {
  matrix<float> const x = counted();
  log_lines log;
  with_device const scope(gpus_of_test() != 0 ? "/gpu:0" : "/cpu:0", log_level::all);
  CHECK(item(on(cpu<0>, sum(x))) == 21);
  lines_of const said = log.take_all();
  REQUIRE(said.size() == 1);
  CHECK(said[0].find("Sum<float> [] on /CPU:0") != said[0].npos);
}

TEST_CASE("item of more or fewer elements than one is an error, and computes nothing") {
  matrix<float> const x = counted();
  log_lines log;
  with_device const scope(cpu<0>, log_level::all);
  CHECK(error_of("", [&] { static_cast<void>(item(x + x)); }) ==
        "placement: item() of shape [2, 3] is not one element. Reduce it first, as with sum(x), or "
        "use read().");
  CHECK_THROWS_AS(item(x), shape_error);
  CHECK_THROWS_AS(item(sum(x, 0)), shape_error);
  matrix<float> const none = zeros<float>(shape(0, 3));
  CHECK_THROWS_AS(item(none), shape_error);
  CHECK_THROWS_AS(item(x + on_cpu({{1.f, 2.f}})), shape_error);
  for (std::string const& line : log.take_all()) CHECK(line.find("Add") == line.npos);
}

TEST_CASE("item of an expression that must run on a missing device is an error") {
  matrix<float> const x = counted();
  with_device const scope("/gpu:7", hard_placement{});
  CHECK_THROWS_AS(item(sum(x)), placement_error);
  CHECK(item(on(cpu<0>, sum(x))) == 21);
}

TEST_CASE("item of a moved-from tensor is an error") {
  tensor<float, extents<>> one(3.f);
  tensor<float, extents<>> const taken = std::move(one);
  CHECK_THROWS_AS(item(one), error);          // NOLINT(bugprone-use-after-move)
  CHECK_THROWS_AS(item(one * taken), error);  // NOLINT(bugprone-use-after-move)
  CHECK(item(taken) == 3);
}
