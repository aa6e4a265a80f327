// Floats of 16 bits, `f16` and `bf16`, alone and in pairs: against sums in more digits, rounded by
// a search among all numbers of the type.
#include "ptx_program.hpp"

#include <algorithm>
#include <cmath>

using namespace ptx;

namespace {

/// A type of PTX. Its positive numbers are in the order of their bits, 0 to `largest`.
struct format {
  std::string name;
  int fraction_bits, least;  ///< 2^least is the smallest positive number
  u16 largest;

  double value(u16 bits) const {
    int const exponent = (bits & 0x7fff) >> fraction_bits, hidden = exponent == 0 ? 0 : 1;
    double const sign = bits >= 0x8000 ? -1 : 1;
    if ((bits & 0x7fff) > largest)
      return (bits & 0x7fff) == largest + 1 ? sign * std::numeric_limits<double>::infinity()
                                            : std::numeric_limits<double>::quiet_NaN();
    int const fraction = (bits & ((1 << fraction_bits) - 1)) | hidden << fraction_bits;
    return sign * std::ldexp(fraction, least + std::max(exponent - 1, 0));
  }
  /// The nearest number to x + error, ties to the even one. `error` is small beside x.
  u16 nearest(double x, double error = 0) const {
    if (x != x) return 0x7fff;
    u16 const sign = std::signbit(x) ? 0x8000 : 0;
    if (sign != 0) x = -x, error = -error;
    u16 below = 0;
    for (u16 step = 0x4000; step != 0; step /= 2)
      if (below + step <= largest && value(static_cast<u16>(below + step)) <= x)
        below = static_cast<u16>(below + step);
    double const low = value(below);
    double const unit = below == largest ? low - value(static_cast<u16>(below - 1))
                                         : value(static_cast<u16>(below + 1)) - low;
    double const rest = (x - low) - unit / 2;  // exact
    bool const up = rest != 0 ? rest > 0 : error != 0 ? error > 0 : (below & 1) != 0;
    return static_cast<u16>(sign | (below + (up ? 1 : 0)));
  }
  /// Numbers at the edges, 16 of them.
  std::vector<u16> edges() const {
    auto const one = nearest(1), third = nearest(1.0 / 3);
    u16 const normal = static_cast<u16>(1 << fraction_bits);
    return {0,
            0x8000,
            one,
            static_cast<u16>(one | 0x8000),
            static_cast<u16>(one + 1),
            third,
            nearest(-7.25),
            nearest(std::ldexp(1, -fraction_bits - 1)),
            static_cast<u16>(nearest(std::ldexp(1, -fraction_bits - 1)) + 1),
            normal,
            static_cast<u16>(normal - 1 + 0x8000),
            1,
            largest,
            static_cast<u16>(largest + 1),
            static_cast<u16>(largest + 0x8001),
            static_cast<u16>(largest + 3)};
  }
  bool is_nan(u16 bits) const { return (bits & 0x7fff) > largest + 1; }
};
format const formats[] = {{"f16", 10, -24, 0x7bff}, {"bf16", 7, -133, 0x7f7f}};

/// All pairs of the edges.
pairs_of<u16, u16> pairs(format const& f) { return {f.edges(), f.edges()}; }
std::vector<u32> packed(std::vector<u16> const& low, std::vector<u16> const& high) {
  std::vector<u32> all(low.size());
  for (std::size_t i = 0; i != all.size(); ++i) all[i] = u32{high[i]} << 16 | low[i];
  return all;
}
/// Compares an instruction and its form for pairs with a function of doubles, which is exact.
template <class F> void check_two(format const& f, std::string const& name, F const& exact) {
  std::string const op = name + "." + f.name;
  INFO(op);
  pairs_of<u16, u16> const p = pairs(f);
  auto const one = results<u16>(op + " %d, %a, %b;", p.a, p.b);
  auto const two = results<u32>(op + "x2 %d, %a, %b;", packed(p.a, p.b), packed(p.b, p.a));
  for (std::size_t i = 0; i != p.a.size(); ++i) {
    INFO("of " << p.a[i] << " and " << p.b[i]);
    double const x = f.value(p.a[i]), y = f.value(p.b[i]);
    CHECK(one[i] == f.nearest(exact(x, y)));
    CHECK((two[i] & 0xffff) == f.nearest(exact(x, y)));
    CHECK(two[i] >> 16 == f.nearest(exact(y, x)));
  }
}
/// The same for a function of bits.
template <class F> void check_one(format const& f, std::string const& name, F const& bits) {
  std::string const op = name + "." + f.name;
  INFO(op);
  pairs_of<u16, u16> const p = pairs(f);
  auto const one = results<u16>(op + " %d, %a;", p.a);
  auto const two = results<u32>(op + "x2 %d, %a;", packed(p.a, p.b));
  for (std::size_t i = 0; i != p.a.size(); ++i) {
    INFO("of " << p.a[i]);
    CHECK(one[i] == bits(p.a[i]));
    CHECK(two[i] == (u32{bits(p.b[i])} << 16 | bits(p.a[i])));
  }
}
double least(double a, double b) {
  if (a != a) return b;
  if (b != b) return a;
  return a == b && std::signbit(a) != std::signbit(b) ? -0.0 : std::min(a, b);
}
double or_nan(double a, double b, double other) {
  return a != a || b != b ? std::numeric_limits<double>::quiet_NaN() : other;
}

}  // namespace

TEST_CASE("sums, differences and products of 16 bits are rounded once") {
  for (format const& f : formats) {
    // a sum that is inexact in double has one operand far below the other, so that it is no tie
    check_two(f, "add", [](double a, double b) { return a + b; });
    check_two(f, "sub", [](double a, double b) { return a - b; });
    check_two(f, "mul", [](double a, double b) { return a * b; });
  }
}
TEST_CASE("fused products and sums of 16 bits are rounded once") {
  for (format const& f : formats) {
    pairs_of<u16, u16> const p = pairs(f);
    std::vector<u16> const thirds = f.edges();
    for (std::size_t shift = 0; shift != 16; ++shift) {
      std::vector<u16> c(p.a.size());
      for (std::size_t i = 0; i != c.size(); ++i) c[i] = thirds[(i + i / 16 + shift) % 16];
      auto const one = results<u16>("fma.rn." + f.name + " %d, %a, %b, %c;", p.a, p.b, c);
      auto const two = results<u32>("fma.rn." + f.name + "x2 %d, %a, %b, %c;", packed(p.a, c),
                                    packed(p.b, c), packed(c, c));
      for (std::size_t i = 0; i != c.size(); ++i) {
        INFO(f.name << " " << p.a[i] << " * " << p.b[i] << " + " << c[i]);
        double const product = f.value(p.a[i]) * f.value(p.b[i]), z = f.value(c[i]);
        bool const is_larger = std::fabs(product) > std::fabs(z);
        double const sum = product + z, large = is_larger ? product : z;
        double const small = is_larger ? z : product;
        double const error = std::isfinite(sum) ? small - (sum - large) : 0;
        CHECK(one[i] == f.nearest(sum, error));
        CHECK((two[i] & 0xffff) == f.nearest(sum, error));
      }
    }
  }
}
TEST_CASE("minima and maxima of 16 bits ignore NaN, or give it, and order the zeros") {
  for (format const& f : formats) {
    auto const most = [](double a, double b) { return -least(-a, -b); };
    check_two(f, "min", least);
    check_two(f, "max", most);
    check_two(f, "min.NaN", [](double a, double b) { return or_nan(a, b, least(a, b)); });
    check_two(f, "max.NaN", [=](double a, double b) { return or_nan(a, b, most(a, b)); });
  }
}
TEST_CASE("numbers of 16 bits are flushed, and saturated, where an instruction says so") {
  format const& f = formats[0];
  auto const flushed = [](double x) { return std::fabs(x) < 0x1p-14 ? 0 * x : x; };
  auto const in_one = [](double x) { return x > 0 ? std::min(x, 1.0) : 0.0; };
  // the result is rounded before it is flushed
  auto const rounded = [&](double x) { return f.value(f.nearest(x)); };
  check_two(f, "mul.ftz",
            [&](double a, double b) { return flushed(rounded(flushed(a) * flushed(b))); });
  check_two(f, "add.sat", [&](double a, double b) { return in_one(rounded(a + b)); });
  check_two(f, "sub.ftz.sat",
            [&](double a, double b) { return in_one(flushed(rounded(flushed(a) - flushed(b)))); });
}
TEST_CASE("the sign of 16 bits is changed or removed") {
  for (format const& f : formats) {
    check_one(f, "neg", [](u16 x) { return static_cast<u16>(x ^ 0x8000); });
    check_one(f, "abs", [](u16 x) { return static_cast<u16>(x & 0x7fff); });
  }
}
TEST_CASE("approximations of 16 bits are at most one number beside the nearest") {
  for (format const& f : formats) {
    auto const check = [&](std::string const& op, double (*function)(double)) {
      std::vector<u16> a = f.edges();
      a.insert(a.end(), a.begin(), a.end());
      auto const got = results<u16>(op + f.name + " %d, %a;", a);
      for (std::size_t i = 0; i != a.size(); ++i) {
        INFO(op << f.name << " of " << a[i]);
        CHECK(std::abs(got[i] - f.nearest(function(f.value(a[i])))) <= 1);
      }
    };
    check(f.name == "f16" ? "ex2.approx." : "ex2.approx.ftz.",
          [](double x) { return std::exp2(x); });
    check("tanh.approx.", [](double x) { return std::tanh(x); });
  }
}
TEST_CASE("comparisons of 16 bits are ordered or unordered") {
  for (format const& f : formats) {
    pairs_of<u16, u16> const p = pairs(f);
    auto const of = [&](std::string const& c) {
      return results<u32>("setp." + c + "." + f.name + " %p1, %a, %b;\nselp.u32 %d, 1, 0, %p1;",
                          p.a, p.b);
    };
    auto const eq = of("eq"), ne = of("ne"), lt = of("lt"), le = of("le"), gtu = of("gtu"),
               geu = of("geu"), nan = of("nan");
    for (std::size_t i = 0; i != p.a.size(); ++i) {
      INFO(f.name << " " << p.a[i] << " and " << p.b[i]);
      double const a = f.value(p.a[i]), b = f.value(p.b[i]);
      bool const unordered = a != a || b != b;
      CHECK(eq[i] == u32{a == b});
      CHECK(ne[i] == u32{!unordered && a != b});
      CHECK(lt[i] == u32{a < b});
      CHECK(le[i] == u32{a <= b});
      CHECK(gtu[i] == u32{unordered || a > b});
      CHECK(geu[i] == u32{unordered || a >= b});
      CHECK(nan[i] == u32{unordered});
    }
  }
}
TEST_CASE("comparisons of 16 bits give 1 or all ones, alone and in pairs, as hexp needs") {
  for (format const& f : formats) {
    pairs_of<u16, u16> const p = pairs(f);
    std::string const both = "." + f.name + "x2", alone = "." + f.name;
    auto const x = packed(p.a, p.b), y = packed(p.b, p.b);
    auto const number = results<u16>("set.lt" + alone + alone + " %d, %a, %b;", p.a, p.b);
    auto const numbers = results<u32>("set.lt" + both + both + " %d, %a, %b;", x, y);
    auto const masks = results<u32>("set.equ.u32" + both + " %d, %a, %b;", x, y);
    for (std::size_t i = 0; i != p.a.size(); ++i) {
      INFO(f.name << " " << p.a[i] << " and " << p.b[i]);
      double const a = f.value(p.a[i]), b = f.value(p.b[i]);
      CHECK(number[i] == (a < b ? f.nearest(1) : 0));
      CHECK(numbers[i] == (a < b ? f.nearest(1) : 0));  // the upper halves are equal
      CHECK(masks[i] == (0xffff0000u | (!(a < b) && !(a > b) ? 0xffffu : 0u)));
    }
  }
}
TEST_CASE("floats of 16 bits become integers in four ways") {
  struct {
    char const* name;
    double (*round)(double);
  } const modes[] = {{"rni", [](double x) { return std::nearbyint(x); }},
                     {"rzi", [](double x) { return std::trunc(x); }},
                     {"rmi", [](double x) { return std::floor(x); }},
                     {"rpi", [](double x) { return std::ceil(x); }}};
  for (format const& f : formats)
    for (auto const& m : modes) {
      INFO(m.name << " of " << f.name);
      pairs_of<u16, u16> const p = pairs(f);
      auto const cvt = [&](char const* type) {
        return std::string("cvt.") + m.name + type + f.name;
      };
      auto const s = results<s32>(cvt(".s32.") + " %d, %a;", p.a);
      auto const u = results<u32>(cvt(".u32.") + " %d, %a;", p.a);
      for (std::size_t i = 0; i != p.a.size(); ++i) {
        INFO("of " << p.a[i]);
        double const x = f.value(p.a[i]), y = x == x ? m.round(x) : 0;
        CHECK(s[i] == static_cast<s32>(std::clamp(y, -0x1p31, 0x1p31 - 1)));
        CHECK(u[i] == static_cast<u32>(std::clamp(y, 0.0, 0x1p32 - 1)));
      }
    }
}
TEST_CASE("integers and double become the nearest number of 16 bits") {
  for (format const& f : formats) {
    auto const op = [&](char const* from) { return "cvt.rn." + f.name + from; };
    check_unary<u16, s32>(op(".s32"), [&](s32 x) { return f.nearest(x); });
    check_unary<u16, u16>(op(".u16"), [&](u16 x) { return f.nearest(x); });
    check_unary<u16, double>(op(".f64"), [&](double x) { return f.nearest(x); });
    // more than 53 bits: a tie, and one more
    s64 const tie = s64{3} << 60 | s64{1} << (61 - f.fraction_bits - 1);
    auto const got = results<u16>(op(".s64") + " %d, %a;", std::vector<s64>(32, tie + 1));
    CHECK(got[0] == f.nearest(static_cast<double>(tie), 1));
    auto const even = results<u16>(op(".s64") + " %d, %a;", std::vector<s64>(32, tie));
    CHECK(even[0] == f.nearest(static_cast<double>(tie)));
  }
}
TEST_CASE("floats become the next number of 16 bits towards zero") {
  for (format const& f : formats) {
    auto const to_zero = [&](double x) {
      u16 const y = f.nearest(x);
      return std::fabs(f.value(y)) > std::fabs(x) ? static_cast<u16>(y - 1) : y;
    };
    std::string const op = "cvt.rz." + f.name;
    check_unary<u16, float>(op + ".f32", [&](float x) { return to_zero(static_cast<double>(x)); });
    pairs_of<float, float> const p(edges<float>(), edges<float>());
    auto const two = results<u32>(op + "x2.f32 %d, %a, %b;", p.a, p.b);
    for (std::size_t i = 0; i != p.a.size(); ++i) {
      CHECK(two[i] >> 16 == to_zero(static_cast<double>(p.a[i])));
      CHECK((two[i] & 0xffff) == to_zero(static_cast<double>(p.b[i])));
    }
  }
}
TEST_CASE("atomic sums of 16 bits, alone and in pairs, are rounded in each step") {
  for (format const& f : formats) {
    INFO(f.name);
    u16 const one = f.nearest(1), start = f.nearest(3), small = f.nearest(std::ldexp(1, -12));
    std::vector<u16> alone{start, 0};
    std::vector<u32> both{u32{start} << 16 | one};
    std::string const noftz = "red.global.add.noftz." + f.name;
    ptx_program program(kernel_text(
        2, addresses({0, 0}) + "mov.b16 %h1, " + std::to_string(one) + ";\nmov.b16 %h2, " +
               std::to_string(small) + ";\nmov.b32 %r4, {%h1, %h2};\n" + noftz +
               " [%rd0], %h1;\natom" + noftz.substr(3) + "x2 %r5, [%rd1], %r4;\nret;"));
    program.with(alone).with(both).run();
    CHECK(alone[0] == f.nearest(35));
    CHECK(both[0] == (u32{start} << 16 | f.nearest(33)));  // 3 + 2^-12 is 3 again
  }
}
