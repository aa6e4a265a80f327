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
template <class T, class F> T in_host_mode(int mode, F const& f, T a, T b) {
  T const volatile x = a, y = b;
  std::fesetround(mode);
  T const volatile z = f(x, y);
  std::fesetround(FE_TONEAREST);
  return z;
}
template <class T> void check_modes() {
  struct {
    char const* name;
    int mode;
  } const modes[] = {{".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};
  for (auto const& m : modes) {
    int const mode = m.mode;
    auto const check = [&](char const* op, auto const& f) {
      check_binary<T, T>(op + (m.name + name_of<T>()),
                         [&](T a, T b) { return in_host_mode<T>(mode, f, a, b); });
    };
    check("add", [](T a, T b) { return a + b; });
    check("sub", [](T a, T b) { return a - b; });
    check("mul", [](T a, T b) { return a * b; });
    check("div", [](T a, T b) { return a / b; });
  }
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
template <class I, class F> void check_to_integer(std::string const& names) {
  check_unary<I, F>("cvt.rzi." + names, [](F x) { return truncated<I>(x); });
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
}
TEST_CASE("minima and maxima ignore NaN, or give it, and order the zeros") {
  auto const least = [](float a, float b) {
    if (a != a) return b;
    if (b != b) return a;
    return a == b && std::signbit(a) != std::signbit(b) ? -0.f : std::min(a, b);
  };
  check_binary<float, float>("min.f32", least);
  check_binary<float, float>("max.f32", [&](float a, float b) { return -least(-a, -b); });
  check_binary<float, float>("min.NaN.f32", [&](float a, float b) {
    return a != a || b != b ? std::numeric_limits<float>::quiet_NaN() : least(a, b);
  });
}
TEST_CASE("subnormal numbers are flushed, and results saturated, where an instruction says so") {
  float const tiny = std::numeric_limits<float>::denorm_min();
  std::vector<float> const a(32, tiny), b(32, -tiny), big(32, 3.f);
  CHECK(results<float>("add.rn.f32 %d, %a, %a;", a)[0] == 2 * tiny);
  CHECK(same(results<float>("add.ftz.f32 %d, %a, %a;", a)[0], 0.f));
  CHECK(same(results<float>("mul.ftz.f32 %d, %b, %a;", big, b)[0], -0.f));
  CHECK(results<float>("add.sat.f32 %d, %a, %a;", big)[0] == 1.f);
}
TEST_CASE("comparisons are ordered or unordered") {
  pairs_of<float, float> const p(edges<float>(), edges<float>());
  auto const of = [&](std::string const& c) {
    return results<u32>("setp." + c + ".f32 %p1, %a, %b;\nselp.u32 %d, 1, 0, %p1;", p.a, p.b);
  };
  auto const lt = of("lt"), ltu = of("ltu"), ne = of("ne"), neu = of("neu"), nan = of("nan");
  for (std::size_t i = 0; i != p.a.size(); ++i) {
    float const a = p.a[i], b = p.b[i];
    bool const unordered = a != a || b != b;
    CHECK(lt[i] == u32{a < b});
    CHECK(ltu[i] == u32{unordered || a < b});
    CHECK(ne[i] == u32{!unordered && a != b});
    CHECK(neu[i] == u32{unordered || a != b});
    CHECK(nan[i] == u32{unordered});
  }
}
TEST_CASE("floats become integers by truncation, within the limits of the type") {
  check_to_integer<s32, float>("s32.f32");
  check_to_integer<u32, float>("u32.f32");
  check_to_integer<s64, float>("s64.f32");
  check_to_integer<u64, double>("u64.f64");
  check_to_integer<s32, double>("s32.f64");
  check_to_integer<s16, float>("s16.f32");
}
TEST_CASE("floats are rounded to whole numbers in four ways") {
  check_unary<float, float>("cvt.rni.f32.f32", [](float x) { return std::nearbyint(x); });
  check_unary<float, float>("cvt.rzi.f32.f32", [](float x) { return std::trunc(x); });
  check_unary<double, double>("cvt.rmi.f64.f64", [](double x) { return std::floor(x); });
  check_unary<double, double>("cvt.rpi.f64.f64", [](double x) { return std::ceil(x); });
}
TEST_CASE("integers and double are rounded to float") {
  check_unary<float, s64>("cvt.rn.f32.s64", [](s64 x) { return static_cast<float>(x); });
  check_unary<float, u64>("cvt.rn.f32.u64", [](u64 x) { return static_cast<float>(x); });
  check_unary<double, float>("cvt.f64.f32", [](float x) { return static_cast<double>(x); });
  std::vector<double> const third(32, 1.0 / 3);
  float const near = static_cast<float>(1.0 / 3);
  CHECK(results<float>("cvt.rn.f32.f64 %d, %a;", third)[0] == near);
  CHECK(results<float>("cvt.rz.f32.f64 %d, %a;", third)[0] == std::nextafter(near, 0.f));
  CHECK(results<float>("cvt.rp.f32.f64 %d, %a;", third)[0] == near);
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
  std::vector<float> const x(32, 1.75f);
  auto const near = [](float got, double expected) {
    return std::fabs(static_cast<double>(got) - expected) < 1e-6;
  };
  CHECK(near(results<float>("ex2.approx.ftz.f32 %d, %a;", x)[0], std::exp2(1.75)));
  CHECK(near(results<float>("lg2.approx.f32 %d, %a;", x)[0], std::log2(1.75)));
  CHECK(near(results<float>("sin.approx.f32 %d, %a;", x)[0], std::sin(1.75)));
  CHECK(near(results<float>("rsqrt.approx.f32 %d, %a;", x)[0], 1 / std::sqrt(1.75)));
  CHECK(near(results<float>("tanh.approx.f32 %d, %a;", x)[0], std::tanh(1.75)));
}
