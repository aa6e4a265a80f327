// gpus: 0
// env: PLACEMENT_CPU_LEVEL=baseline
// env: PLACEMENT_CPU_LEVEL=x86-64-v3
// env: PLACEMENT_CPU_LEVEL=x86-64-v4
// Loops over random numbers that are compiled for several processors, with the bits of one element
// at each level. Compiled at -O2.
#include <placement/ops/dropout.hpp>
#include <placement/placement.hpp>
#if defined(LIBRARY_WITHOUT_LEVELS)
#  include <placement/src/all.ipp>
#endif

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

using namespace placement;

namespace {

template <class T> using vector_of = tensor<T, dextents<1>>;

constexpr std::uint64_t seed = 0x9e3779b97f4a7c15;
/// The stream of the first op after set_seed(seed).
constexpr random_stream stream{seed, 0};

template <class T> bool is_same(T a, T b) { return std::memcmp(&a, &b, sizeof a) == 0; }
/// Whether element i of y is of(i).
template <class T, class Of> bool has_elements(vector_of<T> const& y, Of const& of) {
  for (index_t i = 0; i != y.shape().at(0); ++i)
    if (!is_same<T>(y.data()[i], of(i))) {
      UNSCOPED_INFO("element " << i << " of " << y.shape().at(0));
      return false;
    }
  return true;
}
/// All lengths up to 70, and some around the elements of registers and of blocks.
std::vector<index_t> lengths() {
  std::vector<index_t> all;
  for (index_t n = 0; n <= 70; ++n) all.push_back(n);
  for (index_t n : {127, 128, 129, 255, 256, 257, 383, 511, 513, 1023, 1024, 1025, 3001})
    all.push_back(n);
  return all;
}

/// draw(shape): the expression of all elements. one(i): element i.
template <class T, class Draw, class One> void check(Draw const& draw, One const& one) {
  for (index_t n : lengths()) {
    INFO(n << " elements of " << sizeof(T) << " bytes");
    set_seed(seed);
    auto const e = draw(shape(n));
    CHECK(has_elements<T>(e, one));
    for (index_t first : {1, 2, 3, 5, 64, 130}) {
      if (first > n) continue;
      INFO("from element " << first << " on");
      CHECK(has_elements<T>(slice(e, range{first, n}), [&](index_t i) { return one(first + i); }));
    }
    if (n > 300) continue;
    CHECK(has_elements<T>(reverse(e, axis<0>), [&](index_t i) { return one(n - 1 - i); }));
    set_seed(seed);
    tensor<T, dextents<2>> const part = slice(draw(shape(n, index_t{5})), everything, range{1, 4});
    index_t wrong = 0;
    for (index_t i = 0; i != n * 3; ++i)
      wrong += is_same(part.data()[i], one(i / 3 * 5 + i % 3 + 1)) ? 0 : 1;
    CHECK(wrong == 0);
  }
}

template <class T> void check_reals() {
  T const low(-1.3f), high(2.9f), mean(0.3f), stddev(1.9f);
  using line = dextents<1>;
  uniform_op<T, line> const even{shape(1), low, high, next_after_op{}(high, low), stream};
  check<T>([&](auto x) { return uniform<T>(x, low, high); }, even);
  check<T>([&](auto x) { return normal<T>(x, mean, stddev); },
           normal_op<T, line>{shape(1), mean, stddev, stream});
  check<T>([&](auto x) { return truncated_normal<T>(x, mean, stddev); },
           truncated_normal_op<T, line>{shape(1), mean, stddev, stream});
}
template <class T> void check_integers() {
  using limits = std::numeric_limits<T>;
  struct ends {
    T low, high;
  };
  for (ends e : {ends{T(1), T(7)}, ends{limits::min(), limits::max()},
                 ends{static_cast<T>(limits::max() - 1), limits::max()}})
    check<T>([&](auto x) { return uniform<T>(x, e.low, e.high); },
             [&](index_t i) {
               auto const count =
                   static_cast<std::uint64_t>(e.high) - static_cast<std::uint64_t>(e.low);
               return uniform_int_op<T, dextents<1>>{shape(1), e.low, count, stream}(i);
             });
}

}  // namespace

TEST_CASE("random floats have the bits of one element at each level") { check_reals<float>(); }
TEST_CASE("random doubles have the bits of one element at each level") { check_reals<double>(); }
TEST_CASE("random numbers of 16 bits have the bits of one element at each level") {
  check_reals<float16>();
  check_reals<bfloat16>();
}
TEST_CASE("random integers are those of one element at each level") {
  check_integers<std::int8_t>();
  check_integers<std::uint16_t>();
  check_integers<std::int32_t>();
  check_integers<std::uint64_t>();
#ifdef PLACEMENT_EVERY_COMBINATION
  check_integers<std::uint8_t>();
  check_integers<std::int16_t>();
  check_integers<std::uint32_t>();
  check_integers<std::int64_t>();
#endif
}

TEST_CASE("integers from ranges around 2^32 are those of one element at each level") {
  for (std::int64_t count : {(std::int64_t{1} << 32) - 1, std::int64_t{1} << 32,
                             (std::int64_t{1} << 32) + 1, (std::int64_t{3} << 61) + 12345})
    check<std::int64_t>([&](auto x) { return uniform<std::int64_t>(x, -5, count - 5); },
                        [&](index_t i) {
                          uniform_int_op<std::int64_t, dextents<1>> const op{
                              shape(1), -5, static_cast<std::uint64_t>(count), stream};
                          return op(i);
                        });
}

TEST_CASE("the lanes of an integer below n are those of one block") {
  // Words whose products carry into each half.
  struct one_lane {
    std::uint64_t w0, w1, w2, w3;
  };
  auto const product = [](std::uint64_t a, std::uint64_t b) {
    return (a & 0xffffffff) * (b & 0xffffffff);
  };
  std::uint32_t const words[] = {0, 1, 0x55555555, 0x55555556, 0x80000000, 0xfffffffe, 0xffffffff};
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  index_t wrong = 0;
  for (std::uint32_t a : words)
    for (std::uint32_t b : words)
      for (std::uint32_t c : words)
        for (std::uint32_t d : words)
          for (std::uint64_t n : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{0xffffffff},
                                  std::uint64_t{1} << 32, largest / 3, largest}) {
            std::uint64_t const upper = std::uint64_t{0xabcd} << 32;  // which does not count
            one_lane const lane{a | upper, b | upper, c, d | upper};
            std::uint64_t const y = detail::below(n, {{a, b, c, d}});
            wrong += detail::lanes_below<true>(n, lane, product) == y ? 0 : 1;
            if (n >> 32 == 0) wrong += detail::lanes_below<false>(n, lane, product) == y ? 0 : 1;
          }
  CHECK(wrong == 0);
}

namespace {
/// The sum of two arrays, one of which is random, and of 0.
template <class T, class Draw, class One> void check_fused(Draw const& draw, One const& one) {
  for (index_t n : {1, 17, 48, 255, 256, 257, 2000}) {
    INFO(n << " elements");
    set_seed(seed);
    auto const e = draw(shape(n));
    vector_of<T> const x = iota<T>(shape(n), T(0));
    auto const sum = [&](index_t i) { return static_cast<T>(x.data()[i] + one(i)); };
    CHECK(has_elements<T>(x + e, sum));
    CHECK(has_elements<bool>(e < x, [&](index_t i) { return one(i) < x.data()[i]; }));
    CHECK(has_elements<T>(slice(x + e, range{1, n}), [&](index_t i) { return sum(i + 1); }));
    vector_of<T> a, b;
    evaluate(into(a) = x + e, into(b) = identity(e));
    CHECK(has_elements<T>(a, sum));
    CHECK(has_elements<T>(b, one));
  }
}
}  // namespace

TEST_CASE("random numbers in an expression are those of one element at each level") {
  using line = dextents<1>;
  check_fused<float>([](auto x) { return uniform<float>(x); },
                     uniform_op<float, line>{shape(1), 0, 1, next_after_op{}(1.f, 0.f), stream});
  check_fused<double>([](auto x) { return normal<double>(x); },
                      normal_op<double, line>{shape(1), 0, 1, stream});
  check_fused<int>([](auto x) { return uniform<int>(x, -9, 99); },
                   uniform_int_op<int, line>{shape(1), -9, 108, stream});
}

TEST_CASE("a mask of dropout is that of one element at each level") {
  for (index_t n : {5, 256, 3000}) {
    vector_of<float> const x = iota<float>(shape(n), 1.f);
    uniform_op<float, dextents<1>> const u{shape(1), 0, 1, next_after_op{}(1.f, 0.f), stream};
    CHECK(has_elements<float>(dropout(x, 0.25, stream), [&](index_t i) {
      return u(i) >= 0.25f ? x.data()[i] * (1 / 0.75f) : 0.f;
    }));
  }
}

TEST_CASE("a sum of random integers is that of their elements at each level") {
  index_t const n = 1'000'003;  // several threads
  set_seed(seed);
  std::int64_t expected = 0;
  uniform_int_op<std::int64_t, dextents<1>> const op{shape(1), -50, 1000, stream};
  for (index_t i = 0; i != n; ++i) expected += op(i);
  auto const e = uniform<std::int64_t>(shape(n), -50, 950);
  tensor<std::int64_t, extents<>> const all = sum(e);
  CHECK(all.read()() == expected);
  CHECK(has_elements<std::int64_t>(e, op));
}
