// Small results whose operands are parts of arrays, rows, columns, or in another order. They have
// the elements of the same arithmetic, element by element.
#include <placement/ops/flip.hpp>
#include <placement/ops/linspace.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>

using namespace placement;

namespace {

template <class T> using cube = tensor<T, dextents<3>>;

/// A cube whose elements are their row-major numbers, small enough for exact sums.
template <class T> cube<T> numbered(std::array<index_t, 3> const& n) {
  cube<T> x = zeros<T>(shape(n[0], n[1], n[2]));
  for (index_t i = 0; i != n[0] * n[1] * n[2]; ++i) x.data()[i] = static_cast<T>(i % 97 + 1);
  return x;
}

/// Positions first, first + step, ... of a dimension: so many that `count` are left.
struct part {
  index_t first, step, count;

  index_t extent() const { return first + (count - 1) * (step < 0 ? -step : step) + 1; }
  range as_range() const {
    index_t const last = first + (count - 1) * (step < 0 ? -step : step);
    if (step > 0) return {first, last + 1, step};
    return {last, first == 0 ? range::open : first - 1, step};
  }
  index_t at(index_t i) const {
    return step > 0 ? first + i * step : first + (count - 1 - i) * -step;
  }
};

/// An operand of three dimensions, each with all positions, a part of them, or one that repeats.
template <class T> struct operand_part {
  std::array<part, 3> parts;
  std::array<bool, 3> repeats;
  cube<T> all;

  operand_part(std::mt19937& random, std::array<index_t, 3> const& n, bool is_whole) {
    std::array<index_t, 3> extents;
    for (std::size_t d = 0; d != 3; ++d) {
      repeats[d] = !is_whole && random() % 4 == 0;
      index_t const count = repeats[d] ? 1 : n[d];
      bool const is_part = !is_whole && random() % 2 == 0;
      index_t const steps[] = {1, 1, 2, -1};
      parts[d] =
          is_part ? part{index_t(random() % 3), steps[random() % 4], count} : part{0, 1, count};
      extents[d] = parts[d].extent() + (is_part ? index_t(random() % 2) : 0);
    }
    all = numbered<T>(extents);
  }
  auto view() const {
    return slice(all, parts[0].as_range(), parts[1].as_range(), parts[2].as_range());
  }
  T at(index_t i, index_t j, index_t k) const {
    auto const x = all.shape();
    index_t const a = parts[0].at(repeats[0] ? 0 : i), b = parts[1].at(repeats[1] ? 0 : j),
                  c = parts[2].at(repeats[2] ? 0 : k);
    return all.data()[(a * x.at(1) + b) * x.at(2) + c];
  }
};

/// Whether y(i, j, k) is of(i, j, k).
template <class T, class Of> bool has_elements(cube<T> const& y, Of const& of) {
  auto const n = y.shape();
  for (index_t i = 0; i != n.at(0); ++i)
    for (index_t j = 0; j != n.at(1); ++j)
      for (index_t k = 0; k != n.at(2); ++k)
        if (T const got = y.data()[(i * n.at(1) + j) * n.at(2) + k]; got != of(i, j, k)) {
          UNSCOPED_INFO("element (" << i << ", " << j << ", " << k << ") of " << to_string(n));
          return false;
        }
  return true;
}

std::array<index_t, 3> extents_of(std::mt19937& random) {
  index_t const rows[] = {1, 2, 3, 9, 33}, columns[] = {1, 2, 3, 5, 8, 12, 13, 16, 31, 64, 100};
  return {index_t(random() % 3 + 1), rows[random() % 5], columns[random() % 11]};
}

template <class T> void check() {
  with_device const scope(cpu<0>);
  std::mt19937 random(7);
  for (int round = 0; round != 400; ++round) {
    std::array<index_t, 3> const n = extents_of(random);
    operand_part<T> const a(random, n, round % 3 == 0), b(random, n, false);
    CAPTURE(round, n[0], n[1], n[2]);
    cube<T> const whole = zeros<T>(shape(n[0], n[1], n[2]));
    auto const sum = [&](index_t i, index_t j, index_t k) {
      return static_cast<T>(a.at(i, j, k) + b.at(i, j, k));
    };
    auto const of_a = [&](index_t i, index_t j, index_t k) { return a.at(i, j, k); };
    bool const is_full = whole.shape() == (a.view() + b.view()).shape();
    if (!is_full) continue;  // both repeat a dimension
    CHECK(has_elements<T>(cube<T>(a.view() + b.view()), sum));
    CHECK(has_elements<T>(cube<T>(a.view() * b.view()), [&](index_t i, index_t j, index_t k) {
      return static_cast<T>(a.at(i, j, k) * b.at(i, j, k));
    }));
    // an op that does not see rows, and a copy
    CHECK(
        has_elements<T>(cube<T>(maximum(a.view(), b.view())), [&](index_t i, index_t j, index_t k) {
          return a.at(i, j, k) < b.at(i, j, k) ? b.at(i, j, k) : a.at(i, j, k);
        }));
    CHECK(has_elements<T>(cube<T>(broadcast_to(a.view(), whole.shape())), of_a));
    CHECK(
        has_elements<T>(cube<T>(flip(broadcast_to(a.view(), whole.shape()), 2)),
                        [&](index_t i, index_t j, index_t k) { return a.at(i, j, n[2] - 1 - k); }));
    // a result that is part of an array: the elements beside it stay as they are
    cube<T> around = zeros<T>(shape(n[0] + 2, n[1] + 1, n[2] + 3));
    slice(view(around), range{1, n[0] + 1}, range{0, n[1]}, range{2, n[2] + 2}) =
        a.view() + b.view();
    CHECK(has_elements<T>(around, [&](index_t i, index_t j, index_t k) {
      bool const inside = i >= 1 && i <= n[0] && j < n[1] && k >= 2 && k < n[2] + 2;
      return inside ? sum(i - 1, j, k - 2) : T(0);
    }));
  }
}

}  // namespace

TEST_CASE("small results of floats have the elements of their operands' parts") { check<float>(); }
TEST_CASE("small results of doubles have the elements of their operands' parts") {
  check<double>();
}
TEST_CASE("small results of integers have the elements of their operands' parts") {
  check<std::int32_t>();
  check<std::int16_t>();
}
TEST_CASE("a small result reads its own former elements before it writes them") {
  with_device const scope(cpu<0>);
  tensor<float, dextents<2>> x{{1, 2, 3}, {4, 5, 6}};
  x = flip(x, 1);
  CHECK(to_string(x) == "[[3 2 1]\n [6 5 4]]");
  x = x + slice(x, 1);
  CHECK(to_string(x) == "[[9 7 5]\n [12 10 8]]");
  x = broadcast_to(slice(x, 1), shape(2, 3));
  CHECK(to_string(x) == "[[12 10 8]\n [12 10 8]]");
  tensor<float, dextents<1>> y = flip(linspace(0.f, 99.f, 100));
  y = flip(y) * 1.f;
  y = flip(y);
  CHECK(y.data()[0] == 99.f);
  slice(view(y), range{0, 99}) = slice(y, range{1, 100});
  CHECK(y.data()[0] == 98.f);
  CHECK(y.data()[98] == 0.f);
}
