#pragma once
/// Checks of reductions against plain loops over the elements of each result.

#include <support/call_of.hpp>
#include <support/elementwise.hpp>

#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

using shape3 = std::array<placement::index_t, 3>;

inline std::size_t count_of(shape3 const& n) {
  return static_cast<std::size_t>(n[0] * n[1] * n[2]);
}

/// Values of both signs whose sums are exact in double.
template <class T> std::vector<T> small_values(std::size_t count) {
  std::vector<T> all;
  for (std::size_t i = 0; i != count; ++i) {
    int const v = static_cast<int>((i * 7 + 3) % 11);
    if constexpr (std::is_same_v<T, bool>) all.push_back(v % 3 == 0);
    else if constexpr (std::is_floating_point_v<T>) all.push_back(static_cast<T>(v - 5) / 4);
    else if constexpr (std::is_signed_v<T>) all.push_back(static_cast<T>(v - 5));
    else all.push_back(static_cast<T>(v));
  }
  return all;
}

/// The elements that a reduction along one axis combines, one list per result.
template <class T>
std::vector<std::vector<T>> reduced_fibers(std::vector<T> const& v, shape3 const& n, int axis) {
  std::vector<std::vector<T>> lines;
  shape3 outer = n;
  auto const a = static_cast<std::size_t>(axis);
  outer[a] = 1;
  for (placement::index_t i = 0; i != outer[0]; ++i)
    for (placement::index_t j = 0; j != outer[1]; ++j)
      for (placement::index_t k = 0; k != outer[2]; ++k) {
        std::vector<T> line;
        for (placement::index_t m = 0; m != n[a]; ++m) {
          shape3 at{i, j, k};
          at[a] = m;
          line.push_back(v[static_cast<std::size_t>((at[0] * n[1] + at[1]) * n[2] + at[2])]);
        }
        lines.push_back(line);
      }
  return lines;
}

/// The first difference beyond a relative tolerance. Empty if there is none.
template <class T, class X>
std::string far_from(placement::tensor<T, X> const& got, std::vector<T> const& expected,
                     double tolerance) {
  if constexpr (std::is_floating_point_v<T>) {
    if (tolerance != 0) {
      auto const h = got.read();
      if (h.size() != expected.size()) return "another number of elements";
      for (std::size_t i = 0; i != h.size(); ++i)
        if (!(std::fabs(h[i] - expected[i]) <= tolerance * (1 + std::fabs(expected[i]))) &&
            !same(h[i], expected[i]))
          return "[" + std::to_string(i) + "] is " + std::to_string(h[i]) + ", not " +
                 std::to_string(expected[i]);
      return "";
    }
  }
  return differences(got, expected);
}

namespace test {
/// A reduction of all elements, and one along an axis.
template <class T, class R> struct reduction_calls {
  using operand = placement::tensor<T, placement::dextents<3>>;
  test::call_of<placement::tensor<R, placement::extents<>>(operand const&)> of_all;
  test::call_of<placement::tensor<R, placement::dextents<2>>(operand const&, int)> along;
  test::call_of<R(std::vector<T> const&)> expected;
};
/// The part of check_reduce that is compiled once for each type, not for each op.
template <class T, class R>
void check_reduction(reduction_calls<T, R> const& op, double tolerance,
                     std::vector<T> (*values)(std::size_t)) {
  on_each_device([&](placement::device d) {
    for (shape3 const& n :
         {shape3{3, 4, 5}, shape3{1, 19, 1}, shape3{2, 3, 150}, shape3{7, 1, 2}}) {
      auto const v = values(count_of(n));
      auto const x = tensor_of(v, placement::shape(n[0], n[1], n[2]));
      auto const all = op.of_all(x);
      CHECK(far_from(all, {op.expected(v)}, tolerance) == "");
      CHECK(all.where() == d);
      for (int axis : {0, 1, 2}) {
        INFO("axis " << axis << " of " << to_string(x.shape()));
        std::vector<R> results;
        for (auto const& line : reduced_fibers(v, n, axis)) results.push_back(op.expected(line));
        if (!is_evaluated<T>) continue;
        auto const along = op.along(x, axis);
        CHECK(far_from(along, results, tolerance) == "");
        CHECK(along.where() == d);
        CHECK(far_from(op.along(x, axis - 3), results, tolerance) == "");
      }
    }
  });
}
}  // namespace test

/// Checks op(x) and op(x, axis) against expected(elements), for elements of type T on each device.
/// Without axes where expressions of T are evaluated in nightly runs only.
template <class T, class Op, class Expected>
void check_reduce(Op op, Expected expected, double tolerance = 0,
                  std::vector<T> (*values)(std::size_t) = &small_values<T>) {
  using R = decltype(expected(std::vector<T>{}));
  using X = typename test::reduction_calls<T, R>::operand;
  INFO("element type " << placement::element_name<T>());
  auto const of_all = [&](X const& x) -> placement::tensor<R, placement::extents<>> {
    return op(x);
  };
  auto const along = [&](X const& x, int axis) -> placement::tensor<R, placement::dextents<2>> {
    if constexpr (is_evaluated<T>) return op(x, axis);
    else return {};
  };
  test::check_reduction<T, R>({of_all, along, expected}, tolerance, values);
}

/// The same check for each form of the axis argument, and for operands that are no dense tensors.
template <class T, class Op, class Expected> void check_reduce_forms(Op op, Expected expected) {
  using namespace placement;
  using R = decltype(expected(std::vector<T>{}));
  shape3 const n{3, 4, 5};
  auto const v = small_values<T>(count_of(n));
  auto results = [&](int a) {
    std::vector<R> all;
    for (auto const& line : reduced_fibers(v, n, a)) all.push_back(expected(line));
    return all;
  };
  on_each_device([&](device) {
    tensor<T, extents<3, 4, 5>> const x = tensor_of(v, extents<3, 4, 5>{});
    CHECK(differences(tensor<R, extents<>>(op(x)), {expected(v)}) == "");
    CHECK(differences(tensor<R, extents<4, 5>>(op(x, axis<0>)), results(0)) == "");
    CHECK(differences(tensor<R, extents<3, 5>>(op(x, axis<-2>)), results(1)) == "");
    CHECK(differences(tensor<R, extents<3, 4>>(op(x, axis<2>)), results(2)) == "");
    CHECK(differences(tensor<R, extents<3, 1, 5>>(op(x, keep_dim(axis<1>))), results(1)) == "");
    CHECK(differences(tensor<R, extents<3, 4, 1>>(op(x, keep_dim(axis<-1>))), results(2)) == "");
    tensor<R, dextents<3>> const kept = op(x, keep_dim(0));
    CHECK(kept.shape() == shape(1, 4, 5));
    CHECK(differences(kept, results(0)) == "");

    // shape (3, 5, 4): axis 2 is axis 1 of the operand
    std::vector<T> transposed;
    for (std::size_t i = 0; i != 3; ++i)
      for (std::size_t k = 0; k != 5; ++k)
        for (std::size_t j = 0; j != 4; ++j) transposed.push_back(v[(i * 4 + j) * 5 + k]);
    CHECK(differences(tensor<R, extents<>>(op(transpose(x))), {expected(transposed)}) == "");
    CHECK(differences(tensor<R, extents<3, 5>>(op(transpose(x), axis<2>)), results(1)) == "");
    CHECK(differences(tensor<R, extents<3, 4>>(op(transpose(x), axis<1>)), results(2)) == "");
  });
}
