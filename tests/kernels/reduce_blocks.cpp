// Reductions of block kernels against the definition of a strided expression, f.row(c)(j). Operands
// have each layout. Reductions run along each axis and over all elements.
#include <placement/cpu/reduce.hpp>
#include <placement/expr/evaluate.hpp>
#include <placement/ops/argmax.hpp>
#include <placement/ops/max.hpp>
#include <placement/ops/sum.hpp>
#include <placement/ops/variance.hpp>

#include <placement/src/all.ipp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

using namespace placement;

namespace {

struct plus_op {
  using pattern = map;
  template <class T> T operator()(T x, T y) const noexcept { return static_cast<T>(x + y); }
};
struct below_op {
  using pattern = map;
  template <class T> bool operator()(T x, T y) const noexcept { return x < y; }
};
struct number_op {
  using pattern = fill;
  using kernels = cpu_only;
  float operator()(index_t i) const noexcept { return static_cast<float>(i % 37); }
};
struct throwing_op {
  using pattern = map;
  float operator()(float x) const {
    if (x == 77.f) throw std::runtime_error("seventy-seven");
    return x;
  }
};

template <class Op, class... A> bound_expr<false, Op, A...> bound(A... a) {
  return {Op{}, {{a}...}};
}
template <class T, std::size_t R = 2> using in_memory = strided_load<dense_leaf<T>, R>;
using generator = strided_load<index_generator<number_op>, 2>;
// clang 16 does not compile braces for its empty member inside of other braces
constexpr index_generator<number_op> indices{number_op{}, 0};

template <class T> T const* numbers() {
  static std::vector<T> const all = [] {
    std::vector<T> v(1 << 19);
    for (std::size_t i = 0; i != v.size(); ++i) v[i] = static_cast<T>(i * 7919 % 101);
    return v;
  }();
  return all.data();
}

/// The layouts of an operand of shape m x n: dense, rows or columns repeated, one element,
/// transposed, every second element, backwards.
std::vector<layout<2>> layouts(index_t m, index_t n) {
  return {{0, {n, 1}}, {0, {0, 1}},         {0, {1, 0}},          {3, {0, 0}},
          {0, {1, m}}, {1, {2 * n + 1, 2}}, {m * n - 1, {-n, -1}}};
}

/// The elements of f in row-major order.
template <class F, class X> std::vector<std::int64_t> elements_of(F const& f, X const& x) {
  std::vector<std::int64_t> all;
  for_each_row(x, [&](coordinates<X::rank> const& c) {
    auto const row = f.row(c);
    for (index_t j = 0; j != row_length(x); ++j) all.push_back(static_cast<std::int64_t>(row(j)));
  });
  return all;
}
/// The same reduction of each of `outer` x `inner` fibers of `depth` elements, one by one.
template <class Op, class T>
auto fibers(std::vector<std::int64_t> const& all, index_t outer, index_t depth, index_t inner) {
  using R = decltype(Op{}.finalize(Op::template init<T>(), 1));
  std::vector<R> results;
  for (index_t o = 0; o != outer; ++o)
    for (index_t i = 0; i != inner; ++i) {
      auto s = Op::template init<T>();
      for (index_t k = 0; k != depth; ++k)
        s = Op{}.step(s, static_cast<T>(all[static_cast<std::size_t>((o * depth + k) * inner + i)]),
                      k);
      results.push_back(Op{}.finalize(s, depth));
    }
  return results;
}

struct no_change {
  void operator()(index_t, index_t) const {}
};

/// Compares all reductions of f with those of its elements.
template <class Op, class T, class F, class X> void check(F const& f, X const& x) {
  constexpr std::size_t N = X::rank;
  using loop = kernel<cpu_kernels, reduce, Op, T>;
  auto const all = elements_of(f, x);
  auto const n = static_cast<index_t>(all.size());
  auto const whole = fibers<Op, T>(all, 1, n, 1);
  auto got = whole;
  got[0] = {};
  loop::strided(par{}, Op{}, got.data(), x, f, no_change{});
  REQUIRE(got == whole);
  for (std::size_t axis = 0; axis != N; ++axis) {
    index_t outer = 1, inner = 1;
    for (std::size_t d = 0; d != axis; ++d) outer *= x.at(d);
    for (std::size_t d = axis + 1; d != N; ++d) inner *= x.at(d);
    auto const expected = fibers<Op, T>(all, outer, x.at(axis), inner);
    auto results = expected;
    for (auto& r : results) r = {};
    if (axis + 1 == N) loop::last_axis(par{}, Op{}, results.data(), x, f, no_change{});
    else loop::inner_axis(par{}, Op{}, results.data(), x, axis, f, no_change{});
    REQUIRE(results == expected);
  }
}

template <class Op, class T> void check_layouts() {
  T const* const p = numbers<T>();
  for (index_t m : {1, 3, 17, 40})
    for (index_t n : {1, 5, 33, 129, 700})
      for (auto const& a : layouts(m, n)) {
        check<Op, T>(in_memory<T>{{p}, a}, shape(m, n));
        for (auto const& b : {layout<2>{0, {n, 1}}, layout<2>{0, {0, 1}}, layout<2>{0, {1, m}}})
          check<Op, T>(bound<plus_op>(in_memory<T>{{p}, a}, in_memory<T>{{p + 5}, b}), shape(m, n));
      }
}

}  // namespace

// Sums of small whole numbers are exact in any order.
TEST_CASE("a sum reads operands of every element size in any layout") {
  check_layouts<sum_op<>, std::int8_t>();
  check_layouts<sum_op<>, float>();
  check_layouts<sum_op<>, double>();
}
TEST_CASE("a selection knows the number of its element in any layout") {
  check_layouts<max_op<>, float>();
  check_layouts<argmax_op<>, std::int64_t>();
  check_layouts<argmax_op<>, float>();
}
TEST_CASE("elements of expressions are reduced in the type of the expression") {
  float const* const p = numbers<float>();
  for (index_t n : {4, 100, 3000})
    for (auto const& a : layouts(9, n))
      check<sum_op<>, bool>(
          bound<below_op>(in_memory<float>{{p}, a}, in_memory<float>{{p + 50}, {0, {n, 1}}}),
          shape(9, n));
}
TEST_CASE("reductions of long rows, columns and of three dimensions") {
  float const* const p = numbers<float>();
  for (index_t n : {2047, 2112, 2113, 4096, 6500}) {
    check<sum_op<>, float>(in_memory<float>{{p}, {0, {n, 1}}}, shape(9, n));
    check<max_op<>, float>(
        bound<plus_op>(in_memory<float>{{p}, {0, {0, 1}}}, in_memory<float>{{p}, {0, {1, 9}}}),
        shape(9, n));
    check<argmax_op<>, float>(in_memory<float>{{p}, {0, {1, n}}}, shape(n, 9));
  }
  for (auto const& a : {layout<3>{0, {35, 7, 1}}, layout<3>{0, {0, 7, 1}}, layout<3>{2, {1, 5, 60}},
                        layout<3>{0, {0, 0, 1}}, layout<3>{0, {70, 14, 2}}})
    for (auto const& b : {layout<3>{0, {35, 7, 1}}, layout<3>{0, {7, 0, 1}}}) {
      check<sum_op<>, float>(
          bound<plus_op>(in_memory<float, 3>{{p}, a}, in_memory<float, 3>{{p}, b}),
          shape(12, 5, 7));
      check<argmax_op<>, float>(in_memory<float, 3>{{p}, a}, shape(12, 1, 7));
    }
}
TEST_CASE("short fibers are reduced across matrices, and adjacent ones by joined rows") {
  float const* const p = numbers<float>();
  using shape3 = std::array<index_t, 3>;
  for (auto const& n : {shape3{300, 2, 1}, shape3{65, 3, 1}, shape3{90, 31, 1}, shape3{70, 8, 2},
                        shape3{33, 5, 3}, shape3{21, 9, 7}, shape3{40, 2, 17}, shape3{9, 40, 33},
                        shape3{12, 3, 100}, shape3{30, 100, 3}, shape3{1, 57, 3}, shape3{1, 5, 2},
                        shape3{1, 4096, 2}, shape3{3, 1001, 63}, shape3{1, 33'333, 3},
                        shape3{2, 40'000, 2}, shape3{70, 700, 3}, shape3{64, 1000, 1}}) {
    index_t const row = n[2], matrix = n[1] * row;
    INFO("shape " << n[0] << " x " << n[1] << " x " << n[2]);
    for (auto const& a : {layout<3>{0, {matrix, row, 1}}, layout<3>{4, {1, 3, 2}},
                          layout<3>{matrix, {5, -row, 1}}}) {
      in_memory<float, 3> const x{{p}, a};
      auto const s = shape(n[0], n[1], n[2]);
      check<sum_op<>, float>(x, s);
      check<argmax_op<>, float>(x, s);
      if (n[0] * matrix < 4000)
        check<max_op<>, std::int8_t>(
            bound<plus_op>(in_memory<std::int8_t, 3>{{numbers<std::int8_t>()}, a},
                           in_memory<std::int8_t, 3>{{numbers<std::int8_t>()}, {3, {0, 1, 0}}}),
            s);
    }
  }
}
TEST_CASE("a maximum of short fibers is NaN where one of its elements is") {
  float const nan = std::nanf("");
  for (index_t depth : {2, 9, 700})
    for (index_t at = 0; at < depth; at += 1 + depth / 5) {
      index_t const outer = 100, inner = 3;
      std::vector<float> v(static_cast<std::size_t>(outer * depth * inner), -1.f);
      v[static_cast<std::size_t>((50 * depth + at) * inner + 1)] = nan;
      std::vector<float> out(static_cast<std::size_t>(outer * inner));
      kernel<cpu_kernels, reduce, max_op<>, float>::inner_axis(
          par{}, max_op<>{}, out.data(), shape(outer, depth, inner), 1,
          in_memory<float, 3>{{v.data()}, {0, {depth * inner, inner, 1}}}, no_change{});
      for (std::size_t i = 0; i != out.size(); ++i) CHECK((out[i] != out[i]) == (i == 151));
    }
}
TEST_CASE("an index generator in a reduction gets the element numbers of its layout") {
  float const* const p = numbers<float>();
  for (auto const& numbered : layouts(20, 90))
    for (auto const& b : layouts(20, 90))
      check<sum_op<>, float>(bound<plus_op>(generator{indices, numbered}, in_memory<float>{{p}, b}),
                             shape(20, 90));
}
TEST_CASE("a sum has the same bits for contiguous and strided operands, and in one piece") {
  std::vector<double> v(150'001);
  for (std::size_t i = 0; i != v.size(); ++i) v[i] = std::sin(static_cast<double>(i)) * 1e3;
  for (index_t n : {15, 64, 500, 2048, 2100, 2113, 30'000, 70'000}) {
    using loop = kernel<cpu_kernels, reduce, sum_op<>, double>;
    double in_one, pieces, gathered;
    dense_leaf<double> const all{v.data()};
    if (n < 65536) loop::contiguous(seq{}, sum_op<>{}, &in_one, n, all, no_change{});
    else loop::contiguous(par{}, sum_op<>{}, &in_one, n, all, no_change{});
    auto const twice =
        bound<plus_op>(in_memory<double, 1>{{v.data()}, {0, {1}}}, scalar<double>{0});
    loop::strided(par{}, sum_op<>{}, &pieces, shape(n), twice, no_change{});
    std::vector<double> apart(static_cast<std::size_t>(2 * n));
    for (std::size_t i = 0; i != static_cast<std::size_t>(n); ++i) apart[2 * i] = v[i];
    loop::strided(par{}, sum_op<>{}, &gathered, shape(n),
                  in_memory<double, 1>{{apart.data()}, {0, {2}}}, no_change{});
    INFO("n = " << n);
    CHECK(pieces == in_one);
    CHECK(gathered == in_one);
    using spread = kernel<cpu_kernels, reduce, variance_op<>, double>;
    if (n < 65536) spread::contiguous(seq{}, variance_op<>{}, &in_one, n, all, no_change{});
    else spread::contiguous(par{}, variance_op<>{}, &in_one, n, all, no_change{});
    spread::strided(par{}, variance_op<>{}, &gathered, shape(n),
                    in_memory<double, 1>{{apart.data()}, {0, {2}}}, no_change{});
    CHECK(gathered == in_one);
  }
}
TEST_CASE("tiles narrower than their matrix, and rows of tiles that share a copy") {
  float const* const p = numbers<float>();
  for (index_t n : {257, 300, 512, 513})
    for (index_t m : {3, 4, 10, 300})
      for (auto const& a : {layout<2>{0, {n, 1}}, layout<2>{0, {1, m}}, layout<2>{0, {2 * n, 2}}})
        for (auto const& b : {layout<2>{0, {n, 1}}, layout<2>{3, {2, 0}}, layout<2>{0, {0, 1}},
                              layout<2>{0, {1, m}}}) {
          auto const f = bound<plus_op>(in_memory<float>{{p}, a}, in_memory<float>{{p + 5}, b});
          check<sum_op<>, float>(f, shape(m, n));
          check<argmax_op<>, float>(f, shape(m, n));
        }
}
TEST_CASE("many operands, for which a block is shorter") {
  float const* const p = numbers<float>();
  auto const pair = [&](index_t n, index_t k) {
    return bound<plus_op>(in_memory<float>{{p + k}, {0, {1, 30}}},
                          in_memory<float>{{p + 2 * k}, {1, {2 * n, 2}}});
  };
  auto const four = [&](index_t n, index_t k) {
    return bound<plus_op>(pair(n, k), pair(n, k + 1));
  };
  auto const eight = [&](index_t n, index_t k) {
    return bound<plus_op>(four(n, k), four(n, k + 2));
  };
  for (index_t n : {7, 90, 1500})
    check<sum_op<>, float>(bound<plus_op>(eight(n, 0), bound<plus_op>(eight(n, 4), eight(n, 8))),
                           shape(30, n));
}
TEST_CASE("reductions over nothing, and an exception of an op") {
  float const* const p = numbers<float>();
  check<sum_op<>, float>(in_memory<float>{{p}, {0, {5, 1}}}, shape(0, 5));
  check<sum_op<>, float>(in_memory<float>{{p}, {0, {0, 1}}}, shape(5, 0));
  float out[3];
  using loop = kernel<cpu_kernels, reduce, sum_op<>, float>;
  auto const throws = bound<throwing_op>(in_memory<float>{{p}, {0, {100, 1}}});
  CHECK_THROWS_AS(loop::strided(par{}, sum_op<>{}, out, shape(3, 100), throws, no_change{}),
                  std::runtime_error);
  CHECK_THROWS_AS(loop::last_axis(par{}, sum_op<>{}, out, shape(3, 100), throws, no_change{}),
                  std::runtime_error);
}
