// The half that a C++ compiler builds. Both halves share devices, tensors, scopes, log and counts.
#undef PLACEMENT_COMPILED  // both compilers define all functions
#include "halves.hpp"

#include <support/emulated_gpu.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>

using namespace placement;

namespace {

device first_device() { return is_for_emulated_gpu || is_available() ? gpu0 : cpu0; }

}  // namespace

TEST_CASE("both halves have the same devices, pools, log and counts, and types of one size") {
  other_half::facts const here = other_half::facts_here(),
                          there = other_half::facts_of_other_half();
  CHECK(here.registry == there.registry);
  CHECK(here.pools == there.pools);
  CHECK(here.log == there.log);
  CHECK(here.copies == there.copies);
  CHECK(here.tensor_size == there.tensor_size);
  CHECK(here.scope_size == there.scope_size);
  CHECK(here.node_size == there.node_size);
}

TEST_CASE("a tensor made in one half can be used in the other, and back") {
  matrix<float> const x = other_half::numbers();
  CHECK(x.where() == first_device());
  matrix<float> const y = matmul(x, x);
  CHECK(to_string(y) == "[[7 10]\n [15 22]]");
  CHECK(to_string(other_half::product(y)) == "[[199 290]\n [435 634]]");
  CHECK(to_string(other_half::bigger(matrix<float>(y * -1.f))) == "[[0 0]\n [0 0]]");
}

TEST_CASE("a scope of one half applies to ops written in the other") {
  with_device const scope("/cpu:0");
  CHECK(other_half::device_of_an_op() == cpu0);
  with_device const inner(no_preference);
  CHECK(other_half::device_of_an_op() == first_device());
}

TEST_CASE("ops of both halves go to one log, in the order they run") {
  with_device const scope("/cpu:0", log_level::all, log_format::tf1);
  log_lines log;
  matrix<float> const x = other_half::numbers();
  log.take_all();
  matrix<float> const y = relu(x);
  matrix<float> const z = other_half::bigger(y);
  matrix<float> const w = relu(z);
  std::string const on = ": /job:localhost/replica:0/task:0/cpu:0";
  CHECK(log.take_all() == lines_of{"Relu" + on, "AddV2" + on, "Relu_1" + on, "Relu_2" + on});
}

TEST_CASE("fallbacks of both halves are counted together") {
  if (first_device() == cpu0) SKIP("needs a GPU");
  log_lines log;
  matrix<float> const x = next(other_half::numbers(), {"half.cpp", 1});
  CHECK(other_half::next_without_a_gpu_kernel() == 2);
  CHECK(fallbacks().at(0).where.file == std::string("half.cpp"));
  CHECK(fallbacks().at(1).where.file == std::string("half.cu"));
}

TEST_CASE("elements are shared across the halves until one writes") {
  matrix<float> const x = other_half::numbers();
  matrix<float> y = x;
  CHECK(std::as_const(y).data() == x.data());
  y = other_half::bigger(y);
  CHECK(to_string(x) == "[[1 2]\n [3 4]]");
  CHECK(to_string(y) == "[[2 3]\n [4 5]]");
}

TEST_CASE("an exception of one half is caught in the other, by its type") {
  CHECK(other_half::throws_shape_error());
  CHECK(
      error_message<shape_error>([] { other_half::product(matrix<float>{{1.f, 2.f}}); }) ==
      "placement: matmul of shapes [1, 2] and [1, 2]: the columns of the left side must be as "
      "many as the rows of the right. Transpose one side, or check the shapes. In MatMul at half.cu:1.");
}
