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
/// The upper half of a product of twice the width.
template <class T> T high(T a, T b) {
  using wide = std::conditional_t<std::is_signed_v<T>, s128, u128>;
  return static_cast<T>(wide{a} * wide{b} >> 8 * sizeof(T));
}
template <class T> T low(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
}
template <class T> void check_high() {
  check_binary<T, T>("mul.hi." + name_of<T>(), [](T a, T b) { return high(a, b); });
}
template <class T> void check_sums_of_products() {
  std::string const t = "." + name_of<T>();
  check_ternary<T, T>("mad.lo" + t, [](T a, T b, T c) { return wrapped<T>(s128{low(a, b)} + c); });
  check_ternary<T, T>("mad.hi" + t, [](T a, T b, T c) { return wrapped<T>(s128{high(a, b)} + c); });
  check_ternary<T, T>("sad" + t, [](T a, T b, T c) {
    return wrapped<T>(s128{c} + (a < b ? s128{b} - a : s128{a} - b));
  });
}
template <class W, class T> void check_wide() {
  std::string const t = "." + name_of<T>();
  check_binary<W, T>("mul.wide" + t, [](T a, T b) { return static_cast<W>(W{a} * W{b}); });
  check_ternary<W, T, W>("mad.wide" + t,
                         [](T a, T b, W c) { return wrapped<W>(s128{a} * s128{b} + c); });
}
template <class T> void check_bits() {
  std::string const t = ".b" + std::to_string(8 * sizeof(T));
  check_binary<T, T>("and" + t, [](T a, T b) { return static_cast<T>(a & b); });
  check_binary<T, T>("or" + t, [](T a, T b) { return static_cast<T>(a | b); });
  check_binary<T, T>("xor" + t, [](T a, T b) { return static_cast<T>(a ^ b); });
  check_unary<T, T>("not" + t, [](T a) { return static_cast<T>(~a); });
  check_unary<T, T>("cnot" + t, [](T a) { return static_cast<T>(a == 0 ? 1 : 0); });
}
template <class T> void check_signs() {
  std::string const t = "." + name_of<T>();
  check_unary<T, T>("neg" + t, [](T a) { return wrapped<T>(-s128{a}); });
  check_unary<T, T>("abs" + t, [](T a) { return wrapped<T>(a < 0 ? -s128{a} : s128{a}); });
}

/// Fields of bits: `count` from `first` on, as the PTX ISA defines them bit by bit.
template <class T> T extracted(T a, u32 first, u32 count) {
  constexpr u32 top = 8 * sizeof(T) - 1;
  first &= 255, count &= 255;
  auto const bit = [=](u32 i) { return static_cast<u64>(a) >> i & 1; };
  u64 const sign = !std::is_signed_v<T> || count == 0 ? 0 : bit(std::min(first + count - 1, top));
  u64 all = 0;
  for (u32 i = 0; i <= top; ++i)
    all |= (i < count && first + i <= top ? bit(first + i) : sign) << i;
  return static_cast<T>(all);
}
template <class T> T inserted(T a, T b, u32 first, u32 count) {
  constexpr u32 top = 8 * sizeof(T) - 1;
  u64 all = static_cast<u64>(b);
  for (u32 i = 0; i < count && first + i <= top; ++i) {
    u64 const one = u64{1} << (first + i);
    all = (static_cast<u64>(a) >> i & 1) != 0 ? all | one : all & ~one;
  }
  return static_cast<T>(all);
}
/// The fields that begin and end at each of these bits.
template <class T> void check_fields() {
  std::string const bits = std::to_string(8 * sizeof(T));
  for (u32 first : {0u, 1u, 13u, 31u, 32u, 63u, 64u, 255u})
    for (u32 count : {0u, 1u, 7u, 31u, 32u, 33u, 64u, 255u}) {
      std::string const field = ", " + std::to_string(first) + ", " + std::to_string(count) + ";";
      INFO("field" << field);
      pairs_of<T, T> const p(edges<T>(), edges<T>());
      auto const out = results<T>("bfe." + name_of<T>() + " %d, %a" + field, p.a);
      auto const in = results<T>("bfi.b" + bits + " %d, %a, %b" + field, p.a, p.b);
      for (std::size_t i = 0; i != p.a.size(); ++i) {
        CHECK(out[i] == extracted(p.a[i], first, count));
        CHECK(in[i] == inserted(p.a[i], p.b[i], first, count));
      }
    }
}
template <class T> void check_highest_bit() {
  auto const highest = [](T a) {
    for (u32 i = 8 * sizeof(T); i-- != 0;)
      if ((a >> i & 1) != T(a < 0)) return i;
    return ~0u;
  };
  constexpr u32 top = 8 * sizeof(T) - 1;
  check_unary<u32, T>("bfind." + name_of<T>(), highest);
  check_unary<u32, T>("bfind.shiftamt." + name_of<T>(),
                      [=](T a) { return highest(a) == ~0u ? ~0u : top - highest(a); });
}
/// Sums and differences of 2 * n bits by carries between the halves {a, b} and {b, a}.
template <class T> void check_carries() {
  constexpr int bits = 8 * sizeof(T);
  std::string const t = ".u" + std::to_string(bits),
                    before = ".reg .b" + std::to_string(bits) + " %x;\n";
  auto const both = [=](T upper, T lower) { return u128{upper} << bits | lower; };
  auto const check = [&](std::string const& first, std::string const& second, auto const& f) {
    INFO(first << " " << second);
    pairs_of<T, T> const p(edges<T>(), edges<T>());
    auto const got =
        results<T>(before + first + t + " %x, %a, %b;\n" + second + t + " %d, %b, %a;", p.a, p.b);
    for (std::size_t i = 0; i != p.a.size(); ++i)
      CHECK(got[i] == static_cast<T>(f(both(p.b[i], p.a[i]), both(p.a[i], p.b[i])) >> bits));
  };
  check("add.cc", "addc", [](u128 x, u128 y) { return x + y; });
  check("sub.cc", "subc", [](u128 x, u128 y) { return x - y; });
  check("add.cc", "addc.cc", [](u128 x, u128 y) { return x + y; });
}
/// a * b + {c, c} by `mad.lo.cc` and `madc.hi`. The upper half of a signed product is signed.
template <class T> void check_carried_products() {
  std::string const t = "." + name_of<T>();
  INFO(t);
  using U = std::make_unsigned_t<T>;
  pairs_of<T, T> const p(edges<T>(), edges<T>());
  std::vector<T> const c(p.a.size(), T(-7));
  auto const got = results<T>(".reg .b" + std::to_string(8 * sizeof(T)) + " %x;\nmad.lo.cc" + t +
                                  " %x, %a, %b, %c;\nmadc.hi" + t + " %d, %a, %b, %c;",
                              p.a, p.b, c);
  for (std::size_t i = 0; i != p.a.size(); ++i) {
    U const below = static_cast<U>(low(p.a[i], p.b[i]));
    u128 const sum = u128{below} + static_cast<U>(c[i]);
    s128 const carry = (sum >> 8 * sizeof(T)) != 0 ? 1 : 0;
    CHECK(got[i] == wrapped<T>(s128{high(p.a[i], p.b[i])} + c[i] + carry));
  }
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
TEST_CASE("products and distances are added modulo 2^n") {
  check_sums_of_products<s16>();
  check_sums_of_products<u16>();
  check_sums_of_products<s32>();
  check_sums_of_products<u32>();
  check_sums_of_products<s64>();
  check_sums_of_products<u64>();
}
TEST_CASE("integer division by zero gives all ones, and the remainder is the dividend") {
  check_division<s16>();
  check_division<u16>();
  check_division<s32>();
  check_division<u32>();
  check_division<s64>();
  check_division<u64>();
}
TEST_CASE("shifts beyond the width give 0, or the sign") {
  check_shifts<s16>();
  check_shifts<u16>();
  check_shifts<s32>();
  check_shifts<u32>();
  check_shifts<s64>();
  check_shifts<u64>();
}
TEST_CASE("wide products have twice the width") {
  check_wide<s32, s16>();
  check_wide<u32, u16>();
  check_wide<s64, s32>();
  check_wide<u64, u32>();
}
TEST_CASE("negative and absolute integers") {
  check_signs<s16>();
  check_signs<s32>();
  check_signs<s64>();
}
TEST_CASE("bits are combined and inverted") {
  check_bits<u16>();
  check_bits<u32>();
  check_bits<u64>();
}
TEST_CASE("saturated sums stop at the limits of s32") {
  check_binary<s32, s32>("add.sat.s32", [](s32 a, s32 b) {
    return static_cast<s32>(std::clamp<s64>(s64{a} + b, INT32_MIN, INT32_MAX));
  });
  check_binary<s32, s32>("sub.sat.s32", [](s32 a, s32 b) {
    return static_cast<s32>(std::clamp<s64>(s64{a} - b, INT32_MIN, INT32_MAX));
  });
}
TEST_CASE("carries pass from one sum to the next") {
  check_carries<u32>();
  check_carries<u64>();
  check_carried_products<u32>();
  check_carried_products<s32>();
  check_carried_products<u64>();
  check_carried_products<s64>();
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
  check_highest_bit<s32>();
  check_highest_bit<u32>();
  check_highest_bit<s64>();
  check_highest_bit<u64>();
  check_fields<s32>();
  check_fields<u32>();
  check_fields<s64>();
  check_fields<u64>();
  check_unary<u64, u64>("brev.b64", [](u64 a) {
    u64 r = 0;
    for (int i = 0; i != 64; ++i) r |= (a >> i & 1) << (63 - i);
    return r;
  });
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
TEST_CASE("a funnel shift takes 32 of 64 bits, by an amount that wraps or is clamped") {
  auto const left = [](u32 a, u32 b, u32 n) {
    return static_cast<u32>(((u128{b} << 32 | a) << n) >> 32);
  };
  auto const right = [](u32 a, u32 b, u32 n) { return static_cast<u32>((u128{b} << 32 | a) >> n); };
  using u = u32;
  check_ternary<u, u>("shf.l.wrap.b32", [=](u a, u b, u n) { return left(a, b, n % 32); });
  check_ternary<u, u>("shf.r.wrap.b32", [=](u a, u b, u n) { return right(a, b, n % 32); });
  check_ternary<u, u>("shf.l.clamp.b32",
                      [=](u a, u b, u n) { return left(a, b, std::min(n, 32u)); });
  check_ternary<u, u>("shf.r.clamp.b32",
                      [=](u a, u b, u n) { return right(a, b, std::min(n, 32u)); });
}
TEST_CASE("bytes are permuted by selectors in a register, of which 16 bits count") {
  std::vector<u32> const a(32, 0x83828180u), b(32, 0x07060504u);
  std::vector<u32> selectors(32);
  for (u32 i = 0; i != 32; ++i) selectors[i] = i * 0x9e3779b9u;
  auto const got = results<u32>("prmt.b32 %d, %a, %b, %c;", a, b, selectors);
  for (std::size_t i = 0; i != 32; ++i) {
    u32 expected = 0;
    for (u32 n = 0; n != 4; ++n) {
      u32 const s = selectors[i] >> 4 * n & 15, byte = (s & 7) < 4 ? 0x80 + (s & 7) : s & 7;
      expected |= ((s & 8) == 0 ? byte : byte >= 0x80 ? 0xff : 0) << 8 * n;
    }
    CHECK(got[i] == expected);
  }
}
