// The errors of functions of two arguments, of numbers and of packs: of all pairs of edges, and of
// drawn pairs. docs/math.md documents the allowed errors.
#include <placement/kernels/simd.hpp>
#include <placement/kernels/simd_divide.hpp>
#include <placement/math/atan2.hpp>
#include <placement/math/hypot.hpp>
#include <placement/math/logaddexp.hpp>
#include <placement/math/pow.hpp>
#include <support/packs.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace math = placement::math;
namespace simd = placement::simd;

namespace {

template <class T> using limits = std::numeric_limits<T>;
/// More digits, and a wider range.
template <class T> using wide = std::conditional_t<sizeof(T) == 4, double, long double>;

template <class T> struct pair {
  T a, b;
};

/// Numbers for pairs, from a seed.
template <class T> class numbers_from {
 public:
  explicit numbers_from(std::uint64_t seed) : next_{seed} {}

  T any() { return std::bit_cast<T>(static_cast<math::bits_of<T>>(next_())); }
  bool coin() { return next_() >> 63 != 0; }
  int whole(int least, int most) {
    return least + static_cast<int>(next_() % static_cast<unsigned>(most - least + 1));
  }
  double within(double least, double most) {
    return least + (most - least) * static_cast<double>(next_() >> 11) * 0x1p-53;
  }
  double sign() { return coin() ? -1 : 1; }
  /// Of either sign and any size from 2^least to 2^most.
  double sized(int least, int most) {
    return sign() * std::ldexp(within(1, 2), whole(least, most - 1));
  }
  /// 1, and as near to it as the last digit or less near.
  double near_one() { return 1 + sign() * std::ldexp(within(0, 1), -whole(0, limits<T>::digits)); }

 private:
  words next_;
};

/// The ways to draw a pair that all functions have.
constexpr int common_ways = 8;
template <class T> pair<double> drawn_commonly(numbers_from<T>& numbers, int way) {
  constexpr int lowest = limits<T>::min_exponent - limits<T>::digits,
                highest = limits<T>::max_exponent;
  double const any = numbers.any();
  switch (way) {
    case 0: return {any, numbers.any()};
    case 1: return {any, any * numbers.within(-2, 2)};  // of like size
    case 2: return {any * numbers.within(-2, 2), any};
    case 3: return {any, any * numbers.sign() * numbers.near_one()};
    case 4: return {numbers.sized(-20, 20), numbers.sized(-20, 20)};
    case 5: return {numbers.whole(-999, 999) * 0.5, numbers.whole(-999, 999) * 0.5};
    case 6: return {numbers.near_one(), numbers.sign() * numbers.near_one()};
    default: {  // the ends of the type
      int const end = numbers.coin() ? lowest + limits<T>::digits : highest - 3;
      return {numbers.sized(end - limits<T>::digits, end + 3),
              numbers.sized(end - limits<T>::digits, end + 3)};
    }
  }
}

struct atan2_pairs {
  static constexpr char const* says = "atan2";
  template <class T> static constexpr double allowed = sizeof(T) == 4 ? 2 : 1.5;
  template <class V> static V ours(V y, V x) { return math::atan2(y, x); }
  template <class W> static W exact(W y, W x) { return std::atan2(y, x); }

  /// Where the quotient has a larger unit than the angle, its error counts most.
  static constexpr int ways = 1;
  template <class T> static pair<double> drawn(numbers_from<T>& numbers, int) {
    double const larger = numbers.sized(-9, 9), smaller = larger * numbers.within(0.45, 0.6);
    return numbers.coin() ? pair<double>{smaller, larger} : pair<double>{larger, -smaller};
  }
};

struct hypot_pairs {
  static constexpr char const* says = "hypot";
  template <class T> static constexpr double allowed = 1.5;
  template <class V> static V ours(V x, V y) { return math::hypot(x, y); }
  template <class W> static W exact(W x, W y) {
    return std::isinf(x) || std::isinf(y) ? limits<W>::infinity() : std::sqrt(x * x + y * y);
  }

  /// One that is just seen beside the other; and where the squares begin to be scaled.
  static constexpr int ways = 2;
  template <class T> static pair<double> drawn(numbers_from<T>& numbers, int way) {
    if (way == 0) {
      double const larger = numbers.sized(-9, 9);
      return {larger, larger * numbers.sized(-limits<T>::digits / 2 - 2, 0)};
    }
    int const size = (limits<T>::max_exponent / 2 - 2) * (numbers.coin() ? 1 : -1);
    return {numbers.sized(size - 16, size + 3), numbers.sized(size - 16, size + 3)};
  }
};

struct pow_pairs {
  static constexpr char const* says = "pow";
  template <class T> static constexpr double allowed = sizeof(T) == 4 ? 1 : 1.5;
  template <class V> static V ours(V x, V y) { return math::pow(x, y); }
  template <class W> static W exact(W x, W y) { return std::pow(x, y); }

  /// Powers from the smallest to the largest, of numbers of any size and near 1; whole exponents.
  static constexpr int ways = 4;
  template <class T> static pair<double> drawn(numbers_from<T>& numbers, int way) {
    constexpr double least = (limits<T>::min_exponent - limits<T>::digits - 2) * 0.6931471805599453,
                     most = (limits<T>::max_exponent + 1) * 0.6931471805599453;
    if (way == 0) return {numbers.sized(-9, 9), numbers.whole(-128, 128) * 0.5};
    double const any = std::fabs(numbers.any());
    double const x = way == 1 ? any : way == 2 ? numbers.within(0.5, 2) : numbers.near_one();
    return {x, numbers.within(least, most) / std::log(static_cast<double>(static_cast<T>(x)))};
  }
};

struct logaddexp_pairs {
  static constexpr char const* says = "logaddexp";
  template <class T> static constexpr double allowed = sizeof(T) == 4 ? 2 : 1.5;
  template <class V> static V ours(V x, V y) { return math::logaddexp(x, y); }
  template <class W> static W exact(W x, W y) {
    if (!(x < y) && !(x > y)) return x + (y - y == 0 ? std::log(W{2}) : y);  // equal, or NaN
    return std::max(x, y) + std::log1p(std::exp(std::min(x, y) - std::max(x, y)));
  }
  /// Near 0 the two terms cancel, and their errors stay: those are in ulps of 1/2.
  static constexpr bool cancels = true;

  static constexpr int ways = 4;
  template <class T> static pair<double> drawn(numbers_from<T>& numbers, int way) {
    if (way == 0) return {numbers.within(-1, 1), numbers.within(-1, 1)};
    if (way == 1) return {numbers.within(-40, 40), numbers.within(-40, 40)};
    double const x = numbers.within(-760, 760);
    if (way == 2) return {x, x + numbers.sized(-30, 6)};
    double const less = -std::fabs(numbers.sized(-20, 5));  // the result is near 0
    return {less, std::log1p(-std::exp(less)) * numbers.near_one()};
  }
};

#if PLACEMENT_HAS_PACKS
/// Of packs alone: that of numbers is std::fmod.
struct modulo_pairs {
  static constexpr char const* says = "modulo";
  template <class T> static constexpr double allowed = 0;
  template <class V> static V ours(V const& x, V const& y) { return simd::fmod(x, y); }
  static long double exact(long double x, long double y) { return std::fmod(x, y); }
  static constexpr bool of_packs_alone = true;

  /// Near whole multiples, and quotients of any number of digits.
  static constexpr int ways = 2;
  template <class T> static pair<double> drawn(numbers_from<T>& numbers, int way) {
    double const y = numbers.sized(-9, 9);
    if (way == 0) return {y * std::trunc(numbers.sized(0, limits<T>::digits)), y};
    return {numbers.sized(0, 80), y};
  }
};
#endif

/// f(F, T) for each function and type.
template <class T, class F> void for_each_function_of(F const& f) {
  f.template operator()<atan2_pairs, T>();
  f.template operator()<hypot_pairs, T>();
  f.template operator()<pow_pairs, T>();
  f.template operator()<logaddexp_pairs, T>();
#if PLACEMENT_HAS_PACKS
  f.template operator()<modulo_pairs, T>();
#endif
}

/// 1 / the unit in the last place of the numbers with these bits of the exponent.
template <class T> wide<T> units_per_one(int biased) {
  using format = math::format<T>;
  static auto const table = [] {
    std::vector<wide<T>> units;
    for (int i = 0; i != 2 * format::bias + 2; ++i)
      units.push_back(std::ldexp(wide<T>{1}, format::digits + format::bias - (i == 0 ? 1 : i)));
    return units;
  }();
  return table[static_cast<std::size_t>(biased)];
}

/// The error in ulps of the exact result, infinite if it is of another kind or sign. That of an
/// infinity is the one of the first power of two that the type does not have.
template <class F, class T, class Exact> double error_of(T got, Exact exact) {
  using W = wide<T>;
  constexpr double wrong = limits<double>::infinity();
  constexpr bool cancels = requires { F::cancels; };
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) == std::isnan(got) ? 0 : wrong;
  if (!cancels && std::signbit(got) != std::signbit(exact)) return wrong;
  if ((exact == 0 && !cancels) || std::isinf(exact))
    return static_cast<Exact>(got) == exact ? 0 : wrong;
  static W const end = std::ldexp(W{1}, limits<T>::max_exponent);
  W const size = static_cast<W>(std::fabs(exact));
  if (std::isinf(got) && size >= end) return 0;
  T rounded = size < end ? static_cast<T>(size) : limits<T>::max();
  if (static_cast<W>(rounded) > size)  // to the number below
    rounded = std::bit_cast<T>(math::to_bits(rounded) - 1);
  int const exponent = static_cast<int>(math::to_bits(rounded) >> math::format<T>::digits);
  W const value = std::isinf(got) ? std::copysign(end, static_cast<W>(got)) : static_cast<W>(got);
  constexpr int of_half = math::format<T>::bias - 1;
  return static_cast<double>(std::fabs(value - static_cast<W>(exact)) *
                             units_per_one<T>(cancels ? std::max(exponent, of_half) : exponent));
}

/// The largest error, and where it is.
template <class T> struct worst {
  double ulps = 0;
  pair<T> at{};
  T got{};
  void see(double error, pair<T> x, T y) {
    if (error <= ulps) return;
    ulps = error;
    at = x;
    got = y;
  }
  std::string text() const {
    std::ostringstream out;
    out << ulps << std::hexfloat << " of (" << at.a << ", " << at.b << "): " << got;
    return out.str();
  }
};

/// As many pairs as a loop computes before they are checked.
constexpr int pairs_of_block = 1024;
template <class T> struct block_of_pairs {
  std::array<T, pairs_of_block> a{}, b{};
};

template <class F, class T> void check_block(worst<T>& w, block_of_pairs<T> const& pairs) {
  constexpr auto n = static_cast<std::size_t>(pairs_of_block);
  std::array<T, n> of_numbers{}, of_packs{};
  constexpr bool packs_alone = requires { F::of_packs_alone; };
  if constexpr (!packs_alone)
    for (std::size_t i = 0; i != n; ++i) of_numbers[i] = F::ours(pairs.a[i], pairs.b[i]);
#if PLACEMENT_HAS_PACKS
  constexpr int lanes = simd::lanes_for<T>;
  for (std::size_t i = 0; i != n; i += static_cast<std::size_t>(lanes))
    simd::store(&of_packs[i],
                F::ours(simd::load<lanes>(&pairs.a[i]), simd::load<lanes>(&pairs.b[i])));
#else
  of_packs = of_numbers;
#endif
  for (std::size_t i = 0; i != n; ++i) {
    pair<T> const x{pairs.a[i], pairs.b[i]};
    auto const exact = F::exact(static_cast<wide<T>>(x.a), static_cast<wide<T>>(x.b));
    w.see(error_of<F>(of_packs[i], exact), x, of_packs[i]);
    if (packs_alone || math::to_bits(of_numbers[i]) == math::to_bits(of_packs[i])) continue;
    w.see(error_of<F>(of_numbers[i], exact), x, of_numbers[i]);
  }
}

/// The same pairs for any number of threads: each block has a seed of its own.
template <class F, class T> worst<T> over_drawn_pairs(std::uint64_t count, std::uint64_t seed) {
  constexpr auto size = static_cast<std::uint64_t>(pairs_of_block);
  constexpr std::uint64_t ways = common_ways + F::ways;
  std::uint64_t const blocks = (count + size - 1) / size;
  std::atomic<std::uint64_t> next = 0;
  std::vector<worst<T>> of_threads(std::max(1u, std::thread::hardware_concurrency()));
  auto const work = [&](worst<T>& w) {
    block_of_pairs<T> pairs;
    for (std::uint64_t block = next++; block < blocks; block = next++) {
      numbers_from<T> numbers(words{seed * 0x9e3779b9 + block}());
      auto const way = static_cast<int>(block % ways);
      for (std::size_t i = 0; i != pairs_of_block; ++i) {
        auto const [a, b] =
            way < common_ways ? drawn_commonly(numbers, way) : F::drawn(numbers, way - common_ways);
        pairs.a[i] = static_cast<T>(a);
        pairs.b[i] = static_cast<T>(b);
      }
      check_block<F>(w, pairs);
    }
  };
  std::vector<std::thread> threads;
  for (auto& w : of_threads) threads.emplace_back(work, std::ref(w));
  for (auto& thread : threads) thread.join();
  worst<T> all;
  for (auto const& w : of_threads) all.see(w.ulps, w.at, w.got);
  return all;
}

template <class F, class T> void check_drawn_pairs(std::uint64_t count, std::uint64_t seed) {
  auto const w = over_drawn_pairs<F, T>(count, seed);
  INFO(F::says << " of " << sizeof(T) << " bytes: " << w.text() << " (seed " << seed << ')');
  CHECK(w.ulps <= F::template allowed<T>);
}

std::uint64_t from_environment(char const* name, std::uint64_t otherwise) {
  char const* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}
template <class T> void check_a_billion_pairs() {
  std::uint64_t const count = from_environment("PLACEMENT_PAIRS", 1'000'000'000),
                      seed = from_environment("PLACEMENT_PAIRS_SEED", 1);
  for_each_function_of<T>([&]<class F, class> {
    DYNAMIC_SECTION(F::says) { check_drawn_pairs<F, T>(count, seed); }
  });
}

/// The ends of a type, neighbours of numbers where a function changes, and whole and half numbers.
template <class T> std::vector<T> edges() {
  constexpr T one = 1, eps = limits<T>::epsilon(), inf = limits<T>::infinity();
  constexpr T least = limits<T>::denorm_min(), min = limits<T>::min(), max = limits<T>::max();
  T const whole = 1 / eps;  // from here on all numbers are whole, from its double on even
  std::vector<T> v{0,
                   least,
                   3 * least,
                   min - least,
                   min,
                   min + least,
                   2 * min,
                   std::sqrt(min),
                   std::sqrt(least),
                   eps * eps,
                   eps / 2,
                   eps,
                   T(0.25),
                   T(0.5) - eps / 4,
                   T(0.5),
                   T(0.5) + eps / 2,
                   std::sqrt(T(0.5)),
                   one - eps / 2,
                   one,
                   one + eps,
                   std::sqrt(T(2)),
                   T(1.5),
                   T(2) - eps,
                   T(2),
                   T(2) + 2 * eps,
                   T(2.5),
                   T(3),
                   T(4),
                   T(7.5),
                   T(10),
                   T(64),
                   T(127),
                   T(128),
                   T(149.5),
                   T(1023),
                   T(1024),
                   T(1074.5),
                   std::log(max),
                   -std::log(min),
                   -std::log(min) - std::log(eps),
                   whole / 2 - T(0.5),
                   whole / 2 + T(0.5),
                   whole - 1,
                   whole,
                   whole + 1,
                   2 * whole - 1,
                   2 * whole,
                   2 * whole + 2,
                   std::sqrt(max),
                   max / 2,
                   max - max * eps / 2,
                   max,
                   inf,
                   limits<T>::quiet_NaN()};
  for (std::size_t n = v.size(), i = 0; i != n; ++i) v.push_back(-v[i]);
  return v;
}
template <class F, class T> worst<T> over_edges() {
  worst<T> w;
  block_of_pairs<T> pairs;
  std::size_t n = 0;
  auto const v = edges<T>();
  for (T const a : v)
    for (T const b : v) {
      pairs.a[n] = a;
      pairs.b[n] = b;
      if (++n != pairs_of_block) continue;
      check_block<F>(w, pairs);
      n = 0;
    }
  check_block<F>(w, pairs);  // also the rest
  return w;
}
template <class T> void check_edges() {
  for_each_function_of<T>([]<class F, class> {
    auto const w = over_edges<F, T>();
    INFO(F::says << " of " << sizeof(T) << " bytes: " << w.text());
    CHECK(w.ulps <= F::template allowed<T>);
  });
}

}  // namespace

TEST_CASE("functions of two arguments have the right kind, sign and digits for all edges") {
  check_edges<float>();
  check_edges<double>();
}

TEST_CASE("errors of functions of two arguments are within the documented ulps") {
  auto const check = []<class F, class T> { check_drawn_pairs<F, T>(1 << 17, 1); };
  for_each_function_of<float>(check);
  for_each_function_of<double>(check);
}

TEST_CASE("pairs do not depend on the number of threads, but on the seed") {
  auto const first = over_drawn_pairs<pow_pairs, float>(50'000, 3),
             again = over_drawn_pairs<pow_pairs, float>(50'000, 3),
             other = over_drawn_pairs<pow_pairs, float>(50'000, 4);
  CHECK(first.ulps == again.ulps);
  CHECK(first.ulps != other.ulps);
}

TEST_CASE("errors of functions of two floats are within the documented ulps for 10^9 pairs",
          "[.billion_pairs]") {
  check_a_billion_pairs<float>();
}

TEST_CASE("errors of functions of two doubles are within the documented ulps for 10^9 pairs",
          "[.billion_pairs]") {
  check_a_billion_pairs<double>();
}
