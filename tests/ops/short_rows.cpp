// Reductions of rows that fill no register take several rows at once. They equal plain loops.
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

using namespace placement;

namespace {

/// Rows of n elements in memory of exactly their size. Some are NaN or infinite, if `special`.
template <class T> std::vector<T> rows_of(index_t rows, index_t n, bool special) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  std::vector<T> v(static_cast<std::size_t>(rows * n));
  for (std::size_t i = 0; i != v.size(); ++i) {
    v[i] = static_cast<T>((i * 7919) % 64) - 31;
    if (special && i % 41 == 3) v[i] = std::numeric_limits<T>::quiet_NaN();
    if (special && i % 37 == 5) v[i] = inf;
    if (special && i % 29 == 7) v[i] = -inf;
  }
  return v;
}
template <class T> bool same(T a, T b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// The largest element of a row, or its first NaN. at: the index of that element.
template <bool Largest, class T> T select(T const* row, index_t n, index_t& at) {
  at = 0;
  for (index_t j = 1; j < n && !std::isnan(row[at]); ++j)
    if (std::isnan(row[j]) || (Largest ? row[j] > row[at] : row[j] < row[at])) at = j;
  return row[at];
}

template <class T> void check_rows(index_t rows, index_t n, bool special) {
  std::vector<T> v = rows_of<T>(rows, n, special);
  auto const x = borrow(v.data(), shape(rows, n));
  tensor const sums = sum(x, 1), means = mean(x, 1), squares = sum(x * x, 1),
               magnitudes = sum(abs(x), 1), shifted = sum(x + T(1), 1), largest = max(x, 1),
               smallest = min(x, 1), largest_of_sum = max(x + T(1), 1);
  tensor const first_largest = argmax(x, 1), first_smallest = argmin(x, 1);
  int wrong = 0;
  for (index_t i = 0; i != rows; ++i) {
    T const* const row = v.data() + i * n;
    double sum = 0, square = 0, magnitude = 0;
    for (index_t j = 0; j != n; ++j) {
      sum += static_cast<double>(row[j]);
      square += static_cast<double>(row[j]) * static_cast<double>(row[j]);
      magnitude += std::fabs(static_cast<double>(row[j]));
    }
    index_t at = 0;
    T const most = select<true>(row, n, at);
    wrong +=
        !same(largest(i), most) + (first_largest(i) != at) + !same(largest_of_sum(i), most + T(1));
    T const least = select<false>(row, n, at);
    wrong += !same(smallest(i), least) + (first_smallest(i) != at);
    wrong += !same(sums(i), static_cast<T>(sum)) + !same(squares(i), static_cast<T>(square)) +
             !same(magnitudes(i), static_cast<T>(magnitude)) +
             !same(shifted(i), static_cast<T>(sum + static_cast<double>(n))) +
             !same(means(i), static_cast<T>(sum / static_cast<double>(n)));
  }
  INFO(rows << " rows of " << n << (special ? ", special" : ""));
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("short rows equal plain loops") {
  with_device const scope(cpu<0>);
  for (index_t n = 1; n <= 40; ++n)
    for (index_t rows : {1, 3, 8, 33, 64, 65, 71, 200})
      for (bool special : {false, true}) {
        check_rows<float>(rows, n, special);
        check_rows<double>(rows, n, special);
      }
}
