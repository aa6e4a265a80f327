// Packs: loads, stores, masks, choices, conversions and functions, against the same on numbers.
#include <placement/config.hpp>

#if PLACEMENT_HAS_PACKS  // not with clang before 19

#  include <placement/kernels/simd.hpp>
#  include <placement/kernels/simd_divide.hpp>

#  include <support/packs.hpp>

#  include <catch2/catch_test_macros.hpp>

#  include <array>
#  include <cmath>

using namespace placement;

namespace {

using element_types =
    std::tuple<bool, signed char, unsigned char, short, unsigned short, int, unsigned, long,
               unsigned long, long long, float, double, float16, bfloat16>;

/// f for each type T and number of lanes N: parts of a register, one, and several.
template <class F> void each_pack(F f) {
  [&]<class... T>(std::type_identity<std::tuple<T...>>) {
    auto const of = [&]<class E>(std::type_identity<E>) {
      f.template operator()<E, 2>();
      f.template operator()<E, 8>();
      f.template operator()<E, 32>();
    };
    (of(std::type_identity<T>{}), ...);
  }(std::type_identity<element_types>{});
}

template <class T, int N> using array_of = std::array<T, static_cast<std::size_t>(N)>;
template <class T> std::array<T, 64> some_values(std::uint64_t seed) {
  std::array<T, 64> x;
  words next{seed};
  for (T& e : x) e = pack_value<T>(next());
  return x;
}

}  // namespace

TEST_CASE("what is stored is what was loaded, at any address, and nothing beside it") {
  each_pack([]<class T, int N>() {
    for (std::size_t offset : {0u, 1u, 3u}) {
      auto const from = some_values<T>(7);
      std::array<T, 70> to;
      to.fill(T(1));
      std::array<T, 70> source;
      source.fill(T(1));
      std::copy(from.begin(), from.end(), source.begin() + static_cast<std::ptrdiff_t>(offset));
      simd::store(to.data() + offset + 1, simd::load<N>(source.data() + offset));
      for (std::size_t i = 0; i != to.size(); ++i) {
        bool const inside = i > offset && i <= offset + static_cast<std::size_t>(N);
        T const expected = inside ? from[i - offset - 1] : T(1);
        CHECK(std::memcmp(&to[i], &expected, sizeof(T)) == 0);
      }
    }
  });
}

TEST_CASE("a broadcast has one value in each lane") {
  each_pack([]<class T, int N>() {
    for (T x : some_values<T>(3)) {
      array_of<T, N> to;
      simd::store(to.data(), simd::broadcast<N>(x));
      for (T e : to) CHECK(same_bits(e, x));
    }
  });
  std::array<float, 4> zeros;
  simd::store(zeros.data(), simd::broadcast<4>(-0.f));
  CHECK(std::signbit(zeros[2]));
}

TEST_CASE("a select takes each lane from one of two packs, whatever the mask's width") {
  each_pack([]<class T, int N>() {
    auto const a = some_values<T>(1), b = some_values<T>(2);
    auto const c = some_values<bool>(3);
    auto const x = simd::load<N>(a.data()), y = simd::load<N>(b.data());
    auto const check = [&](auto const& m) {
      array_of<T, N> to;
      simd::store(to.data(), simd::select(m, x, y));
      for (std::size_t i = 0; i != to.size(); ++i)
        CHECK(std::memcmp(&to[i], c[i] ? &a[i] : &b[i], sizeof(T)) == 0);
    };
    auto const m = simd::load<N>(c.data());
    check(m);
    check(simd::resize<short>(m));
    check(simd::resize<int>(m));
    check(simd::resize<long>(m));
    array_of<bool, N> back;
    simd::store(back.data(), simd::resize<long>(m));
    for (std::size_t i = 0; i != back.size(); ++i) CHECK(back[i] == c[i]);
  });
}

namespace {
struct both_op {
  static constexpr bool takes_packs = true;
  template <class M> M operator()(M const& a, M const& b) const { return a && b; }
};
}  // namespace
TEST_CASE("masks of comparisons of different types are combined") {
  std::array<double, 8> const d{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<float, 8> const f{8, 7, 6, 5, 4, 3, 2, 1};
  auto const narrow = simd::load<8>(f.data()) > simd::pack<float, 8>(4.5f);
  auto const wide = simd::load<8>(d.data()) > simd::pack<double, 8>(2.5);
  std::array<bool, 8> to;
  simd::store(to.data(), simd::apply(both_op{}, narrow, wide));
  CHECK(to == std::array<bool, 8>{false, false, true, true, false, false, false, false});
  CHECK(simd::any(narrow));
  CHECK(!simd::any(narrow & !narrow));
}

namespace {
/// Whether a number of type T has a value in To.
template <class To, class T> bool fits(T x) {
  if constexpr (real_number<T> && std::is_integral_v<To>) {
    auto const wide = static_cast<long double>(widened(x));
    return wide >= static_cast<long double>(std::numeric_limits<To>::min()) &&
           wide <= static_cast<long double>(std::numeric_limits<To>::max());
  } else return true;
}
}  // namespace
namespace {
/// Checks `got` against numbers of type To. One function for all types converted from.
template <class To> void check_converted(To const* got, To const* expected, int n) {
  for (int i = 0; i != n; ++i)
    if (!same_bits(got[i], expected[i])) {
      INFO("to " << sizeof(To) << " bytes, " << n << " lanes, lane " << i);
      CHECK(shown(got[i]) == shown(expected[i]));
      CHECK(same_bits(got[i], expected[i]));
    }
}
template <int N, class T, class To> void check_conversion() {
  for (std::uint64_t seed = 0; seed != 8; ++seed) {
    auto from = some_values<T>(seed);
    array_of<To, N> to, expected;
    for (std::size_t i = 0; i != to.size(); ++i) {
      if (!fits<To>(from[i])) from[i] = T{};
      expected[i] = static_cast<To>(widened(from[i]));
    }
    simd::store(to.data(), simd::convert<To>(simd::load<N>(from.data())));
    check_converted(to.data(), expected.data(), N);
  }
}
/// The conversions among all types but bool.
template <int N, class B, class... T>
void check_conversions(std::type_identity<std::tuple<B, T...>>) {
  auto const from = []<class From>(std::type_identity<From>) {
    (check_conversion<N, From, T>(), ...);
  };
  (from(std::type_identity<T>{}), ...);
}
}  // namespace
TEST_CASE("a conversion of packs is that of numbers") {
  check_conversions<2>(std::type_identity<element_types>{});
  check_conversions<32>(std::type_identity<element_types>{});
}

TEST_CASE("every number of 16 bits is loaded, stored and converted exactly") {
  auto const check = []<class T>(T) {
    for (std::uint32_t first = 0; first != 65536; first += 16) {
      std::array<T, 16> from, to;
      for (std::uint32_t i = 0; i != 16; ++i)
        from[i] = T::from_bits(static_cast<std::uint16_t>(first + i));
      auto const x = simd::load<16>(from.data());
      simd::store(to.data(), x);
      CHECK(std::memcmp(&to, &from, sizeof to) == 0);
      std::array<float, 16> wide;
      simd::store(wide.data(), simd::convert<float>(x));
      for (std::size_t i = 0; i != 16; ++i) CHECK(same_bits(wide[i], static_cast<float>(from[i])));
    }
  };
  check(float16{});
  check(bfloat16{});
}
TEST_CASE("floats are rounded to 16 bits as numbers are") {
  auto const check = []<class T>(T) {
    for (std::uint64_t bits = 0; bits < 0x100000000; bits += 16 * 1009) {
      std::array<float, 16> from;
      for (std::uint32_t i = 0; i != 16; ++i)
        from[i] = __builtin_bit_cast(float, static_cast<std::uint32_t>(bits + i * 1009));
      std::array<T, 16> to;
      simd::store(to.data(), simd::convert<T>(simd::load<16>(from.data())));
      bool equal = true;
      for (std::size_t i = 0; i != 16; ++i) equal = equal && to[i].bits == T(from[i]).bits;
      if (!equal) CHECK(bits == 0);
    }
  };
  check(float16{});
  check(bfloat16{});
}

namespace {
template <class T> void check_rounding() {
  for (double size : {1., 1e3, 0x1p22, 0x1p23, 0x1p24, 0x1p51, 0x1p52, 0x1p53, 1e300}) {
    words next;
    for (int n = 0; n != 200; ++n) {
      std::array<T, 8> x, y;
      for (T& e : x)
        e = static_cast<T>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(next())), -63) *
                           size);
      x[0] = static_cast<T>(std::floor(static_cast<double>(x[0])) + 0.5);
      auto const p = simd::load<8>(x.data());
      auto const check = [&](auto const& got, auto f) {
        simd::store(y.data(), got);
        for (std::size_t i = 0; i != 8; ++i) CHECK(same_bits(y[i], f(x[i])));
      };
      check(floor(p), [](T v) { return std::floor(v); });
      check(ceil(p), [](T v) { return std::ceil(v); });
      check(trunc(p), [](T v) { return std::trunc(v); });
      check(nearbyint(p), [](T v) { return std::nearbyint(v); });
    }
  }
}
}  // namespace
TEST_CASE("packs are rounded to whole numbers as numbers are") {
  check_rounding<float>();
  check_rounding<double>();
}
TEST_CASE("the rounding by additions is that of the instructions") {
  for (double x : {0., -0., 0.5, -0.5, 0.49999999999999994, 1.5, -1.5, 2.5, 0x1p52, -0x1p52 - 1,
                   0x1p51 + 0.5, 1e308, HUGE_VAL, -HUGE_VAL}) {
    using two = simd::detail::reg<double, 2>;
    two const v{x, x};
    using enum simd::detail::rounding;
    CHECK(same_bits(simd::detail::round_by_adding<nearest>(v)[1], std::nearbyint(x)));
    CHECK(same_bits(simd::detail::round_by_adding<down>(v)[1], std::floor(x)));
    CHECK(same_bits(simd::detail::round_by_adding<up>(v)[1], std::ceil(x)));
    CHECK(same_bits(simd::detail::round_by_adding<to_zero>(v)[1], std::trunc(x)));
  }
}

TEST_CASE("packs for an expression fill a register with its narrowest elements") {
  constexpr int bytes = PLACEMENT_VECTOR_BYTES;
  static_assert(simd::lanes_for<float> == bytes / 4);
  static_assert(simd::lanes_for<double> == bytes / 8);
  static_assert(simd::lanes_for<float, double> == bytes / 4);
  static_assert(simd::lanes_for<bool, float> == bytes);
  static_assert(simd::lanes_for<bool, double> == bytes / 2, "four registers of the widest");
  static_assert(simd::lanes_for<float16> == bytes / 2);
  static_assert(simd::pack<double, simd::lanes_for<bool, double>>::registers == 4);
  static_assert(simd::pack<signed char, 2>::registers == 1);
}

TEST_CASE("element numbers are 64 bits wide") {
  std::array<index_t, 8> to;
  index_t const first = (index_t{1} << 40) - 3;
  simd::store(to.data(), simd::iota<8>(first));
  for (std::size_t i = 0; i != 8; ++i) CHECK(to[i] == first + static_cast<index_t>(i));
}

namespace {
/// An op as users write them: of numbers alone, to another type.
struct halves_op {
  template <std::integral T> double operator()(T x) const { return static_cast<double>(x) / 2; }
};
/// An op that would take anything, and does not say that it takes packs.
struct larger_op {
  template <class T> T operator()(T x, T y) const { return x > y ? x : y; }
};
}  // namespace
TEST_CASE("an op of numbers alone is applied to each lane") {
  std::array<int, 8> const x{1, -2, 3, 4, 5, 6, 7, -8}, y{0, 0, 9, 0, 9, 0, 9, 0};
  std::array<double, 8> half;
  simd::store(half.data(), simd::apply(halves_op{}, simd::load<8>(x.data())));
  CHECK(half == std::array<double, 8>{0.5, -1, 1.5, 2, 2.5, 3, 3.5, -4});
  std::array<int, 8> larger;
  simd::store(larger.data(),
              simd::apply(larger_op{}, simd::load<8>(x.data()), simd::load<8>(y.data())));
  CHECK(larger == std::array<int, 8>{1, 0, 9, 4, 9, 6, 9, 0});
}

#endif
