// The CPU's matrix products on plain memory, against three plain loops.
#include <placement/exec/kernels.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

using namespace placement;

namespace {

struct product_op {
  using pattern = gemm;
};
template <class T> using product_loop = kernel<cpu_kernels, gemm, product_op, T>;
template <class T>
using blocks = detail::gemm_packed<T, PLACEMENT_VECTOR_BYTES, PLACEMENT_MANY_VECTORS>;

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

/// An executor that runs the smallest possible chunks, the last one first.
struct grains_backwards {
  template <class F> void parallel_for(work_size const& size, F const& chunk) const {
    REQUIRE(size.units > size.grain);
    for (index_t at = (size.units - 1) / size.grain * size.grain; at >= 0; at -= size.grain)
      chunk(work_chunk{at, at + size.grain < size.units ? at + size.grain : size.units});
  }
};

struct extents_of_product {
  index_t m, n, k;
};
struct batch_of_products {
  index_t batch, m, n, k;
};

/// Whole numbers, so that sums are exact in any order, in 16 bits too.
template <class T> std::vector<T> numbers(index_t n, unsigned seed = 1) {
  std::minstd_rand random(seed + static_cast<unsigned>(n));
  std::vector<T> v(at(n));
  for (T& x : v) x = static_cast<T>(static_cast<int>(random() % 5) - 2);
  return v;
}

/// The expected element. Integers wrap.
template <class T>
detail::summed<T> expected_at(detail::matrix_product<T> const& p, index_t i, index_t j) {
  detail::summed<T> sum{};
  for (index_t k = 0; k != p.depth; ++k) {
    auto const x = static_cast<detail::summed<T>>(widened(p.a[i * p.a_row + k * p.a_step]));
    auto const y = static_cast<detail::summed<T>>(widened(p.b[k * p.b_row + j * p.b_step]));
    sum = static_cast<detail::summed<T>>(sum + x * y);
  }
  return sum;
}
/// The number of wrong elements. The memory has one more element, which must stay 77.
template <class T> index_t wrong(detail::matrix_product<T> const& p, std::vector<T> const& out) {
  index_t n = 0;
  for (index_t i = 0; i != p.rows; ++i)
    for (index_t j = 0; j != p.columns; ++j)
      n += out[at(i * p.columns + j)] != static_cast<T>(expected_at(p, i, j));
  return n + (out.back() != static_cast<T>(77));
}

/// The strides of an m x n matrix, and its number of elements in memory.
struct lie {
  index_t row, step, elements;
};
lie dense(index_t, index_t n) { return {n, 1, 0}; }
lie transposed(index_t m, index_t) { return {1, m, 0}; }
lie sliced(index_t, index_t n) { return {2 * n + 3, 2, 0}; }
lie transposed_slice(index_t m, index_t) { return {3, 3 * m + 1, 0}; }
lie apart(index_t, index_t n) { return {n + 5, 1, 0}; }
lie repeated(index_t, index_t) { return {0, 1, 0}; }
using layout_of = lie (*)(index_t, index_t);
lie lying(layout_of f, index_t m, index_t n) {
  lie l = f(m, n);
  l.elements = (m - 1) * l.row + (n - 1) * l.step + 1;
  return l;
}

/// Multiplies by one of the loops and counts the wrong elements.
template <class T, class Loop>
index_t wrong_by(Loop const& loop, index_t m, index_t n, index_t k, layout_of of_a = dense,
                 layout_of of_b = dense) {
  lie const la = lying(of_a, m, k), lb = lying(of_b, k, n);
  auto const a = numbers<T>(la.elements), b = numbers<T>(lb.elements, 9);
  std::vector<T> out(at(m * n) + 1, static_cast<T>(77));
  detail::matrix_product<T> const p{out.data(), m,       n,        k,      a.data(),
                                    la.row,     la.step, b.data(), lb.row, lb.step};
  loop(p);
  return wrong(p, out);
}
auto const by_blocks = []<class T>(detail::matrix_product<T> const& p) {
  REQUIRE(blocks<T>::multiply(p, 0, {}));
};
/// Narrow products by one or two registers of columns, other products by packed blocks.
auto const by_narrow = []<class T>(detail::matrix_product<T> const& p) {
  using one = detail::gemm_narrow<T, PLACEMENT_VECTOR_BYTES, PLACEMENT_MANY_VECTORS, 1>;
  using two = detail::gemm_narrow<T, PLACEMENT_VECTOR_BYTES, PLACEMENT_MANY_VECTORS, 2>;
  if (p.columns > two::width || (p.a_row != 1 && p.a_step != 1))
    REQUIRE(blocks<T>::multiply(p, 0, {}));
  else if (p.columns <= one::width) REQUIRE(one::multiply(p, 0, {}));
  else REQUIRE(two::multiply(p, 0, {}));
};
auto const by_few = []<class T>(detail::matrix_product<T> const& p) {
  detail::gemm_small<PLACEMENT_VECTOR_BYTES>(detail::product_batch<T>{p, 1, 0, 0});
};
/// Calls the kernel that a program calls.
auto const by_kernel = []<class T>(detail::matrix_product<T> const& p) {
  strided_view<T const, 2> a{p.a, {}}, b{p.b, {}};
  a.where.stride[0] = p.a_row;
  a.where.stride[1] = p.a_step;
  b.where.stride[0] = p.b_row;
  b.where.stride[1] = p.b_step;
  product_loop<T>::run(seq{}, p.out, shape(p.rows, p.columns), p.depth, a, b, no_epilogue{});
};

constexpr layout_of layouts[] = {dense, transposed, sliced, transposed_slice, apart};
constexpr index_t around_tiles[] = {1, 2, 3, 5, 8, 12, 13, 17, 33};

template <class... T, class F> void each_type(F const& f) { (f.template operator()<T>(), ...); }

}  // namespace

TEST_CASE("small products of any number of rows, columns and depth match the plain loops") {
  for (index_t m = 1; m <= 40; ++m)
    for (index_t n = 1; n <= 40; ++n)
      for (index_t k = 1; k <= 40; k += m % 3 == 0 ? 1 : 5) {
        INFO(m << " x " << k << " x " << n);
        REQUIRE(wrong_by<float>(by_kernel, m, n, k) == 0);
      }
}

TEST_CASE("packed blocks of any small number of rows, columns and depth match the plain loops") {
  for (index_t m = 1; m <= 40; ++m)
    for (index_t n = 1; n <= 40; ++n)
      for (index_t k = 1; k <= 40; k += n % 4 == 0 ? 1 : 6) {
        INFO(m << " x " << k << " x " << n);
        REQUIRE(wrong_by<float>(by_blocks, m, n, k) == 0);
      }
}

TEST_CASE("narrow products of any small number of rows, columns and depth match the plain loops") {
  for (index_t m = 1; m <= 40; ++m)
    for (index_t n = 1; n <= 32; ++n)
      for (index_t k = 1; k <= 40; k += n % 5 == 0 ? 2 : 13) {
        INFO(m << " x " << k << " x " << n);
        REQUIRE(wrong_by<float>(by_narrow, m, n, k) == 0);
        REQUIRE(wrong_by<float>(by_narrow, m, n, k, transposed) == 0);
      }
}

TEST_CASE("each product of a batch of squares is correct, and nothing is written behind the last") {
  each_type<float, double, float16, std::int32_t>([]<class T>() {
    for (index_t n = 1; n <= 17; ++n)
      for (index_t count : {1, 2, 5})
        for (bool shared : {false, true}) {
          INFO(count << " times " << n);
          auto const a = numbers<T>(count * n * n), b = numbers<T>((shared ? 1 : count) * n * n, 9);
          std::vector<T> out(at(count * n * n) + 1, static_cast<T>(77));
          index_t const next = shared ? 0 : n * n;
          strided_view<T const, 3> const x{a.data(), {0, {n * n, n, 1}}};
          strided_view<T const, 3> const y{b.data(), {0, {next, n, 1}}};
          product_loop<T>::run(seq{}, out.data(), shape(count, n, n), n, x, y, no_epilogue{});
          CHECK(out.back() == static_cast<T>(77));
          for (index_t i = 0; i != count; ++i) {
            std::vector<T> one(out.begin() + i * n * n, out.begin() + (i + 1) * n * n);
            one.push_back(static_cast<T>(77));
            CHECK(wrong(detail::matrix_product<T>{one.data(), n, n, n, a.data() + i * n * n, n, 1,
                                                  b.data() + i * next, n, 1},
                        one) == 0);
          }
        }
  });
}

TEST_CASE("operands can have any layout and any type") {
  each_type<float, double, std::int8_t, std::int32_t, std::uint32_t, std::int64_t, float16,
            bfloat16>([]<class T>() {
    for (layout_of a : layouts)
      for (layout_of b : layouts)
        for (index_t m : around_tiles)
          for (index_t n : around_tiles)
            for (index_t k : {1, 3, 4, 9, 16}) {
              INFO(m << " x " << k << " x " << n);
              REQUIRE(wrong_by<T>(by_few, m, n, k, a, b) == 0);
              REQUIRE(wrong_by<T>(by_blocks, m, n, k, a, b) == 0);
              REQUIRE(wrong_by<T>(by_narrow, m, n, k, a, b) == 0);
            }
  });
}

TEST_CASE("products larger than a block of rows, columns or depth are summed over all blocks") {
  each_type<float, double, std::int32_t, float16>([]<class T>() {
    using loop = blocks<T>;
    auto const check = [](index_t m, index_t n, index_t k) {
      INFO(m << " x " << k << " x " << n);
      CHECK(wrong_by<T>(by_kernel, m, n, k) == 0);
      CHECK(wrong_by<T>(by_kernel, m, n, k, transposed, transposed) == 0);
    };
    check(loop::row_block + 5, 33, 40);
    check(40, loop::column_block + 7, 33);
    check(37, 41, 2 * loop::depth_block + 3);
    check(50, 60, loop::depth_block);
    for (index_t n : {2, 3, 7, 10, 16, 31}) {
      check(300, n, 5);
      check(29, n, 1100);
      check(555, n, 200);
    }
  });
}

TEST_CASE("a matrix times a vector, from either side and in any layout, matches the plain loops") {
  each_type<float, double, std::int8_t, std::int32_t, float16>([]<class T>() {
    for (layout_of a : layouts)
      for (layout_of b : layouts)
        for (index_t n : {1, 7, 64, 65, 1023, 1100})
          for (index_t k : {1, 2, 8, 31, 63, 130}) {
            if (n > 1000 && k % 2 == 0) continue;  // odd depths cover more in the same time
            INFO(k << " x " << n);
            REQUIRE(wrong_by<T>(by_kernel, 1, n, k, a, b) == 0);
            REQUIRE(wrong_by<T>(by_kernel, n, 1, k, a, b) == 0);
            REQUIRE(wrong_by<T>(by_kernel, k, 1, n, a, b) == 0);
          }
  });
  CHECK(wrong_by<float>(by_kernel, 1, 1, 40000) == 0);
  CHECK(wrong_by<float>(by_kernel, 2, 900, 40) == 0);
  CHECK(wrong_by<float>(by_kernel, 900, 2, 40) == 0);
}

TEST_CASE("a broadcast row or column is read in place") {
  CHECK(wrong_by<float>(by_kernel, 50, 60, 70, repeated, dense) == 0);
  CHECK(wrong_by<float>(by_kernel, 50, 60, 70, dense, repeated) == 0);
  CHECK(wrong_by<float>(by_kernel, 7, 6, 5, repeated, repeated) == 0);
}

TEST_CASE("sums of products are as accurate as those of the plain loops") {
  std::minstd_rand random(5);
  std::uniform_real_distribution<float> between(-1, 1);
  index_t const m = 50, n = 70;
  for (index_t k : {3, 100, 1000, 5000}) {
    std::vector<float> a(at(m * k)), b(at(k * n)), out(at(m * n) + 1);
    for (float& x : a) x = between(random);
    for (float& x : b) x = between(random);
    detail::matrix_product<float> const p{out.data(), m, n, k, a.data(), k, 1, b.data(), n, 1};
    by_kernel(p);
    for (index_t i = 0; i != m; ++i)
      for (index_t j = 0; j != n; ++j) {
        double sum = 0, magnitudes = 0;
        for (index_t l = 0; l != k; ++l) {
          double const x = static_cast<double>(a[at(i * k + l)]) * double{b[at(l * n + j)]};
          sum += x;
          magnitudes += std::abs(x);
        }
        // Higham: Accuracy and Stability of Numerical Algorithms, 3.5: k u |a| |b|
        double const bound = static_cast<double>(k) * 0x1p-24 * magnitudes;
        REQUIRE(std::abs(double{out[at(i * n + j)]} - sum) <= bound);
      }
  }
}

TEST_CASE("NaN and infinity reach only the elements that depend on them") {
  float const inf = std::numeric_limits<float>::infinity();
  using e = extents_of_product;
  for (auto const [m, n, k] :
       {e{5, 7, 9}, e{45, 50, 70}, e{1, 200, 300}, e{200, 1, 300}, e{300, 10, 200}}) {
    auto a = numbers<float>(m * k), b = numbers<float>(k * n);
    std::vector<float> out(at(m * n));
    for (float& x : b) x = x + 3;  // no 0 beside infinity
    a[at((m - 1) * k + 2)] = std::nanf("");
    if (m > 1) a[at(k - 1)] = inf;
    detail::matrix_product<float> const p{out.data(), m, n, k, a.data(), k, 1, b.data(), n, 1};
    by_kernel(p);
    for (index_t i = 0; i != m; ++i)
      for (index_t j = 0; j != n; ++j) {
        float const x = out[at(i * n + j)];
        INFO(i << ' ' << j);
        if (i == m - 1) REQUIRE(std::isnan(x));
        else if (i == 0) REQUIRE(x == inf);
        else REQUIRE(x == expected_at(p, i, j));
      }
  }
}

TEST_CASE("the epilogue of a product gets each element once, after its sum is complete") {
  using e = extents_of_product;
  for (auto const [m, n, k] : {e{3, 5, 4}, e{40, 50, 60}, e{70, 1200, 600}, e{1000, 40, 30},
                               e{1, 3000, 100}, e{300, 1, 200}, e{600, 10, 700}}) {
    INFO(m << " x " << k << " x " << n);
    auto const a = numbers<float>(m * k), b = numbers<float>(k * n);
    std::vector<float> out(at(m * n));
    strided_view<float const, 2> x{a.data(), {0, {k, 1}}}, y{b.data(), {0, {n, 1}}};
    product_loop<float>::run(seq{}, out.data(), shape(m, n), k, x, y,
                             [&](index_t first, index_t count) {
                               CHECK(first / n == (first + count - 1) / n);  // one row
                               for (index_t i = first; i != first + count; ++i)
                                 out[at(i)] = 2 * out[at(i)] + 1;
                             });
    detail::matrix_product<float> const p{nullptr, m, n, k, a.data(), k, 1, b.data(), n, 1};
    for (index_t i = 0; i != m; ++i)
      for (index_t j = 0; j != n; ++j) REQUIRE(out[at(i * n + j)] == 2 * expected_at(p, i, j) + 1);
  }
}

TEST_CASE("chunks of a product, in any order, give the same bits as the whole product") {
  std::minstd_rand random(3);
  std::uniform_real_distribution<float> between(-1, 1);
  using e = batch_of_products;
  for (auto const [batch, m, n, k] :
       {e{1, 400, 60, 300}, e{3, 130, 40, 50}, e{5, 100, 1, 90}, e{700, 4, 4, 4}, e{700, 1, 9, 200},
        e{50, 1, 9, 600}, e{90, 7, 5, 40}, e{700, 3, 3, 3}, e{700, 11, 11, 11}, e{2, 1, 1500, 40},
        e{1, 300, 10, 700}, e{3, 100, 9, 100}, e{1, 1, 1500, 40}, e{1, 1, 100, 300}}) {
    for (bool shared : {false, true}) {
      INFO(batch << " times " << m << " x " << k << " x " << n);
      std::vector<float> a(at(batch * m * k)), b(at(batch * k * n));
      for (float& x : a) x = between(random);
      for (float& x : b) x = between(random);
      strided_view<float const, 3> const x{a.data(), {0, {m * k, k, 1}}};
      strided_view<float const, 3> const y{b.data(), {0, {shared ? 0 : k * n, n, 1}}};
      std::vector<float> whole(at(batch * m * n)), parts(whole.size());
      auto const add = [](std::vector<float>& v) {
        return [&v](index_t first, index_t count) {
          for (index_t i = first; i != first + count; ++i) v[at(i)] += 1;
        };
      };
      product_loop<float>::run(seq{}, whole.data(), shape(batch, m, n), k, x, y, add(whole));
      product_loop<float>::run(grains_backwards{}, parts.data(), shape(batch, m, n), k, x, y,
                               add(parts));
      CHECK(whole == parts);
      CHECK(whole[0] != 0);
    }
  }
}

TEST_CASE("products with no rows or columns write nothing, and with no depth zeros") {
  auto const product = [](index_t m, index_t n, index_t k) {
    std::vector<float> out(at(m * n) + 1, 5);
    std::vector<float> const one(100, 1);
    strided_view<float const, 2> a{one.data(), {0, {k, 1}}}, b{one.data(), {0, {n, 1}}};
    index_t told = 0;
    product_loop<float>::run(seq{}, out.data(), shape(m, n), k, a, b,
                             [&](index_t, index_t count) { told += count; });
    CHECK(told == m * n);
    return out;
  };
  CHECK(product(0, 3, 2) == std::vector<float>{5});
  CHECK(product(3, 0, 2) == std::vector<float>{5});
  CHECK(product(1, 2, 0) == std::vector<float>{0, 0, 5});
  CHECK(product(0, 0, 0) == std::vector<float>{5});
}

TEST_CASE("packed blocks keep their memory for the next product of the thread") {
  auto const product = [] { return wrong_by<float>(by_blocks, 60, 60, 60); };
  CHECK(product() == 0);
  void const* const before = detail::scratch_of_thread.at_least(1);
  CHECK(product() == 0);
  CHECK(detail::scratch_of_thread.at_least(1) == before);
}
