// Sorting and cumulative sums along each axis, against the CPU.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>
#include <support/emulated_gpu.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <vector>

using namespace placement;

namespace {

std::vector<dextents<2>> const shapes{shape(1, 1),     shape(3, 7),       shape(300, 5),
                                      shape(5, 2048),  shape(2, 2049),    shape(70'001, 2),
                                      shape(2000, 40), shape(1, 300'000), shape(0, 3)};

/// Sorting is most of the work of all tests here, so that an emulated GPU sorts fewer elements.
std::vector<dextents<2>> shapes_to_sort() {
  if (!is_gpu_emulated()) return shapes;
  return {shape(1, 1),    shape(3, 7),    shape(300, 5),    shape(5, 2048), shape(2, 2049),
          shape(5000, 2), shape(100, 40), shape(1, 10'000), shape(0, 3)};
}

template <class T> void check_sorts() {
  INFO("element type " << element_name<T>());
  for (auto const& s : shapes_to_sort()) {
    INFO("shape " << to_string(s));
    auto const x = some_tensor<T>(s);
    check_expression(0, [&] { return sort(x); });
    check_expression(0, [&] { return sort(x, axis<0>, descending); });
    check_expression(0, [&] { return argsort(x, descending); });
    check_expression(0, [&] { return argsort(x, axis<0>); });
  }
}

}  // namespace

TEST_CASE("sort and argsort on a GPU match the CPU, with equal elements in their original order",
          "[small]") {
  need_gpu();
  check_sorts<float>();
  check_sorts<std::int8_t>();  // many elements are equal
  check_sorts<std::int64_t>();
}

TEST_CASE(
    "cumulative sums match the CPU: integers exactly, float within 4 ulp of the sum in double") {
  need_gpu();
  for (auto const& s : shapes) {
    INFO("shape " << to_string(s));
    auto const whole = some_tensor<int>(s);
    auto const x = abs(plain_tensor<float>(s));
    check_expression(0, [&] { return cumsum(whole); });
    check_expression(0, [&] { return cumsum(whole, axis<1>); });
    check_expression(4, [&] { return cumsum(x); });
    check_expression(4, [&] { return cumsum(x, axis<1>); });
  }
}

TEST_CASE("cumulative sums of many tiles are equal in every run, also in place") {
  need_gpu();
  auto const whole = some_tensor<int>(shape(2'200'003));  // several groups of tiles
  check_expression(0, [&] { return cumsum(whole); });
  auto const x = plain_tensor<float>(shape(1'200'000));
  tensor const sums = on("/gpu:0", cumsum(x)), again = on("/gpu:0", cumsum(x));
  CHECK(item(all(sums == again)));
  tensor in_place = on("/gpu:0", x * 1.f);
  in_place = cumsum(in_place);
  CHECK(item(all(sums == in_place)));
}
