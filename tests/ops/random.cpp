// Random numbers: the generator against published results, what the numbers depend on, and their
// distributions.
#include <placement/placement.hpp>

#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace placement;

namespace {

template <class E> double value(E const& e) { return static_cast<double>(tensor(e).read()()); }
template <class T, class X> std::vector<T> elements_of(tensor<T, X> const& x) {
  auto const h = x.read();
  return {h.begin(), h.end()};
}
template <class E> auto drawn(E const& e) { return elements_of(tensor(e)); }

}  // namespace

TEST_CASE("philox gives the published words") {
  // kat_vectors of Random123, philox 4x32 with 10 rounds
  STATIC_CHECK(philox({}, 0) == philox_block{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  STATIC_CHECK(philox({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffffffffffff) ==
               philox_block{{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  STATIC_CHECK(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822) ==
               philox_block{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST_CASE("an integer below n is the high part of the product of n and 128 random bits") {
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint32_t ones = 0xffffffff;
  STATIC_CHECK(placement::detail::upper_product(largest, largest) == largest - 1);
  STATIC_CHECK(placement::detail::upper_product(std::uint64_t{1} << 63, 6) == 3);
  STATIC_CHECK(placement::detail::below(6, {{0, 0, 0, 0}}) == 0);
  STATIC_CHECK(placement::detail::below(6, {{ones, ones, ones, ones}}) == 5);
  STATIC_CHECK(placement::detail::below(6, {{0x80000000, 0, 0, 0}}) == 3);
  STATIC_CHECK(placement::detail::below(6, {{0x7fffffff, ones, ones, ones}}) == 2);
  STATIC_CHECK(placement::detail::below(largest, {{ones, ones, ones, ones}}) == largest - 1);
  // 2^64 / 3 rounded down, then just enough below to carry: 3 * 0x5555... = 2^64 - 1
  STATIC_CHECK(placement::detail::below(3, {{0x55555555, 0x55555555, 0x55555555, 0x55555555}}) ==
               0);
  STATIC_CHECK(placement::detail::below(3, {{0x55555555, 0x55555555, 0x55555555, 0x55555556}}) ==
               1);
}

TEST_CASE("an element depends on the seed, the number of the op and the number of the element") {
  set_seed(7);
  auto const words = [](std::uint64_t number, std::int64_t i) {
    return random_stream{7, number}.block(i);
  };
  tensor const u = uniform<float>(shape(9));
  tensor const d = uniform<double>(shape(3));
  tensor const n = uniform<std::int64_t>(shape(2), 0, std::int64_t{1} << 32);
  for (int i = 0; i != 9; ++i)
    CHECK(u.read()(i) == static_cast<float>(words(0, i / 4).word[i % 4] >> 8) / 16777216.f);
  for (int i = 0; i != 3; ++i) {
    philox_block const b = words(1, i / 2);
    std::uint64_t const high = b.word[i % 2 * 2], low = b.word[i % 2 * 2 + 1];
    CHECK(d.read()(i) == static_cast<double>((high << 32 | low) >> 11) * 0x1p-53);
  }
  for (int i = 0; i != 2; ++i) CHECK(n.read()(i) == words(2, i).word[0]);
  STATIC_CHECK(random_stream{7, 1}.block(0) == philox({{0, 0, 1, 0}}, 7));
  STATIC_CHECK(random_stream{7, std::uint64_t{3} << 32}.block((std::int64_t{2} << 32) + 5) ==
               philox({{5, 2, 0, 3}}, 7));
}

namespace {
/// 1,000 elements, by what they are part of: each way of computing them gives the same bits.
template <class T, class Draw> void check_bits(Draw const& draw) {
  set_seed(21);
  auto const e = draw(shape(1003));
  auto const all = drawn(e);
  auto const part = [&](index_t first, index_t last) {
    return std::vector<T>(all.begin() + first, all.begin() + last);
  };
  on_each_device([&](device) {
    CHECK(drawn(e) == all);
    CHECK(drawn(slice(e, range{3, 1002})) == part(3, 1002));
    CHECK(drawn(slice(e, range{5, 9})) == part(5, 9));
    CHECK(drawn(reverse(reverse(e, axis<0>), axis<0>)) == all);
    CHECK(drawn(e + zeros<T>(1, 1)) == all);
  });
  set_seed(21);
  auto const rows = draw(shape(17, 59));
  auto const column = drawn(transpose(rows));
  for (std::size_t i = 0; i != column.size(); ++i) CHECK(column[i] == all[i % 17 * 59 + i / 17]);
}
}  // namespace
TEST_CASE("random numbers have the same bits on each device and in each part of an expression") {
  each<evaluated_floats>([]<class T>() {
    check_bits<T>([](auto x) { return uniform<T>(x, T(-1.3f), T(2.9f)); });
    check_bits<T>([](auto x) { return normal<T>(x, T(0.3f), T(1.9f)); });
    check_bits<T>([](auto x) { return truncated_normal<T>(x, T(0.3f), T(1.9f)); });
  });
}

TEST_CASE("the elements of a seed are the same in each build") {
  set_seed(7);
  CHECK(drawn(uniform<float>(shape(4), -1.f, 2.f)) ==
        std::vector<float>{0x1.dd217p+0f, 0x1.401decp+0f, -0x1.509fa4p-1f, -0x1.7c6df8p-1f});
  CHECK(drawn(uniform<double>(shape(3), -1., 2.)) ==
        std::vector<double>{0x1.f0c322c20f92p-2, -0x1.0fb4e7e52f948p-4, 0x1.a97b71cf8cadp+0});
  CHECK(drawn(normal<float>(shape(4), 0.5f, 1.5f)) ==
        std::vector<float>{0x1.9d6564p-1f, 0x1.50807p-4f, 0x1.9a425cp-1f, 0x1.428bdap+1f});
  CHECK(drawn(normal<double>(shape(3), 0.5, 1.5)) ==
        std::vector<double>{0x1.4cce3c882d3dfp+0, 0x1.cf388403190fep+0, 0x1.e509afcaab5fp+0});
  CHECK(drawn(truncated_normal<float>(shape(4), 0.5f, 1.5f)) ==
        std::vector<float>{0x1.3ef88cp+0f, 0x1.39986cp+0f, -0x1.09d9ap-1f, 0x1.2a8044p+1f});
  CHECK(drawn(truncated_normal<double>(shape(3), 0.5, 1.5)) ==
        std::vector<double>{-0x1.4bed98ec8498p-1, 0x1.0a55f3aafacap-2, 0x1.8fbc821951157p-1});
}

namespace {
/// FNV-1a of the elements' bits.
template <class T> std::uint64_t digest(tensor<T, dextents<1>> const& x) {
  std::uint64_t h = 1469598103934665603U;
  for (T n : x.read()) h = (h ^ math::to_bits(n)) * 1099511628211U;
  return h;
}
}  // namespace
TEST_CASE("a million random elements have the same bits for any compiler and machine") {
  constexpr index_t n = 1'000'000;
  set_seed(7);
  for (int i = 0; i != 6; ++i) (void)uniform<float>(shape(1));  // their numbers are used up
  CHECK(digest<float>(uniform<float>(shape(n), -1.3f, 2.9f)) == 0x28da629e67785bfb);
  CHECK(digest<double>(uniform<double>(shape(n), -1.3, 2.9)) == 0xe50c1175e972ba2e);
  CHECK(digest<float>(normal<float>(shape(n), 0.3f, 1.9f)) == 0x622174fdd839ec3e);
  CHECK(digest<double>(normal<double>(shape(n), 0.3, 1.9)) == 0xe83076de6b403968);
  CHECK(digest<float>(truncated_normal<float>(shape(n), 0.3f, 1.9f)) == 0x6636209722e3a61d);
  CHECK(digest<double>(truncated_normal<double>(shape(n), 0.3, 1.9)) == 0x5b30022c6100badc);
}

TEST_CASE("a node gives the same elements in each evaluation; two nodes differ") {
  auto const x = normal<float>(shape(100)), y = normal<float>(shape(100));
  CHECK(drawn(x) == drawn(x));
  CHECK(drawn(x) != drawn(y));
  CHECK(value(sum(x - x)) == 0);
}

TEST_CASE("the same seed restarts the same elements, another seed gives others") {
  set_seed(1);
  auto const first = drawn(uniform<double>(shape(50))), second = drawn(normal<double>(shape(50)));
  set_seed(1);
  CHECK(drawn(uniform<double>(shape(50))) == first);
  CHECK(drawn(normal<double>(shape(50))) == second);
  set_seed(2);
  CHECK(drawn(uniform<double>(shape(50))) != first);
}

TEST_CASE("elements do not depend on the shape, on fusion or on the device") {
  auto draw = [](auto shape) {
    set_seed(3);
    return uniform<float>(shape, -1.f, 2.f);
  };
  auto const all = drawn(draw(shape(1000)));
  CHECK(drawn(draw(shape(10, 100))) == all);
  CHECK(drawn(draw(extents<10, 100>{})) == all);
  CHECK(drawn(draw(shape(10))) == std::vector<float>(all.begin(), all.begin() + 10));
  auto const x = draw(shape(10, 100));
  on_each_device([&](device d) {
    auto const again = draw(shape(10, 100));
    tensor const there = again;
    CHECK(there.where() == d);
    CHECK(elements_of(there) == all);
    CHECK(drawn(again + zeros<float>(10, 100)) == all);
    CHECK(drawn(reshape(transpose(transpose(again)), shape(1000))) == all);
    tensor const column = slice(again, range{}, range{7, 8});
    for (int i = 0; i != 10; ++i)
      CHECK(column.read()(i, 0) == all[static_cast<std::size_t>(i * 100 + 7)]);
  });
  CHECK(drawn(on("/gpu:1", x)) == all);
}

TEST_CASE("uniform numbers are evenly distributed between low and high") {
  constexpr index_t n = 200'000;
  each<evaluated_floats>([]<class T>() {
    set_seed(11);
    auto const v = drawn(uniform<T>(shape(n), T(-2), T(6)));
    int bins[8]{};
    double sum = 0;
    for (T x : v) {
      if (!(x >= T(-2) && x < T(6))) FAIL(x << " is not in [-2, 6)");
      ++bins[static_cast<int>(std::floor(x)) + 2];
      sum += static_cast<double>(x);
    }
    double chi_square = 0;
    for (int b : bins) chi_square += (b - n / 8.) * (b - n / 8.) / (n / 8.);
    CHECK(chi_square < 24.3);  // 7 degrees of freedom: 1 in 1000
    CHECK(std::fabs(sum / n - 2) < 0.02);
  });
}

TEST_CASE("a uniform number never equals the upper end, however close the ends are") {
  float const above_one = std::nextafter(1.f, 2.f);
  for (float x : drawn(uniform<float>(shape(1000), 1.f, above_one))) CHECK(x == 1.f);
  for (float x : drawn(uniform<float>(shape(1000), 16777216.f, 16777218.f))) CHECK(x == 16777216.f);
  for (double x : drawn(uniform<double>(shape(1000), 1., std::nextafter(1., 2.)))) CHECK(x == 1);
  for (float x : drawn(uniform<float>(shape(10), 3.f, 3.f))) CHECK(x == 3.f);
}

TEST_CASE("uniform integers are evenly distributed from low to high, for every integer type") {
  each<integers>([]<class T>() {
    set_seed(5);
    INFO("element type " << element_name<T>());
    int bins[6]{};
    for (T x : drawn(uniform<T>(shape(60'000), T(1), T(7)))) {
      if (!(x >= T(1) && x < T(7))) FAIL(+x << " is not in [1, 7)");
      ++bins[static_cast<int>(x) - 1];
    }
    double chi_square = 0;
    for (int b : bins) chi_square += (b - 10'000.) * (b - 10'000.) / 10'000.;
    CHECK(chi_square < 20.5);  // 5 degrees of freedom: 1 in 1000
    using limits = std::numeric_limits<T>;
    bool low = false, high = false;
    for (T x : drawn(uniform<T>(shape(1000), limits::min(), limits::max()))) {
      low = low || x < limits::min() / 2 + limits::max() / 4;
      high = high || x > limits::max() / 4 * 3;
    }
    CHECK(low);
    CHECK(high);
  });
  for (int x : drawn(uniform<int>(shape(100), -3, -2))) CHECK(x == -3);
}

TEST_CASE("normal numbers have their mean, standard deviation and distribution") {
  constexpr double n = 200'000;
  each<evaluated_floats>([]<class T>() {
    set_seed(13);
    auto const v = drawn(normal<T>(shape(200'000), T(3), T(2)));
    double sum = 0, squares = 0, cubes = 0, fourths = 0;
    int within = 0;
    for (T x : v) {
      double const z = (static_cast<double>(x) - 3) / 2;
      sum += z;
      squares += z * z;
      cubes += z * z * z;
      fourths += z * z * z * z;
      within += std::fabs(z) < 1;
    }
    CHECK(std::fabs(sum / n) < 0.01);
    CHECK(std::fabs(squares / n - 1) < 0.015);
    CHECK(std::fabs(cubes / n) < 0.03);
    CHECK(std::fabs(fourths / n - 3) < 0.1);
    CHECK(std::fabs(within / n - 0.682689) < 0.005);
  });
}

TEST_CASE("truncated normal numbers are within two standard deviations, and otherwise normal") {
  constexpr double n = 200'000;
  set_seed(17);
  auto const v = drawn(truncated_normal<float>(shape(200'000), 1.f, 0.5f));
  double sum = 0, squares = 0;
  for (float x : v) {
    if (!(x >= 0.f && x <= 2.f)) FAIL(x << " is not in [0, 2]");
    double const z = (static_cast<double>(x) - 1) / 0.5;
    sum += z;
    squares += z * z;
  }
  CHECK(std::fabs(sum / n) < 0.01);
  CHECK(std::fabs(squares / n - 0.774) < 0.01);  // 1 - 2 * 2 * phi(2) / (Phi(2) - Phi(-2)) = 0.7737
  // eight parts that are equally likely, from the quantiles of the normal distribution
  double const ends[] = {-1.0710984, -0.6391119, -0.3036756, 0., 0.3036756, 0.6391119, 1.0710984};
  int bins[8]{};
  for (float x : v) {
    std::size_t bin = 0;
    for (double end : ends) bin += (static_cast<double>(x) - 1) / 0.5 > end ? 1 : 0;
    ++bins[bin];
  }
  double chi_square = 0;
  for (int b : bins) chi_square += (b - n / 8) * (b - n / 8) / (n / 8);
  CHECK(chi_square < 24.3);  // 7 degrees of freedom: 1 in 1000
}

TEST_CASE("random tensors with no element and with one element have their shape") {
  CHECK(tensor(uniform<float>(shape(0, 3))).shape() == shape(0, 3));
  CHECK(tensor(normal<double>(extents<>{})).size() == 1);
  CHECK_THROWS_AS(uniform<float>(shape(-1)), shape_error);
  CHECK_THROWS_AS(normal<float>(shape(-1)), shape_error);
}

TEST_CASE("invalid parameters of a distribution are an error") {
  CHECK(error_message<invalid_argument>([] { (void)uniform<int>(shape(1), 3, 3); }) ==
        "placement: there is no uniform distribution from 3 to 3. Give a low end that is below the "
        "high end, both finite.");
  CHECK_THROWS_AS(uniform<float>(shape(1), 1.f, 0.f), invalid_argument);
  CHECK_THROWS_AS(uniform<float>(shape(1), 0.f, std::numeric_limits<float>::infinity()),
                  invalid_argument);
  CHECK_THROWS_AS(uniform<double>(shape(1), -1e308, 1e308), invalid_argument);
  CHECK_THROWS_AS(uniform<float>(shape(1), std::numeric_limits<float>::quiet_NaN(), 1.f),
                  invalid_argument);
  CHECK(
      error_message<invalid_argument>([] { (void)truncated_normal<float>(shape(1), 0.f, -1.f); }) ==
      "placement: there is no normal distribution with a standard deviation of -1. Give "
      "one that is zero or more.");
  CHECK_THROWS_AS(normal<float>(shape(1), 0.f, std::numeric_limits<float>::quiet_NaN()),
                  invalid_argument);
  CHECK(drawn(normal<float>(shape(3), 2.f, 0.f)) == std::vector<float>{2.f, 2.f, 2.f});
}
