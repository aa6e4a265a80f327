// minimum, maximum, clamp and where, against plain loops.
#include <placement/expr/evaluate.hpp>
#include <placement/expr/typed_tensor.hpp>
#include <placement/ops/clamp.hpp>
#include <placement/ops/compare.hpp>
#include <placement/ops/maximum.hpp>
#include <placement/ops/minimum.hpp>
#include <placement/ops/where.hpp>
#include <support/elementwise.hpp>

using namespace placement;

namespace {

template <class T> T smaller(T x, T y) {
  if (x != x) return x;
  if (y != y) return y;
  return y < x ? y : x;
}
template <class T> T larger(T x, T y) {
  if (x != x) return x;
  if (y != y) return y;
  return x < y ? y : x;
}

}  // namespace

TEST_CASE("minimum and maximum propagate NaN from either side") {
  each<numbers>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return minimum(x, y); }, smaller<T>);
    check_binary<T>([](auto const& x, auto const& y) { return maximum(x, y); }, larger<T>);
  });
}

TEST_CASE("clamp limits x to the range from low to high, and propagates NaN") {
  each<numbers>([]<class T>() {
    check_unary<T>([](auto const& x) { return clamp(x, 1, 3); },
                   [](T x) { return smaller<T>(larger<T>(x, T(1)), T(3)); });
    check_binary<T>([](auto const& x, auto const& y) { return clamp(x, y, 2); },
                    [](T x, T y) { return smaller<T>(larger<T>(x, y), T(2)); });
  });
}

TEST_CASE("clamp takes tensors as bounds, and gives high if low is above high") {
  tensor const x{{0.f}, {5.f}};
  tensor const low{1.f, 4.f}, high{2.f, 3.f};
  CHECK(differences(tensor(clamp(x, low, high)), {1.f, 3.f, 2.f, 3.f}) == no_differences);
}

TEST_CASE("where selects x or y for every element type") {
  each<ordered_elements>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return where(x < y, y, x); },
                    [](T x, T y) { return x < y ? y : x; });
  });
}

TEST_CASE("where takes a number for x, for y, or for both") {
  on_each_device([](device) {
    tensor const x{-1.f, 2.f};
    CHECK(differences(tensor(where(x > 0, x, 0)), {0.f, 2.f}) == no_differences);
    CHECK(differences(tensor(where(x > 0, 9.f, x)), {-1.f, 9.f}) == no_differences);
    CHECK(differences(tensor(where(x > 0, 1, -1)), {-1, 1}) == no_differences);
    CHECK(differences(tensor(where(x > 0, true, false)), {false, true}) == no_differences);
  });
}

TEST_CASE("where broadcasts its condition and both values") {
  on_each_device([](device) {
    tensor<bool, dextents<2>> const condition{{true}, {false}};
    tensor const x{1, 2, 3};
    tensor<int, extents<>> const y(-1);
    CHECK(differences(tensor(where(condition, x, y)), {1, 2, 3, -1, -1, -1}) == no_differences);
  });
}
