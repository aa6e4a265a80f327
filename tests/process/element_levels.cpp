// gpus: 0
// env: PLACEMENT_CPU_LEVEL=baseline
// env: PLACEMENT_CPU_LEVEL=x86-64-v3
// env: PLACEMENT_CPU_LEVEL=x86-64-v4
// Ops whose loops are compiled for several processors, with the bits of one element at each level.
// Compiled at -O2.
#include <placement/ops/array_equal.hpp>
#include <placement/ops/bitwise.hpp>
#include <placement/ops/complex.hpp>
#include <placement/ops/isclose.hpp>
#include <placement/ops/linspace.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/next_after.hpp>
#include <placement/ops/take.hpp>
#include <placement/placement.hpp>
#if defined(LIBRARY_WITHOUT_LEVELS)
#  include <placement/src/all.ipp>
#endif
#include <support/ulps.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

using namespace placement;

namespace {

template <class T> using vector_of = tensor<T, dextents<1>>;

/// Numbers at the edges of rounding and of the type, then random ones of all exponents.
template <class T> std::vector<T> numbers(index_t n) {
  using limits = std::numeric_limits<T>;
  std::vector<T> all{T(0),
                     T(-0.),
                     limits::infinity(),
                     -limits::infinity(),
                     limits::quiet_NaN(),
                     limits::min(),
                     limits::denorm_min(),
                     -limits::min() / 2,
                     limits::max(),
                     limits::lowest(),
                     T(0.5),
                     T(-0.5),
                     T(1.5),
                     T(2.5),
                     T(-2.5),
                     T(0.3),
                     T(-0.7),
                     T(8388607.5),
                     T(-8388607.5),
                     T(4503599627370495.5),
                     T(0x1p31),
                     T(-0x1p31),
                     T(0x1.fffffep30),
                     T(-0x1.000002p31),
                     1 / limits::epsilon(),
                     std::nextafter(T(0.5), T(0))};
  vector_of<float> const x = uniform<float>(shape(n), -1.f, 1.f);
  for (index_t i = 0; static_cast<index_t>(all.size()) < n; ++i)
    all.push_back(std::ldexp(T(x.data()[i]), static_cast<int>(i % 80) - 40));
  all.resize(static_cast<std::size_t>(n));
  return all;
}
/// The same bits, or both NaN.
template <class T> bool is_same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}
/// Whether op(x...) of tensors, which f computes, has the elements of `one`.
template <class F, class One, class T, class... X>
bool is_elementwise(F const& f, One const& one, vector_of<T> const& x, X const&... more) {
  vector_of<decltype(one(T{}, more.data()[0]...))> const y = f(x, more...);
  for (index_t i = 0; i != y.shape().at(0); ++i)
    if (!is_same(y.data()[i], one(x.data()[i], more.data()[i]...))) {
      UNSCOPED_INFO("element " << i << " of " << y.shape().at(0) << ": " << x.data()[i] << " gives "
                               << y.data()[i]);
      return false;
    }
  return true;
}
/// All lengths up to 70, and some with several blocks.
std::vector<index_t> lengths() {
  std::vector<index_t> all;
  for (index_t n = 0; n <= 70; ++n) all.push_back(n);
  for (index_t n : {255, 256, 257, 1000, 5001}) all.push_back(n);
  return all;
}
template <class T> vector_of<T> tensor_of(std::vector<T> const& all, index_t from) {
  return placement::from(all.data() + from, shape(static_cast<index_t>(all.size()) - from));
}

/// Sums, differences and products of arrays, and of an array and a number. T wraps, or is floating
/// point.
template <class T>
void check_sums_and_products(vector_of<T> const& x, vector_of<T> const& y, T number) {
  add_op const sum;
  subtract_op const difference;
  multiply_op const product;
  CHECK(is_elementwise([](auto const& a, auto const& b) { return a + b; }, sum, x, y));
  CHECK(is_elementwise([](auto const& a, auto const& b) { return a - b; }, difference, x, y));
  CHECK(is_elementwise([](auto const& a, auto const& b) { return a * b; }, product, x, y));
  CHECK(is_elementwise([](auto const& a) { return square(a); }, [&](T a) { return product(a, a); },
                       x));
  CHECK(is_elementwise([&](auto const& a) { return a + number; },
                       [&](T a) { return sum(a, number); }, x));
  CHECK(is_elementwise([&](auto const& a) { return number - a; },
                       [&](T a) { return difference(number, a); }, x));
  CHECK(is_elementwise([&](auto const& a) { return a - number; },
                       [&](T a) { return difference(a, number); }, x));
  CHECK(is_elementwise([&](auto const& a) { return number * a; },
                       [&](T a) { return product(number, a); }, x));
  vector_of<T> in_place = x;
  in_place = in_place + y;
  in_place = y * in_place;
  CHECK(is_elementwise([&](auto const&, auto const&) { return identity(in_place); },
                       [&](T a, T b) { return product(b, sum(a, b)); }, x, y));
}

/// Of numbers that are equal, near, far, infinite and NaN.
template <class T> void check_close(vector_of<T> const& x, vector_of<T> const& y) {
  for (bool equal_nan : {false, true}) {
    tolerance const within{.rtol = 1e-3, .atol = 1e-6, .equal_nan = equal_nan};
    isclose_op const op{within};
    auto const close = [&](auto const& a, auto const& b) { return isclose(a, b, within); };
    CHECK(is_elementwise(close, op, x, y));
    CHECK(is_elementwise(close, op, x, x));
    vector_of<T> const near = x * T(1.0009), next = x * T(1.0011);
    CHECK(is_elementwise(close, op, x, near));
    CHECK(is_elementwise(close, op, x, next));
    CHECK(is_elementwise([&](auto const& a) { return isclose(a, T(0.3), within); },
                         [&](T a) { return op(a, T(0.3)); }, x));
  }
}

/// Exact remainders of operands in memory, numbers and other ops. Quotients have any size.
template <class T> void check_remainders(vector_of<T> const& x, vector_of<T> const& y) {
  auto const remainder = [](T a, T b) { return std::fmod(a, b); };
  auto const modulo_of = [](auto const& a, auto const& b) { return modulo(a, b); };
  CHECK(is_elementwise(modulo_of, remainder, x, y));
  CHECK(is_elementwise(modulo_of, remainder, y, x));
  vector_of<T> const multiples = x * T(7), e = exp(x);
  CHECK(is_elementwise(modulo_of, remainder, multiples, x));
  for (T by : {T(3), T(-0.7), T(0), std::numeric_limits<T>::infinity(), T(1e-30)})
    CHECK(is_elementwise([&](auto const& a) { return a % by; },
                         [&](T a) { return std::fmod(a, by); }, x));
  CHECK(is_elementwise([&](auto const&, auto const& b) { return modulo(exp(x), b) * T(2); },
                       [&](T a, T b) { return std::fmod(a, b) * T(2); }, e, y));
  CHECK(is_elementwise([&](auto const& a, auto const&) { return modulo(a, exp(x)); }, remainder, y,
                       e));
  vector_of<T> in_place = x;
  in_place %= y;
  in_place = y % in_place;
  CHECK(is_elementwise([&](auto const&, auto const&) { return in_place * T(1); },
                       [](T a, T b) { return std::fmod(b, std::fmod(a, b)); }, x, y));
}

/// Numbers at equal distances, alone, beside other ops, and with numbers beyond int32.
template <class T> void check_steps() {
  using numbers_op = iota_op<T, dextents<1>>;
  for (index_t n : lengths()) {
    numbers_op const op{shape(n), T(0.1), T(0.7)};
    auto const line = detail::linspace_of(T(-0.3), T(7), shape(n), true);
    vector_of<T> const x = iota(n, T(0.1), T(0.7)), y = linspace(T(-0.3), T(7), n), z = x * y,
                       product = iota(n, T(0.1), T(0.7)) * linspace(T(-0.3), T(7), n);
    index_t wrong = 0;
    for (index_t i = 0; i != n; ++i) {
      if (!is_same(x.data()[i], op(i)) || !is_same(y.data()[i], line(i))) ++wrong;
      if (!is_same(product.data()[i], z.data()[i])) ++wrong;
    }
    CHECK(wrong == 0);
    if (n > 1) CHECK(y.data()[n - 1] == T(7));
  }
  numbers_op const op{shape(0), T(0.1), T(0.7)};
  for (index_t first : {(index_t{1} << 31) - 170, (index_t{1} << 31) - 70, index_t{1} << 40}) {
    T some[100];
    op.generator_loop(some, first, 100);
    index_t wrong = 0;
    for (index_t i = 0; i != 100; ++i) wrong += is_same(some[i], op(first + i)) ? 0 : 1;
    CHECK(wrong == 0);
  }
}

template <class T> void check_ops() {
  for (index_t n : lengths()) {
    std::vector<T> const all = numbers<T>(n + 9);
    // The numbers at the edges, in other places of a register; then positive normal numbers.
    vector_of<T> const x = tensor_of(all, 9), y = slice(tensor_of(all, 0), range{4, n + 4});
    vector_of<T> const p = abs(clamp(x, T(-1e30), T(1e30))) + T(1e-30);
    INFO(n << " elements of " << sizeof(T) << " bytes");
    CHECK(is_elementwise([](auto const& a) { return floor(a); }, [](T a) { return std::floor(a); },
                         x));
    CHECK(
        is_elementwise([](auto const& a) { return ceil(a); }, [](T a) { return std::ceil(a); }, x));
    CHECK(is_elementwise([](auto const& a) { return trunc(a); }, [](T a) { return std::trunc(a); },
                         x));
    CHECK(is_elementwise([](auto const& a) { return round(a); },
                         [](T a) { return std::nearbyint(a); }, x));
    CHECK(is_elementwise([](auto const& a) { return floor(a); }, [](T a) { return std::floor(a); },
                         y));
    CHECK(
        is_elementwise([](auto const& a) { return reciprocal(a); }, [](T a) { return 1 / a; }, x));
    CHECK(is_elementwise([](auto const& a, auto const& b) { return a / b; },
                         [](T a, T b) { return a / b; }, x, y));
    CHECK(is_elementwise([](auto const& a) { return a / T(3); }, [](T a) { return a / T(3); }, x));
    CHECK(is_elementwise([](auto const& a) { return T(3) / a; }, [](T a) { return T(3) / a; }, x));
    CHECK(is_elementwise([](auto const& a, auto const& b) { return maximum(a, b); }, maximum_op{},
                         x, y));
    CHECK(is_elementwise([](auto const& a, auto const& b) { return minimum(a, b); }, minimum_op{},
                         x, y));
    CHECK(is_elementwise([](auto const& a) { return maximum(a, T(0)); },
                         [](T a) { return maximum_op{}(a, T(0)); }, x));
    CHECK(is_elementwise([](auto const& a) { return minimum(a, T(-0.)); },
                         [](T a) { return minimum_op{}(a, T(-0.)); }, x));
    CHECK(is_elementwise([](auto const& a) { return clamp(a, T(-1), T(2)); },
                         [](T a) { return clamp_op{}(a, T(-1), T(2)); }, x));
    CHECK(is_elementwise([](auto const& a) { return cast<std::int32_t>(a); },
                         cast_op<std::int32_t>{}, x));
    CHECK(
        is_elementwise([](auto const& a) { return sqrt(a); }, [](T a) { return std::sqrt(a); }, x));
    CHECK(is_elementwise([](auto const& a) { return -a; }, [](T a) { return -a; }, x));
    CHECK(
        is_elementwise([](auto const& a) { return abs(a); }, [](T a) { return std::fabs(a); }, y));
    CHECK(is_elementwise([](auto const& a) { return relu(a); },
                         [](T a) { return a <= 0 ? T(0) : a; }, y));
    CHECK(is_elementwise([](auto const& a) { return identity(a); }, [](T a) { return a; }, x));
    vector_of<T> const from_zero = slice(tensor_of(all, 0), range{0, n});
    CHECK(is_elementwise([](auto const& a) { return sign(a); }, sign_op{}, from_zero));
    using number_for_nan = replace_nan_op<1>;
    CHECK(
        is_elementwise([](auto const& a) { return unary<number_for_nan, decltype(a)>{{}, {}, a}; },
                       number_for_nan{}, from_zero));
    CHECK(is_elementwise([](auto const& a, auto const& b) { return next_after(a, b); },
                         next_after_op{}, x, y));
    check_close(x, y);
    check_remainders(x, y);
    for (T to : {T(0), T(-0.), T(-1), std::numeric_limits<T>::infinity()})
      CHECK(is_elementwise([&](auto const& a) { return next_after(a, to); },
                           [&](T a) { return next_after_op{}(a, to); }, from_zero));
    check_sums_and_products(x, y, T(3));
    if (!PLACEMENT_FUSES_MULTIPLY_ADD) {  // else packs have other last bits than numbers
      CHECK(is_elementwise([](auto const& a) { return rsqrt(a); }, rsqrt_op{}, x));
      CHECK(is_elementwise([](auto const& a) { return rsqrt(a); }, rsqrt_op{}, p));
      CHECK(is_elementwise([](auto const& a) { return rsqrt(a + T(1)) * T(2); },
                           [](T a) { return rsqrt_op{}(a + T(1)) * T(2); }, p));
    }
    vector_of<T> in_place = x;
    in_place = floor(in_place);
    in_place = in_place / y;
    in_place = maximum(y, in_place);
    CHECK(is_elementwise([&](auto const&, auto const&) { return in_place * T(1); },
                         [](T a, T b) { return maximum_op{}(b, std::floor(a) / b); }, x, y));
  }
}

}  // namespace

TEST_CASE("numbers at equal distances have the bits of one element at each level") {
  check_steps<float>();
  check_steps<double>();
}
TEST_CASE("ops of floats have the bits of one element at each level") { check_ops<float>(); }
TEST_CASE("ops of doubles have the bits of one element at each level") { check_ops<double>(); }

namespace {

/// n numbers with all bits random, of an integer type or bool.
template <class T> vector_of<T> random_bits(index_t n, unsigned seed) {
  std::vector<unsigned char> all(static_cast<std::size_t>(n) * sizeof(T));
  for (unsigned char& one : all) {
    seed = seed * 1664525u + 1013904223u;
    one = static_cast<unsigned char>(seed >> (std::is_same_v<T, bool> ? 31 : 24));
  }
  vector_of<T> x = zeros<T>(shape(n));
  if (n != 0) std::memcpy(x.data(), all.data(), all.size());
  return x;
}
/// Quotients and remainders of integers: of any size, and by 0, 1, -1 and the lowest number.
template <class T> void check_quotients(vector_of<T> const& x, vector_of<T> const& y) {
  auto const quotient = [](T a, T b) { return divide_op{}(a, b); };
  auto const remainder = [](T a, T b) { return modulo_op{}(a, b); };
  using limits = std::numeric_limits<T>;
  T const special[] = {T(0), T(1), T(-1), T(2), limits::min(), limits::max(), T(7), T(-100)};
  vector_of<T> small = y, large = x;
  for (index_t i = 0; i != y.shape().at(0); ++i) {
    small.data()[i] = special[i % 8];
    if (i % 3 == 0) large.data()[i] = special[i / 3 % 8];
  }
  for (vector_of<T> const& by : {y, small}) {
    CHECK(is_elementwise([](auto const& a, auto const& b) { return a / b; }, quotient, large, by));
    CHECK(is_elementwise([](auto const& a, auto const& b) { return a % b; }, remainder, large, by));
    CHECK(is_elementwise([](auto const& a, auto const& b) { return a % b / b + a; },
                         [&](T a, T b) { return add_op{}(quotient(remainder(a, b), b), a); }, large,
                         by));
  }
  for (T by : special) {
    CHECK(is_elementwise([&](auto const& a) { return a / by; },
                         [&](T a) { return quotient(a, by); }, large));
    CHECK(is_elementwise([&](auto const& a) { return a % by; },
                         [&](T a) { return remainder(a, by); }, large));
    CHECK(is_elementwise([&](auto const& a) { return by / a; },
                         [&](T a) { return quotient(by, a); }, large));
  }
  vector_of<T> in_place = large;
  in_place %= small;
  in_place = y / in_place;
  CHECK(is_elementwise([&](auto const&, auto const&, auto const&) { return in_place * T(1); },
                       [&](T a, T b, T c) { return quotient(c, remainder(a, b)); }, large, small,
                       y));
}

template <class T> void check_bits() {
  for (index_t n : lengths()) {
    INFO(n << " elements of " << sizeof(T) << " bytes");
    vector_of<T> const x = random_bits<T>(n, 1), y = random_bits<T>(n, 2);
    CHECK(
        is_elementwise([](auto const& a, auto const& b) { return a & b; }, bitwise_and_op{}, x, y));
    CHECK(
        is_elementwise([](auto const& a, auto const& b) { return a | b; }, bitwise_or_op{}, x, y));
    CHECK(
        is_elementwise([](auto const& a, auto const& b) { return a ^ b; }, bitwise_xor_op{}, x, y));
    CHECK(is_elementwise([](auto const& a) { return ~a; }, bitwise_not_op{}, x));
    if constexpr (std::is_same_v<T, bool>) {
      CHECK(is_elementwise([](auto const& a, auto const& b) { return a && b; }, logical_and_op{}, x,
                           y));
      CHECK(is_elementwise([](auto const& a, auto const& b) { return a || b; }, logical_or_op{}, x,
                           y));
      CHECK(is_elementwise([](auto const& a, auto const& b) { return logical_xor(a, b); },
                           logical_xor_op{}, x, y));
      CHECK(is_elementwise([](auto const& a) { return !a; }, logical_not_op{}, x));
    } else {
      check_sums_and_products(x, y, T(-7));
      check_quotients(x, y);
      for (T bits : {T(0), T(1), T(7), T(sizeof(T) * 8 - 1), T(sizeof(T) * 8), T(-1)}) {
        CHECK(is_elementwise([&](auto const& a) { return a << bits; },
                             [&](T a) { return left_shift_op{}(a, bits); }, x));
        CHECK(is_elementwise([&](auto const& a) { return a >> bits; },
                             [&](T a) { return right_shift_op{}(a, bits); }, x));
      }
    }
  }
}

}  // namespace

TEST_CASE("bits, sums and products of integers are those of one element at each level") {
  check_bits<bool>();
  check_bits<std::uint8_t>();
  check_bits<std::int16_t>();
  check_bits<std::uint32_t>();
  check_bits<std::int64_t>();
#ifdef PLACEMENT_EVERY_COMBINATION
  check_bits<std::int32_t>();
  check_bits<std::uint64_t>();
#endif
}

namespace {

template <class I> void check_indices() {
  for (index_t n : lengths()) {
    if (n == 0) continue;
    INFO(n << " indices of " << sizeof(I) << " bytes");
    index_t const extent = 97;
    vector_of<float> const x = uniform<float>(shape(extent), -1.f, 1.f);
    vector_of<I> index = zeros<I>(shape(n));
    for (index_t i = 0; i != n; ++i)
      index.data()[i] = static_cast<I>((i * 37) % (2 * extent) - extent);
    vector_of<float> y = take(x, index);
    auto const from = [&](index_t i) {
      auto const at = static_cast<index_t>(index.data()[i]);
      return x.data()[at < 0 ? at + extent : at];
    };
    index_t wrong = 0;
    for (index_t i = 0; i != n; ++i) wrong += is_same(y.data()[i], from(i)) ? 0 : 1;
    CHECK(wrong == 0);
    vector_of<float> const before = y;
    for (index_t at : {index_t{0}, n / 2, n - 1})
      for (I outside : {I(extent), I(-extent - 1), std::numeric_limits<I>::max(),
                        std::numeric_limits<I>::min()}) {
        vector_of<I> bad = index;
        bad.data()[at] = outside;
        std::string said;
        try {
          y = take(x, bad);
        } catch (shape_error const& e) { said = e.what(); }
        CHECK(said.find("gather of index " + std::to_string(outside) +
                        " in a dimension of extent 97") != std::string::npos);
        CHECK(array_equal(y, before));
      }
  }
}

}  // namespace

TEST_CASE("indices that count from the end are wrapped, and others are errors, at each level") {
  check_indices<std::int32_t>();
  check_indices<std::int64_t>();
}

TEST_CASE("rows and strided operands give the elements of contiguous ones at each level") {
  tensor<float, dextents<2>> const m = uniform<float>(shape(50, 90), -9.f, 9.f);
  tensor<float, dextents<2>> const t = floor(transpose(m)), u = transpose(floor(m));
  CHECK(array_equal(t, u));
  tensor<float, dextents<1>> const row = slice(m, 7);
  tensor<float, dextents<2>> const quotients = m / row, of_row = slice(quotients, range{7, 8});
  tensor<float, dextents<1>> const ones = reshape(of_row, shape(90));
  CHECK(array_equal(ones, row / row));
}

namespace {
/// Whether the magnitude y of (re, im) is within one unit in the last place.
bool is_magnitude(float y, float re, float im) {
  if (std::isinf(re) || std::isinf(im)) return y == std::numeric_limits<float>::infinity();
  if (std::isnan(re) || std::isnan(im)) return std::isnan(y);
  double const a = static_cast<double>(re), b = static_cast<double>(im);
  double const exact = std::sqrt(a * a + b * b);
  if (std::isinf(y)) return exact >= 0x1.fffffep127;
  double const unit = std::ldexp(1., std::max(exact > 0 ? std::ilogb(exact) : -126, -126) - 23);
  return std::abs(static_cast<double>(y) - exact) <= unit;
}
}  // namespace

TEST_CASE("magnitudes of complex numbers are within one ulp at each level") {
  std::vector<float> const all = numbers<float>(90);
  std::vector<std::complex<float>> z;
  for (float re : all)
    for (float im : all)
      for (float scale : {1.f, 0x1p-60f, 0x1p60f, 1e-5f}) z.emplace_back(re, im * scale);
  vector_of<float> const x = uniform<float>(shape(30000), 1.f, 2.f);
  for (index_t i = 0; i + 1 < 30000; ++i) z.emplace_back(x.data()[i], x.data()[i + 1]);
  auto const n = static_cast<index_t>(z.size());
  vector_of<std::complex<float>> const t = from(z.data(), shape(n));
  vector_of<float> const y = abs(t), twice = abs(t) * 2.f;
  index_t wrong = 0;
  for (index_t i = 0; i != n; ++i) {
    std::complex<float> const c = z[static_cast<std::size_t>(i)];
    if (!is_magnitude(y.data()[i], c.real(), c.imag())) ++wrong;
    if (!is_same(twice.data()[i], 2.f * y.data()[i])) ++wrong;
  }
  CHECK(wrong == 0);
  for (index_t length = 0; length <= 70; ++length) {
    vector_of<std::complex<float>> const part = slice(t, range{n - length, n});
    vector_of<float> const of_part = abs(part);
    CHECK(std::equal(of_part.data(), of_part.data() + length, y.data() + n - length));
  }
}

TEST_CASE("magnitudes have the same bits beside numbers of any size, at each level") {
  constexpr index_t n = 700;
  constexpr float inf = std::numeric_limits<float>::infinity(), most = 0x1.fffffep127f;
  vector_of<float> const x = uniform<float>(shape(2 * n), -9.f, 9.f);
  std::vector<std::complex<float>> z, zeros(n);
  for (index_t i = 0; i != n; ++i) z.emplace_back(x.data()[2 * i], x.data()[2 * i + 1]);
  vector_of<float> const y = abs(from(z.data(), shape(n))),
                         none = abs(from(zeros.data(), shape(n)));
  CHECK(std::all_of(none.data(), none.data() + n, [](float one) { return is_same(one, 0.f); }));
  index_t other = 0;
  for (std::complex<float> const odd : {std::complex<float>(inf, 1.f),
                                        {0.f, inf},
                                        {0.f, 0.f},
                                        {most, 0.f},
                                        {0.f, 0x1p-149f},
                                        {0x1p-46f, 0x1p-46f},
                                        {0x1p-45f, 0x1p-60f},
                                        {0x1p62f, 0x1p61f},
                                        {0x1.8p62f, 1.f}}) {
    std::vector<std::complex<float>> mixed = z;
    for (std::size_t i = 0; i < mixed.size(); i += 61) mixed[i] = odd;
    vector_of<float> const of_mixed = abs(from(mixed.data(), shape(n)));
    for (index_t i = 0; i != n; ++i)
      if (i % 61 != 0 ? !is_same(of_mixed.data()[i], y.data()[i])
                      : !is_magnitude(of_mixed.data()[i], odd.real(), odd.imag()))
        ++other;
  }
  CHECK(other == 0);
}

namespace {

/// Whether y is x to the power p within one ulp of float, or NaN, an infinity or a zero where that
/// is.
bool is_power(float y, float x, float p) {
  double const exact = std::pow(static_cast<double>(x), static_cast<double>(p));
  float const rounded = static_cast<float>(exact);
  if (rounded != rounded || std::isinf(rounded) || rounded == 0) return is_same(y, rounded);
  double const unit = std::ldexp(1., std::max(std::ilogb(exact), -126) - 23);
  return std::signbit(y) == std::signbit(rounded) &&
         std::abs(static_cast<double>(y) - exact) <= unit;
}

}  // namespace

TEST_CASE("pow is within one ulp at each level, also beside numbers of another kind") {
  std::vector<float> x, p;
  for (float a : numbers<float>(120))
    for (float b : {0.f, -0.f, 1.f, -1.f, 2.f, 3.f, -2.f, 0.5f, 7.3f, 1e-3f, 1e30f, -1e30f,
                    std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::quiet_NaN()}) {
      x.push_back(a);
      p.push_back(b);
    }
  vector_of<float> const y = pow(from(x), from(p)), inside = pow(from(x), from(p) + 0.f) * 1.f;
  index_t wrong = 0;
  for (std::size_t i = 0; i != x.size(); ++i) {
    if (!is_power(y.data()[i], x[i], p[i])) ++wrong;
    if (!is_power(inside.data()[i], x[i], p[i])) ++wrong;
    // alone among ordinary numbers
    std::vector<float> a(20, 1.25f);
    a[i % 20] = x[i];
    vector_of<float> const some = pow(from(a), p[i]);
    for (std::size_t j = 0; j != a.size(); ++j)
      if (!is_power(some.data()[j], a[j], p[i])) ++wrong;
  }
  CHECK(wrong == 0);
  vector_of<double> const wide = pow(cast<double>(from(x)), cast<double>(from(p)));
  index_t far = 0;
  for (std::size_t i = 0; i != x.size(); ++i) {
    double const exact = std::pow(static_cast<double>(x[i]), static_cast<double>(p[i]));
    double const got = wide.data()[i];
    bool const near = std::isfinite(exact) && std::abs(got - exact) <= 2e-16 * 2 * std::abs(exact);
    if (!near && !is_same(got, exact)) ++far;
  }
  CHECK(far == 0);
}

namespace {

/// The largest error of powers up to the limits of the type, in ulps. `Exact` has more digits.
template <class T, class Exact> void check_powers(double max_ulps) {
  using limits = std::numeric_limits<T>;
  index_t const n = 60'000;
  vector_of<float> const u = uniform<float>(shape(n), -1.f, 1.f),
                         v = uniform<float>(shape(n), -1.f, 1.f);
  std::vector<T> x, p;
  for (index_t i = 0; i != n; ++i) {  // x of all exponents, near 1 or next to 1, and any power
    T const a = T(u.data()[i]);
    T const most = T(limits::max_exponent) * (i % 2 == 0 ? T(0.98) : T(1.2));
    T const base = i % 3 == 0   ? std::exp2(a * T(limits::max_exponent - 2))
                   : i % 3 == 1 ? 1 + a / 2
                                : 1 + std::round(a * 9) * limits::epsilon();
    T const log2 = std::log2(base);
    x.push_back(base);
    p.push_back(log2 == 0 ? a : T(v.data()[i]) * most / log2);
  }
  vector_of<T> const y = pow(from(x), from(p));
  double worst = 0;
  for (std::size_t i = 0; i != x.size(); ++i) {
    double const error =
        ulps_apart(y.data()[i], std::pow(static_cast<Exact>(x[i]), static_cast<Exact>(p[i])));
    if (error <= worst) continue;
    worst = error;
    UNSCOPED_INFO("pow(" << x[i] << ", " << p[i] << ") = " << y.data()[i] << ": " << error);
  }
  CHECK(worst <= max_ulps);
  for (index_t length = 0; length <= 70; ++length) {
    vector_of<T> const of_part =
        pow(slice(from(x), range{n - length, n}), slice(from(p), range{n - length, n}));
    CHECK(std::equal(of_part.data(), of_part.data() + length, y.data() + n - length, is_same<T>));
  }
}

/// Powers that are numbers of T, and those of the same numbers with a sign.
template <class T> void check_exact_powers() {
  std::vector<T> x, p;
  for (int whole = 1; whole != 4096; ++whole)
    for (int power = 0; power != 13; ++power) {
      auto const exact = std::pow(static_cast<double>(whole), power);
      if (exact > 0x1p24) continue;
      x.push_back(static_cast<T>(whole));
      p.push_back(static_cast<T>(power));
      x.push_back(static_cast<T>(exact));  // and back, where the root is exact, too
      p.push_back(power == 2 ? T(0.5) : power == 4 ? T(0.25) : T(1));
    }
  vector_of<T> const y = pow(from(x), from(p)), of_negative = pow(-from(x), from(p)),
                     thirds = from(x) / T(3), cubes = pow(thirds, T(3)),
                     of_minus = pow(-thirds, T(3));
  index_t inexact = 0, other = 0;
  for (std::size_t i = 0; i != x.size(); ++i) {
    double const exact = std::pow(static_cast<double>(x[i]), static_cast<double>(p[i]));
    if (static_cast<double>(y.data()[i]) != exact) ++inexact;
    bool const is_odd = std::fmod(p[i], T(2)) == 1, is_root = p[i] < 1 && p[i] > 0;
    if (!is_root && of_negative.data()[i] != (is_odd ? -y.data()[i] : y.data()[i])) ++other;
    if (cubes.data()[i] != -of_minus.data()[i]) ++other;
  }
  CHECK(inexact == 0);
  CHECK(other == 0);
}

}  // namespace

TEST_CASE("powers have the errors of docs/math.md at each level up to the limits of the type") {
  check_powers<float, double>(1);
  check_powers<double, long double>(1.5);
}

TEST_CASE("powers that are numbers are exact at each level, and those of -x have the digits of x") {
  check_exact_powers<float>();
  check_exact_powers<double>();
}
