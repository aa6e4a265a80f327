// External buffers as tensors, and copies of tensors between devices.
#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace placement;

namespace {

template <class T, class X> T const* elements(tensor<T, X> const& x) { return x.data(); }

}  // namespace

TEST_CASE("a borrowed tensor uses the caller's memory, and data() returns its address") {
  float memory[] = {1, 2, 3, 4};
  tensor x = borrow(memory, shape(2, 2));
  CHECK(elements(x) == memory);
  CHECK(x.data() == memory);
  CHECK(x.where() == cpu0);
  CHECK(to_string(x) == "[[1 2]\n [3 4]]");
  memory[0] = 9;
  CHECK(to_string(x) == "[[9 2]\n [3 4]]");
}

TEST_CASE("an assignment to a borrowed tensor writes into the caller's memory") {
  float memory[] = {1, 2, 3, 4};
  tensor x = borrow(memory, shape(4));
  x = x * 2.f;
  CHECK(memory[3] == 8);
  x = vector<float>{5.f, 6.f, 7.f, 8.f};
  CHECK(memory[0] == 5);
  vector<float> const y{1.f, 1.f, 1.f, 1.f};
  x = y;
  CHECK(memory[3] == 1);
  slice(view(x), range{1, 3}) = 0.f;
  CHECK(memory[1] == 0);
  CHECK(x.data() == memory);
}

TEST_CASE("copies of a borrowed tensor see the same elements") {
  float memory[] = {1, 2};
  tensor x = borrow(memory, shape(2));
  tensor y = x;
  y = y + 1.f;
  CHECK(to_string(x) == "[2 3]");
  CHECK(x.data() == y.data());
}

TEST_CASE("a value computed on a GPU is copied into borrowed host memory") {
  float memory[] = {1, 2};
  tensor x = borrow(memory, shape(2));
  with_device const scope("/gpu:1");
  x = x + 1.f;
  CHECK(memory[0] == 2);
  CHECK(memory[1] == 3);
  CHECK(x.where() == cpu0);
}

TEST_CASE("a borrowed tensor keeps its shape") {
  float memory[] = {1, 2, 3};
  tensor x = borrow(memory, shape(3));
  CHECK(
      error_message<shape_error>([&] { x = slice(x, range{0, 2}); }) ==
      "placement: a tensor in borrowed memory keeps its shape [3]; the value has shape [2]. Slice the value, or borrow "
      "memory of its size. In StridedSlice.");
  CHECK(error_message<shape_error>([&] { x = vector<float>{1.f}; }) != "");
  CHECK(error_message<shape_error>([&] { x = x + vector<float>{1.f}; }) == "");
  CHECK(to_string(x) == "[2 3 4]");
}

TEST_CASE("assigning a moved-from tensor to a borrowed tensor is an error") {
  float memory[] = {1, 2};
  tensor<float, extents<2>> x = borrow(memory, extents<2>{});
  tensor<float, extents<2>> gone{3.f, 4.f};
  auto const kept = std::move(gone);
  CHECK(
      error_message<shape_error>(
          [&] { x = gone; }) ==  // NOLINT(bugprone-use-after-move): that is the test
      "placement: this tensor has no elements: it was moved from. Assign to it before it is read.");
  CHECK(memory[0] == 1);
  x = kept;
  CHECK(memory[0] == 3);
}

TEST_CASE(
    "borrow takes a span whose elements fill the shape; null and missing devices are errors") {
  std::vector<int> memory{1, 2, 3, 4};
  tensor const x = borrow(std::span(memory), shape(2, 2));
  CHECK(to_string(x) == "[[1 2]\n [3 4]]");
  CHECK(error_of("", [&] { borrow(std::span(memory), shape(5)); }) ==
        "placement: 4 elements do not fill shape [5]. Give as many as the shape has.");
  CHECK(error_message<invalid_argument>([] { borrow(static_cast<int*>(nullptr), shape(5)); }) ==
        "placement: a null pointer was given for elements of shape [5].");
  CHECK(error_of("", [&] { borrow(memory.data(), shape(-1)); }) ==
        "placement: extent 0 is -1. Extents are zero or more.");
  CHECK(error_message<placement_error>([&] {
          borrow(memory.data(), shape(4), device{kind::gpu, 7});
        }).starts_with("/job:localhost/replica:0/task:0/device:GPU:7 unknown device; available: "));
}

TEST_CASE("borrowed memory of a GPU is used in place") {
  tensor<float, dextents<1>> owner = copy_to("/gpu:1", vector<float>{1.f, 2.f});
  tensor x = borrow(owner.data(), shape(2), gpu1);
  CHECK(x.where() == gpu1);
  auto const before = all_copies().copies;
  with_device const scope("/gpu:1");
  x = x + 1.f;
  CHECK(all_copies().copies == before);
  CHECK(to_string(owner) == "[2 3]");
}

TEST_CASE("a shape that exceeds the address space is an error") {
  index_t const huge = index_t{1} << 62;
  CHECK(
      error_of("", [&] { from(static_cast<float const*>(nullptr), shape(huge, huge)); }) ==
      "placement: a tensor of shape [4611686018427387904, 4611686018427387904] has more bytes than can be addressed. "
      "Split it.");
}

// ---- copies between devices

TEST_CASE("copy_to of an expression computes it on its own device, and copies the value") {
  vector<float> x = copy_to("/cpu:0", vector<float>{1.f, 2.f});
  auto const before = all_copies().copies;
  with_device const scope("/gpu:0");
  log_lines log;
  vector<float> const y = copy_to("/gpu:1", on("/cpu:0", x + 1.f));
  CHECK(y.where() == gpu1);
  CHECK(to_string(y) == "[2 3]");
  CHECK(all_copies().copies == before + 2);           // one copy of the value, and one to print it
  vector<float> const same = copy_to(gpu0, x * 2.f);  // x is copied to the scope's device
  CHECK(same.where() == gpu0);
  CHECK(all_copies().copies == before + 3);
  CHECK(copy_to(gpu<1>, view(x)).where() == gpu1);
  tensor<float, extents<2>, dev<kind::cpu, 0>> const few{5.f, 6.f};
  CHECK(to_string(copy_to(gpu<1>, few)) == "[5 6]");
}

TEST_CASE("copy_to copies a tensor to a device given by name, value or tag") {
  vector<float> const x = copy_to("/cpu:0", vector<float>{1.f, 2.f});
  for (vector<float> const& y : {copy_to("/gpu:1", x), copy_to(gpu1, x), copy_to(gpu<1>, x)}) {
    CHECK(y.where() == gpu1);
    CHECK(to_string(y) == "[1 2]");
    CHECK(elements(y) != elements(x));
  }
  CHECK(x.where() == cpu0);
}

TEST_CASE("each copy between devices is counted per pair of devices, including read()") {
  vector<float> const x = copy_to("/cpu:0", vector<float>{1.f, 2.f});
  auto count = [](device from, device to) { return copies_between(from, to).copies; };
  auto const there = count(cpu0, gpu1), across = count(gpu1, gpu0), back = count(gpu0, cpu0);
  vector<float> const y = copy_to(gpu1, x);
  CHECK(count(cpu0, gpu1) == there + 1);
  vector<float> const z = copy_to(gpu0, y);
  CHECK(count(gpu1, gpu0) == across + 1);
  CHECK(z.read()(1) == 2);
  CHECK(count(gpu0, cpu0) == back + 1);
  CHECK(count(cpu0, gpu1) == there + 1);
  CHECK(x.read()(1) == 2);  // already on the CPU
  CHECK(count(gpu0, cpu0) == back + 1);
}

TEST_CASE("memory of a simulated GPU is separate: overwriting one side does not change the other") {
  vector<float> x = copy_to("/cpu:0", vector<float>{1.f, 2.f, 3.f});
  vector<float> y = copy_to(gpu1, x);
  std::memset(x.data(), 0xFF, 3 * sizeof(float));
  CHECK(std::isnan(x.read()(0)));
  CHECK(to_string(y) == "[1 2 3]");

  vector<float> z = copy_to(gpu0, y);
  std::memset(y.data(), 0xFF, 3 * sizeof(float));
  CHECK(to_string(z) == "[1 2 3]");
  vector<float> const host = copy_to("/cpu:0", z);
  std::memset(z.data(), 0xFF, 3 * sizeof(float));
  CHECK(to_string(host) == "[1 2 3]");
}

TEST_CASE("a kernel on a simulated GPU reads a copy of its operand, not the host's elements") {
  vector<float> x = copy_to("/cpu:0", vector<float>{1.f, 2.f});
  with_device const scope("/gpu:1");
  auto const e = evaluate(x + 0.f);
  x.data()[0] = 100;
  CHECK(to_string(e) == "[1 2]");
  CHECK(e.where() == gpu1);
}

TEST_CASE("freed memory of a simulated GPU is poisoned") {
  float const* at = nullptr;
  {
    vector<float> const x = copy_to(gpu1, vector<float>{1.f, 2.f});
    at = elements(x);
    CHECK(at[0] == 1);
  }
  CHECK(std::isnan(at[0]));
  CHECK(std::isnan(at[1]));
}
