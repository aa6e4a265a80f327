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
    v[i] = static_cast<T>((i * 7919) % 19) - 9;
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

/// Windows of 2 x `high` elements of images with c channels, whose rows have a gap behind them.
template <class T> void check_windows(index_t high, index_t c, bool special) {
  constexpr index_t images = 3, across = 7, gap = 3;
  index_t const row = across * 2 * c + gap;
  std::vector<T> v = rows_of<T>(images * high, row, special);
  auto const all = borrow(v.data(), shape(images * high, row));
  auto const view = reshape(slice(all, range(0, images * high), range(0, row - gap)),
                            shape(images, high, across, 2, c));
  tensor const x = view;
  tensor const sums = sum(x, axis<1, 3>), largest = max(x, axis<1, 3>),
               smallest = min(x, axis<1, 3>), positive = relu(mean(x, axis<1, 3>) - T(1)),
               sums_of_view = sum(view, axis<1, 3>);
  tensor<T, dextents<3>> const rows = reshape(x, shape(images * high * across, 2, c));
  tensor const first_largest = argmax(rows, 1), first_smallest = argmin(rows, 1);
  int wrong = 0;
  for (index_t i = 0; i != images; ++i)
    for (index_t a = 0; a != across; ++a)
      for (index_t j = 0; j != c; ++j) {
        std::vector<T> window;
        for (index_t h = 0; h != high; ++h)
          for (index_t k = 0; k != 2; ++k)
            window.push_back(
                v[static_cast<std::size_t>((i * high + h) * row + (a * 2 + k) * c + j)]);
        auto const n = static_cast<index_t>(window.size());
        double sum = 0;
        for (T const e : window) sum += static_cast<double>(e);
        index_t at = 0;
        wrong += !same(largest(i, a, j), select<true>(window.data(), n, at));
        wrong += !same(smallest(i, a, j), select<false>(window.data(), n, at));
        wrong += !same(sums(i, a, j), static_cast<T>(sum));
        wrong += !same(sums_of_view(i, a, j), static_cast<T>(sum));
        T const shifted = static_cast<T>(sum / static_cast<double>(n)) - T(1);
        wrong += !same(positive(i, a, j), shifted > 0 || std::isnan(shifted) ? shifted : T(0));
        for (index_t h = 0; h != high; ++h) {
          index_t const r = (i * high + h) * across + a;
          select<true>(window.data() + h * 2, 2, at);
          wrong += first_largest(r, j) != at;
          select<false>(window.data() + h * 2, 2, at);
          wrong += first_smallest(r, j) != at;
        }
      }
  INFO("windows of " << high << " x 2, " << c << " channels" << (special ? ", special" : ""));
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

TEST_CASE("windows equal plain loops") {
  with_device const scope(cpu<0>);
  for (index_t c : {1, 3, 7, 8, 9, 15, 16, 17, 24, 33, 100, 256, 257})
    for (index_t high : {1, 2, 3, 5, 11, 15})
      for (bool special : {false, true}) {
        check_windows<float>(high, c, special);
        check_windows<double>(high, c, special);
      }
}
