// Each op of two or three operands, for element types of each size and sign, against the CPU: every
// pair of edge values, of equal shapes and broadcast.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>

using namespace placement;

namespace {

using sample = types<std::int8_t, int, std::uint32_t, std::int64_t, float, double>;

template <class T, class Op> void check_pairs(std::uint64_t ulps, Op op) {
  INFO("element type " << element_name<T>());
  auto const values = edge_values<T>();
  auto const n = static_cast<index_t>(values.size());
  with_device const on_host(cpu0);
  tensor<T, dextents<2>> const column = tensor_of(values, shape(n, 1));
  tensor<T, dextents<2>> const row = tensor_of(values, shape(1, n));
  tensor<T, dextents<2>> const columns = broadcast_to(column, shape(n, n));
  tensor<T, dextents<2>> const rows = broadcast_to(row, shape(n, n));
  check_expression(ulps, [&] { return op(columns, rows); });
  check_expression(ulps, [&] { return op(column, row); });
}
template <class List, class Op> void check_types(std::uint64_t ulps, Op op) {
  each<List>([&]<class T>() { check_pairs<T>(ulps, op); });
}

}  // namespace

TEST_CASE("arithmetic on a GPU matches the CPU to the bit", "[small]") {
  need_gpu();
  check_types<sample>(0, [](auto const& x, auto const& y) { return x + y; });
  check_types<sample>(0, [](auto const& x, auto const& y) { return x - y; });
  check_types<sample>(0, [](auto const& x, auto const& y) { return x * y; });
  check_types<floats>(0, [](auto const& x, auto const& y) { return x / y; });
}

TEST_CASE("maximum, minimum and modulo on a GPU match the CPU, and pow matches within 10 ulp") {
  need_gpu();
  check_types<sample>(0, [](auto const& x, auto const& y) { return maximum(x, y); });
  check_types<sample>(0, [](auto const& x, auto const& y) { return minimum(x, y); });
  check_types<floats>(0, [](auto const& x, auto const& y) { return x % y; });
  check_types<floats>(10, [](auto const& x, auto const& y) { return pow(x, y); });
}

TEST_CASE("comparisons and logic on a GPU match the CPU") {
  need_gpu();
  using some = types<std::int8_t, std::uint32_t, std::int64_t, float>;
  check_types<some>(0, [](auto const& x, auto const& y) { return x == y; });
  check_types<some>(0, [](auto const& x, auto const& y) { return x != y; });
  check_types<some>(0, [](auto const& x, auto const& y) { return x < y; });
  check_types<some>(0, [](auto const& x, auto const& y) { return x <= y; });
  check_types<some>(0, [](auto const& x, auto const& y) { return x > y; });
  check_types<some>(0, [](auto const& x, auto const& y) { return x >= y; });
  check_pairs<bool>(0, [](auto const& x, auto const& y) { return x && y; });
  check_pairs<bool>(0, [](auto const& x, auto const& y) { return x || y; });
  check_pairs<bool>(0, [](auto const& x, auto const& y) { return logical_xor(x, y); });
}

TEST_CASE("integer division on a GPU matches the CPU, also by zero and of the lowest value by -1") {
  need_gpu();
  using whole = types<std::int8_t, int, std::uint32_t, std::int64_t>;
  check_types<whole>(0, [](auto const& x, auto const& y) { return x / y; });
  check_types<whole>(0, [](auto const& x, auto const& y) { return x % y; });
}

TEST_CASE("where and clamp on a GPU match the CPU") {
  need_gpu();
  each<sample>([&]<class T>() {
    auto const x = some_tensor<T>(shape(5003), 1), y = some_tensor<T>(shape(5003), 2);
    check_expression(0, [&] { return where(x < y, x, y); });
    check_expression(0, [&] { return clamp(x, T(1), T(7)); });
  });
}
