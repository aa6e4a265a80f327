#pragma once
/// Values for tests of packs, and ops on packs held against the same ops on numbers.

#include <placement/kernels/simd.hpp>

#include <support/call_of.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

/// Memory for elements; a vector<bool> has none.
template <class T> struct buffer_of {
  std::size_t n;
  std::unique_ptr<T[]> p = std::make_unique<T[]>(n);
};

/// Pseudo-random 64-bit words. Source: Steele, Lea, Flood: SplitMix (2014).
struct words {
  std::uint64_t state = 1;
  std::uint64_t operator()() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
};

/// The ends of a type, what lies beside them, and small numbers.
template <class T> std::vector<T> pack_edges() {
  using limits = std::numeric_limits<T>;
  std::vector<T> all;
  auto const put = [&](auto x) { all.push_back(static_cast<T>(x)); };
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true, true, false};
  } else if constexpr (placement::real_number<T>) {
    for (T x : {limits::max(), limits::min(), limits::denorm_min(), limits::infinity(),
                limits::epsilon()}) {
      all.push_back(x);
      all.push_back(-x);
    }
    put(std::numeric_limits<float>::quiet_NaN());
    for (double x : {0.,
                     0.25,
                     0.5,
                     0.75,
                     1.,
                     1.5,
                     2.,
                     2.5,
                     3.,
                     3.5,
                     7.,
                     10.25,
                     87.5,
                     100.,
                     126.5,
                     127.5,
                     255.5,
                     256.,
                     1023.9,
                     1024.,
                     2048.,
                     65504.,
                     65520.,
                     8388607.5,
                     8388608.,
                     16777217.,
                     2147483647.,
                     2147483648.,
                     4294967295.,
                     4294967296.,
                     1e15,
                     4503599627370495.5,
                     4503599627370496.,
                     9223372036854775807.,
                     1e19,
                     1e30}) {
      put(x);
      put(-x);
    }
  } else {
    for (T x : {limits::max(), limits::min()})
      for (int d = 0; d != 3; ++d) {
        put(static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(d));
        put(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(d));
      }
    for (int x : {0, 1, 2, 3, 5, 7, 10, 31, 63, 64, 100, 120})
      for (int sign : {1, -1}) put(static_cast<std::uint64_t>(sign * x));
  }
  return all;
}
/// One number of ordinary size, or any bits.
template <class T> T pack_value(std::uint64_t word) {
  if constexpr (std::is_same_v<T, bool>) {
    return (word & 1) != 0;
  } else if constexpr (placement::number_of_16_bits<T>) {
    return T::from_bits(static_cast<std::uint16_t>(word >> 7));
  } else if constexpr (std::is_floating_point_v<T>) {
    if (word % 4 == 0) {
      T x;
      std::memcpy(&x, &word, sizeof x);
      return x;
    }
    double const unit = static_cast<double>(static_cast<std::int64_t>(word)) * 0x1p-63;
    return static_cast<T>(word % 4 == 1 ? unit : word % 4 == 2 ? unit * 20 : unit * 2000);
  } else {
    return static_cast<T>(word % 2 == 0 ? word >> 5 : (word >> 5) % 17 - 8);
  }
}
/// Edges, each beside each of `beside` values in turn, then random ones; a multiple of 128.
template <class T> buffer_of<T> pack_values(std::size_t repeated, std::size_t edge, words next) {
  auto const edges = pack_edges<T>();
  constexpr std::size_t n = 80 * 80 + 5 * 512;
  buffer_of<T> all{n / 128 * 128 + 128};
  for (std::size_t i = 0; i != all.n; ++i)
    all.p[i] =
        i < 80 * 80 ? edges[(repeated == 0 ? i : i / edge) % edges.size()] : pack_value<T>(next());
  return all;
}

/// The same bits; every NaN is the same.
template <class T> bool same_bits(T a, T b) {
  if constexpr (placement::real_number<T>)
    if (a != a && b != b) return true;
  return std::memcmp(&a, &b, sizeof a) == 0;
}
template <class T> std::string shown(T x) {
  if constexpr (placement::number_of_16_bits<T>) return std::to_string(static_cast<float>(x));
  else if constexpr (std::is_floating_point_v<T>) {
    char text[64];
    std::snprintf(text, sizeof text, "%a", static_cast<double>(x));
    return text;
  } else return std::to_string(x);
}

/// The first differences of results, with their operands. Empty if there are none.
template <class R>
std::string differences_of_packs(buffer_of<R> const& got, buffer_of<R> const& expected,
                                 test::call_of<std::string(std::size_t)> operands) {
  std::string wrong;
  for (std::size_t i = 0; i != got.n && wrong.size() < 500; ++i)
    if (!same_bits<R>(got.p[i], expected.p[i]))
      wrong +=
          "(" + operands(i) + ") gives " + shown(got.p[i]) + ", not " + shown(expected.p[i]) + "\n";
  return wrong;
}
/// Operand number i of each, as text.
template <class... T> std::string shown_operands(std::size_t i, buffer_of<T> const&... x) {
  return ((shown(x.p[i]) + " ") + ...);
}

/// op on packs of N lanes is op on numbers, for edges in all combinations and for random numbers.
template <int N, class Op, class... T> void check_packs(Op op, buffer_of<T> const&... x) {
  using R = decltype(op(T{}...));
  namespace simd = placement::simd;
  std::size_t const n = std::min({x.n...});
  buffer_of<R> got{n}, expected{n};
  for (std::size_t i = 0; i != n; i += static_cast<std::size_t>(N))
    simd::store(got.p.get() + i, simd::apply(op, simd::load<N>(x.p.get() + i)...));
  for (std::size_t i = 0; i != n; ++i) expected.p[i] = op(x.p[i]...);
  CHECK(differences_of_packs<R>(got, expected,
                                [&](std::size_t i) { return shown_operands(i, x...); }) == "");
}
