// Vector loads, tiles, collapsed dimensions and splitting: the index arithmetic of the GPU kernels,
// run by loops on the host.
#include <placement/gpu/map.hpp>

#include <support/host_grid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

using namespace placement;
using emulated::host_grid;

namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

struct twice_op {
  template <class T> constexpr T operator()(T x) const { return static_cast<T>(x + x); }
};
struct weighed_op {
  template <class T> constexpr T operator()(T x, T y) const { return static_cast<T>(x + 3 * y); }
};
struct number_op {
  constexpr float operator()(index_t i) const { return static_cast<float>(i) + 0.5f; }
};
// clang 16 does not compile braces for its empty member inside of other braces
constexpr index_generator<number_op> indices{number_op{}, 0};

/// Elements that differ from their neighbours, with space to read from any offset.
template <class T> std::vector<T> elements(index_t n) {
  std::vector<T> v(at(n));
  for (index_t i = 0; i != n; ++i) v[at(i)] = static_cast<T>(i * 7 % 101);
  return v;
}
template <class T> T* aligned(std::vector<T>& v) {
  auto const past = reinterpret_cast<std::size_t>(v.data()) % 16;
  return v.data() + (past == 0 ? 0 : (16 - past) / sizeof(T));
}

template <class T, std::size_t R> using strided_memory = strided_load<dense_leaf<T>, R>;
template <class Op, class... A> constexpr auto bind(Op op, A... a) {
  return bound_expr<true, Op, A...>{op, {{a}...}};
}

/// The dimensions that remain after collapsing a shape for a fusion group.
template <class X, class F>
collapsed<X::rank> collapse_of(X const& x, F const& f, std::size_t alone = 0) {
  layout<X::rank> all[layouts_in<F> + 1];
  put_layouts(f, all);
  return collapse(in_value(x), all, layouts_in<F>, alone);
}
template <class F> std::size_t transposed_of(dextents<2> const& x, F const& f) {
  layout<2> all[1 + layouts_in<F>]{row_major(x)};
  put_layouts(f, all + 1);
  return detail::walk<2>::transposed(collapse(x, all, 1 + layouts_in<F>), all, 1 + layouts_in<F>,
                                     sizeof(float));
}

/// Checks map_strided against for_each_row, for a fusion group of floats.
template <class X, class F> int check_rows(X const& x, F const& f) {
  int launches = 0;
  index_t const n = static_cast<index_t>(x.count());
  std::vector<float> out(at(n) + 8, -1.f), in_pieces(out);
  detail::map_strided(host_grid{&launches}, out.data(), row_major(x), x, f);
  detail::map_strided(host_grid{nullptr, nullptr, 192}, in_pieces.data(), row_major(x), x, f);
  REQUIRE(in_pieces == out);
  index_t i = 0;
  for_each_row(x, [&](coordinates<X::rank> const& c) {
    for (index_t j = 0; j != row_length(x); ++j) REQUIRE(out[at(i++)] == f.row(c)(j));
  });
  for (std::size_t k = 0; k != 8; ++k) REQUIRE(out[at(n) + k] == -1.f);
  return launches;
}

}  // namespace

TEST_CASE("a vector load gives the elements from its start on, for every kind of operand") {
  std::vector<float> store = elements<float>(64);
  float const* const p = aligned(store);
  float const one = 4.f;
  auto const f = bind(weighed_op{}, bind(twice_op{}, dense_leaf<float>{p}),
                      bind(weighed_op{}, single_leaf<float>{&one},
                           bind(weighed_op{}, scalar<float>{3}, index_generator<number_op>{})));
  for (index_t i : {0, 4, 8, 36}) {
    auto const c = f.template vec<4>(i);
    for (index_t j = 0; j != 4; ++j) CHECK(c(j) == f(i + j));
  }
}

TEST_CASE("a vector load in a row gives its elements at every stride") {
  std::vector<float> store = elements<float>(200);
  float const* const p = aligned(store);
  for (index_t step : {1, 0, 2, -1, 17}) {
    strided_memory<float, 2> const leaf{{p}, {32, {8, step}}};
    strided_load<index_generator<number_op>, 2> const made{indices, {5, {20, step}}};
    auto const row = bind(weighed_op{}, leaf, made).row(coordinates<2>{{1, 0}});
    for (index_t j : {0, 4}) {
      auto const c = row.template vec<4>(j);
      for (index_t k = 0; k != 4; ++k) CHECK(c(k) == row(j + k));
    }
  }
}

TEST_CASE("the widest element type determines the vector width") {
  STATIC_REQUIRE(vector_width<float, dense_leaf<float>> == 4);
  STATIC_REQUIRE(vector_width<double, dense_leaf<float>> == 2);
  STATIC_REQUIRE(vector_width<bool, dense_leaf<double>> == 2);
  STATIC_REQUIRE(vector_width<std::int8_t, dense_leaf<std::int8_t>> == 16);
  STATIC_REQUIRE(vector_width<float, index_generator<number_op>> == 4);
  STATIC_REQUIRE(vector_width<float, bound_expr<true, weighed_op, dense_leaf<float>,
                                                strided_load<dense_leaf<double>, 2>>> == 2);
  STATIC_REQUIRE(sizeof(access_of<float, 4>) == 16 && alignof(access_of<float, 4>) == 16);
  STATIC_REQUIRE(alignof(access_of<bool, 4>) == 4 && sizeof(access_of<double, 4>) == 32);
}

TEST_CASE("fusion groups use vector loads only if every pointer and stride allows them") {
  std::vector<float> store = elements<float>(200);
  float const* const p = aligned(store);
  CHECK(aligned_for<4>(dense_leaf<float>{p}));
  CHECK(aligned_for<4>(dense_leaf<float>{p + 4}));
  CHECK_FALSE(aligned_for<4>(dense_leaf<float>{p + 1}));
  CHECK_FALSE(aligned_for<4>(dense_leaf<float>{p + 2}));
  CHECK(aligned_for<2>(dense_leaf<float>{p + 2}));
  CHECK(aligned_for<1>(dense_leaf<float>{p + 1}));
  CHECK(aligned_for<4>(bind(weighed_op{}, dense_leaf<float>{p}, scalar<float>{1})));
  CHECK_FALSE(aligned_for<4>(bind(weighed_op{}, dense_leaf<float>{p}, dense_leaf<float>{p + 3})));
  CHECK(aligned_for<4>(single_leaf<float>{p + 1}));
  CHECK(aligned_for<4>(index_generator<number_op>{}));
  // in strided memory
  CHECK(aligned_for<4>(strided_memory<float, 2>{{p}, {0, {8, 1}}}));
  CHECK(aligned_for<4>(strided_memory<float, 2>{{p}, {4, {8, 1}}}));
  CHECK_FALSE(aligned_for<4>(strided_memory<float, 2>{{p}, {1, {8, 1}}}));
  CHECK_FALSE(aligned_for<4>(strided_memory<float, 2>{{p}, {0, {9, 1}}}));
  CHECK(aligned_for<4>(strided_memory<float, 2>{{p + 1}, {0, {9, 2}}}));  // element by element
  CHECK(aligned_for<4>(strided_memory<float, 2>{{p + 1}, {0, {9, 0}}}));
}

TEST_CASE("the contiguous kernel writes every element and none behind the last, at every length") {
  auto const check = []<class T>(T, index_t n, index_t shift) {
    std::vector<T> store = elements<T>(n + 32), result(at(n) + 32, T(99));
    T const* const p = aligned(store) + shift;
    T* const out = aligned(result);
    detail::map_contiguous(host_grid{}, out, n, bind(twice_op{}, dense_leaf<T>{p}));
    for (index_t i = 0; i != n; ++i) REQUIRE(out[i] == static_cast<T>(p[i] + p[i]));
    REQUIRE(out[n] == T(99));
  };
  for (index_t n = 0; n <= 5000; n += n < 300 ? 1 : 97) check(0.f, n, n % 3 == 0 ? 1 : 0);
  // around the edges of tiles: 4096 floats, 2048 doubles, 16384 bytes
  for (index_t tiles : {1, 2, 3})
    for (index_t by : {-17, -4, -1, 0, 1, 3, 4, 5, 255, 256, 257}) {
      check(0.f, tiles * 4096 + by, 0);
      check(0.0, tiles * 2048 + by, tiles % 2);
      check(std::int8_t{}, tiles * 16384 + by, tiles - 1);
    }
}

TEST_CASE("a contiguous kernel can write to the memory it reads") {
  index_t const n = 10000;
  std::vector<float> store = elements<float>(n + 4);
  auto const before = store;
  detail::map_contiguous(host_grid{}, store.data(), n,
                         bind(weighed_op{}, dense_leaf<float>{store.data()}, scalar<float>{2}));
  for (index_t i = 0; i != n; ++i) REQUIRE(store[at(i)] == before[at(i)] + 6);
}

TEST_CASE("results narrower and wider than the operands are written in whole vectors") {
  index_t const n = 9000;
  struct large_op {
    constexpr bool operator()(float x) const { return x > 50; }
  };
  struct wide_op {
    constexpr double operator()(float x) const { return x; }
  };
  std::vector<float> store = elements<float>(n + 4);
  dense_leaf<float> const leaf{aligned(store)};
  auto const flags = std::make_unique<bool[]>(at(n));
  detail::map_contiguous(host_grid{}, flags.get(), n, bind(large_op{}, leaf));
  std::vector<double> wide(at(n));
  detail::map_contiguous(host_grid{}, wide.data(), n, bind(wide_op{}, leaf));
  for (index_t i = 0; i != n; ++i) {
    REQUIRE(flags[at(i)] == (leaf.p[i] > 50));
    REQUIRE(wide[at(i)] == leaf.p[i]);
  }
}

TEST_CASE("fast division matches division, for every kind of divisor") {
  std::minstd_rand random(1);
  std::vector<std::uint32_t> divisors{1, 2, 3, 5, 7, 10, 641, 65535, 65536, 65537, 0x7fffffff};
  for (std::uint32_t p = 1; p < 31; ++p)
    for (std::uint32_t d : {(1u << p) - 1, 1u << p, (1u << p) + 1})
      if (d > 0) divisors.push_back(d);
  for (std::uint32_t d = 1; d < 3000; ++d) divisors.push_back(d);
  for (int k = 0; k != 3000; ++k)
    divisors.push_back(static_cast<std::uint32_t>(random() % 0x7fffffff) + 1);
  std::uint32_t const max = 0x7fffffff;
  for (std::uint32_t d : divisors) {
    fast_divisor const by(d);
    auto const check = [&](std::uint32_t n) {
      if (n <= max && by.quotient(n) != n / d) FAIL(n << " / " << d);
    };
    for (std::uint32_t n : {0u, 1u, 2u, max - 1, max, max / 2, max / 2 + 1}) check(n);
    for (std::uint32_t q : {1u, 2u, 3u, max / d / 2, max / d, max / d - 1}) {
      std::uint64_t const product = std::uint64_t{q} * d;
      if (product > max) continue;
      check(static_cast<std::uint32_t>(product));
      check(static_cast<std::uint32_t>(product - 1));
      check(static_cast<std::uint32_t>(product + 1));
    }
    for (int k = 0; k != 20; ++k) check(static_cast<std::uint32_t>(random() & max));
  }
}

TEST_CASE("dimensions that are contiguous for all operands are collapsed into one") {
  auto const x = shape(2, 3, 4, 5);
  auto const dense = strided_memory<float, 4>{{}, row_major(x)};
  CHECK(collapse_of(x, dense).extent[3] == 120);
  CHECK(collapse_of(x, dense).first == 3);
  // the slice has fewer columns than its row stride: rows are not collapsed
  auto const cut = strided_memory<float, 4>{{}, {0, {120, 40, 10, 1}}};
  auto const c = collapse_of(x, bind(weighed_op{}, dense, cut));
  CHECK(c.first == 2);
  CHECK((c.extent[2] == 24 && c.extent[3] == 5));
  CHECK((c.slotted(cut.where, {0, 0, 0, 0}).stride[2] == 10));
  CHECK((c.slotted(dense.where, {0, 0, 0, 0}).stride[2] == 5));
  // a broadcast row and a broadcast column
  auto const row = strided_memory<float, 4>{{}, broadcast_layout(row_major(shape(5)), shape(5), x)};
  CHECK(collapse_of(x, bind(weighed_op{}, dense, row)).extent[2] == 24);
  auto const column = strided_memory<float, 4>{{}, {0, {12, 4, 1, 0}}};
  CHECK(collapse_of(x, bind(weighed_op{}, dense, column)).extent[2] == 24);
  // dimensions of extent 1 are removed, whatever their stride
  auto const thin = shape(7, 1, 3);
  auto const odd = strided_memory<float, 3>{{}, {0, {3, 1000, 1}}};
  CHECK(collapse_of(thin, odd).extent[2] == 21);
  CHECK(collapse_of(thin, odd).first == 2);
  CHECK(collapse_of(shape(1, 1), strided_memory<float, 2>{{}, {3, {9, 9}}}).count() == 1);
  CHECK(collapse_of(extents<>{}, strided_memory<float, 0>{{}, {3, {0}}}).count() == 1);
  // a layout reversed in all dimensions is one dimension too
  auto const reversed = strided_memory<float, 2>{{}, {11, {-4, -1}}};
  CHECK(collapse_of(shape(3, 4), reversed).extent[1] == 12);
  // the last dimension is kept separate
  auto const alone = collapse_of(x, dense, 1);
  CHECK((alone.first == 2 && alone.extent[2] == 24 && alone.extent[3] == 5));
  CHECK(collapse_of(shape(4, 1), strided_memory<float, 2>{{}, {0, {1, 1}}}, 1).extent[1] == 1);
}

TEST_CASE("pieces have fewer than 2^31 elements, are consecutive and cover the whole") {
  auto const check = []<std::size_t N>(std::array<index_t, N> const& extents, index_t max) {
    index_t extent[N], stride[N], total = 1, next = 0;
    for (std::size_t d = N; d-- > 0;) {
      extent[d] = extents[d];
      stride[d] = total;
      total *= extents[d];
    }
    for (pieces<N> p(extent, max); p; p.next()) {
      auto const& start = p.start;
      auto const& size = p.extent;
      index_t count = 1, number = 0;
      bool split = false;  // the dimensions inside the split one are whole
      for (std::size_t d = 0; d != N; ++d) {
        count *= size[d];
        number += start[d] * stride[d];
        if (split) REQUIRE((start[d] == 0 && size[d] == extent[d]));
        split = split || size[d] != 1;
        REQUIRE(start[d] + size[d] <= extent[d]);
      }
      REQUIRE((p.first == next && number == p.first && count == p.count()));
      REQUIRE((count > 0 && count <= max));
      next += count;
    }
    CHECK(next == total);
  };
  index_t const two31 = index_t{1} << 31;
  check(std::array{two31 - 1}, max_piece_elements);
  check(std::array{two31}, max_piece_elements);
  check(std::array{2 * two31 + 5}, max_piece_elements);
  check(std::array{two31, index_t{2}}, max_piece_elements);
  check(std::array{index_t{2}, two31}, max_piece_elements);
  check(std::array{index_t{3}, index_t{5}, 4 * two31 / 7}, max_piece_elements);
  check(std::array{index_t{65536}, index_t{65537}}, max_piece_elements);
  check(std::array{index_t{1}, index_t{1}, index_t{7}}, max_piece_elements);
  check(std::array{index_t{5}, index_t{0}, index_t{7}}, max_piece_elements);
  for (index_t max : {1, 2, 7, 10, 64, 1000})
    check(std::array{index_t{3}, index_t{4}, index_t{5}, index_t{2}}, max);
  // in each piece the rows start at a multiple of every vector width
  index_t const one[] = {2 * two31 + 5};
  for (pieces<1> p(one, max_piece_elements); p; p.next()) CHECK(p.start[0] % 16 == 0);
}

TEST_CASE("element and row numbers convert to coordinates") {
  index_t const extent[] = {1, 3, 4, 5};
  numbering<4> const of(extent, 1);
  std::uint32_t number = 0;
  for (index_t a = 0; a != 3; ++a)
    for (index_t b = 0; b != 4; ++b) {
      auto const r = of.row(static_cast<std::uint32_t>(a * 4 + b));
      CHECK((r.at[0] == 0 && r.at[1] == a && r.at[2] == b && r.at[3] == 0));
      for (index_t c = 0; c != 5; ++c) {
        auto const e = of.element(number++);
        CHECK((e.at[0] == 0 && e.at[1] == a && e.at[2] == b && e.at[3] == c));
      }
    }
}

TEST_CASE("the strided kernel reads every layout") {
  std::vector<float> store = elements<float>(40000);
  float const* const p = aligned(store);
  auto const leaf = [&]<class X>(X const&, layout<X::rank> l) {
    return strided_memory<float, X::rank>{{p}, l};
  };
  for (index_t n : {1, 3, 4, 5, 16, 17, 31, 32, 33, 64, 100, 128, 130})
    for (index_t m : {1, 2, 16, 31, 33, 40, 65}) {
      auto const x = shape(m, n);
      auto const dense = leaf(x, row_major(x)), transposed = leaf(x, {0, {1, m}});
      auto const row = leaf(x, {0, {0, 1}}), column = leaf(x, {0, {1, 0}});
      auto const cut = leaf(x, {2, {2 * n + 2, 2}}), backwards = leaf(x, {m * n - 1, {-n, -1}});
      check_rows(x, dense);
      check_rows(x, transposed);
      check_rows(x, bind(weighed_op{}, dense, transposed));
      check_rows(x, bind(weighed_op{}, bind(weighed_op{}, transposed, row), transposed));
      check_rows(x, bind(weighed_op{}, dense, row));
      check_rows(x, bind(weighed_op{}, dense, column));
      check_rows(x, bind(weighed_op{}, cut, backwards));
      check_rows(x, bind(weighed_op{}, scalar<float>{2},
                         strided_load<index_generator<number_op>, 2>{indices, {1, {3, 2}}}));
      // below a reshape
      auto const y = shape(n, m);
      reshaped_expr<decltype(transposed), dextents<2>> const inner{y, leaf(y, {0, {1, n}})};
      check_rows(x,
                 bind(weighed_op{}, dense, strided_load<decltype(inner), 2>{inner, row_major(x)}));
    }
  auto const check_four = [&](auto const& x, std::initializer_list<layout<4>> layouts) {
    for (layout<4> const& l : layouts) {
      check_rows(x, leaf(x, l));
      check_rows(x, bind(weighed_op{}, leaf(x, l), leaf(x, row_major(x))));
    }
  };
  check_four(shape(3, 18, 2, 20), {layout<4>{0, {1, 3, 54, 108}}, layout<4>{0, {720, 1, 360, 18}},
                                   layout<4>{0, {18, 1, 54, 108}}});
  check_four(shape(3, 34, 2, 130),
             {layout<4>{0, {1, 3, 102, 204}}, layout<4>{0, {8840, 1, 4420, 34}},
              layout<4>{0, {34, 1, 102, 204}}});
  check_rows(extents<>{}, strided_memory<float, 0>{{p}, {7, {0}}});
  check_rows(shape(0, 4), leaf(shape(0, 4), {0, {4, 1}}));
  check_rows(shape(4, 0), leaf(shape(4, 0), {0, {0, 1}}));
}

TEST_CASE("the strided kernel writes at the positions of every layout") {
  std::vector<float> store = elements<float>(40000);
  float const* const p = aligned(store);
  for (index_t n : {1, 3, 4, 5, 16, 17, 32, 33, 100})
    for (index_t m : {1, 2, 16, 31, 40}) {
      auto const x = shape(m, n);
      strided_memory<float, 2> const dense{{p}, row_major(x)};
      for (layout<2> const& to : {layout<2>{0, {1, m}}, layout<2>{4, {2 * n + 4, 2}},
                                  layout<2>{8, {n + 4, 1}}, layout<2>{m * n - 1, {-n, -1}}}) {
        std::vector<float> result(at(20 * m * n + 64), -1.f);
        float* const out = aligned(result);
        detail::map_strided(host_grid{}, out, to, x, bind(twice_op{}, dense));
        index_t written = 0;
        for (float r : result) written += r != -1.f ? 1 : 0;
        REQUIRE(written == m * n);
        for (index_t i = 0; i != m; ++i)
          for (index_t j = 0; j != n; ++j)
            REQUIRE(out[to.base + i * to.stride[0] + j * to.stride[1]] == 2 * p[i * n + j]);
      }
    }
}

TEST_CASE("operands that are only broadcast are read as by the strided kernel") {
  std::vector<float> store = elements<float>(4096);
  float const* const p = aligned(store);
  for (index_t const last : {1, 3, 4, 12, 37}) {
    dextents<3> const whole{{5, 9, last}};
    for (unsigned bits = 0; bits != 64; ++bits) {
      auto const operand = [&](unsigned from) {
        dextents<3> x = whole;
        for (unsigned d = 0; d != 3; ++d)
          if ((bits >> (from + d) & 1u) != 0) x.n[d] = 1;
        return strided_memory<float, 3>{{p + 4 * from}, broadcast_layout(row_major(x), x, whole)};
      };
      auto const f = bind(weighed_op{}, operand(0), bind(twice_op{}, operand(3)));
      int launches = 0;
      index_t const n = static_cast<index_t>(whole.count());
      std::vector<float> expected(at(n) + 8, -1.f), out(expected), in_pieces(expected);
      untransposed_layout<3> const to{row_major(whole)};
      detail::map_strided(host_grid{}, expected.data(), row_major(whole), whole, f);
      detail::map_strided(host_grid{&launches}, out.data(), to, whole, f);
      detail::map_strided(host_grid{nullptr, nullptr, 192}, in_pieces.data(), to, whole, f);
      REQUIRE(out == expected);
      REQUIRE(in_pieces == expected);
      REQUIRE(launches == 1);
    }
  }
}

TEST_CASE("transposed operands are read in tiles, others are not") {
  std::vector<float> store = elements<float>(64 * 128);
  strided_memory<float, 2> const transposed{{store.data()}, {0, {1, 64}}},
      cut{{store.data()}, {0, {64, 2}}};
  auto const wide = shape(64, 128), narrow = shape(64, 127), low = shape(31, 128);
  CHECK(transposed_of(wide, transposed) == 0);
  CHECK(transposed_of(wide, cut) == 1);
  CHECK(transposed_of(narrow, transposed) == 1);  // a block reads whole sectors without tiles
  CHECK(transposed_of(low, transposed) == 1);     // too low for tiles
  using one = strided_memory<float, 2>;
  STATIC_REQUIRE(map_transposed_tiles<float, one, 2>::shared_bytes == 64 * 65 * 4);
  STATIC_REQUIRE(map_transposed_tiles<double, strided_memory<double, 2>, 2>::shared_bytes ==
                 64 * 33 * 8);
  // smaller tiles of more operands, then more than fit into shared memory
  auto const two = bind(weighed_op{}, transposed, transposed);
  auto const four = bind(weighed_op{}, two, two);
  STATIC_REQUIRE(
      map_transposed_tiles<float, std::remove_const_t<decltype(four)>, 2>::shared_bytes ==
      4 * 64 * 33 * 4);
  check_rows(wide, four);
  auto const eight = bind(weighed_op{}, four, four);
  auto const sixteen = bind(weighed_op{}, eight, eight);
  STATIC_REQUIRE(
      map_transposed_tiles<float, std::remove_const_t<decltype(sixteen)>, 2>::shared_bytes ==
      40960);
  check_rows(wide, sixteen);
}
