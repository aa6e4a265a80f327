// Arithmetic and bits of integers, against the host's at the edges of each type.
#include "ptx_program.hpp"

#include <algorithm>

using namespace ptx;

namespace {

template <class T> std::string name_of() {
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}
/// Arithmetic modulo 2^n, by way of 128 bits.
template <class T> T wrapped(s128 x) { return static_cast<T>(static_cast<u64>(x)); }

template <class T> void check_sums() {
  std::string const t = "." + name_of<T>();
  check_binary<T, T>("add" + t, [](T a, T b) { return wrapped<T>(s128{a} + b); });
  check_binary<T, T>("sub" + t, [](T a, T b) { return wrapped<T>(s128{a} - b); });
  check_binary<T, T>("mul.lo" + t, [](T a, T b) {
    return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
  });
  check_binary<T, T>("min" + t, [](T a, T b) { return std::min(a, b); });
  check_binary<T, T>("max" + t, [](T a, T b) { return std::max(a, b); });
}
template <class T> void check_high() {
  check_binary<T, T>("mul.hi." + name_of<T>(), [](T a, T b) {
    using wide = std::conditional_t<std::is_signed_v<T>, s128, u128>;
    return static_cast<T>(wide{a} * wide{b} >> 8 * sizeof(T));
  });
}
template <class T> void check_division() {
  std::string const t = "." + name_of<T>();
  T const least = std::numeric_limits<T>::min();
  auto const overflows = [=](T a, T b) { return std::is_signed_v<T> && a == least && b == T(-1); };
  check_binary<T, T>("div" + t, [=](T a, T b) {
    return b == 0 ? static_cast<T>(-1) : overflows(a, b) ? least : static_cast<T>(a / b);
  });
  check_binary<T, T>("rem" + t, [=](T a, T b) {
    return b == 0 ? a : overflows(a, b) ? T(0) : static_cast<T>(a % b);
  });
}
template <class T> void check_shifts() {
  std::string const bits = std::to_string(8 * sizeof(T));
  check_binary<T, T, u32>("shl.b" + bits, [](T a, u32 n) {
    return n >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<u64>(a) << n);
  });
  check_binary<T, T, u32>("shr." + name_of<T>(), [](T a, u32 n) {
    return n >= 8 * sizeof(T) ? static_cast<T>(a < 0 ? -1 : 0) : static_cast<T>(a >> n);
  });
}

}  // namespace

TEST_CASE("sums, products, minima and maxima of integers wrap as on the host") {
  check_sums<s16>();
  check_sums<u16>();
  check_sums<s32>();
  check_sums<u32>();
  check_sums<s64>();
  check_sums<u64>();
}
TEST_CASE("the upper halves of products are those of a product of twice the width") {
  check_high<s16>();
  check_high<u16>();
  check_high<s32>();
  check_high<u32>();
  check_high<s64>();
  check_high<u64>();
}
TEST_CASE("integer division by zero gives all ones, and the remainder is the dividend") {
  check_division<s32>();
  check_division<u32>();
  check_division<s64>();
  check_division<u64>();
}
TEST_CASE("shifts beyond the width give 0, or the sign") {
  check_shifts<s32>();
  check_shifts<u32>();
  check_shifts<s64>();
  check_shifts<u64>();
}
TEST_CASE("wide products have twice the width") {
  check_binary<s64, s32>("mul.wide.s32", [](s32 a, s32 b) { return s64{a} * b; });
  check_binary<u64, u32>("mul.wide.u32", [](u32 a, u32 b) { return u64{a} * b; });
  check_binary<s32, s16>("mul.wide.s16", [](s16 a, s16 b) { return s32{a} * b; });
  std::vector<s32> const a(32, -5), b(32, 7);
  std::vector<s64> const c(32, s64{1} << 40);
  CHECK(results<s64>("mad.wide.s32 %d, %a, %b, %c;", a, b, c)[3] == (s64{1} << 40) - 35);
}
TEST_CASE("negative, absolute and inverted integers") {
  check_unary<s32, s32>("neg.s32", [](s32 a) { return wrapped<s32>(-s128{a}); });
  check_unary<s64, s64>("neg.s64", [](s64 a) { return wrapped<s64>(-s128{a}); });
  check_unary<s32, s32>("abs.s32", [](s32 a) { return wrapped<s32>(a < 0 ? -s128{a} : s128{a}); });
  check_unary<u32, u32>("not.b32", [](u32 a) { return ~a; });
  check_binary<u64, u64>("xor.b64", [](u64 a, u64 b) { return a ^ b; });
}
TEST_CASE("saturated sums stop at the limits of s32") {
  check_binary<s32, s32>("add.sat.s32", [](s32 a, s32 b) {
    return static_cast<s32>(std::clamp<s64>(s64{a} + b, INT32_MIN, INT32_MAX));
  });
}
TEST_CASE("carries pass from one sum to the next") {
  pairs_of<u64, u64> const p(edges<u64>(), edges<u64>());
  std::string const split = ".reg .b32 %x<6>;\nmov.b64 {%x0, %x1}, %a;\nmov.b64 {%x2, %x3}, %b;\n";
  auto const sums = results<u64>(
      split + "add.cc.u32 %x4, %x0, %x2;\naddc.u32 %x5, %x1, %x3;\nmov.b64 %d, {%x4, %x5};", p.a,
      p.b);
  auto const differences = results<u64>(
      split + "sub.cc.u32 %x4, %x0, %x2;\nsubc.u32 %x5, %x1, %x3;\nmov.b64 %d, {%x4, %x5};", p.a,
      p.b);
  auto const products =
      results<u64>(split +
                       "mul.lo.u32 %x4, %x0, %x2;\nmul.hi.u32 %x5, %x0, %x2;\n"
                       "mad.lo.cc.u32 %x5, %x0, %x3, %x5;\nmad.lo.u32 %x5, %x1, %x2, %x5;\n"
                       "mov.b64 %d, {%x4, %x5};",
                   p.a, p.b);
  for (std::size_t i = 0; i != p.a.size(); ++i) {
    CHECK(sums[i] == p.a[i] + p.b[i]);
    CHECK(differences[i] == p.a[i] - p.b[i]);
    CHECK(products[i] == p.a[i] * p.b[i]);
  }
}
TEST_CASE("bits are counted, found, reversed, extracted and inserted") {
  check_unary<u32, u32>("popc.b32", [](u32 a) { return std::popcount(a); });
  check_unary<u32, u64>("popc.b64", [](u64 a) { return std::popcount(a); });
  check_unary<u32, u32>("clz.b32", [](u32 a) { return std::countl_zero(a); });
  check_unary<u32, u64>("clz.b64", [](u64 a) { return std::countl_zero(a); });
  check_unary<u32, u32>("bfind.u32",
                        [](u32 a) { return a == 0 ? ~0u : 31u - u32(std::countl_zero(a)); });
  check_unary<u32, u32>("bfind.shiftamt.u32",
                        [](u32 a) { return a == 0 ? ~0u : u32(std::countl_zero(a)); });
  std::vector<u32> const word(32, 0x12345678u), other(32, 0xffffffffu);
  CHECK(results<u32>("brev.b32 %d, %a;", word)[0] == 0x1e6a2c48u);
  CHECK(results<u32>("bfe.u32 %d, %a, 8, 12;", word)[0] == 0x456u);
  CHECK(results<u32>("bfe.s32 %d, %a, 4, 7;", word)[0] == 0xffffffe7u);
  CHECK(results<u32>("bfe.u32 %d, %a, 24, 40;", word)[0] == 0x12u);
  CHECK(results<u32>("bmsk.clamp.b32 %d, 4, 8;", word)[0] == 0xff0u);
  CHECK(results<u32>("bmsk.clamp.b32 %d, 4, 40;", word)[0] == 0xfffffff0u);
  CHECK(results<u32>("bmsk.clamp.b32 %d, 40, 4;", word)[0] == 0u);
  CHECK(results<u32>("bmsk.clamp.b32 %d, 4, 0;", word)[0] == 0u);
  CHECK(results<u32>("bmsk.wrap.b32 %d, 36, 40;", word)[0] == 0xff0u);
  CHECK(results<u32>("bfi.b32 %d, %b, %a, 8, 12;", word, other)[0] == 0x123fff78u);
  CHECK(results<u32>("bfi.b32 %d, %b, %a, 32, 4;", word, other)[0] == 0x12345678u);
  CHECK(results<u32>("prmt.b32 %d, %a, %b, 0x7410;", word, other)[0] == 0xffff5678u);
  CHECK(results<u32>("prmt.b32 %d, %a, %b, 0x8c80;", word, other)[0] == 0x00ff0078u);
  CHECK(results<u32>("shf.l.wrap.b32 %d, %a, %b, 36;", word, other)[0] == 0xfffffff1u);
  CHECK(results<u32>("shf.r.clamp.b32 %d, %a, %b, 36;", word, other)[0] == 0xffffffffu);
  CHECK(results<u32>("shf.r.wrap.b32 %d, %a, %b, 4;", word, other)[0] == 0xf1234567u);
  CHECK(results<u32>("lop3.b32 %d, %a, %b, %a, 0x96;", word, other)[0] == 0xffffffffu);
}
TEST_CASE("comparisons of integers know the sign, and combine with predicates") {
  pairs_of<s32, s32> const p(edges<s32>(), edges<s32>());
  std::string const choose = ";\nselp.u32 %d, 1, 0, %p1;";
  auto const lt = results<u32>("setp.lt.s32 %p1, %a, %b" + choose, p.a, p.b);
  auto const lo = results<u32>("setp.lo.u32 %p1, %a, %b" + choose, p.a, p.b);
  auto const both = results<u32>(
      "setp.gt.s32 %p2, %a, 0;\nsetp.ne.and.s32 %p3|%p1, %a, %b, %p2" + choose, p.a, p.b);
  for (std::size_t i = 0; i != p.a.size(); ++i) {
    CHECK(lt[i] == u32{p.a[i] < p.b[i]});
    CHECK(lo[i] == u32{static_cast<u32>(p.a[i]) < static_cast<u32>(p.b[i])});
    CHECK(both[i] == u32{p.a[i] > 0 && p.a[i] == p.b[i]});
  }
}
