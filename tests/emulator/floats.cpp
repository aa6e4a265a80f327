// Floats against the host's: edges, rounding modes, NaN, and conversions.
#include "ptx_program.hpp"

#include <cfenv>
#include <cmath>

using namespace ptx;

namespace {

template <class T> std::string name_of() { return sizeof(T) == 4 ? ".f32" : ".f64"; }

template <class T> void check_operations() {
  std::string const t = name_of<T>(), rn = ".rn" + t;
  check_binary<T, T>("add" + rn, [](T a, T b) { return a + b; });
  check_binary<T, T>("sub" + rn, [](T a, T b) { return a - b; });
  check_binary<T, T>("mul" + rn, [](T a, T b) { return a * b; });
  check_binary<T, T>("div" + rn, [](T a, T b) { return a / b; });
  check_unary<T, T>("sqrt" + rn, [](T a) { return std::sqrt(a); });
  check_unary<T, T>("rcp" + rn, [](T a) { return 1 / a; });
  check_unary<T, T>("abs" + t, [](T a) { return std::fabs(a); });
  check_unary<T, T>("neg" + t, [](T a) { return -a; });
  check_binary<T, T>("copysign" + t, [](T a, T b) { return std::copysign(b, a); });
}
/// The result in a rounding mode of the host. The operands are not constants to the compiler.
template <class T, class F> T in_host_mode(int mode, F const& f, T a, T b = T(), T c = T()) {
  T const volatile x = a, y = b, z = c;
  std::fesetround(mode);
  T const volatile result = f(x, y, z);
  std::fesetround(FE_TONEAREST);
  return result;
}
constexpr struct {
  char const* name;
  int mode;
} host_modes[] = {{".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};

template <class T> void check_modes() {
  for (auto const& m : host_modes) {
    int const mode = m.mode;
    std::string const name = m.name + name_of<T>();
    auto const check = [&](char const* op, auto const& f) {
      check_binary<T, T>(op + name, [&](T a, T b) { return in_host_mode<T>(mode, f, a, b); });
    };
    check("add", [](T a, T b, T) { return a + b; });
    check("sub", [](T a, T b, T) { return a - b; });
    check("mul", [](T a, T b, T) { return a * b; });
    check("div", [](T a, T b, T) { return a / b; });
    check_unary<T, T>("sqrt" + name, [&](T a) {
      return in_host_mode<T>(mode, [](T x, T, T) { return std::sqrt(x); }, a);
    });
    check_unary<T, T>("rcp" + name, [&](T a) {
      return in_host_mode<T>(mode, [](T x, T, T) { return 1 / x; }, a);
    });
    check_ternary<T, T>("fma" + name, [&](T a, T b, T c) {
      return in_host_mode<T>(mode, [](T x, T y, T z) { return std::fma(x, y, z); }, a, b, c);
    });
  }
}
template <class T> T least(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  return a == b && std::signbit(a) != std::signbit(b) ? -T(0) : std::min(a, b);
}
template <class T> T or_nan(T a, T b, T other) {
  return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : other;
}
/// Minima and maxima. Only those of float can be NaN.
template <class T> void check_extremes() {
  check_binary<T, T>("min" + name_of<T>(), [](T a, T b) { return least(a, b); });
  check_binary<T, T>("max" + name_of<T>(), [](T a, T b) { return -least(-a, -b); });
}
float clamped_to_one(float x) { return x > 0 ? std::min(x, 1.f) : 0.f; }
float flushed_to_zero(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? 0 * x : x; }
/// The host's rounding to a whole number in a mode of PTX.
template <class F> F whole(std::string const& mode, F x) {
  return mode == "rni"   ? std::nearbyint(x)
         : mode == "rmi" ? std::floor(x)
         : mode == "rpi" ? std::ceil(x)
                         : std::trunc(x);
}

/// What `cvt.rzi` gives, for values that the integer type holds or not.
template <class I, class F> I truncated(F x) {
  if (x != x)
    return sizeof(F) == 8 || sizeof(I) == 8 ? static_cast<I>(u64{1} << (8 * sizeof(I) - 1)) : I(0);
  long double const y = std::trunc(static_cast<long double>(x));
  if (y <= static_cast<long double>(std::numeric_limits<I>::min()))
    return std::numeric_limits<I>::min();
  if (y >= static_cast<long double>(std::numeric_limits<I>::max()))
    return std::numeric_limits<I>::max();
  return static_cast<I>(y);
}
/// The register of the result has 32 bits or more.
template <class I, class F> void check_to_integer(std::string const& names) {
  using wide =
      std::conditional_t<(sizeof(I) > 4), I, std::conditional_t<std::is_signed_v<I>, s32, u32>>;
  for (std::string const mode : {"rzi", "rni", "rmi", "rpi"})
    check_unary<wide, F>("cvt." + mode + "." + names,
                         [&](F x) { return wide{truncated<I>(whole(mode, x))}; });
}
/// From an integer type or double, in each mode of floats.
template <class F, class S> void check_to_float(std::string const& names) {
  check_unary<F, S>("cvt.rn." + names, [](S x) { return static_cast<F>(x); });
  for (auto const& m : host_modes)
    check_unary<F, S>("cvt" + (m.name + ("." + names)), [&](S x) {
      S const volatile in = x;
      std::fesetround(m.mode);
      F const volatile result = static_cast<F>(in);
      std::fesetround(FE_TONEAREST);
      return F{result};
    });
}

std::vector<u16> all_halves() {
  std::vector<u16> all(65536);
  for (std::size_t i = 0; i != all.size(); ++i) all[i] = static_cast<u16>(i);
  return all;
}
/// Checks that floats go to the nearest number of 16 bits, ties to the even one.
void check_nearest(std::string const& type, u16 largest) {
  std::vector<u16> const bits = all_halves();
  auto const wide = results<float>("cvt.f32." + type + " %d, %a;", bits);
  auto const back = results<u16>("cvt.rn." + type + ".f32 %d, %a;", wide);
  std::vector<float> middle(wide), above(wide);
  for (u32 i = 0; i <= largest; ++i) {
    float const next = i == largest ? 2 * wide[i] - wide[i - 1] : wide[i + 1];
    middle[i] = wide[i] + (next - wide[i]) / 2;
    above[i] = std::nextafter(middle[i], std::numeric_limits<float>::infinity());
  }
  auto const of_middle = results<u16>("cvt.rn." + type + ".f32 %d, %a;", middle);
  auto const of_above = results<u16>("cvt.rn." + type + ".f32 %d, %a;", above);
  int wrong = 0;
  for (u32 i = 0; i != 65536; ++i) {
    bool const nan = wide[i] != wide[i];
    wrong += nan ? back[i] != 0x7fff : back[i] != i;
    if (i < largest) wrong += of_middle[i] != i + (i & 1) || of_above[i] != i + 1;
  }
  CHECK(wrong == 0);
  CHECK(of_above[largest] == largest + 1);
}

}  // namespace

TEST_CASE("floats have the host's results to the bit, with infinities and NaN") {
  check_operations<float>();
  check_operations<double>();
}
TEST_CASE("sums, products and quotients are rounded towards zero, down and up") {
  check_modes<float>();
  check_modes<double>();
}
TEST_CASE("a fused product and sum is rounded once") {
  std::vector<float> const a(32, 1 + 0x1p-12f), c(32, -1.f);
  CHECK(results<float>("fma.rn.f32 %d, %a, %a, %b;", a, c)[0] == 0x1p-11f + 0x1p-24f);
  CHECK(results<float>("fma.rz.f32 %d, %a, %a, %b;", a, c)[0] == 0x1p-11f + 0x1p-24f);
  check_ternary<float, float>("fma.rn.f32", [](auto... x) { return std::fma(x...); });
  check_ternary<double, double>("fma.rn.f64", [](auto... x) { return std::fma(x...); });
}
TEST_CASE("minima and maxima ignore NaN, or give it, and order the zeros") {
  check_extremes<float>();
  check_extremes<double>();
  check_binary<float, float>("min.NaN.f32",
                             [](float a, float b) { return or_nan(a, b, least(a, b)); });
  check_binary<float, float>("max.NaN.f32",
                             [](float a, float b) { return or_nan(a, b, -least(-a, -b)); });
}
TEST_CASE("subnormal numbers are flushed, and results saturated, where an instruction says so") {
  float const tiny = std::numeric_limits<float>::denorm_min();
  std::vector<float> const a(32, tiny), b(32, -tiny), big(32, 3.f);
  CHECK(results<float>("add.rn.f32 %d, %a, %a;", a)[0] == 2 * tiny);
  CHECK(same(results<float>("add.ftz.f32 %d, %a, %a;", a)[0], 0.f));
  CHECK(same(results<float>("mul.ftz.f32 %d, %b, %a;", big, b)[0], -0.f));
  CHECK(results<float>("add.sat.f32 %d, %a, %a;", big)[0] == 1.f);
}
TEST_CASE("products are flushed and saturated at the edges, and so are fused ones") {
  auto const flushed = [](float x) { return flushed_to_zero(x); };
  auto const in_one = [](float x) { return clamped_to_one(x); };
  check_binary<float, float>("mul.sat.f32", [=](float a, float b) { return in_one(a * b); });
  check_binary<float, float>("mul.ftz.f32",
                             [=](float a, float b) { return flushed(flushed(a) * flushed(b)); });
  check_ternary<float, float>("fma.rn.sat.f32",
                              [=](float a, float b, float c) { return in_one(std::fma(a, b, c)); });
  check_ternary<float, float>("fma.rn.ftz.sat.f32", [=](float a, float b, float c) {
    return in_one(flushed(std::fma(flushed(a), flushed(b), flushed(c))));
  });
}
TEST_CASE("operations in a rounding mode are flushed and saturated, too") {
  auto const flushed = [](float x) { return flushed_to_zero(x); };
  for (auto const& m : host_modes) {
    std::string const name = m.name;
    auto const in = [&](auto const& f, float a, float b) {
      return flushed(in_host_mode<float>(m.mode, f, flushed(a), flushed(b)));
    };
    check_binary<float, float>("mul" + name + ".ftz.f32", [&](float a, float b) {
      return in([](float x, float y, float) { return x * y; }, a, b);
    });
    check_binary<float, float>("add" + name + ".ftz.sat.f32", [&](float a, float b) {
      return clamped_to_one(in([](float x, float y, float) { return x + y; }, a, b));
    });
    check_unary<float, float>("rcp" + name + ".ftz.f32", [&](float a) {
      return in([](float x, float, float) { return 1 / x; }, a, 0.f);
    });
  }
}
TEST_CASE("comparisons flush subnormal numbers where they say so") {
  pairs_of<float, float> const p(edges<float>(), edges<float>());
  auto const lt = results<u32>("setp.lt.ftz.f32 %p1, %a, %b;\nselp.u32 %d, 1, 0, %p1;", p.a, p.b);
  auto const eq = results<u32>("set.eq.ftz.u32.f32 %d, %a, %b;", p.a, p.b);
  for (std::size_t i = 0; i != p.a.size(); ++i) {
    float const a = flushed_to_zero(p.a[i]), b = flushed_to_zero(p.b[i]);
    CHECK(lt[i] == u32{a < b});
    CHECK(eq[i] == (a == b ? ~0u : 0u));
  }
}
TEST_CASE("conversions flush subnormal numbers of float where they say so") {
  check_unary<double, float>("cvt.ftz.f64.f32",
                             [](float x) { return static_cast<double>(flushed_to_zero(x)); });
  check_unary<s32, float>("cvt.rpi.ftz.s32.f32",
                          [](float x) { return truncated<s32>(whole("rpi", flushed_to_zero(x))); });
  std::vector<double> const tiny(32, -0x1p-130);
  CHECK(results<float>("cvt.rn.f32.f64 %d, %a;", tiny)[0] == -0x1p-130f);
  CHECK(same(results<float>("cvt.rn.ftz.f32.f64 %d, %a;", tiny)[0], -0.f));
}
TEST_CASE("floats become integers in four ways, within the limits of the type") {
  check_to_integer<s8, float>("s8.f32");
  check_to_integer<u8, float>("u8.f32");
  check_to_integer<s16, float>("s16.f32");
  check_to_integer<u16, float>("u16.f32");
  check_to_integer<s32, float>("s32.f32");
  check_to_integer<u32, float>("u32.f32");
  check_to_integer<s64, float>("s64.f32");
  check_to_integer<u64, float>("u64.f32");
  check_to_integer<s32, double>("s32.f64");
  check_to_integer<u32, double>("u32.f64");
  check_to_integer<s64, double>("s64.f64");
  check_to_integer<u64, double>("u64.f64");
}
TEST_CASE("floats are rounded to whole numbers in four ways") {
  for (std::string const mode : {"rni", "rzi", "rmi", "rpi"}) {
    auto const rounded = [&](auto x) { return whole(mode, x); };
    check_unary<float, float>("cvt." + mode + ".f32.f32", rounded);
    check_unary<double, double>("cvt." + mode + ".f64.f64", rounded);
  }
}
TEST_CASE("integers and double are rounded to float and double in four ways") {
  check_to_float<float, s32>("f32.s32");
  check_to_float<float, u32>("f32.u32");
  check_to_float<float, s64>("f32.s64");
  check_to_float<float, u64>("f32.u64");
  check_to_float<float, double>("f32.f64");
  check_to_float<double, s32>("f64.s32");
  check_to_float<double, s64>("f64.s64");
  check_to_float<double, u64>("f64.u64");
  check_unary<float, s16>("cvt.rn.f32.s16", [](s16 x) { return static_cast<float>(x); });
  check_unary<double, float>("cvt.f64.f32", [](float x) { return double{x}; });
}
TEST_CASE("small integers are extended by their sign, and clamped where an instruction says so") {
  std::vector<s32> const a(32, -200), b(32, 300);
  CHECK(results<s32>("cvt.s32.s8 %d, %a;", a)[0] == 56);
  CHECK(results<s32>("cvt.s32.s8 %d, %a;", b)[0] == 44);
  CHECK(results<s32>("cvt.u32.u16 %d, %a;", a)[0] == 65336);
  CHECK(results<s32>("cvt.sat.s8.s32 %d, %a;", a)[0] == -128);
  CHECK(results<s32>("cvt.sat.u8.s32 %d, %a;", b)[0] == 255);
}
TEST_CASE("every number of 16 bits becomes a float and back, and floats become the nearest one") {
  check_nearest("f16", 0x7bff);
  check_nearest("bf16", 0x7f7f);
}
TEST_CASE("arithmetic on 16 bits is rounded once, on one number or two") {
  // 1 + 2^-11 in f16: a tie; with a little more it goes up
  std::vector<u16> const one(32, 0x3c00), half_ulp(32, 0x1000), more(32, 0x1001);
  CHECK(results<u16>("add.f16 %d, %a, %b;", one, half_ulp)[0] == 0x3c00);
  CHECK(results<u16>("add.f16 %d, %a, %b;", one, more)[0] == 0x3c01);
  CHECK(results<u16>("fma.rn.f16 %d, %a, %b, %a;", one, more)[0] == 0x3c01);
  CHECK(results<u16>("fma.rn.bf16 %d, %a, %b, %c;", std::vector<u16>(32, 0x3f80),
                     std::vector<u16>(32, 0x3f80), std::vector<u16>(32, 0x3f80))[0] == 0x4000);
  std::vector<u32> const two(32, 0x3c004000u);  // 1 and 2
  CHECK(results<u32>("add.f16x2 %d, %a, %a;", two)[0] == 0x40004400u);
  CHECK(results<u32>("neg.f16x2 %d, %a;", two)[0] == 0xbc00c000u);
  std::vector<float> const f(32, 1.f), g(32, 2.f);
  CHECK(results<u32>("cvt.rn.f16x2.f32 %d, %a, %b;", f, g)[0] == 0x3c004000u);
}
TEST_CASE("approximations are within some ulps of the function") {
  std::vector<float> const x(32, 1.75f), y(32, 3.f);
  std::vector<double> const z(32, 1.75);
  auto const near = [](auto got, double expected) {
    return std::fabs(static_cast<double>(got) - expected) < 1e-6;
  };
  CHECK(near(results<float>("ex2.approx.ftz.f32 %d, %a;", x)[0], std::exp2(1.75)));
  CHECK(near(results<float>("lg2.approx.f32 %d, %a;", x)[0], std::log2(1.75)));
  CHECK(near(results<float>("sin.approx.f32 %d, %a;", x)[0], std::sin(1.75)));
  CHECK(near(results<float>("cos.approx.f32 %d, %a;", x)[0], std::cos(1.75)));
  CHECK(near(results<float>("rsqrt.approx.f32 %d, %a;", x)[0], 1 / std::sqrt(1.75)));
  CHECK(near(results<double>("rsqrt.approx.f64 %d, %a;", z)[0], 1 / std::sqrt(1.75)));
  CHECK(near(results<float>("tanh.approx.f32 %d, %a;", x)[0], std::tanh(1.75)));
  CHECK(near(results<float>("div.full.f32 %d, %a, %b;", x, y)[0], 1.75 / 3));
  CHECK(near(results<float>("div.approx.ftz.f32 %d, %a, %b;", x, y)[0], 1.75 / 3));
  CHECK(near(results<float>("rcp.approx.ftz.f32 %d, %a;", y)[0], 1.0 / 3));
  CHECK(near(results<float>("sqrt.approx.f32 %d, %a;", x)[0], std::sqrt(1.75)));
}
TEST_CASE("an approximate reciprocal of double has 32 bits of its operand and of its result") {
  auto const upper = [](double v) {
    u64 bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    bits &= 0xffffffff00000000u;
    std::memcpy(&v, &bits, sizeof v);
    return std::fpclassify(v) == FP_SUBNORMAL ? 0 * v : v;
  };
  check_unary<double, double>("rcp.approx.ftz.f64", [=](double x) { return upper(1 / upper(x)); });
}
