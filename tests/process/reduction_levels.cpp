// gpus: 0
// env: [any] PLACEMENT_CPU_LEVEL=baseline
// env: [any] PLACEMENT_CPU_LEVEL=x86-64-v3
// env: [any] PLACEMENT_CPU_LEVEL=x86-64-v4
// Reductions, softmax and layer normalisation at each level of their loops. Compiled at -O2.
#include <placement/ops/layer_norm.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/softmax_cross_entropy.hpp>
#include <placement/placement.hpp>
#if defined(LIBRARY_WITHOUT_LEVELS)
#  include <placement/src/all.ipp>
#endif

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

using namespace placement;

namespace {

using floats = tensor<float, dextents<2>>;

constexpr index_t lengths[] = {1, 2, 7, 15, 16, 17, 33, 53, 64, 97, 100, 129, 300, 1025, 5003};

/// Whole numbers, whose sums are exact in any order.
floats whole_numbers(index_t rows, index_t n) {
  return floor(uniform<float>(shape(rows, n), -100.f, 100.f));
}
std::vector<double> row_of(floats const& x, index_t r) {
  index_t const n = x.shape().at(1);
  return {x.data() + r * n, x.data() + (r + 1) * n};
}
std::vector<double> column_of(floats const& x, index_t c) {
  std::vector<double> all;
  for (index_t r = 0; r != x.shape().at(0); ++r)
    all.push_back(static_cast<double>(x.data()[r * x.shape().at(1) + c]));
  return all;
}
double sum_of(std::vector<double> const& v) {
  double s = 0;
  for (double const x : v) s += x;
  return s;
}
double variance_of(std::vector<double> const& v) {
  double const n = static_cast<double>(v.size()), mean = sum_of(v) / n;
  double s = 0;
  for (double const x : v) s += (x - mean) * (x - mean);
  return s / n;
}
index_t place_of_largest(std::vector<double> const& v) {
  return std::max_element(v.begin(), v.end()) - v.begin();
}
bool is_near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(1., std::abs(b));
}

/// The reductions of rows or columns of x are those of plain loops.
template <class Fiber>
void check_fibers(floats const& x, index_t axis, index_t count, Fiber const& fiber) {
  tensor<float, dextents<1>> const s = sum(x, axis), best = max(x, axis), least = min(x, axis),
                                   v = variance(x, axis);
  tensor<std::int64_t, dextents<1>> const at = argmax(x, axis);
  for (index_t i = 0; i != count; ++i) {
    std::vector<double> const all = fiber(i);
    auto const [lowest, highest] = std::minmax_element(all.begin(), all.end());
    CHECK(static_cast<double>(s.data()[i]) == sum_of(all));
    CHECK(static_cast<double>(best.data()[i]) == *highest);
    CHECK(static_cast<double>(least.data()[i]) == *lowest);
    CHECK(at.data()[i] == place_of_largest(all));
    CHECK(is_near(static_cast<double>(v.data()[i]), variance_of(all), 1e-6));
  }
}

}  // namespace

TEST_CASE("reductions of rows and columns are those of plain loops at each level", "[any]") {
  for (index_t n : lengths) {
    INFO(n << " elements");
    floats const rows = whole_numbers(3, n), columns = whole_numbers(n, 21);
    check_fibers(rows, 1, 3, [&](index_t r) { return row_of(rows, r); });
    check_fibers(rows, 0, n, [&](index_t c) { return column_of(rows, c); });
    check_fibers(columns, 0, 21, [&](index_t c) { return column_of(columns, c); });
  }
}

TEST_CASE("products have the bits of 32 products that advance side by side at each level",
          "[any]") {
  for (index_t n : lengths) {
    INFO(n << " elements");
    floats const x = uniform<float>(shape(3, n), 0.5f, 1.5f);
    tensor<float, dextents<1>> const rows = prod(x, 1);
    for (index_t r = 0; r != 3; ++r) {
      std::vector<double> const all = row_of(x, r);
      std::vector<double> p(n < 64 ? 1 : 32, 1.);
      for (std::size_t i = 0; i != all.size(); ++i) p[i % p.size()] *= all[i];
      for (std::size_t l = 0; p.size() == 32 && l != 8; ++l)
        p[l] = (p[l] * p[l + 8]) * (p[l + 16] * p[l + 24]);
      double const product =
          p.size() == 1 ? p[0] : ((p[0] * p[1]) * (p[2] * p[3])) * ((p[4] * p[5]) * (p[6] * p[7]));
      CHECK(rows.data()[r] == static_cast<float>(product));
    }
    tensor<double, dextents<2>> const wide = cast<double>(x);
    CHECK(static_cast<float>(item(prod(slice(wide, 2)))) == rows.data()[2]);
  }
}

TEST_CASE("sums of columns have the bits of eight rows that are added first at each level",
          "[any]") {
  for (index_t n : {64, 65, 79, 100, 127, 255, 256, 257, 300})  // fewer are joined
    for (index_t rows : {32, 45, 300}) {
      INFO(rows << " rows of " << n);
      floats const x = uniform<float>(shape(rows, n), -1.f, 1.f);
      tensor<float, dextents<1>> const sums = sum(x, 0);
      tensor<double, dextents<1>> const wide = sum(cast<double>(x), 0);
      for (index_t c = 0; c != n; ++c) {
        std::vector<double> const all = column_of(x, c);
        double s = 0, w = 0;
        std::size_t i = 0;
        for (; all.size() - i >= 8; i += 8) {
          float eight = static_cast<float>(all[i]);
          double eight_wide = all[i];
          for (std::size_t k = 1; k != 8; ++k) {
            eight += static_cast<float>(all[i + k]);
            eight_wide += all[i + k];
          }
          s += static_cast<double>(eight);
          w += eight_wide;
        }
        for (; i != all.size(); ++i) {
          s += all[i];
          w += all[i];
        }
        CHECK(sums.data()[c] == static_cast<float>(s));
        CHECK(wide.data()[c] == w);
      }
    }
}

TEST_CASE("a NaN is found in each position at each level", "[any]") {
  constexpr index_t n = 300;
  for (index_t at = 0; at != n; ++at) {
    floats x = whole_numbers(1, n);
    x.data()[at] = std::numeric_limits<float>::quiet_NaN();
    INFO("element " << at);
    CHECK(std::isnan(item(max(x))));
    CHECK(std::isnan(item(sum(x))));
    CHECK(item(argmax(x)) == at);
  }
}

namespace {

/// The elements that max, min, argmax and argmin select are those of plain loops, of all elements
/// and of rows.
template <class T> void check_selections(std::vector<T> const& v) {
  auto const n = static_cast<index_t>(v.size());
  tensor<T, dextents<2>> const rows = broadcast_to(from(v), shape(3, n));
  tensor<T, dextents<1>> const x = slice(rows, 1);
  auto const is_nan = [](T e) { return e != e; };
  auto const nan = std::find_if(v.begin(), v.end(), is_nan);
  bool const has_nan = nan != v.end();
  auto const [least, largest] = has_nan ? std::pair(nan, nan)
                                        : std::pair(std::min_element(v.begin(), v.end()),
                                                    std::max_element(v.begin(), v.end()));
  auto const same = [&](T a, T b) { return a == b || (is_nan(a) && is_nan(b)); };
  CHECK(same(item(max(x)), *largest));
  CHECK(same(item(min(x)), *least));
  CHECK(item(argmax(x)) == largest - v.begin());
  CHECK(item(argmin(x)) == least - v.begin());
  tensor<T, dextents<1>> const best = max(rows, axis<1>);
  tensor<std::int64_t, dextents<1>> const at = argmin(rows, axis<1>);
  for (index_t r = 0; r != 3; ++r) {
    CHECK(same(best.data()[r], *largest));
    CHECK(at.data()[r] == least - v.begin());
  }
  std::vector<T> numbers;
  std::copy_if(v.begin(), v.end(), std::back_inserter(numbers), [&](T e) { return !is_nan(e); });
  if (!numbers.empty()) CHECK(item(nanmax(x)) == *std::max_element(numbers.begin(), numbers.end()));
}
template <class T> void check_selections_of_extremes() {
  T const inf = std::numeric_limits<T>::infinity(), most = std::numeric_limits<T>::max(),
          nan = std::numeric_limits<T>::quiet_NaN();
  for (index_t const n : {8, 16, 17, 63, 127, 128, 129, 300, 1025, 5003})
    for (T const odd : {nan, -nan, inf, -inf, most, -most, T{0}})
      for (index_t k = 0; k != 9; ++k) {
        INFO(n << " elements, " << odd << " at " << (n - 1) * k / 8);
        std::vector<T> v(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i != v.size(); ++i) v[i] = static_cast<T>(i * 7919 % 1009) - 400;
        v[static_cast<std::size_t>((n - 1) * k / 8)] = odd;
        check_selections(v);
        v[v.size() / 2] = -most;  // its products with others overflow
        v[v.size() / 3] = most;
        check_selections(v);
        v[v.size() / 2] = -inf;
        check_selections(v);
        v[v.size() / 3] = inf;
        check_selections(v);
      }
}

}  // namespace

TEST_CASE(
    "the largest and the smallest element are found among NaN, infinities and numbers whose "
    "product overflows, at each level",
    "[any]") {
  check_selections_of_extremes<float>();
  check_selections_of_extremes<double>();
}

TEST_CASE("any and all see each element at each level", "[any]") {
  for (index_t n : {1, 31, 64, 255, 700})
    for (index_t at = 0; at < n; at += 13) {
      tensor<bool, dextents<1>> one = zeros<bool>(shape(n));
      CHECK_FALSE(item(any(one)));
      one.data()[at] = true;
      CHECK(item(any(one)));
      CHECK_FALSE(item(all(!one)));
      CHECK(item(count_nonzero(one)) == 1);
    }
}

TEST_CASE("softmax and its logarithm add up to one at each level", "[any]") {
  for (index_t n : lengths) {
    INFO(n << " columns");
    floats const x = uniform<float>(shape(5, n), -9.f, 9.f), p = softmax(x), l = log_softmax(x);
    for (index_t r = 0; r != 5; ++r) {
      std::vector<double> const row = row_of(x, r), probability = row_of(p, r),
                                logarithm = row_of(l, r);
      double total = 0;
      for (double const e : row) total += std::exp(e);
      for (std::size_t j = 0; j != row.size(); ++j) {
        double const exact = row[j] - std::log(total);
        CHECK(is_near(logarithm[j], exact, 1e-6));
        // x - max is rounded to float
        CHECK(std::abs(probability[j] - std::exp(exact)) <= 1.5e-6 * std::exp(exact));
      }
    }
  }
}

TEST_CASE("cross entropy is the logarithm of the label's softmax at each level", "[any]") {
  for (index_t n : lengths) {
    INFO(n << " classes");
    floats const x = uniform<float>(shape(4, n), -9.f, 9.f), l = log_softmax(x);
    tensor<int, dextents<1>> labels = zeros<int>(shape(4));
    for (index_t r = 0; r != 4; ++r) labels.data()[r] = static_cast<int>((r * 7) % n);
    tensor<float, dextents<1>> const loss = softmax_cross_entropy(x, labels);
    for (index_t r = 0; r != 4; ++r)
      CHECK(is_near(static_cast<double>(loss.data()[r]),
                    -static_cast<double>(l.data()[r * n + labels.data()[r]]), 1e-5));
  }
}

TEST_CASE("normalised layers have mean 0 and variance 1 at each level", "[any]") {
  for (index_t n : {16, 33, 100, 1025}) {
    floats const x = uniform<float>(shape(3, n), -9.f, 9.f), y = layer_norm(x);
    for (index_t r = 0; r != 3; ++r) {
      std::vector<double> const row = row_of(y, r);
      CHECK(std::abs(sum_of(row)) <= 1e-5 * static_cast<double>(n));
      CHECK(is_near(variance_of(row), 1, 1e-4));
    }
  }
}
