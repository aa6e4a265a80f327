// Results that no cache holds are written by non-temporal stores. Their elements are those of
// loops.
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

using namespace placement;

namespace {

/// A number of rows of `columns` floats that are beyond the caches, or 0 for too many.
index_t rows_beyond_caches(index_t columns) {
  std::size_t bytes = std::size_t{1} << 20;
  while (!detail::is_beyond_caches(2 * bytes)) bytes += bytes / 4;
  return bytes < std::size_t{1} << 28 ? static_cast<index_t>(bytes / sizeof(float)) / columns + 1
                                      : 0;
}
float value_at(index_t i) { return static_cast<float>(i % 1013) - 500.f; }

/// The number of wrong elements. expected(i, j): element j of row i.
template <class T, class F> index_t count_wrong(matrix<T> const& y, F expected) {
  auto const elements = y.read();
  T const* next = elements.data();
  index_t wrong = 0;
  for (index_t i = 0; i != y.extent(0); ++i)
    for (index_t j = 0; j != y.extent(1); ++j) wrong += *next++ != expected(i, j);
  return wrong;
}

class large_matrix {
 public:
  explicit large_matrix(index_t n) : columns(n), rows(rows_beyond_caches(n)) {
    if (rows == 0) SKIP("the caches hold more than 512 MiB");
    x = on(cpu0, reshape(cast<float>(iota<index_t>(rows * n, index_t{0}) % index_t{1013}) - 500.f,
                         shape(rows, n)));
  }
  float at(index_t i, index_t j) const { return value_at(i * columns + j); }

  index_t columns, rows;
  matrix<float> x;
};

}  // namespace

TEST_CASE("streamed results of contiguous operands are those of loops") {
  with_device const scope(cpu<0>);
  large_matrix const m(1000);
  matrix<float> y = zeros<float>(shape(m.rows, m.columns));
  y = m.x * 2.f + m.x;
  CHECK(count_wrong(y, [&](index_t i, index_t j) { return 3 * m.at(i, j); }) == 0);
  y = reshape(iota<float>(m.rows * m.columns, 1.f), shape(m.rows, m.columns)) + m.x;
  CHECK(count_wrong(y, [&](index_t i, index_t j) {
          return static_cast<float>(i * m.columns + j + 1) + m.at(i, j);
        }) == 0);
  matrix<bool> is_less = m.x < 0.f;
  is_less = m.x < 7.f;
  CHECK(count_wrong(is_less, [&](index_t i, index_t j) { return m.at(i, j) < 7; }) == 0);
  matrix<double> wide = zeros<double>(shape(m.rows, m.columns));
  wide = cast<double>(m.x) / 3.0;
  CHECK(count_wrong(wide, [&](index_t i, index_t j) { return m.at(i, j) / 3.0; }) == 0);
}

TEST_CASE("several streamed results are those of loops") {
  with_device const scope(cpu<0>);
  large_matrix const m(1000);
  matrix<float> y = zeros<float>(shape(m.rows, m.columns));
  matrix<double> z = zeros<double>(shape(m.rows, m.columns));
  evaluate(into(y) = m.x - 1.f, into(z) = cast<double>(m.x) * 0.1);
  CHECK(count_wrong(y, [&](index_t i, index_t j) { return m.at(i, j) - 1; }) == 0);
  CHECK(count_wrong(z, [&](index_t i, index_t j) { return m.at(i, j) * 0.1; }) == 0);
}

TEST_CASE("streamed rows beside a row or a column are those of loops") {
  with_device const scope(cpu<0>);
  for (index_t columns : {3, 250, 256, 1500}) {  // 250: not every row begins at 16 bytes
    INFO(columns << " columns");
    large_matrix const m(columns);
    vector<float> const row = iota<float>(columns, 1.f);
    matrix<float> const column = reshape(iota<float>(m.rows, 0.f), shape(m.rows, 1));
    matrix<float> y = zeros<float>(shape(m.rows, m.columns));
    y = m.x + row;
    CHECK(count_wrong(y, [&](index_t i, index_t j) {
            return m.at(i, j) + static_cast<float>(j + 1);
          }) == 0);
    y = relu(m.x * column - row);
    CHECK(count_wrong(y, [&](index_t i, index_t j) {
            return std::fmax(m.at(i, j) * static_cast<float>(i) - static_cast<float>(j + 1), 0.f);
          }) == 0);
  }
}

TEST_CASE("a large result that is an operand, too, is that of a loop") {
  with_device const scope(cpu<0>);
  large_matrix m(256);
  vector<float> const row = iota<float>(256, 0.f);
  m.x = m.x + row;
  CHECK(count_wrong(m.x, [](index_t i, index_t j) {
          return value_at(i * 256 + j) + static_cast<float>(j);
        }) == 0);
}
