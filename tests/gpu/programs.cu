// Expressions as programs have them: several ops, views and shapes that no access of 16 bytes
// divides.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <placement/ops/bitwise.hpp>
#include <placement/ops/flip.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/norm.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

using namespace placement;

namespace {
template <class X> tensor<float, X> whole(X const& s, std::uint32_t seed = 1) {
  with_device const scope(cpu0);
  return round(plain_tensor<float>(s, seed));
}
}  // namespace

namespace own_ops {
/// a x^2 + b x + c, with a table of the program.
struct quadratic_op {
  static constexpr std::string_view name = "Quadratic";
  using pattern = map;
  float factor[3];
  PLACEMENT_HD float operator()(float x) const {
    return (factor[0] * x + factor[1]) * x + factor[2];
  }
};
template <operand X>
auto quadratic(X&& x, float a, float b, float c, site at = site::here()) -> unary<quadratic_op, X> {
  return {{{a, b, c}}, at, std::forward<X>(x)};
}
/// How far the elements are apart: a state of two numbers.
struct extent_op {
  static constexpr std::string_view name = "Extent";
  using pattern = reduce;
  static constexpr bool reduces_all = true;
  template <class T> struct state {
    T low, high;
  };
  template <class X> constexpr auto result(X const&) const { return extents<>{}; }
  template <class T> PLACEMENT_HD static constexpr state<T> init() { return {T(3e38), T(-3e38)}; }
  template <class T> PLACEMENT_HD constexpr state<T> step(state<T> const& s, T x, index_t) const {
    return {x < s.low ? x : s.low, s.high < x ? x : s.high};
  }
  template <class T>
  PLACEMENT_HD constexpr state<T> combine(state<T> const& a, state<T> const& b) const {
    return {b.low < a.low ? b.low : a.low, a.high < b.high ? b.high : a.high};
  }
  template <class T> PLACEMENT_HD constexpr T finalize(state<T> const& s, index_t) const {
    return s.high - s.low;
  }
};
template <operand X> auto extent(X&& x, site at = site::here()) -> unary<extent_op, X> {
  return {{}, at, std::forward<X>(x)};
}
}  // namespace own_ops

TEST_CASE("ops and reductions of a program are fused with the library's", "[small]") {
  need_gpu();
  for (index_t n : {1, 31, 1025, 100'003}) {
    INFO(n << " elements");
    auto const x = whole(shape(n), 3);
    check_expression(0, [&] { return own_ops::quadratic(x + 1.f, 1.f, -2.f, 3.f) - x; });
    check_expression(0, [&] { return own_ops::extent(own_ops::quadratic(x, 1.f, 0.f, -4.f)); });
    check_expression(0, [&] { return relu(x - own_ops::extent(x)) * 2.f; });
  }
}
TEST_CASE("views at odd offsets are operands of fused ops, reductions and products") {
  need_gpu();
  auto const x = whole(shape(67, 131), 1), y = whole(shape(131, 66), 2);
  auto const part = [&](index_t first) {
    return slice(x, range(first, first + 65), range(first, first + 129));
  };
  check_expression(0, [&] { return where(part(1) > part(0), part(1) * 2.f, -part(0)); });
  check_expression(0, [&] { return sum(part(1) * part(1), axis<0>) - max(part(1), axis<0>); });
  check_expression(0, [&] { return max(flip(part(1)), axis<1>); });
  check_expression(0, [&] { return matmul(slice(x, range(1, 66), everything), y); });
  check_expression(0, [&] { return matmul(x, slice(y, everything, range(1, 65))); });
  check_expression(
      0, [&] { return matmul(transpose(slice(y, everything, range(3, 64))), transpose(x)) + 1.f; });
  check_expression(0, [&] { return sum(matmul(x, y), axis<0>); });
}
TEST_CASE("products are stored in any of the widths that their columns allow", "[small]") {
  need_gpu();
  auto const a = whole(shape(131, 40), 1);
  for (index_t columns : {1, 2, 3, 4, 6, 8, 63, 64, 68, 130, 132}) {
    INFO(columns << " columns");
    auto const b = whole(shape(40, columns), 2);
    check_expression(0, [&] { return matmul(a, b); });
    check_expression(0, [&] { return relu(matmul(cast<double>(a), cast<double>(b)) - 3.); });
  }
}
TEST_CASE("products, counts and numbers beside NaN are reduced along odd shapes") {
  need_gpu();
  auto const x = whole(shape(5, 33, 7)), small = tensor(x / 8.f);
  check_expression(0, [&] { return sum(cast<int>(x), axis<0, 2>); });
  check_expression(0, [&] { return max(x, axis<0, 1>) - min(x, axis<0, 1>); });
  check_expression(1, [&] { return prod(small, axis<2>); });
  auto const holes = tensor(where(x > 3.f, std::numeric_limits<float>::quiet_NaN(), x));
  check_expression(0, [&] { return nansum(holes, axis<1>); });
  check_expression(0, [&] { return nanmax(holes, axis<0>); });
  check_expression(1, [&] { return nanmean(holes); });
  check_expression(1, [&] { return norm(x, axis<1>); });
}
TEST_CASE("bits of integers are computed as on the CPU, and wrap as there", "[small]") {
  need_gpu();
  auto const x = some_tensor<std::int32_t>(shape(1003)),
             y = some_tensor<std::int32_t>(shape(1003), 5);
  check_expression(0, [&] { return ((x & y) | (x ^ 0x55)) - ~y; });
  check_expression(0, [&] { return x * y + x; });
  check_expression(0, [&] { return sum(x * y); });
  check_expression(0, [&] { return cast<std::int8_t>(x) + cast<std::int8_t>(y); });
}
TEST_CASE("a product is written to memory of the program at any address") {
  need_hardware();
  auto const a = whole(shape(64, 40), 1), b = whole(shape(40, 64), 2);
  tensor<float, dextents<2>> const expected = on(cpu0, matmul(a, b));
  tensor<float, dextents<1>> memory = copy_to(gpu0, tensor(zeros<float>(4 + 64 * 64)));
  for (int first : {0, 1, 2, 4}) {
    INFO("element " << first);
    tensor<float, dextents<2>> y = borrow(memory.data() + first, shape(64, 64), gpu0);
    {
      with_device const scope(gpu0);
      y = matmul(a, b);
    }
    CHECK(farther_than(0, y, expected) == "");
  }
}
