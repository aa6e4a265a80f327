// The CPU loops on plain memory, against simple loops, at every length around their block sizes.
#include <placement/cpu/joint_block.hpp>
#include <placement/cpu/stream.hpp>
#include <placement/exec/kernels.hpp>
#include <placement/src/cpu/map_blocks.ipp>
#include <placement/src/cpu/parallel_for.ipp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <random>
#include <vector>

using namespace placement;

namespace {

struct plus_op {
  using pattern = map;
  float operator()(float x, float y) const noexcept { return x + y; }
};
struct below_op {
  using pattern = map;
  bool operator()(float x, float y) const noexcept { return x < y; }
};
struct product_op {
  using pattern = gemm;
};
/// Sums elements weighted by their index, so that a wrong order or index changes the result.
struct weighed_op {
  using pattern = reduce;
  template <class T> struct state {
    double sum = 0;
  };
  template <class T> static state<T> init() { return {}; }
  template <class T> static state<T> step(state<T> s, T x, index_t i) {
    return {s.sum + static_cast<double>(x) * static_cast<double>(i + 1)};
  }
  template <class T> static state<T> combine(state<T> a, state<T> b) { return {a.sum + b.sum}; }
  template <class T> static float finalize(state<T> s, index_t n) {
    return static_cast<float>(s.sum) + 1000000.f * static_cast<float>(n);
  }
};

using add_loop = kernel<cpu_kernels, map, plus_op, float>;
using product_loop = kernel<cpu_kernels, gemm, product_op, float>;
using reduce_loop = kernel<cpu_kernels, reduce, weighed_op, float>;

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

/// Whole numbers, so that sums are exact in any order.
std::vector<float> numbers(index_t n) {
  std::minstd_rand random(static_cast<unsigned>(n + 1));
  std::vector<float> v(at(n));
  for (float& x : v) x = static_cast<float>(random() % 9) - 4;
  return v;
}

constexpr index_t lengths[] = {0,  1,  2,   7,   8,   9,   31,  32,  33,  63,
                               64, 65, 127, 128, 129, 255, 256, 257, 1000};

}  // namespace

TEST_CASE("the contiguous loop writes every element and none behind the last") {
  for (index_t n : lengths) {
    auto const x = numbers(n), y = numbers(n + 1);
    std::vector<float> out(at(n) + 1, -1.f);
    add_loop::contiguous(seq{}, out.data(), n, [&](index_t i) { return x[at(i)] + y[at(i)]; });
    for (index_t i = 0; i != n; ++i) REQUIRE(out[at(i)] == x[at(i)] + y[at(i)]);
    CHECK(out[at(n)] == -1);
  }
}

TEST_CASE("the strided loop follows the layouts of operands and result") {
  for (index_t n : lengths) {
    auto const x = shape(3, n);
    auto const a = numbers(3 * n), b = numbers(3);
    std::vector<float> out(at(3 * n) + 1, -1.f);
    using leaf = strided_load<dense_leaf<float>, 2>;
    leaf const dense{{a.data()}, row_major(x)};
    leaf const column{{b.data()}, broadcast_layout(row_major(shape(3, 1)), shape(3, 1), x)};
    bound_expr<false, plus_op, leaf, leaf> const bound_sum{{}, {{dense}, {column}}};
    layout<2> backwards = row_major(x);  // the columns of the result in reverse order
    backwards.base = n - 1;
    backwards.stride[1] = -1;
    if (n == 0) backwards = row_major(x);
    add_loop::strided(seq{}, out.data(), backwards, x, bound_sum);
    // a single column is broadcast to n = 1 too, where its stride is not 0
    for (index_t i = 0; i != 3; ++i)
      for (index_t j = 0; j != n; ++j)
        REQUIRE(out[at(i * n + n - 1 - j)] == a[at(i * n + j)] + b[at(i)]);
    CHECK(out[at(3 * n)] == -1);
  }
}

TEST_CASE("rows are read together in every layout: contiguous, broadcast, transposed, strided") {
  using leaf = strided_load<dense_leaf<float>, 2>;
  for (index_t n : lengths)
    for (index_t m : {1, 2, 15, 16, 17, 40}) {
      auto const x = shape(m, n);
      auto const a = numbers(m * n), b = numbers(2 * m * n + 1);
      layout<2> const lies[] = {row_major(x), {0, {1, 0}},     {0, {0, 1}},     {0, {0, 0}},
                                {0, {1, m}},  {0, {2 * n, 2}}, {m * n, {-n, 1}}};
      for (layout<2> const& left : {lies[0], lies[1], lies[4]})
        for (layout<2> const& right : lies) {
          std::vector<float> out(at(m * n) + 1, -1.f);
          bound_expr<false, plus_op, leaf, leaf> const bound_sum{
              {}, {{leaf{{a.data()}, left}}, {leaf{{b.data()}, right}}}};
          add_loop::strided(seq{}, out.data(), row_major(x), x, bound_sum);
          auto const element = [](auto const& of, layout<2> const& l, index_t i, index_t j) {
            return of[at(l.base + i * l.stride[0] + j * l.stride[1])];
          };
          index_t wrong = 0;
          for (index_t i = 0; i != m; ++i)
            for (index_t j = 0; j != n; ++j)
              wrong += out[at(i * n + j)] != element(a, left, i, j) + element(b, right, i, j);
          REQUIRE(wrong == 0);
          REQUIRE(out[at(m * n)] == -1);
        }
    }
}

TEST_CASE(
    "the gemm loop sums in every layout of its operands, and reports each run of a row once") {
  for (index_t n : {0, 1, 31, 32, 33, 255, 256, 257, 520}) {
    for (index_t depth : {0, 1, 5}) {
      index_t const m = 3;
      auto const a = numbers(m * depth), b = numbers(depth * n);
      auto expected = [&](index_t i, index_t j) {
        float sum = 0;
        for (index_t k = 0; k != depth; ++k) sum += a[at(i * depth + k)] * b[at(k * n + j)];
        return sum;
      };
      std::vector<float> transposed(b.size());  // the right operand with contiguous columns
      for (index_t k = 0; k != depth; ++k)
        for (index_t j = 0; j != n; ++j) transposed[at(j * depth + k)] = b[at(k * n + j)];
      strided_view<float const, 2> const left{a.data(), {0, {depth, 1}}};
      strided_view<float const, 2> const right{b.data(), {0, {n, 1}}};
      strided_view<float const, 2> const columns{transposed.data(), {0, {1, depth}}};
      for (auto const& other : {right, columns}) {
        std::vector<float> out(at(m * n) + 1, -1.f);
        std::vector<int> reported(at(m * n));
        product_loop::run(seq{}, out.data(), shape(m, n), depth, left, other,
                          [&](index_t first, index_t count) {
                            CHECK((first % n) + count <= n);  // within one row
                            for (index_t i = first; i != first + count; ++i) ++reported[at(i)];
                          });
        CHECK(reported == std::vector<int>(at(m * n), 1));
        for (index_t i = 0; i != m; ++i)
          for (index_t j = 0; j != n; ++j) REQUIRE(out[at(i * n + j)] == expected(i, j));
        CHECK(out[at(m * n)] == -1);
      }
    }
  }
}

TEST_CASE("the gemm loop broadcasts a matrix over a batch by stride 0") {
  float const a[] = {1, 2, 3, 4};  // two matrices of 1 x 2
  float const b[] = {5, 6};        // one of 2 x 1
  float out[2] = {};
  strided_view<float const, 3> const left{a, {0, {2, 2, 1}}}, right{b, {0, {0, 1, 1}}};
  product_loop::run(seq{}, out, shape(2, 1, 1), 2, left, right, [](index_t, index_t) {});
  CHECK(out[0] == 17);
  CHECK(out[1] == 39);
}

TEST_CASE("a full reduction takes each element once, with its index") {
  for (index_t n : lengths) {
    auto const x = numbers(n);
    double sum = 0;
    for (index_t i = 0; i != n; ++i)
      sum += static_cast<double>(x[at(i)]) * static_cast<double>(i + 1);
    float const expected = static_cast<float>(sum) + 1000000.f * static_cast<float>(n);
    auto const read = [&](index_t i) { return x[at(i)]; };
    float folded = 0;
    reduce_loop::contiguous(seq{}, weighed_op{}, &folded, n, read, no_epilogue{});
    CHECK(folded == expected);
    strided_load<dense_leaf<float>, 1> const one{{x.data()}, row_major(shape(n))};
    reduce_loop::strided(seq{}, weighed_op{}, &folded, shape(n), one, no_epilogue{});
    CHECK(folded == expected);
  }
}

TEST_CASE("a reduction along an axis gives one result per fiber, in order") {
  for (index_t n : lengths) {
    index_t const depth = 3;
    auto const x = numbers(depth * n);
    strided_load<dense_leaf<float>, 2> const all{{x.data()}, row_major(shape(depth, n))};
    auto expected = [&](index_t count, auto element) {
      double sum = 0;
      for (index_t i = 0; i != count; ++i)
        sum += static_cast<double>(element(i)) * static_cast<double>(i + 1);
      return static_cast<float>(sum) + 1000000.f * static_cast<float>(count);
    };
    std::vector<float> down(at(n) + 1, -1.f), across(at(depth) + 1, -1.f);
    index_t finished = 0;
    reduce_loop::inner_axis(seq{}, weighed_op{}, down.data(), shape(depth, n), 0, all,
                            [&](index_t first, index_t count) {
                              CHECK(first == finished);
                              finished += count;
                            });
    CHECK(finished == n);
    for (index_t j = 0; j != n; ++j)
      REQUIRE(down[at(j)] == expected(depth, [&](index_t i) { return x[at(i * n + j)]; }));
    CHECK(down[at(n)] == -1);
    if (n == 0) continue;  // the caller computes the results of empty fibers
    reduce_loop::last_axis(seq{}, weighed_op{}, across.data(), shape(depth, n), all,
                           [](index_t, index_t) {});
    for (index_t i = 0; i != depth; ++i)
      REQUIRE(across[at(i)] == expected(n, [&](index_t j) { return x[at(i * n + j)]; }));
    CHECK(across[at(depth)] == -1);
  }
}

TEST_CASE("non-temporal stores write every element and none behind the last") {
  for (index_t more : lengths) {
    index_t const n = 1024 + more;
    auto const x = numbers(n), y = numbers(n + 1);
    alignas(64) float out[2048];
    alignas(64) float sum[2048];
    alignas(64) bool less[2048];
    out[n] = sum[n] = -1;
    less[n] = true;
    using leaf = dense_leaf<float>;
    bound_expr<false, plus_op, leaf, leaf> const bound_sum{{},
                                                           {{leaf{x.data()}}, {leaf{y.data()}}}};
    detail::block_kernel_of<float, bound_expr<false, plus_op, leaf, leaf>> const block(bound_sum);
    detail::run_contiguous_chunk(block.call(out, 1), {0, n, true});
    detail::finish_streams();
    using slot = detail::memory_slot<float>;
    using joint = detail::joint_block<detail::expr_list<>, detail::expr_list<float, bool>,
                                      bound_expr<false, plus_op, slot, slot>,
                                      bound_expr<false, below_op, slot, slot>>;
    joint::expressions const expressions{};
    constexpr unsigned bytes = sizeof(float);
    detail::block_operand const operands[]{{x.data(), nullptr, bytes, false},
                                           {y.data(), nullptr, bytes, false},
                                           {x.data(), nullptr, bytes, false},
                                           {y.data(), nullptr, bytes, false}};
    detail::block_result const second{less, sizeof(bool)};
    detail::run_contiguous_chunk({&joint::run, &expressions, operands, 4, bytes, 2, sum,
                                  detail::block_form::any, nullptr, &second, 1},
                                 {0, n, true});
    detail::finish_streams();
    for (index_t i = 0; i != n; ++i) {
      REQUIRE(out[i] == x[at(i)] + y[at(i)]);
      REQUIRE(sum[i] == out[i]);
      REQUIRE(less[i] == (x[at(i)] < y[at(i)]));
    }
    CHECK(out[n] == -1);
    CHECK(sum[n] == -1);
    CHECK(less[n]);
  }
}

TEST_CASE("a cache size is parsed in the format of the system") {
  STATIC_CHECK(detail::parse_bytes("32768K\n") == 32 << 20);
  STATIC_CHECK(detail::parse_bytes("32M") == 32 << 20);
  STATIC_CHECK(detail::parse_bytes("48") == 48);
  STATIC_CHECK(detail::parse_bytes("") == 0);
}
