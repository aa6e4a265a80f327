// The driver of block kernels against the definition of a strided expression, f.row(c)(j), for each
// way in which operands and results may lie.
#include <placement/cpu/joint_block.hpp>
#include <placement/cpu/map.hpp>

#include <placement/src/all.ipp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
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
  float operator()(index_t i) const noexcept { return static_cast<float>(3 * i + 1); }
};
struct throwing_op {
  using pattern = map;
  float operator()(float x) const {
    if (x == 7.f) throw std::runtime_error("seven");
    return x;
  }
};

template <class Op, class... A> bound_expr<false, Op, A...> bound(A... a) {
  return {Op{}, {{a}...}};
}
template <class T> using in_memory = strided_load<dense_leaf<T>, 2>;
using generator = strided_load<index_generator<number_op>, 2>;
// clang 16 does not compile braces for its empty member inside of other braces
constexpr index_generator<number_op> indices{number_op{}, 0};

/// Elements 0, 1, 2, ... of type T, enough for every layout below.
template <class T> std::vector<T> const& numbers() {
  static std::vector<T> const all = [] {
    std::vector<T> v(1 << 16);
    for (std::size_t i = 0; i != v.size(); ++i) v[i] = static_cast<T>(i % 101);
    return v;
  }();
  return all;
}

/// The layouts of an operand of shape m x n: dense, rows or columns repeated, one element,
/// transposed, every second element, backwards.
std::vector<layout<2>> layouts(index_t m, index_t n) {
  return {{0, {n, 1}}, {0, {0, 1}},         {0, {1, 0}},          {3, {0, 0}},
          {0, {1, m}}, {1, {2 * n + 1, 2}}, {m * n - 1, {-n, -1}}};
}

/// Compares the kernel's result with the definition. `where`: how the result lies.
template <class R, class F>
void check(F const& f, dextents<2> const& x, layout<2> const& where, std::size_t elements) {
  using loop = kernel<cpu_kernels, map, plus_op, R>;
  std::vector<std::int64_t> results(elements + 2, -1),
      expectations(elements + 2, -1);  // aligned for R
  auto* const out = reinterpret_cast<R*>(results.data() + 1);
  auto* const expected = reinterpret_cast<R*>(expectations.data() + 1);
  coordinates<2> c;
  for (c.at[0] = 0; c.at[0] != x.at(0); ++c.at[0]) {
    auto const row = f.row(c);
    for (index_t j = 0; j != x.at(1); ++j) expected[where.row(c) + j * where.step()] = row(j);
  }
  loop::strided(par{}, out, where, x, f);
  REQUIRE(results == expectations);
}
template <class R, class F> void check(F const& f, dextents<2> const& x) {
  check<R>(f, x, row_major(x), x.count());
}

template <class T, class Op> void check_type() {
  T const* const p = numbers<T>().data();
  for (index_t m : {1, 2, 7, 17, 33})
    for (index_t n : {1, 3, 16, 32, 33, 100, 257})
      for (auto const& a : layouts(m, n))
        for (auto const& b : layouts(m, n)) {
          using R = decltype(Op{}(T{}, T{}));
          check<R>(bound<Op>(in_memory<T>{{p}, a}, in_memory<T>{{p + 5}, b}), shape(m, n));
        }
}

}  // namespace

TEST_CASE("operands of every element size may lie in any layout") {
  check_type<std::int8_t, plus_op>();
  check_type<float16, below_op>();
  check_type<float, plus_op>();
  check_type<float, below_op>();
  check_type<double, plus_op>();
}

TEST_CASE("the result may lie in any layout that does not repeat an element") {
  float const* const p = numbers<float>().data();
  for (index_t m : {1, 5, 17, 40})
    for (index_t n : {1, 6, 33, 300}) {
      auto const x = shape(m, n);
      std::size_t const elements = 2 * x.count() + 2;
      for (layout<2> const& to : {row_major(x), layout<2>{0, {1, m}}, layout<2>{1, {2 * n, 2}},
                                  layout<2>{m * n - 1, {-n, -1}}, layout<2>{0, {n + 3, 1}}})
        for (auto const& b : layouts(m, n))
          check<float>(
              bound<plus_op>(in_memory<float>{{p}, row_major(x)}, in_memory<float>{{p}, b}), x, to,
              elements + static_cast<std::size_t>(3 * m));
    }
}

namespace {

/// An operand alone: its copies are the result.
template <class T> void check_copies() {
  T const* const p = numbers<T>().data();
  for (index_t m : {1, 7, 8, 17, 40})
    for (index_t n : {1, 6, 16, 33, 100, 300}) {
      auto const x = shape(m, n);
      std::size_t const elements = 2 * x.count() + 2;
      for (layout<2> const& to : {row_major(x), layout<2>{0, {1, m}}, layout<2>{1, {2 * n, 2}},
                                  layout<2>{m * n - 1, {-n, -1}}, layout<2>{0, {n + 3, 1}}})
        for (auto const& from : layouts(m, n))
          check<T>(in_memory<T>{{p}, from}, x, to, elements + static_cast<std::size_t>(3 * m));
    }
}

}  // namespace

TEST_CASE("an operand is copied from any layout to any layout") {
  check_copies<std::int8_t>();
  check_copies<float16>();
  check_copies<float>();
  check_copies<double>();
}

TEST_CASE("an index generator gets the element numbers of its layout") {
  float const* const p = numbers<float>().data();
  for (index_t m : {1, 3, 20})
    for (index_t n : {1, 4, 32, 100})
      for (auto const& numbered : layouts(m, n))
        for (auto const& b : layouts(m, n))
          check<float>(bound<plus_op>(generator{indices, numbered}, in_memory<float>{{p}, b}),
                       shape(m, n));
}

TEST_CASE("a reshaped expression is read by the numbers of its own shape") {
  float const* const p = numbers<float>().data();
  for (index_t m : {1, 6, 24})
    for (index_t n : {2, 12, 60}) {
      auto const x = shape(m, n), inner = shape(n / 2, 2 * m);  // as many elements
      for (auto const& a : layouts(n / 2, 2 * m))
        for (auto const& outer : {row_major(x), layout<2>{0, {1, m}}, layout<2>{0, {0, 1}}}) {
          layout<2> const transposed{0, {1, n / 2}};
          auto const child =
              bound<plus_op>(in_memory<float>{{p}, a}, generator{indices, transposed});
          using reader = reshaped_expr<std::remove_cvref_t<decltype(child)>, dextents<2>>;
          strided_load<reader, 2> const reshaped{{inner, child}, outer};
          check<float>(bound<plus_op>(reshaped, in_memory<float>{{p}, row_major(x)}), x);
          auto const only_memory =
              bound<plus_op>(in_memory<float>{{p}, a}, in_memory<float>{{p + 1}, a});
          using memory_reader =
              reshaped_expr<std::remove_cvref_t<decltype(only_memory)>, dextents<2>>;
          check<float>(bound<plus_op>(strided_load<memory_reader, 2>{{inner, only_memory}, outer},
                                      in_memory<float>{{p}, row_major(x)}),
                       x);
        }
    }
}

namespace {
/// A sum of 2^Depth operands, alternately transposed and repeated.
template <int Depth> auto wide_sum(dextents<2> const& x, index_t first) {
  double const* const p = numbers<double>().data();
  if constexpr (Depth == 0) {
    layout<2> const transposed{first, {1, x.at(0)}}, column{first, {1, 0}};
    return in_memory<double>{{p}, first % 2 == 0 ? transposed : column};
  } else {
    return bound<plus_op>(wide_sum<Depth - 1>(x, first),
                          wide_sum<Depth - 1>(x, first + (1 << (Depth - 1))));
  }
}
}  // namespace

TEST_CASE("an expression may have more operands than fit on the stack") {
  for (index_t n : {20, 40, 300}) {
    check<double>(wide_sum<4>(shape(20, n), 0), shape(20, n));
    check<double>(wide_sum<5>(shape(20, n), 0), shape(20, n));
    check<double>(wide_sum<7>(shape(20, n), 0), shape(20, n));
  }
}

TEST_CASE("shapes of high rank are computed matrix by matrix") {
  float const* const p = numbers<float>().data();
  auto const x = shape(2, 3, 1, 5, 4);
  layout<5> const dense = row_major(x);
  for (layout<5> const& a : {layout<5>{0, {1, 0, 0, 2, 10}}, layout<5>{0, {60, 20, 20, 4, 1}},
                             layout<5>{0, {0, 20, 0, 0, 1}}, layout<5>{7, {-1, 2, 9, 0, 0}}}) {
    std::vector<float> out(x.count());
    auto const f = bound<plus_op>(strided_load<dense_leaf<float>, 5>{{p}, a},
                                  strided_load<dense_leaf<float>, 5>{{p}, dense});
    kernel<cpu_kernels, map, plus_op, float>::strided(par{}, out.data(), dense, x, f);
    std::size_t i = 0;
    for_each_row(x, [&](coordinates<5> const& c) {
      for (index_t j = 0; j != 4; ++j) REQUIRE(out[i++] == f.row(c)(j));
    });
  }
}

TEST_CASE("an exception of an op leaves the kernel") {
  float const* const p = numbers<float>().data();
  std::vector<float> out(3000);
  using loop = kernel<cpu_kernels, map, throwing_op, float>;
  CHECK_THROWS_AS(loop::contiguous(par{}, out.data(), 10, bound<throwing_op>(dense_leaf<float>{p})),
                  std::runtime_error);
  CHECK_THROWS_AS(
      loop::contiguous(par{}, out.data(), 3000, bound<throwing_op>(dense_leaf<float>{p})),
      std::runtime_error);
  CHECK_THROWS_AS(loop::strided(par{}, out.data(), row_major(shape(30, 100)), shape(30, 100),
                                bound<throwing_op>(in_memory<float>{{p}, {0, {1, 30}}})),
                  std::runtime_error);
}

namespace {
/// Computes f and g together and each alone. Shared: their common expressions, if their operands
/// are the same.
template <class F, class G> void check_together(F const& f, G const& g, dextents<2> const& x) {
  std::vector<float> first(x.count() + 1, -1.f), alone(x.count() + 1, -1.f);
  std::vector<std::int8_t> second(x.count() + 1, -1), other(x.count() + 1, -1);
  using S = detail::block_expr<F>;
  using T = detail::block_expr<G>;
  using results = detail::expr_list<float, bool>;
  using common = detail::common_exprs<S, T>;
  using alone_block = detail::joint_block<detail::expr_list<>, results, S, T>;
  using shared_block = detail::joint_block<common, results, S, T>;
  constexpr unsigned operands = detail::slots_in<S> + detail::slots_in<T>;
  detail::block_operand operand[operands];
  detail::layout_level level[operands];
  detail::operand_lister list{operand, level};
  list.add(f, nullptr, nullptr);
  list.add(g, nullptr, nullptr);
  typename alone_block::expressions const both{{detail::slotted<F>::of(f)},
                                               {detail::slotted<G>::of(g)}};
  bool const shared = detail::are_shared(common{}, both, operand);
  detail::block_result const more{second.data(), sizeof(bool)};
  detail::run_dense_blocks(
      {shared ? &shared_block::run : &alone_block::run, &both, operand, operands, sizeof(float), 2,
       first.data(), detail::block_form::any, nullptr, &more, 1},
      x, {});
  kernel<cpu_kernels, map, plus_op, float>::strided(par{}, alone.data(), row_major(x), x, f);
  kernel<cpu_kernels, map, below_op, float>::strided(par{}, reinterpret_cast<bool*>(other.data()),
                                                     row_major(x), x, g);
  REQUIRE(first == alone);
  REQUIRE(second == other);
}
}  // namespace
TEST_CASE("two results of one pass equal those of two passes") {
  float const* const p = numbers<float>().data();
  for (index_t m : {1, 7, 33})
    for (index_t n : {1, 16, 33, 700})
      for (auto const& a : layouts(m, n))
        for (auto const& b : layouts(m, n)) {
          in_memory<float> const x{{p}, a}, y{{p + 5}, b}, z{{p}, b};
          auto const q = bound<plus_op>(x, y);
          check_together(bound<plus_op>(q, x), bound<below_op>(q, y), shape(m, n));
          check_together(bound<plus_op>(q, x), bound<below_op>(x, bound<plus_op>(z, y)),
                         shape(m, n));
          check_together(bound<plus_op>(x, y), bound<below_op>(y, x), shape(m, n));
          check_together(bound<plus_op>(q, x), bound<below_op>(bound<plus_op>(y, x), y),
                         shape(m, n));
          check_together(bound<plus_op>(generator{indices, a}, x),
                         bound<below_op>(x, generator{indices, b}), shape(m, n));
        }
}
