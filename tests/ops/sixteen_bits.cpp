// Tensors of float16 and bfloat16. Ops of one operand are tested on every value. The expected
// results are computed in float and rounded once.
#include <placement/interop/dlpack.hpp>
#include <placement/ops/heaviside.hpp>
#include <placement/placement.hpp>

#include <support/elementwise.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace placement;

namespace {

/// Both types in nightly runs, and this one each day.
template <class Daily, class F> void for_one(F f) {
  each<types_of_run<types<float16, bfloat16>, types<Daily>>>(f);
}

template <class T> std::vector<T> all_numbers() {
  std::vector<T> v;
  for (unsigned b = 0; b != 0x10000; ++b) v.push_back(T::from_bits(static_cast<std::uint16_t>(b)));
  return v;
}
/// Values far apart and close together, of both signs.
template <class T> std::vector<T> some_numbers(std::size_t n) {
  std::vector<T> v;
  for (std::size_t i = 0; i != n; ++i)
    v.push_back(
        T(static_cast<float>(static_cast<int>(i * 7919 % 601) - 300) / (i % 3 == 0 ? 64.f : 8.f)));
  return v;
}
template <class R> bool equal_or_nan(R x, R y) {
  if constexpr (number_of_16_bits<R>) return x.bits == y.bits || (x != x && y != y);
  else return x == y || (x != x && y != y);
}
template <class R>
std::string first_difference(std::vector<R> const& got, std::vector<R> const& expected) {
  if (got.size() != expected.size()) return "another number of elements";
  for (std::size_t i = 0; i != got.size(); ++i)
    if (!equal_or_nan<R>(got[i], expected[i]))
      return "[" + std::to_string(i) + "] is " + std::to_string(static_cast<double>(got[i])) +
             ", not " + std::to_string(static_cast<double>(expected[i]));
  return "";
}
template <class R, class X>
std::string first_difference(tensor<R, X> const& got, std::vector<R> const& expected) {
  auto const h = got.read();
  return first_difference(std::vector<R>(h.begin(), h.end()), expected);
}
/// Checks that op of every value is f of the value in float, rounded once, on both devices.
template <class T>
void check_each_of(test::call<tensor<T, dextents<1>>(tensor<T, dextents<1>> const&)> op,
                   test::call<float(float)> f) {
  auto const v = all_numbers<T>();
  std::vector<T> expected;
  for (T const x : v) expected.push_back(T(f(static_cast<float>(x))));
  on_each_device([&](device d) {
    auto const y = op(from(v));
    CHECK(first_difference(y, expected) == "");
    CHECK(y.where() == d);
  });
}
template <class T, class Op, class F> void check_each(Op op, F f) {
  using X = tensor<T, dextents<1>>;
  STATIC_CHECK(std::is_same_v<typename decltype(op(std::declval<X const&>()))::value_type, T>);
  check_each_of<T>([&](X const& x) -> X { return op(x); },
                   [&](float x) { return static_cast<float>(f(x)); });
}
/// The same, but an expression is evaluated in nightly runs only: each day the op is called with
/// one number after the other. tests/ops/packs.cpp has these ops on packs.
template <class T, class Op, class F> void check_each_number(Op op, F f) {
#ifdef PLACEMENT_EVERY_COMBINATION
  check_each<T>(op, f);
#else
  auto const v = all_numbers<T>();
  std::vector<T> expected;
  for (T const x : v) expected.push_back(T(f(static_cast<float>(x))));
  with_device const scope(cpu0);
  tensor<T, dextents<1>> const x = from(v);
  CHECK(first_difference(test::elements_of<T>(op(x)), expected) == "");
#endif
}
template <class T, class R>
void check_pairs_of(
    test::call<tensor<R, dextents<2>>(tensor<T, dextents<2>> const&, tensor<T, dextents<2>> const&)>
        op,
    test::call<R(T, T)> f) {
  auto v = some_numbers<T>(150);
  using limits = std::numeric_limits<T>;
  for (T const x : {T(0), -T(0), limits::max(), limits::lowest(), limits::denorm_min(),
                    limits::infinity(), -limits::infinity(), limits::quiet_NaN()})
    v.push_back(x);
  auto const n = static_cast<index_t>(v.size());
  on_each_device([&](device d) {
    auto const y = op(from(v, shape(n, 1)), from(v, shape(1, n)));
    auto const h = y.read();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i != v.size(); ++i)
      for (std::size_t j = 0; j != v.size(); ++j)
        if (!equal_or_nan(h.data()[i * v.size() + j], f(v[i], v[j]))) ++wrong;
    CHECK(wrong == 0);
    CHECK(y.where() == d);
  });
}
template <class T, class Op, class F> void check_pairs(Op op, F f) {
  using R = std::conditional_t<std::is_same_v<decltype(f(1.f, 1.f)), bool>, bool, T>;
  using X = tensor<T, dextents<2>>;
  check_pairs_of<T, R>(
      [&](X const& x, X const& y) -> tensor<R, dextents<2>> { return op(x, y); },
      [&](T x, T y) { return R(f(static_cast<float>(x), static_cast<float>(y))); });
}

}  // namespace

TEST_CASE("float16 and bfloat16 are element types, named as TensorFlow names them") {
  STATIC_CHECK(element<float16>);
  STATIC_CHECK(element<bfloat16>);
  CHECK(element_name<float16>() == "half");
  CHECK(element_name<bfloat16>() == "bfloat16");
  tensor const x{float16(1), float16(2.5)};
  STATIC_CHECK(std::is_same_v<decltype(x), tensor<float16, dextents<1>> const>);
  tensor<bfloat16, extents<2, 2>> const y{{bfloat16(1), bfloat16(2)}, {bfloat16(3), bfloat16(4)}};
  CHECK(to_string(x) == "[1 2.5]");
  CHECK(to_string(y) == "[[1 2]\n [3 4]]");
  CHECK(to_string(tensor(zeros<float16>(2))) == "[0 0]");
  CHECK(to_string(tensor(ones<bfloat16>(shape(1, 2)))) == "[[1 1]]");
  CHECK(to_string(tensor(constant(float16(0.1f), shape(2)))) == "[0.1 0.1]");
}

TEST_CASE("16-bit floats are printed with the fewest digits that distinguish them") {
  using limits = std::numeric_limits<float16>;
  tensor const x{float16(1.f / 3),   float16(2049.f), limits::max(),       limits::denorm_min(),
                 limits::infinity(), -float16(0),     limits::quiet_NaN(), float16(0.1f)};
  CHECK(to_string(x) == "[0.3333 2048 65504 6e-08 inf -0 nan 0.1]");
  tensor const y{bfloat16(1.f / 3), bfloat16(3e38f), bfloat16(257.f), bfloat16(-0.1f)};
  CHECK(to_string(y) == "[0.334 3e+38 256 -0.1]");
}

TEST_CASE("a number beside a 16-bit tensor takes its element type") {
  for_one<bfloat16>([]<class T>() {
    on_each_device([](device) {
      tensor const x{T(1), T(2)};
      auto const y = x * 2.5f + 1;
      STATIC_CHECK(std::is_same_v<typename decltype(y)::value_type, T>);
      CHECK(to_string(tensor(y)) == "[3.5 6]");
      CHECK(to_string(tensor(T(8) / x)) == "[8 4]");
      CHECK(to_string(tensor(maximum(x, 1.5f))) == "[1.5 2]");
      CHECK(to_string(tensor(where(x > 1, x, 7))) == "[7 2]");
      tensor z = x;
      z += T(1);
      CHECK(to_string(z) == "[2 3]");
      slice(view(z), range(1, 2)) = 9;
      CHECK(to_string(z) == "[2 9]");
    });
  });
  CHECK(to_string(tensor(tensor{1.f, 2.f} * float16(0.5f))) == "[0.5 1]");
}

TEST_CASE("functions of one 16-bit float are computed in float and rounded once") {
  for_one<float16>([]<class T>() {
    check_each_number<T>([](auto const& x) { return abs(x); },
                         [](float x) { return std::fabs(x); });
    check_each_number<T>([](auto const& x) { return ceil(x); },
                         [](float x) { return std::ceil(x); });
    check_each_number<T>([](auto const& x) { return trunc(x); },
                         [](float x) { return std::trunc(x); });
    check_each<T>([](auto const& x) { return floor(x); }, [](float x) { return std::floor(x); });
    check_each_number<T>([](auto const& x) { return round(x); },
                         [](float x) { return std::nearbyint(x); });
    check_each_number<T>([](auto const& x) { return cos(x); },
                         [](float x) { return math::cos(x); });
    check_each_number<T>([](auto const& x) { return sin(x); },
                         [](float x) { return math::sin(x); });
    check_each_number<T>([](auto const& x) { return erf(x); },
                         [](float x) { return math::erf(x); });
    check_each<T>([](auto const& x) { return exp(x); }, [](float x) { return math::exp(x); });
    check_each_number<T>([](auto const& x) { return expm1(x); },
                         [](float x) { return math::expm1(x); });
    check_each_number<T>([](auto const& x) { return exp2(x); },
                         [](float x) { return math::exp2(x); });
    check_each_number<T>([](auto const& x) { return log2(x); },
                         [](float x) { return math::log2(x); });
    check_each_number<T>([](auto const& x) { return log10(x); },
                         [](float x) { return math::log10(x); });
    check_each_number<T>([](auto const& x) { return cbrt(x); },
                         [](float x) { return math::cbrt(x); });
    check_each_number<T>([](auto const& x) { return erfc(x); },
                         [](float x) { return math::erfc(x); });
    check_each_number<T>([](auto const& x) { return tan(x); },
                         [](float x) { return math::tan(x); });
  });
  for_one<bfloat16>([]<class T>() {
    check_each_number<T>([](auto const& x) { return asin(x); },
                         [](float x) { return math::asin(x); });
    check_each_number<T>([](auto const& x) { return acos(x); },
                         [](float x) { return math::acos(x); });
    check_each_number<T>([](auto const& x) { return atan(x); },
                         [](float x) { return math::atan(x); });
    check_each_number<T>([](auto const& x) { return asinh(x); },
                         [](float x) { return math::asinh(x); });
    check_each_number<T>([](auto const& x) { return acosh(x); },
                         [](float x) { return math::acosh(x); });
    check_each<T>([](auto const& x) { return atanh(x); }, [](float x) { return math::atanh(x); });
    check_each_number<T>([](auto const& x) { return sinh(x); },
                         [](float x) { return math::sinh(x); });
    check_each_number<T>([](auto const& x) { return cosh(x); },
                         [](float x) { return math::cosh(x); });
    check_each_number<T>([](auto const& x) { return log(x); },
                         [](float x) { return math::log(x); });
    check_each_number<T>([](auto const& x) { return log1p(x); },
                         [](float x) { return math::log1p(x); });
    check_each<T>([](auto const& x) { return sqrt(x); }, [](float x) { return std::sqrt(x); });
    check_each<T>([](auto const& x) { return rsqrt(x); }, [](float x) { return math::rsqrt(x); });
    check_each_number<T>([](auto const& x) { return reciprocal(x); },
                         [](float x) { return 1 / x; });
    check_each<T>([](auto const& x) { return tanh(x); }, [](float x) { return math::tanh(x); });
    check_each_number<T>([](auto const& x) { return square(x); }, [](float x) { return x * x; });
    check_each_number<T>([](auto const& x) { return -x; }, [](float x) { return -x; });
    check_each<T>([](auto const& x) { return relu(x); }, [](float x) { return x <= 0 ? 0 : x; });
    check_each_number<T>([](auto const& x) { return sign(x); },
                         [](float x) { return x > 0   ? 1
                                              : x < 0 ? -1
                                                      : x; });
    check_each_number<T>([](auto const& x) { return sigmoid(x); },
                         [](float x) { return math::sigmoid(x); });
    check_each<T>([](auto const& x) { return clamp(x, -2, 3.5f); },
                  [](float x) {
                    return x != x ? x : x < -2 ? -2 : x > 3.5f ? 3.5f : x;
                  });
  });
}

TEST_CASE("arithmetic and comparison of 16-bit floats are computed in float and rounded once") {
  for_one<bfloat16>([]<class T>() {
    check_pairs<T>(std::plus{}, std::plus{});
    check_pairs<T>(std::minus{}, std::minus{});
    check_pairs<T>(std::multiplies{}, std::multiplies{});
    check_pairs<T>(std::divides{}, std::divides{});
    check_pairs<T>(std::modulus{}, [](float x, float y) { return std::fmod(x, y); });
    check_pairs<T>([](auto const& x, auto const& y) { return copysign(x, y); },
                   [](float x, float y) { return std::copysign(x, y); });
    check_pairs<T>([](auto const& x, auto const& y) { return floor_divide(x, y); },
                   [](float x, float y) { return floor_divide_op{}(x, y); });
    check_pairs<T>([](auto const& x, auto const& y) { return floor_modulo(x, y); },
                   [](float x, float y) { return floor_modulo_op{}(x, y); });
  });
  for_one<float16>([]<class T>() {
    check_pairs<T>([](auto const& x, auto const& y) { return heaviside(x, y); },
                   [](float x, float y) { return heaviside_op{}(x, y); });
    check_pairs<T>([](auto const& x, auto const& y) { return pow(x, y); },
                   [](float x, float y) { return std::pow(x, y); });
    check_pairs<T>([](auto const& x, auto const& y) { return logaddexp(x, y); },
                   [](float x, float y) { return math::logaddexp(x, y); });
    check_pairs<T>([](auto const& x, auto const& y) { return minimum(x, y); },
                   [](float x, float y) { return y < x || y != y ? y : x; });
    check_pairs<T>(std::equal_to{}, std::equal_to{});
    check_pairs<T>(std::not_equal_to{}, std::not_equal_to{});
    check_pairs<T>(std::less{}, std::less{});
    check_pairs<T>(std::less_equal{}, std::less_equal{});
    check_pairs<T>(std::greater{}, std::greater{});
    check_pairs<T>(std::greater_equal{}, std::greater_equal{});
  });
}

TEST_CASE("each op of an expression rounds to 16 bits, also in a fused kernel") {
  on_each_device([](device) {
    tensor const x{float16(2048)};
    CHECK(to_string(tensor((x + 1) + 1)) == "[2048]");  // 2049 is not representable
    CHECK(to_string(tensor(cast<float16>((cast<float>(x) + 1) + 1))) == "[2050]");
  });
}

TEST_CASE("every 16-bit float is cast to every element type and back") {
  for_one<float16>([]<class T>() {
    auto const v = all_numbers<T>();
    on_each_device([&](device) {
      auto const x = tensor(from(v));
      std::vector<float> as_floats;
      std::vector<int> ints;
      std::vector<std::int64_t> longs;
      std::vector<std::uint8_t> bytes;
      for (T const t : v) {
        float const f = t;
        as_floats.push_back(f);
        double const d = std::trunc(static_cast<double>(f));
        bool const is_nan = f != f;
        ints.push_back(is_nan ? 0 : static_cast<int>(std::clamp(d, -0x1p31, 0x1p31 - 1)));
        longs.push_back(is_nan         ? 0
                        : d >= 0x1p63  ? std::numeric_limits<std::int64_t>::max()
                        : d <= -0x1p63 ? std::numeric_limits<std::int64_t>::min()
                                       : static_cast<std::int64_t>(d));
        bytes.push_back(is_nan ? std::uint8_t{0}
                               : static_cast<std::uint8_t>(std::clamp(d, 0., 255.)));
      }
      CHECK(first_difference(tensor(cast<float>(x)), as_floats) == "");
      CHECK(first_difference(tensor(cast<int>(x)), ints) == "");
      CHECK(first_difference(tensor(cast<std::int64_t>(x)), longs) == "");
      CHECK(first_difference(tensor(cast<std::uint8_t>(x)), bytes) == "");
      CHECK(first_difference(tensor(cast<T>(cast<double>(x))), v) == "");
      CHECK(first_difference(tensor(cast<T>(cast<float>(x))), v) == "");
    });
  });
  CHECK(to_string(tensor(cast<float16>(tensor{true, false}))) == "[1 0]");
  CHECK(to_string(tensor(cast<bool>(tensor{float16(0.5f), -float16(0)}))) == "[True False]");
  CHECK(to_string(tensor(cast<bfloat16>(tensor{float16(1.f / 3)}))) == "[0.334]");
}

TEST_CASE("a double or an integer is converted to the nearest 16-bit float, rounded once") {
  // Just above the middle of two values. Converted by way of float it would be the middle, and be
  // rounded to even.
  CHECK(float16(1 + 0x1p-11 + 0x1p-40) == float16(1 + 0x1p-10));
  CHECK(float16(1 + 0x1p-11) == float16(1));
  CHECK(float16(-1 - 0x1p-11 - 0x1p-40) == float16(-1 - 0x1p-10));
  CHECK(float16(1 + 3 * 0x1p-11 - 0x1p-40) == float16(1 + 0x1p-10));
  CHECK(bfloat16(1 + 0x1p-8 + 0x1p-50).bits == bfloat16(1).bits + 1);
  CHECK(bfloat16((1 << 30) + (1 << 22) + 1).bits == bfloat16(0x1p30).bits + 1);
  CHECK(bfloat16((1 << 30) + (1 << 22)).bits == bfloat16(0x1p30).bits);
  CHECK(bfloat16(-(1 << 30) - (1 << 22) - 1).bits == bfloat16(-0x1p30).bits + 1);
  std::int64_t const big = std::int64_t{1} << 62, half = std::int64_t{1} << 54;
  CHECK(bfloat16(big + half).bits == bfloat16(0x1p62).bits);
  CHECK(bfloat16(big + half + 1).bits == bfloat16(0x1p62).bits + 1);
  CHECK(bfloat16(-big - half - 1).bits == bfloat16(-0x1p62).bits + 1);
  CHECK(bfloat16(-big - half + 1).bits == bfloat16(-0x1p62).bits);
  CHECK(bfloat16(std::numeric_limits<std::uint64_t>::max()) == bfloat16(0x1p64));
  CHECK(bfloat16(1e300) == std::numeric_limits<bfloat16>::infinity());
  CHECK(bfloat16(-1e-300).bits == 0x8000);
  CHECK(std::isnan(static_cast<float>(float16(std::nan("")))));
}

TEST_CASE("reductions of 16-bit floats accumulate in double and round at the end") {
  for_one<float16>([]<class T>() {
    on_each_device([](device d) {
      auto const ones_of_it = constant(T(1), shape(5000));
      CHECK(tensor(sum(cast<T>(ones_of_it) * 2)).read()() == T(10000));
      CHECK(tensor(mean(ones_of_it)).read()() == T(1));
      auto const v = some_numbers<T>(900);
      tensor const x = from(v, shape(30, 30));
      double total = 0, squares = 0;
      for (T const t : v) total += static_cast<double>(t);
      for (T const t : v) squares += std::pow(static_cast<double>(t) - total / 900, 2);
      CHECK(tensor(sum(x)).read()() == T(total));
      CHECK(tensor(sum(x)).where() == d);
      CHECK(tensor(max(x)).read()() == *std::max_element(v.begin(), v.end()));
      CHECK(tensor(min(x)).read()() == *std::min_element(v.begin(), v.end()));
      CHECK(tensor(argmax(x)).read()() == std::max_element(v.begin(), v.end()) - v.begin());
      CHECK(tensor(argmin(x)).read()() == std::min_element(v.begin(), v.end()) - v.begin());
      CHECK(tensor(variance(x)).read()() == T(squares / 900));
      CHECK(std::fabs(tensor(std_dev(x)).read()() - std::sqrt(squares / 900)) < .2);
      CHECK(tensor(count_nonzero(x)).read()() == 900 - std::count(v.begin(), v.end(), T(0)));
      CHECK(tensor(prod(constant(T(2), shape(10)))).read()() == T(1024));
      for (index_t column : {0, 7, 29}) {
        T largest = -std::numeric_limits<T>::infinity();
        for (std::size_t i = 0; i != 30; ++i)
          largest = std::max(largest, v[i * 30 + static_cast<std::size_t>(column)]);
        CHECK(tensor(max(x, axis<0>)).read()(column) == largest);
      }
      T const lowest = -std::numeric_limits<T>::infinity();
      CHECK(tensor(max(constant(lowest, shape(3)))).read()() == lowest);
      CHECK(tensor(min(constant(-lowest, shape(3)))).read()() == -lowest);
    });
  });
}

TEST_CASE("products of 16-bit floats accumulate in float and round at the end") {
  for_one<bfloat16>([]<class T>() {
    on_each_device([](device d) {
      for (index_t n : {3, 40, 300}) {
        auto const v = some_numbers<T>(static_cast<std::size_t>(5 * n));
        tensor const a = from(v, shape(5, n)), b = from(v, shape(n, 5));
        tensor const c = matmul(a, b), turned = matmul(a, transpose(a));
        CHECK(c.where() == d);
        auto const hc = c.read(), ht = turned.read();
        for (index_t i = 0; i != 5; ++i)
          for (index_t j = 0; j != 5; ++j) {
            float s = 0, t = 0;
            for (index_t k = 0; k != n; ++k) {
              float const x = v[static_cast<std::size_t>(i * n + k)];
              s += x * v[static_cast<std::size_t>(k * 5 + j)];
              t += x * v[static_cast<std::size_t>(j * n + k)];
            }
            CHECK(hc(i, j) == T(s));
            CHECK(ht(i, j) == T(t));
          }
      }
      tensor const once = matmul(constant(T(1), shape(1, 3000)), constant(T(1), shape(3000, 1)));
      CHECK(once.read()(0, 0) == T(3000));  // a sum in T stops at 2048 (float16) or 256 (bfloat16)
    });
  });
  tensor<float16, extents<2, 2>> const a{{float16(1), float16(2)}, {float16(3), float16(4)}};
  CHECK(to_string(tensor(matmul(a, a) + 1)) == "[[8 11]\n [16 23]]");
}

TEST_CASE("softmax of 16-bit floats is computed in float") {
  for_one<float16>([]<class T>() {
    auto const v = some_numbers<T>(300);
    on_each_device([&](device d) {
      for (index_t columns : {100, 10}) {
        index_t const rows = 300 / columns;
        tensor const x = from(v, shape(rows, columns));
        tensor const y = softmax(x), z = log_softmax(x);
        tensor const wide = softmax(cast<float>(x)), log_wide = log_softmax(cast<float>(x));
        CHECK(y.where() == d);
        float const unit = std::numeric_limits<T>::epsilon(),
                    least = std::numeric_limits<T>::denorm_min();
        for (index_t i = 0; i != rows; ++i)
          for (index_t j = 0; j != columns; ++j) {
            float const e = wide.read()(i, j), l = log_wide.read()(i, j);
            CHECK(std::fabs(y.read()(i, j) - e) <= unit * e + least);
            CHECK(std::fabs(z.read()(i, j) - l) <= unit * std::fabs(l) + least);
          }
      }
    });
  });
}

TEST_CASE("next_after of a 16-bit float has the next bit pattern") {
  for_one<bfloat16>([]<class T>() {
    auto const v = all_numbers<T>();
    tensor const x = from(v);
    T const infinity = std::numeric_limits<T>::infinity();
    auto const up = tensor(next_after(x, infinity)), down = tensor(next_after(x, -infinity));
    std::vector<T> after, before;
    for (T const t : v) {
      std::uint16_t const b = t.bits;
      bool const none = t != t, zero = t == T(0);
      auto const next = [&](int step) {
        return T::from_bits(static_cast<std::uint16_t>(b + step));
      };
      after.push_back(none || t == infinity ? t
                      : zero                ? T::from_bits(1)
                      : t > T(0)            ? next(1)
                                            : next(-1));
      before.push_back(none || t == -infinity ? t
                       : zero                 ? T::from_bits(0x8001)
                       : t > T(0)             ? next(-1)
                                              : next(1));
    }
    CHECK(first_difference(up, after) == "");
    CHECK(first_difference(down, before) == "");
    CHECK(tensor(next_after(tensor{T(2)}, T(2))).read()(0) == T(2));
  });
}

TEST_CASE("random 16-bit floats are rounded floats, and never equal the upper end of their range") {
  for_one<float16>([]<class T>() {
    std::vector<T> first;
    on_each_device([&](device d) {
      set_seed(7);
      tensor const u = uniform<T>(shape(100'000), T(-1), T(0.5f));
      tensor const z = normal<T>(shape(100'000)), cut = truncated_normal<T>(shape(1000));
      CHECK(u.where() == d);
      auto const h = u.read();
      CHECK(*std::min_element(h.begin(), h.end()) >= T(-1));
      CHECK(*std::max_element(h.begin(), h.end()) < T(0.5f));
      CHECK(std::fabs(static_cast<float>(tensor(mean(u)).read()()) + .25f) < .01f);
      CHECK(std::fabs(static_cast<float>(tensor(mean(z)).read()())) < .02f);
      CHECK(std::fabs(static_cast<float>(tensor(std_dev(z)).read()()) - 1) < .02f);
      CHECK(static_cast<float>(tensor(max(abs(cut))).read()()) <= 2);
      std::vector<T> const now(h.begin(), h.end());
      if (d.is_gpu()) CHECK(now == first);
      first = now;
    });
  });
  CHECK_THROWS_AS(uniform<float16>(shape(2), float16(2), float16(1)), invalid_argument);
  CHECK_THROWS_AS(uniform<float16>(shape(2), float16(-60000), float16(60000)), invalid_argument);
  CHECK_THROWS_AS(normal<bfloat16>(shape(2), bfloat16(0), bfloat16(-1)), invalid_argument);
}

TEST_CASE("moving, sorting, summing and counting ops take 16-bit floats") {
  for_one<bfloat16>([]<class T>() {
    on_each_device([](device) {
      tensor const x{{T(3), T(1), T(2)}, {T(-1), T(5), T(4)}};
      CHECK(to_string(tensor(transpose(x))) == "[[3 -1]\n [1 5]\n [2 4]]");
      CHECK(to_string(tensor(sort(x))) == "[[1 2 3]\n [-1 4 5]]");
      CHECK(to_string(tensor(argsort(x, descending))) == "[[0 2 1]\n [1 2 0]]");
      CHECK(to_string(tensor(cumsum(x))) == "[[3 1 2]\n [2 6 6]]");
      CHECK(to_string(tensor(concat(axis<0>, x, x * 2))) ==
            "[[3 1 2]\n [-1 5 4]\n [6 2 4]\n [-2 10 8]]");
      CHECK(to_string(tensor(gather(x, tensor{1, 0}, axis<1>))) == "[[1 3]\n [5 -1]]");
      CHECK(to_string(tensor(one_hot<T>(tensor{1, 0}, 2))) == "[[0 1]\n [1 0]]");
      CHECK(to_string(tensor(iota(4, T(1), T(0.5f)))) == "[1 1.5 2 2.5]");
      CHECK(to_string(tensor(is_nan(x / 0 * 0))) == "[[True True True]\n [True True True]]");
      CHECK(to_string(tensor(is_finite(x))) == "[[True True True]\n [True True True]]");
      CHECK(to_string(tensor(add_n(x, x, x))) == "[[9 3 6]\n [-3 15 12]]");
    });
  });
}

TEST_CASE("inline and typed tensors hold 16-bit floats") {
  using on_cpu = dev<kind::cpu, 0>;
  tensor<float16, extents<2>, on_cpu> const x{1, 2.5f};
  tensor<float16, extents<2>, on_cpu> const y = x * 2 + 1;
  CHECK(to_string(y) == "[3 6]");
  tensor<bfloat16, dextents<1>, dev<kind::gpu, 1>> const z{bfloat16(1), bfloat16(2)};
  CHECK(to_string(tensor<bfloat16, dextents<1>>(z + z)) == "[2 4]");
}

TEST_CASE("DLPack exports float16 as a 16-bit float, and bfloat16 with a type code of its own") {
  CHECK(placement::detail::same_type(placement::detail::dlpack_type<float16>(), {2, 16, 1}));
  CHECK(placement::detail::same_type(placement::detail::dlpack_type<bfloat16>(), {4, 16, 1}));
  tensor const x{bfloat16(1), bfloat16(2)};
  auto* const out = to_dlpack<dlpack::managed_tensor>(x);
  CHECK(to_string(from_dlpack<bfloat16, dextents<1>>(out)) == "[1 2]");
  auto* const other = to_dlpack<dlpack::managed_tensor>(x);
  CHECK_THROWS_AS((from_dlpack<float16, dextents<1>>(other)), invalid_argument);
  other->deleter(other);
}
