// Views, broadcasts, joins, fills and writes through views: the positions of elements.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

using namespace placement;

namespace {
tensor<float, dextents<3>> cube() { return plain_tensor<float>(shape(33, 65, 47)); }
tensor<float, dextents<2>> plane(index_t m, index_t n) { return plain_tensor<float>(shape(m, n)); }
}  // namespace

namespace own_ops {
/// Fill ops of a program: an empty one, and one whose only member takes no bytes.
struct squares_op {
  static constexpr std::string_view name = "Squares";
  using pattern = fill;
  extents<4096> result() const { return {}; }
  PLACEMENT_HD float operator()(index_t i) const { return static_cast<float>(i * i); }
};
template <class X> struct cubes_op {
  static constexpr std::string_view name = "Cubes";
  using pattern = fill;
  [[no_unique_address]] X shape;
  X result() const { return shape; }
  PLACEMENT_HD float operator()(index_t i) const { return static_cast<float>(i * i * i); }
};
template <class K = kernels_here> auto squares(site at = site::here()) -> expr<squares_op, K> {
  return {{}, at};
}
template <class X, class K = kernels_here>
auto cubes(X shape, site at = site::here()) -> expr<cubes_op<X>, K> {
  return {{shape}, at};
}
}  // namespace own_ops
using own_ops::cubes, own_ops::squares;

TEST_CASE("fill ops of a program stand in front of other operands", "[small]") {
  need_gpu();
  auto const x = plain_tensor<float>(extents<4096>{});
  auto const rows = plain_tensor<float>(extents<64, 64>{});
  check_expression(0, [&] { return squares() + x; });
  check_expression(0, [&] { return squares() + x - squares(); });
  check_expression(0, [&] { return cubes(extents<4096>{}) - x; });
  check_expression(0, [&] { return cubes(extents<64>{}) + transpose(rows); });
  check_expression(0, [&] { return cubes(extents<64, 64>{}) * rows; });
  check_expression(0, [&] { return max(squares() - x); });
  check_expression(0, [&] { return max(cubes(extents<64, 64>{}) + rows, axis<1>); });
}

TEST_CASE("views of any axis order and stride are read as on the CPU", "[small]") {
  need_gpu();
  auto const x = cube();
  check_expression(0, [&] { return permute(x, 2, 0, 1) + 1.f; });
  check_expression(0, [&] { return permute(x, 1, 2, 0) * permute(x, 1, 2, 0); });
  check_expression(0, [&] { return reverse(x, axis<1>) * 2.f; });
  check_expression(0, [&] { return slice(x, range(1, 30), everything, range(3, 40)) + 1.f; });
  check_expression(0, [&] { return reshape(x, shape(65, 33 * 47)) + 1.f; });
  check_expression(0, [&] { return reshape(permute(x, 2, 1, 0), shape(47 * 65, 33)) + 1.f; });
  auto const square = plane(129, 129);
  check_expression(0, [&] { return transpose(square) + square; });
  check_expression(0, [&] { return diagonal(square) * 2.f; });
}

TEST_CASE("rows, columns and single elements are broadcast as on the CPU", "[small]") {
  need_gpu();
  auto const x = plane(300, 1025);
  auto const row = plain_tensor<float>(shape(1025)), one = plain_tensor<float>(shape(1));
  auto const column = plane(300, 1);
  check_expression(0, [&] { return relu(x + row); });
  check_expression(0, [&] { return x * column; });
  check_expression(0, [&] { return x + one; });
  check_expression(0, [&] { return row * column; });
  tensor<float, dextents<0>> const number = sum(row);
  check_expression(0, [&] { return reshape(number, shape(1, 1)) + x; });
  check_expression(0, [&] { return max(x * reshape(exp(number / 1e6f), shape(1, 1))); });
}

TEST_CASE("static shapes in the middle of a kernel's parameter have no bytes, as on the host") {
  need_gpu();
  auto const rows = plain_tensor<float>(extents<64, 64>{});
  auto const row = plain_tensor<float>(extents<64>{});
  check_expression(0, [&] { return rows * reshape<64, 64>(transpose(rows) + 1.f); });
  check_expression(0, [&] { return max(rows * reshape<64, 64>(transpose(rows) + 1.f)); });
  check_expression(0, [&] { return max(rows, keep_dim(axis<0>)) * reshape<1, 64>(row); });
  check_expression(0, [&] { return max(rows, axis<1>) - slice(reshape<64>(row), range(0, 64)); });
}

TEST_CASE("concat and stack give the same elements as on the CPU") {
  need_gpu();
  auto const x = plane(37, 65), y = plane(37, 31), z = plane(37, 65);
  check_expression(0, [&] { return concat(axis<1>, x, y, x); });
  check_expression(0, [&] { return concat(axis<0>, x, z); });
  check_expression(0, [&] { return stack(axis<0>, x, z); });
  std::vector<std::int64_t> const rows{3, 0, 36, 3, 17};
  auto const at = tensor_of(rows, shape(5));
  check_expression(0, [&] { return gather(x, at); });
  check_expression(0, [&] { return gather(x, at, axis<1>); });
  check_expression(0, [&] { return one_hot<float>(at, 40); });
}

TEST_CASE("random fills match the CPU to the bit") {
  need_gpu();
  auto const drawn = [](auto make) {
    return [make] {
      set_seed(7);
      return make();
    };
  };
  check_expression(0, drawn([] { return uniform<float>(shape(5003)); }));
  check_expression(0, drawn([] { return uniform<double>(shape(5003)); }));
  check_expression(0, drawn([] { return uniform<int>(shape(5003), 0, 1000); }));
  check_expression(0, drawn([] { return normal<float>(shape(5003), 0.3f, 1.9f); }));
  check_expression(0, drawn([] { return normal<double>(shape(5003), 0.3, 1.9); }));
  check_expression(0, drawn([] { return truncated_normal<float>(shape(5003), 0.3f, 1.9f); }));
  check_expression(0, drawn([] { return truncated_normal<double>(shape(5003), 0.3, 1.9); }));
  check_expression(0, [] { return iota<std::int64_t>(5003, 3); });
  check_expression(0, [] { return zeros<float>(17, 33); });
}

TEST_CASE("writes through views change the same elements as on the CPU", "[small]") {
  need_gpu();
  auto const x = plane(65, 129);
  auto const written = [&](auto write) {
    return [&x, write] {
      tensor<float, dextents<2>> y = x + 0.f;
      write(y);
      return y;
    };
  };
  check_on_gpu(0, written([](auto& y) { slice(view(y), range(3, 5), everything) = -1.f; }));
  check_on_gpu(0, written([&](auto& y) {
                 slice(view(y), range(0, 65), range(1, 128)) =
                     slice(x, range(0, 65), range(2, 129)) * 2.f;
               }));
  check_on_gpu(0, written([&](auto& y) {
                 slice(transpose(view(y)), range(0, 65), range(0, 65)) =
                     slice(x, range(0, 65), range(0, 65)) + 1.f;
               }));
  check_on_gpu(0, written([](auto& y) { y = y * 3.f; }));
}
