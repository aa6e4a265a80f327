// Comparisons and selections of all types: `setp`, `set`, `selp`.
#include "ptx_program.hpp"

using namespace ptx;

namespace {

template <class T> std::string name_of() {
  return (std::is_floating_point_v<T> ? "f"
          : std::is_signed_v<T>       ? "s"
                                      : "u") +
         std::to_string(8 * sizeof(T));
}
/// What a comparison gives on the host.
template <class T> bool holds(std::string const& c, T a, T b) {
  bool const unordered = a != a || b != b;
  if (c == "nan") return unordered;
  if (c == "num") return !unordered;
  if (unordered) return c.size() == 3;  // equ, neu, ltu, leu, gtu, geu
  std::string const two = c.substr(0, 2);
  if (two == "eq") return a == b;
  if (two == "ne") return a != b;
  if (two == "lt" || two == "lo") return a < b;
  if (two == "le" || two == "ls") return a <= b;
  if (two == "gt" || two == "hi") return a > b;
  return a >= b;
}
/// The comparisons of a type.
template <class T> std::vector<std::string> comparisons() {
  std::vector<std::string> all{"eq", "ne", "lt", "le", "gt", "ge"};
  if constexpr (std::is_floating_point_v<T>)
    for (char const* c : {"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"}) all.push_back(c);
  else if constexpr (std::is_unsigned_v<T>)
    for (char const* c : {"lo", "ls", "hi", "hs"}) all.push_back(c);
  return all;
}
std::string const choose = ";\nselp.u32 %d, 1, 0, %p1;";

template <class T> void check_comparisons() {
  std::string const t = "." + name_of<T>();
  auto const bit = [](bool b) { return u32{b}; };
  pairs_of<T, T> const p(edges<T>(), edges<T>());
  for (std::string const& c : comparisons<T>()) {
    INFO(c << t);
    auto const plain = results<u32>("setp." + c + t + " %p1, %a, %b" + choose, p.a, p.b);
    auto const words = results<u32>("set." + c + ".u32" + t + " %d, %a, %b;", p.a, p.b);
    auto const ones = results<float>("set." + c + ".f32" + t + " %d, %a, %b;", p.a, p.b);
    for (std::size_t i = 0; i != p.a.size(); ++i) {
      INFO("of " << +p.a[i] << " and " << +p.b[i]);
      bool const expected = holds(c, p.a[i], p.b[i]);
      CHECK(plain[i] == bit(expected));
      CHECK(words[i] == (expected ? ~0u : 0u));
      CHECK(ones[i] == (expected ? 1.f : 0.f));
    }
  }
}
/// A comparison combined with a predicate, and its complement combined with it.
template <class T> void check_combinations() {
  std::string const t = "." + name_of<T>();
  pairs_of<T, T> const p(edges<T>(), edges<T>());
  std::string const other = "setp.gt" + t + " %p2, %a, %b;\n";
  for (std::string const how : {"and", "or", "xor"}) {
    INFO(how << t);
    auto const combined = [&](bool x, bool y) {
      return how == "and" ? x && y : how == "or" ? x || y : x != y;
    };
    std::string const op = ".ne." + how;
    auto const of = [&](std::string const& text) { return results<u32>(other + text, p.a, p.b); };
    auto const first = of("setp" + op + t + " %p1|%p3, %a, %b, %p2" + choose);
    auto const second = of("setp" + op + t + " %p3|%p1, %a, %b, !%p2" + choose);
    auto const word = of("set" + op + ".s32" + t + " %d, %a, %b, %p2;");
    for (std::size_t i = 0; i != p.a.size(); ++i) {
      INFO("of " << +p.a[i] << " and " << +p.b[i]);
      bool const ne = holds("ne", p.a[i], p.b[i]), gt = holds("gt", p.a[i], p.b[i]);
      CHECK(first[i] == u32{combined(ne, gt)});
      CHECK(second[i] == u32{combined(!ne, !gt)});
      CHECK(word[i] == (combined(ne, gt) ? ~0u : 0u));
    }
  }
}
/// Selects by whether the number of the thread is even.
template <class T> void check_selection(std::string const& type) {
  INFO(type);
  pairs_of<T, T> const p(edges<T>(), edges<T>());
  auto const got = results<T>(
      "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p1, %r4, 0;\nselp." + type + " %d, %a, %b, %p1;", p.a,
      p.b);
  for (std::size_t i = 0; i != p.a.size(); ++i) CHECK(same(got[i], i % 2 == 0 ? p.a[i] : p.b[i]));
}
template <class... T> void check_types() {
  (check_comparisons<T>(), ...);
  (check_combinations<T>(), ...);
  (check_selection<T>(name_of<T>()), ...);
}

}  // namespace

TEST_CASE("comparisons of floats are ordered or unordered, and combine with predicates") {
  check_types<float, double>();
}
TEST_CASE("comparisons of integers know the sign, and combine with predicates") {
  check_types<s16, u16, s32, u32, s64, u64>();
}
TEST_CASE("bits are compared for equality, and selected") {
  pairs_of<u64, u64> const p(edges<u64>(), edges<u64>());
  auto const eq = results<u32>("setp.eq.b64 %p1, %a, %b" + choose, p.a, p.b);
  auto const ne = results<u32>("setp.ne.b64 %p1, %a, %b" + choose, p.a, p.b);
  for (std::size_t i = 0; i != p.a.size(); ++i) {
    CHECK(eq[i] == u32{p.a[i] == p.b[i]});
    CHECK(ne[i] == u32{p.a[i] != p.b[i]});
  }
  check_selection<u16>("b16");
  check_selection<u32>("b32");
  check_selection<u64>("b64");
}
