// The loops of products for each level of x86-64 that this machine has, against three plain loops.
#include <placement/exec/kernels.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace placement;
using detail::cpu_level;

namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

/// The loops that this machine can run, with the names of their levels.
template <class T, class F> void each_level(F const& f) {
  f("baseline", detail::table_of_loops<T, detail::loops_of_file<T>>);
  if (!PLACEMENT_HAS_LEVELS) return;
  cpu_level const has = detail::cpu_level_of_machine();
  if (has >= cpu_level::avx2) f("x86-64-v3", detail::table_of_loops<T, detail::loops_for_avx2<T>>);
  if (has >= cpu_level::avx512)
    f("x86-64-v4", detail::table_of_loops<T, detail::loops_for_avx512<T>>);
}

template <class T> using product = detail::matrix_product<T>;

/// Which loop multiplies. Its result: whether it computes this product.
template <class T> using loop = bool (*)(detail::product_loops<T> const&, product<T> const&);
template <class T> struct named_loop {
  char const* name;
  loop<T> run;
};
template <class T>
constexpr named_loop<T> loops[] = {
    {"small",
     [](detail::product_loops<T> const& by, product<T> const& p) {
       by.small(detail::product_batch<T>{p, 1, 0, 0});
       return true;
     }},
    {"vector",
     [](detail::product_loops<T> const& by, product<T> const& p) { return by.vector(p); }},
    {"narrow",
     [](detail::product_loops<T> const& by, product<T> const& p) { return by.narrow(p, 0, {}); }},
    {"packed",
     [](detail::product_loops<T> const& by, product<T> const& p) { return by.packed(p, 0, {}); }}};

template <class T> struct operands {
  std::vector<T> a, b;
};
template <class T> operands<T> whole_numbers(index_t m, index_t n, index_t k) {
  std::minstd_rand random(static_cast<unsigned>(m * 64 + n * 8 + k));
  operands<T> x{std::vector<T>(at(m * k)), std::vector<T>(at(k * n))};
  for (T& e : x.a) e = static_cast<T>(static_cast<int>(random() % 5) - 2);
  for (T& e : x.b) e = static_cast<T>(static_cast<int>(random() % 5) - 2);
  return x;
}

/// Elements that differ from the sum of the products by more than k u |a| |b| (Higham: Accuracy and
/// Stability of Numerical Algorithms, 3.5), for unit roundoff u.
template <class T>
index_t beyond_bound(product<T> const& p, std::vector<T> const& out, double roundoff) {
  index_t n = 0;
  for (index_t i = 0; i != p.rows; ++i)
    for (index_t j = 0; j != p.columns; ++j) {
      long double sum = 0, magnitudes = 0;
      for (index_t k = 0; k != p.depth; ++k) {
        auto const x = static_cast<long double>(p.a[i * p.a_row + k * p.a_step]) *
                       static_cast<long double>(p.b[k * p.b_row + j * p.b_step]);
        sum += x;
        magnitudes += std::abs(x);
      }
      auto const bound = static_cast<long double>(roundoff) * static_cast<long double>(p.depth);
      auto const error = std::abs(static_cast<long double>(out[at(i * p.columns + j)]) - sum);
      n += !(error <= bound * magnitudes);
    }
  return n;
}

template <class T> void check_exactly() {
  constexpr index_t extents[] = {1, 2, 3, 4, 7, 8, 12, 13, 16, 17, 33, 65};
  each_level<T>([&](char const* level, detail::product_loops<T> const& by) {
    for (auto const& [name, run] : loops<T>)
      for (index_t m : extents)
        for (index_t n : extents)
          for (index_t k : {1, 2, 5, 12, 31, 600}) {
            auto const [a, b] = whole_numbers<T>(m, n, k);
            std::vector<T> out(at(m * n) + 1, T{77});
            product<T> const p{out.data(), m, n, k, a.data(), k, 1, b.data(), n, 1};
            if (!run(by, p)) continue;
            INFO(level << ' ' << name << ' ' << m << " x " << k << " x " << n);
            REQUIRE(beyond_bound(p, out, 0) == 0);
            REQUIRE(out.back() == T{77});
          }
  });
}

template <class T> void check_bound(double roundoff) {
  std::minstd_rand random(7);
  std::uniform_real_distribution<double> between(-1, 1);
  each_level<T>([&](char const* level, detail::product_loops<T> const& by) {
    for (auto const& [name, run] : loops<T>)
      for (index_t n : {1, 5, 30, 70}) {
        index_t const m = 40, k = 700;
        operands<T> x{std::vector<T>(at(m * k)), std::vector<T>(at(k * n))};
        for (T& e : x.a) e = static_cast<T>(between(random));
        for (T& e : x.b) e = static_cast<T>(between(random));
        std::vector<T> out(at(m * n));
        product<T> const p{out.data(), m, n, k, x.a.data(), k, 1, x.b.data(), n, 1};
        if (!run(by, p)) continue;
        INFO(level << ' ' << name << ' ' << n);
        CHECK(beyond_bound(p, out, roundoff) == 0);
      }
  });
}

/// Whether a matrix by its own transpose has the bits of the product of two matrices.
template <class T>
bool has_bits_of_two(detail::product_loops<T> const& by, std::vector<T> const& a, index_t n,
                     index_t depth, bool is_transposed) {
  index_t const row = is_transposed ? 1 : depth + 1, step = is_transposed ? n : 1;
  std::vector<T> const copy = a;
  std::vector<T> of_one(at(n * n) + 1, T{77}), of_two = of_one;
  by.packed({of_one.data(), n, n, depth, a.data(), row, step, a.data(), step, row}, 0, {});
  by.packed({of_two.data(), n, n, depth, a.data(), row, step, copy.data(), step, row}, 0, {});
  return of_one == of_two;
}
template <class T> void check_own_transpose(char const* level, detail::product_loops<T> const& by) {
  std::minstd_rand random(3);
  std::uniform_real_distribution<double> between(-9, 9);
  for (index_t n : {1, 2, 13, 31, 32, 33, 64, 66, 97, 130, 1025})
    for (index_t depth : {47, 48, 65, 300}) {
      std::vector<T> a(at(n * (depth + 1)));
      for (T& e : a) e = static_cast<T>(between(random));
      INFO(level << ' ' << n << ' ' << depth);
      REQUIRE(has_bits_of_two(by, a, n, depth, false));
      REQUIRE(has_bits_of_two(by, a, n, depth, true));
    }
}

}  // namespace

TEST_CASE("a matrix by its own transpose has the bits of any product, at every level") {
  each_level<float>(check_own_transpose<float>);
  each_level<double>(check_own_transpose<double>);
  check_own_transpose("baseline",
                      detail::table_of_loops<std::int32_t, detail::loops_of_file<std::int32_t>>);
}

TEST_CASE("the loops of every level are exact for whole numbers") {
  check_exactly<float>();
  check_exactly<double>();
}

TEST_CASE("the sums of every level are within the bound of a sum of rounded products") {
  check_bound<float>(0x1p-24);
  check_bound<double>(0x1p-53);
}
