// gpus: 0
// env: PLACEMENT_CPU_LEVEL=baseline
// env: PLACEMENT_CPU_LEVEL=x86-64-v3
// env: PLACEMENT_CPU_LEVEL=x86-64-v4
// Loops over rows that are compiled for several processors, with the bits of one element at each
// level. Compiled at -O2.
#include <placement/ops/array_equal.hpp>
#include <placement/ops/outer.hpp>
#include <placement/placement.hpp>
#if defined(LIBRARY_WITHOUT_LEVELS)
#  include <placement/src/all.ipp>
#endif

#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

using namespace placement;

namespace {

template <class T> using matrix = tensor<T, dextents<2>>;
template <class T> using vector_of = tensor<T, dextents<1>>;

/// Random numbers of many exponents, with zeros, infinities and NaN among them.
template <class T> matrix<T> numbers(index_t rows, index_t columns, index_t first) {
  using limits = std::numeric_limits<T>;
  T const special[] = {T(0),
                       T(-0.),
                       limits::infinity(),
                       -limits::infinity(),
                       limits::max(),
                       limits::min(),
                       limits::denorm_min(),
                       limits::quiet_NaN(),
                       limits::lowest(),
                       -limits::min() / 2,
                       T(1),
                       T(-3)};
  matrix<T> m = uniform<T>(shape(rows, columns), T(-1), T(1));
  for (index_t i = 0; i != rows * columns; ++i) {
    T& x = m.data()[i];
    if ((i + first) % 5 == 0) x = special[static_cast<std::size_t>((i + first) / 5 % 12)];
    else x = std::ldexp(x, static_cast<int>((i + first) % 60) - 30);
  }
  return m;
}
/// The same bits, or both NaN.
template <class T> bool is_same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}
/// Whether element (i, j) of y is of(i, j).
template <class T, class Of> bool has_elements(matrix<T> const& y, Of const& of) {
  index_t const rows = y.shape().at(0), columns = y.shape().at(1);
  for (index_t i = 0; i != rows; ++i)
    for (index_t j = 0; j != columns; ++j)
      if (!is_same(y.data()[i * columns + j], of(i, j))) {
        UNSCOPED_INFO("element (" << i << ", " << j << ")");
        return false;
      }
  return true;
}
/// All lengths up to 70, and some with several blocks.
std::vector<index_t> lengths() {
  std::vector<index_t> all;
  for (index_t n = 1; n <= 70; ++n) all.push_back(n);
  for (index_t n : {255, 600, 1001, 9001}) all.push_back(n);
  return all;
}

template <class T, class F> void check(F const& f) {
  for (index_t n : lengths())
    for (index_t rows : {2, 33}) {
      if (n * rows > 20000) continue;
      INFO(rows << " rows of " << n << " elements of " << sizeof(T) << " bytes");
      matrix<T> const m = numbers<T>(rows, n, 0), wide = numbers<T>(rows, n + 5, 3);
      matrix<T> const column = numbers<T>(rows, 1, 1), one_row = numbers<T>(1, n, 2);
      vector_of<T> const row = reshape(one_row, shape(n));
      auto const at = [n](matrix<T> const& x) {
        return [&x, n](index_t i, index_t j) { return x.data()[i * n + j]; };
      };
      auto const in_row = [&](index_t, index_t j) { return row.data()[j]; };
      auto const in_column = [&](index_t i, index_t) { return column.data()[i]; };
      auto const in_wide = [&](index_t from) {
        return [&, from](index_t i, index_t j) { return wide.data()[i * (n + 5) + from + j]; };
      };
      auto const part = [&](index_t from) {
        return slice(wide, everything, range{from, from + n});
      };
      auto const of = [&f](auto const& a, auto const& b) {
        return [&](index_t i, index_t j) { return f(a(i, j), b(i, j)); };
      };
      CHECK(has_elements<T>(f(m, row), of(at(m), in_row)));
      CHECK(has_elements<T>(f(row, m), of(in_row, at(m))));
      CHECK(has_elements<T>(f(m, column), of(at(m), in_column)));
      CHECK(has_elements<T>(f(column, m), of(in_column, at(m))));
      CHECK(has_elements<T>(f(column, row), of(in_column, in_row)));
      CHECK(has_elements<T>(f(one_row, column), of(in_row, in_column)));
      CHECK(has_elements<T>(f(part(1), row), of(in_wide(1), in_row)));
      CHECK(has_elements<T>(f(column, part(3)), of(in_column, in_wide(3))));
      CHECK(has_elements<T>(f(part(2), part(1)), of(in_wide(2), in_wide(1))));
      matrix<T> in_place = m * T(1);  // in memory of its own
      T const* const memory = std::as_const(in_place).data();
      in_place = f(in_place, row);
      CHECK(std::as_const(in_place).data() == memory);
      CHECK(has_elements<T>(in_place, of(at(m), in_row)));
      in_place = m * T(1);
      in_place = f(column, in_place);
      CHECK(has_elements<T>(in_place, of(in_column, at(m))));
      in_place = m * T(1);
      in_place = f(in_place, slice(in_place, 0));
      CHECK(has_elements<T>(in_place, of(at(m), [&](index_t, index_t j) { return m.data()[j]; })));
      matrix<T> around = wide * T(1), same = wide * T(1);
      slice(view(around), everything, range{1, n + 1}) = f(m, column);
      CHECK(has_elements<T>(slice(around, everything, range{1, n + 1}), of(at(m), in_column)));
      auto const own = slice(view(same), everything, range{2, n + 2});
      own = f(own, row);
      CHECK(has_elements<T>(slice(same, everything, range{2, n + 2}), of(in_wide(2), in_row)));
      CHECK(has_elements<T>(slice(around, everything, range{n + 1, n + 5}),
                            [&](index_t i, index_t j) { return in_wide(n + 1)(i, j); }));
    }
}
/// All four in nightly runs; of doubles, else, those whose operands cannot be exchanged.
#ifdef PLACEMENT_EVERY_COMBINATION
template <class T> constexpr bool all_ops = true;
#else
template <class T> constexpr bool all_ops = sizeof(T) == 4;
#endif
template <class T> void check_ops() {
  check<T>([](auto const& a, auto const& b) { return a - b; });
  check<T>([](auto const& a, auto const& b) { return a / b; });
  if constexpr (all_ops<T>) {
    check<T>([](auto const& a, auto const& b) { return a + b; });
    check<T>([](auto const& a, auto const& b) { return a * b; });
  }
}

}  // namespace

TEST_CASE("rows of floats have the bits of one element at each level") { check_ops<float>(); }
TEST_CASE("rows of doubles have the bits of one element at each level") { check_ops<double>(); }

TEST_CASE("rows of blocks and matrices of matrices are those of contiguous operands") {
  tensor<float, dextents<3>> const x = uniform<float>(shape(3, 5, 700), -9.f, 9.f);
  tensor<float, dextents<3>> const of_matrix = uniform<float>(shape(3, 1, 1), -9.f, 9.f);
  tensor<float, dextents<3>> const of_row = uniform<float>(shape(3, 5, 1), -9.f, 9.f);
  tensor<float, dextents<1>> const row = uniform<float>(shape(700), -9.f, 9.f);
  tensor<float, dextents<3>> const many = x + 0.f, zero = x * 0.f;
  tensor<float, dextents<3>> const wide_matrix = zero + of_matrix, wide_row = zero + of_row;
  tensor<float, dextents<3>> const wide = zero + row;
  CHECK(array_equal(x * of_matrix, many * wide_matrix));
  CHECK(array_equal(of_row - x, wide_row - many));
  CHECK(array_equal(x / row, many / wide));
}

#if defined(__x86_64__) && !defined(__clang__)
namespace {
/// A NaN with these last bits.
template <class T> T nan_of(unsigned payload) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(0x7fc00000u | payload);
  else return std::bit_cast<T>(0x7ff8000000000000u | std::uint64_t{payload});
}
template <class T> matrix<T> filled(index_t rows, index_t columns, T x) {
  matrix<T> m = uniform<T>(shape(rows, columns), T(0), T(1));
  for (index_t i = 0; i != rows * columns; ++i) m.data()[i] = x;
  return m;
}
template <class T> index_t count_bits(matrix<T> const& y, T x) {
  index_t same = 0;
  for (index_t i = 0; i != y.shape().at(0) * y.shape().at(1); ++i)
    if (std::memcmp(y.data() + i, &x, sizeof x) == 0) ++same;
  return same;
}
template <class T> void check_nan() {
  T const left = nan_of<T>(5), right = nan_of<T>(77);
  for (index_t n = 13; n <= 70; ++n) {
    index_t const rows = 9, count = rows * n;
    matrix<T> const a = filled(rows, n, left), of_rows = filled(rows, 1, left);
    vector_of<T> const b = reshape(filled(1, n, right), shape(n));
    INFO(n << " elements of " << sizeof(T) << " bytes");
    CHECK(count_bits<T>(a + b, right) == count);
    CHECK(count_bits<T>(a * b, right) == count);
    CHECK(count_bits<T>(a - b, left) == count);
    CHECK(count_bits<T>(a / b, left) == count);
    CHECK(count_bits<T>(of_rows + b, right) == count);
    CHECK(count_bits<T>(of_rows * b, right) == count);
    CHECK(count_bits<T>(b * of_rows, left) == count);
  }
}
}  // namespace

TEST_CASE("of two NaN each element of a row is the same one at each level") {
  check_nan<float>();
  check_nan<double>();
}
#endif
