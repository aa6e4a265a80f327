// The reduction kernels of GPUs, run by loops on the host, against the CPU's.
#include <placement/gpu/lower_reduce.hpp>
#include <placement/placement.hpp>

#include <support/host_grid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace placement;
using emulated::host_grid;

namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

struct reports_after {
  std::vector<int>* seen;
  void operator()(index_t first, index_t n) const {
    for (index_t i = first; i != first + n; ++i) ++(*seen)[at(i)];
  }
};
struct nothing {
  void operator()(index_t, index_t) const {}
};

/// Whole numbers, so that sums are exact in any order. Some are equal.
template <class T> struct row_of {
  explicit row_of(index_t n) : store(std::make_unique<T[]>(at(n) + 4)) {
    std::minstd_rand random(static_cast<unsigned>(n + 1));
    for (index_t i = 0; i != n + 4; ++i) store[at(i)] = static_cast<T>(random() % 9);
  }
  T const* data() const { return store.get(); }
  std::unique_ptr<T[]> store;  // std::vector<bool> stores no separate elements
};
template <class T> row_of<T> numbers(index_t n) { return row_of<T>(n); }

/// Concatenates the elements as text in order, which shows the order of combination.
struct order_op {
  template <class T> struct state {
    std::uint64_t hash = 0, length = 0;
  };
  template <class T> static state<T> init() { return {}; }
  template <class T> static state<T> step(state<T> s, T x, index_t i) {
    return combine<T>(s, {(static_cast<std::uint64_t>(x) * 31 + static_cast<std::uint64_t>(i)), 1});
  }
  template <class T> static state<T> combine(state<T> a, state<T> b) {
    return {a.hash * 1000003 ^ b.hash, a.length + b.length};
  }
  template <class T> static double finalize(state<T> s, index_t) {
    return static_cast<double>(s.hash >> 12) + static_cast<double>(s.length) * 1e15;
  }
};
/// Counts elements and weights each by its index, so that a wrong index changes the result.
struct weighed_op {
  template <class T> struct state {
    double sum = 0, n = 0;
  };
  template <class T> static state<T> init() { return {}; }
  template <class T> static state<T> step(state<T> s, T x, index_t i) {
    return {s.sum + static_cast<double>(x) * static_cast<double>(i + 1), s.n + 1};
  }
  template <class T> static state<T> combine(state<T> a, state<T> b) {
    return {a.sum + b.sum, a.n + b.n};
  }
  template <class T> static double finalize(state<T> s, index_t n) {
    return s.sum + 1e12 * (s.n - static_cast<double>(n));  // checks that n elements are counted
  }
};

template <class Op, class T>
using result_type = decltype(Op::finalize(typename Op::template state<T>{}, index_t{}));
template <class Op, class T> using cpu_loop = kernel<cpu_kernels, reduce, Op, T>;

template <class Op, class T> void check_contiguous(index_t n, index_t shift = 0) {
  INFO(n << " elements");
  auto const v = numbers<T>(n);
  dense_leaf<T> const f{v.data() + shift};
  result_type<Op, T> out[2]{};
  detail::reduce_contiguous<Op, T>(host_grid{}, Op{}, out, n, f, nothing{});
  result_type<Op, T> expected{};
  cpu_loop<Op, T>::contiguous(seq{}, Op{}, &expected, n, f, nothing{});
  CHECK(out[0] == expected);
}
template <class Op, class T, class X>
void check_axes(X const& x, layout<X::rank> const& where, row_of<T> const& v) {
  strided_load<dense_leaf<T>, X::rank> const f{{v.data()}, where};
  for (std::size_t axis = 0; axis != X::rank; ++axis) {
    INFO(to_string(x) << " along " << axis);
    index_t outputs = 1;
    for (std::size_t d = 0; d != X::rank; ++d) outputs *= d == axis ? 1 : x.at(d);
    std::vector<result_type<Op, T>> expected(at(outputs) + 1), out(at(outputs) + 1);
    std::vector<int> seen(at(outputs) + 1);
    if (axis + 1 == X::rank)
      cpu_loop<Op, T>::last_axis(seq{}, Op{}, expected.data(), x, f, nothing{});
    else cpu_loop<Op, T>::inner_axis(seq{}, Op{}, expected.data(), x, axis, f, nothing{});
    detail::reduce_axis<Op, T>(host_grid{}, Op{}, out.data(), x, axis, f, reports_after{&seen});
    REQUIRE(out == expected);
    std::vector<result_type<Op, T>> in_pieces(out.size());
    detail::reduce_axis<Op, T>(host_grid{nullptr, nullptr, 64}, Op{}, in_pieces.data(), x, axis, f,
                               nothing{});
    REQUIRE(in_pieces == expected);
    for (index_t o = 0; o != outputs; ++o) REQUIRE(seen[at(o)] == 1);
    REQUIRE(seen[at(outputs)] == 0);
  }
}

/// Numbers around `offset`, of both signs if it is 0.
std::vector<float> random_floats(index_t n, float offset) {
  std::minstd_rand random(7);
  std::vector<float> all(at(n));
  for (float& x : all) x = offset + static_cast<float>(random()) * 0x1p-28f - 4;
  return all;
}
template <class Op> double reduced_on_gpu(std::vector<float> const& x) {
  float out = 0;
  auto const n = static_cast<index_t>(x.size());
  detail::reduce_contiguous<Op, float>(host_grid{}, Op{}, &out, n, dense_leaf<float>{x.data()},
                                       nothing{});
  return static_cast<double>(out);
}

}  // namespace

TEST_CASE("a sum of floats is as far from the exact sum as it states, and is not added in float") {
  for (index_t n : {1, 15, 16, 17, 1000, 70'001, 1 << 20})
    for (float offset : {0.f, 8.f, 1e5f}) {
      INFO(n << " elements around " << offset);
      std::vector<float> const x = random_floats(n, offset);
      double sum = 0, magnitudes = 0;
      for (float const one : x) {
        sum += static_cast<double>(one);
        magnitudes += std::abs(static_cast<double>(one));
      }
      double const allowed = (5 * 0x1p-23 + static_cast<double>(n) * 0x1p-53) * magnitudes;
      CHECK(std::abs(reduced_on_gpu<sum_op<>>(x) - sum) <= allowed);
      auto const count = static_cast<double>(n);
      CHECK(std::abs(reduced_on_gpu<mean_op<>>(x) - sum / count) <= allowed / count);
    }
}

TEST_CASE("sixteen floats at most are added in float: a large one takes few others with it") {
  std::vector<float> ones(1 << 20, 1.f);
  ones[0] = 0x1p40f;
  ones[1 << 19] = -0x1p40f;
  double const left = reduced_on_gpu<sum_op<>>(ones);
  CHECK(left >= (1 << 20) - 2 * 16);
  CHECK(left < (1 << 20) - 2);  // or each was added in double
}

TEST_CASE("of 16-bit numbers sixteen at most are added in float, too") {
  // The first thread of 256 adds four vectors of 8 numbers, 2048 apart, so here two and two.
  std::vector<bfloat16> x(8192, bfloat16(0.f));
  x[0] = bfloat16(0x1p40f);
  x[8] = bfloat16(-0x1p40f);  // of the second thread
  for (std::size_t i = 0; i != 8; ++i) x[4096 + i] = x[6144 + i] = bfloat16(1.f);
  bfloat16 out{};
  detail::reduce_contiguous<sum_op<>, bfloat16>(host_grid{}, sum_op<>{}, &out, 8192,
                                                dense_leaf<bfloat16>{x.data()}, nothing{});
  CHECK(static_cast<float>(out) == 16);
}

TEST_CASE("variances match two passes in double, wherever the mean is") {
  for (index_t n : {1, 2, 100, 1000, 70'001, 1 << 20})
    for (float offset : {0.f, 8.f, 1e5f}) {
      INFO(n << " elements around " << offset);
      std::vector<float> const x = random_floats(n, offset);
      double mean = 0, squares = 0;
      for (float const one : x) mean += static_cast<double>(one) / static_cast<double>(n);
      for (float const one : x) squares += std::pow(static_cast<double>(one) - mean, 2);
      double const variance = squares / static_cast<double>(n);
      CHECK(std::abs(reduced_on_gpu<variance_op<>>(x) - variance) <= 0x1p-23 * variance);
      CHECK(std::abs(reduced_on_gpu<std_dev_op<>>(x) - std::sqrt(variance)) <=
            0x1p-23 * std::sqrt(variance));
    }
}

TEST_CASE("a full reduction takes each element once, with its index, at every length") {
  for (index_t n = 0; n <= 5000; n += n < 200 ? 1 : 89) {
    check_contiguous<weighed_op, float>(n);
    check_contiguous<weighed_op, float>(n, 1);  // unaligned
    check_contiguous<weighed_op, std::int8_t>(n);
  }
  for (index_t n : {16384, 16383, 16385, 32768, 100000, 1 << 20, (1 << 20) + 3})
    check_contiguous<weighed_op, float>(n);
}

TEST_CASE("the library's reductions give the same results on a GPU as on a CPU") {
  for (index_t n : {1, 2, 5, 31, 300, 1025, 40000}) {
    check_contiguous<sum_op<>, float>(n);
    check_contiguous<sum_op<>, int>(n);
    check_contiguous<max_op<>, float>(n);
    check_contiguous<min_op<>, int>(n);
    check_contiguous<argmax_op<>, float>(n);  // the first of equal elements
    check_contiguous<argmin_op<>, std::int8_t>(n);
    check_contiguous<mean_op<>, double>(n);
    check_contiguous<count_nonzero_op<>, float>(n);
    check_contiguous<all_op<>, bool>(n);
    check_contiguous<any_op<>, bool>(n);
  }
  check_contiguous<prod_op<>, int>(4000);
  auto const v = numbers<float>(40000);
  dense_leaf<float> const f{v.data()};
  float out = 0;
  detail::reduce_contiguous<variance_op<>, float>(host_grid{}, variance_op<>{}, &out, 40000, f,
                                                  nothing{});
  float expected = 0;
  cpu_loop<variance_op<>, float>::contiguous(seq{}, variance_op<>{}, &expected, 40000, f,
                                             nothing{});
  CHECK(std::abs(out - expected) <= 1e-5f * expected);
}

TEST_CASE(
    "a sum accumulated in double is exact on a GPU and a CPU where float would lose or overflow") {
  using in_double = sum_op<detail::over_all, double>;
  using mean_in_double = mean_op<detail::over_all, double>;
  for (index_t n : {3, 12, 300, 3000, 48000, 600'000}) {
    INFO(n << " elements");
    std::vector<float> cancelling, beyond;
    for (index_t i = 0; i != n; ++i) {
      cancelling.push_back(i % 3 == 0 ? 1e8f : i % 3 == 1 ? 1.f : -1e8f);
      beyond.push_back(i % 4 < 2 ? 3e38f : -3e38f);
    }
    double on_gpu = -1, on_cpu = -1;
    dense_leaf<float> const c{cancelling.data()}, b{beyond.data()};
    detail::reduce_contiguous<in_double, float>(host_grid{}, in_double{}, &on_gpu, n, c, nothing{});
    cpu_loop<in_double, float>::contiguous(seq{}, in_double{}, &on_cpu, n, c, nothing{});
    CHECK(on_gpu == static_cast<double>(n / 3));
    CHECK(on_cpu == on_gpu);
    if (n % 4 != 0) continue;
    detail::reduce_contiguous<mean_in_double, float>(host_grid{}, mean_in_double{}, &on_gpu, n, b,
                                                     nothing{});
    cpu_loop<mean_in_double, float>::contiguous(seq{}, mean_in_double{}, &on_cpu, n, b, nothing{});
    CHECK(on_gpu == 0);
    CHECK(on_cpu == 0);
  }
  for (index_t n : {1, 31, 1025, 40000}) {
    check_contiguous<in_double, float>(n);
    check_contiguous<sum_op<detail::over_all, float>, double>(n);
    check_contiguous<sum_op<detail::over_all, std::int8_t>, int>(n);
    check_contiguous<mean_op<detail::over_all, float>, int>(n);
  }
}

TEST_CASE("twenty million ones sum to twenty million, in float") {
  index_t const n = 20'000'000;
  std::vector<float> const ones(at(n), 1.f);
  float out = 0;
  detail::reduce_contiguous<sum_op<>, float>(host_grid{}, sum_op<>{}, &out, n,
                                             dense_leaf<float>{ones.data()}, nothing{});
  CHECK(out == 20'000'000.f);
}

TEST_CASE("a NaN at any index is the maximum, and argmax gives the first") {
  index_t const n = 50000;
  std::vector<float> v(at(n), 1.f);
  float const nan = std::numeric_limits<float>::quiet_NaN();
  v[40001] = v[1234] = nan;
  dense_leaf<float> const f{v.data()};
  float max = 0;
  detail::reduce_contiguous<max_op<>, float>(host_grid{}, max_op<>{}, &max, n, f, nothing{});
  CHECK(max != max);
  std::int64_t where = 0;
  detail::reduce_contiguous<argmax_op<>, float>(host_grid{}, argmax_op<>{}, &where, n, f,
                                                nothing{});
  CHECK(where == 1234);
}

TEST_CASE("reductions along each axis give what the CPU gives, and finalize each result once") {
  for (index_t m : {1, 2, 7, 40})
    for (index_t n : {0, 1, 3, 4, 16, 33, 128, 300, 1100, 2500}) {
      auto const x = shape(m, n);
      auto const v = numbers<float>(4 * m * n + 20);
      check_axes<weighed_op, float>(x, row_major(x), v);
      check_axes<weighed_op, float>(x, {0, {1, m}}, v);
      check_axes<weighed_op, float>(x, {3, {2 * n, 2}}, v);
      if (n != 0) check_axes<argmax_op<>, float>(x, row_major(x), v);
    }
  auto const v = numbers<float>(100000);
  for (auto const& x : {shape(3, 40, 50), shape(1, 5, 1), shape(20, 1, 30), shape(0, 3, 4),
                        shape(2, 6000, 3), shape(600, 4, 40)})
    check_axes<weighed_op, float>(x, row_major(x), v);
  check_axes<weighed_op, float>(shape(30000), row_major(shape(30000)), v);
  check_axes<weighed_op, double>(shape(9), row_major(shape(9)), numbers<double>(9));
}

TEST_CASE("a row reduction takes each element once, with its index in the whole tensor") {
  auto const v = numbers<float>(70000);
  for (auto const& x : {shape(7, 9), shape(40, 64), shape(1, 1), shape(0, 4), shape(300, 200)}) {
    index_t const m = x.at(0), n = x.at(1);
    for (layout<2> const& l :
         {row_major(x), layout<2>{0, {1, m}}, layout<2>{0, {0, 1}}, layout<2>{n, {n, -1}}}) {
      strided_load<dense_leaf<float>, 2> const f{{v.data()}, l};
      double out[2]{};
      std::vector<int> seen(2);
      detail::reduce_strided<weighed_op, float>(host_grid{}, weighed_op{}, out, x, f,
                                                reports_after{&seen});
      double expected = 0;
      cpu_loop<weighed_op, float>::strided(seq{}, weighed_op{}, &expected, x, f, nothing{});
      CHECK(out[0] == expected);
      CHECK((seen[0] == 1 && seen[1] == 0));
      detail::reduce_strided<weighed_op, float>(host_grid{nullptr, nullptr, 320}, weighed_op{}, out,
                                                x, f, reports_after{&seen});
      CHECK(out[0] == expected);
      CHECK((seen[0] == 2 && seen[1] == 0));
    }
  }
}

TEST_CASE("the order of a reduction is the same in every run") {
  for (index_t n : {1000, 40000, 300000}) {
    auto const v = numbers<float>(n);
    double out[2]{};
    for (double& o : out)
      detail::reduce_contiguous<order_op, float>(host_grid{}, order_op{}, &o, n,
                                                 dense_leaf<float>{v.data()}, nothing{});
    CHECK(out[0] == out[1]);
  }
}

TEST_CASE("rows are distributed over threads so that a large GPU is filled") {
  using namespace placement::detail;
  // one thread per very short row, a warp per short row, a block per long row
  CHECK(shape_along(1000, 4, 4, true).group_size == 1);
  CHECK(shape_along(1000, 128, 4, true).group_size == 32);
  CHECK(shape_along(1000, 1024, 4, true).group_size == 32);
  CHECK(shape_along(1000, 1025 * 4, 4, true).group_size == 256);
  // neighbouring threads take neighbouring columns; with a small number of columns, more threads
  // share each
  CHECK(shape_across(100000, 1000).group_size == 8);
  CHECK(shape_across(100000, 3).group_size == 4);
  CHECK(shape_across(4, 1000).group_size == 64);
  // long rows are split if their number is small; short rows are never split
  CHECK(split_rows(shape_along(1, 1 << 28, 4, true), 4).blocks() > 1000);
  CHECK(split_rows(shape_along(1, 16384, 4, true), 4).splits == 1);
  CHECK(split_rows(shape_along(100000, 1024, 4, true), 4).splits == 1);
  for (index_t n : {20000, 65536, 100001, 1 << 24, (1 << 24) + 7}) {
    auto const s = split_rows(shape_along(3, n, 4, true), 4);
    CHECK((s.splits == 1 || s.split_length % (4 * s.group_size) == 0));
    CHECK((s.splits * s.split_length >= n && (s.splits - 1) * s.split_length < n));
  }
}
