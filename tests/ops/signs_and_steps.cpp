// copysign, signbit, is_inf, floor_divide, floor_modulo, heaviside and nan_to_num, against the C
// library and Python's rules.
#include <placement/expr/evaluate.hpp>
#include <placement/expr/print.hpp>
#include <placement/ops/copysign.hpp>
#include <placement/ops/floor_divide.hpp>
#include <placement/ops/heaviside.hpp>
#include <placement/ops/is_inf.hpp>
#include <placement/ops/nan_to_num.hpp>
#include <placement/ops/signbit.hpp>
#include <support/elementwise.hpp>

using namespace placement;

namespace {

/// Python's x % y and x // y of integers: 0 for y = 0, and the lowest integer // -1 wraps.
template <class T> T python_modulo(T x, T y) {
  if (y == 0 || (std::is_signed_v<T> && y == T(-1))) return 0;
  T const r = static_cast<T>(x % y);
  return r != 0 && (r < 0) != (y < 0) ? static_cast<T>(r + y) : r;
}
template <class T> T python_quotient(T x, T y) {
  if (y == 0) return 0;
  if (std::is_signed_v<T> && y == T(-1))
    return static_cast<T>(std::make_unsigned_t<T>{} - static_cast<std::make_unsigned_t<T>>(x));
  T const q = static_cast<T>(x / y);
  return x % y != 0 && (x < 0) != (y < 0) ? static_cast<T>(q - 1) : q;
}
/// The same of floating point.
template <class T> requires std::is_floating_point_v<T>
T python_modulo(T x, T y) {
  T const r = std::fmod(x, y);
  if (r == 0) return std::copysign(r, y);
  return (r < 0) != (y < 0) ? r + y : r;
}
template <class T> requires std::is_floating_point_v<T>
T python_quotient(T x, T y) {
  if (y == 0) return x / y;
  T const r = std::fmod(x, y), even = (x - r) / y;
  T const q = r != 0 && (r < 0) != (y < 0) ? even - 1 : even;
  T const whole = q - std::floor(q) > T(0.5) ? std::floor(q) + 1 : std::floor(q);
  return whole == 0 ? std::copysign(whole, x / y) : whole;
}

}  // namespace

TEST_CASE("copysign has the size of the first operand and the sign of the second") {
  each<floats>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return copysign(x, y); },
                    [](T x, T y) { return std::copysign(x, y); });
  });
  tensor const x{1.f, -2.f, -0.f};
  CHECK(to_string(tensor(copysign(x, -1.f))) == "[-1 -2 -0]");
  CHECK(to_string(tensor(copysign(3.f, x))) == "[3 -3 -3]");
}

TEST_CASE("signbit sees the sign of zeros and of NaN") {
  each<floats>([]<class T>() {
    check_unary<T>([](auto const& x) { return signbit(x); }, [](T x) { return std::signbit(x); });
    T const nan = std::numeric_limits<T>::quiet_NaN();
    tensor const y = signbit(tensor{std::copysign(nan, T(-1)), std::copysign(nan, T(1))});
    CHECK(to_string(y) == "[True False]");
  });
}

TEST_CASE("is_inf is true for infinities of both signs, not for NaN and the largest numbers") {
  each<floats>([]<class T>() {
    check_unary<T>([](auto const& x) { return is_inf(x); }, [](T x) { return std::isinf(x); });
  });
}

TEST_CASE("floor_divide and floor_modulo of integers are Python's, 0 for a zero divisor") {
  each<integers>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return floor_divide(x, y); },
                    [](T x, T y) { return python_quotient(x, y); });
    check_binary<T>([](auto const& x, auto const& y) { return floor_modulo(x, y); },
                    [](T x, T y) { return python_modulo(x, y); });
  });
  tensor const x{7, -7, 7, -7}, y{2, 2, -2, -2};
  CHECK(to_string(tensor(floor_divide(x, y))) == "[3 -4 -4 3]");
  CHECK(to_string(tensor(floor_modulo(x, y))) == "[1 1 -1 -1]");
}

TEST_CASE("floor_divide and floor_modulo of floating point are Python's") {
  each<floats>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return floor_divide(x, y); },
                    [](T x, T y) { return python_quotient(x, y); });
    check_binary<T>([](auto const& x, auto const& y) { return floor_modulo(x, y); },
                    [](T x, T y) { return python_modulo(x, y); });
  });
  tensor const one{1.}, tenth{0.1};
  CHECK(item(floor_divide(one, tenth)) == 9);  // 0.1 is a little more than a tenth
  CHECK(item(floor_modulo(one, tenth)) == std::fmod(1., 0.1));
  // (x - remainder) / y is rounded to a number below a whole one.
  tensor const x{0x1.3713aap+14f, 0x1.185d4p+17f}, y{0x1.5c9f66p-2f, 0x1.191172p-1f};
  tensor const q = floor_divide(x, y);
  for (std::size_t i = 0; i != 2; ++i)
    CHECK(q.data()[i] == std::floor(static_cast<double>(x.data()[i]) / y.data()[i]));
}

TEST_CASE("heaviside is a step, with the second operand at 0") {
  each<floats>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return heaviside(x, y); },
                    [](T x, T y) {
                      return x == 0 ? y : x > 0 ? T(1) : x < 0 ? T(0) : x;
                    });
  });
}

TEST_CASE("nan_to_num puts numbers in the place of NaN and infinities") {
  each<floats>([]<class T>() {
    using limits = std::numeric_limits<T>;
    check_unary<T>([](auto const& x) { return nan_to_num(x); },
                   [](T x) {
                     if (x != x) return T(0);
                     return std::isinf(x) ? std::copysign(limits::max(), x) : x;
                   });
    check_unary<T>(
        [](auto const& x) { return nan_to_num(x, {.nan = -1, .posinf = 7, .neginf = -8}); },
        [](T x) {
          if (x != x) return T(-1);
          return std::isinf(x) ? x > 0 ? T(7) : T(-8) : x;
        });
  });
  // Numbers beyond the type become its largest.
  tensor const x{std::numeric_limits<float>::infinity(), NAN};
  CHECK(tensor(nan_to_num(x, {.nan = -1e300, .posinf = 1e300})).data()[0] ==
        std::numeric_limits<float>::max());
  CHECK(tensor(nan_to_num(x, {.nan = -1e300, .posinf = 1e300})).data()[1] ==
        std::numeric_limits<float>::lowest());
}
