#pragma once
/// Edge values per element type, and checks of element-wise ops against plain loops on a CPU and a
/// GPU.

#include <placement/expr/memory.hpp>
#include <support/ulps.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// A type list. each() calls a function once per type: `each<integers>([]<class T> { ... })`.
template <class... T> struct types {};

/// The types of nightly runs, and those of other runs: each adds to the time to compile.
#ifdef PLACEMENT_EVERY_COMBINATION
template <class Nightly, class Daily> using types_of_run = Nightly;
#else
template <class Nightly, class Daily> using types_of_run = Daily;
#endif
using integers = types_of_run<types<std::int8_t, int, std::int64_t, std::uint8_t, unsigned>,
                              types<std::int8_t, std::int64_t, unsigned>>;
using floats = types<float, double>;
using numbers =
    types_of_run<types<std::int8_t, int, std::int64_t, std::uint8_t, unsigned, float, double>,
                 types<std::int8_t, std::int64_t, unsigned, float, double>>;
using elements =
    types_of_run<types<bool, std::int8_t, int, std::int64_t, std::uint8_t, unsigned, float, double>,
                 types<bool, std::int8_t, std::int64_t, unsigned, float, double>>;

namespace detail {
template <class... T, class F> void each_of(types<T...>, F f) { (f.template operator()<T>(), ...); }
}  // namespace detail
template <class List, class F> void each(F f) { detail::each_of(List{}, f); }

/// Edge values of an element type, and ordinary values.
template <class T> std::vector<T> edge_values() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {T(0),
            T(-0.0),
            T(1),
            T(-1),
            T(0.5),
            T(-0.5),
            T(2.5),
            T(-2.5),
            T(3),
            T(-7),
            T(0.1),
            T(100.25),
            T(-100),
            T(1e9),
            T(-3e9),
            T(1e20),
            limits::max(),
            limits::lowest(),
            limits::min(),
            limits::denorm_min(),
            limits::infinity(),
            -limits::infinity(),
            limits::quiet_NaN()};
  } else {
    std::vector<T> all{T(0), T(1), T(2), T(3), T(7), T(100), limits::max(), T(limits::max() - 1)};
    if constexpr (std::is_signed_v<T>)
      for (T v : {T(-1), T(-2), T(-3), T(-7), T(-100), limits::min(), T(limits::min() + 1)})
        all.push_back(v);
    return all;
  }
}

/// Whether a and b are the same value. Zeros of different sign differ, all NaNs are equal.
template <class T> bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
  else return a == b;
}

/// The result of differences() for equal elements.
inline std::string const no_differences;

/// Lists the differences between a tensor's elements and the expected ones. Empty if there are
/// none.
template <class T, class X>
std::string differences(placement::tensor<T, X> const& got, std::vector<T> const& expected) {
  auto const h = got.read();
  if (h.size() != expected.size())
    return std::to_string(h.size()) + " elements, not " + std::to_string(expected.size());
  std::string text;
  for (std::size_t i = 0; i != h.size() && text.size() < 500; ++i)
    if (!same<T>(h[i], expected[i]))
      text += "[" + std::to_string(i) + "] is " + std::to_string(h[i]) + ", not " +
              std::to_string(expected[i]) + "\n";
  return text;
}

/// Calls f(device) in a scope for the CPU, then in a scope for the second GPU.
template <class F> void on_each_device(F f) {
  for (placement::device d : {placement::cpu0, placement::device{placement::kind::gpu, 1}}) {
    placement::with_device const scope(d);
    INFO("on " << to_string(d));
    f(d);
  }
}

/// Copies the elements first, because std::vector<bool> has no data().
template <class T, class X> placement::tensor<T, X> tensor_of(std::vector<T> const& v, X shape) {
  std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>> bytes(v.begin(), v.end());
  if constexpr (std::is_same_v<T, bool>)
    return placement::from(reinterpret_cast<bool const*>(bytes.data()), shape);
  else return placement::from(bytes.data(), shape);
}

/// Where an op is expected to run: on the requested device, or on the CPU because no GPU kernel
/// exists.
enum class runs { as_requested, on_the_cpu };

template <runs Where> placement::device expected_device(placement::device requested) {
  return Where == runs::as_requested ? requested : placement::cpu0;
}

/// Checks op(x) against expected(v) for every edge value v of T, and for an empty tensor.
template <class T, runs Where = runs::as_requested, class Op, class Expected>
void check_unary(Op op, Expected expected) {
  auto const values = edge_values<T>();
  using R = decltype(expected(T{}));
  std::vector<R> results;
  results.reserve(values.size());
  for (T v : values) results.push_back(expected(v));
  INFO("element type " << placement::element_name<T>());
  on_each_device([&](placement::device d) {
    auto const x =
        tensor_of(values, placement::shape(static_cast<placement::index_t>(values.size())));
    placement::tensor<R, placement::dextents<1>> const y = op(x);
    CHECK(differences(y, results) == no_differences);
    CHECK(y.where() == expected_device<Where>(d));
    auto const empty = tensor_of(std::vector<T>{}, placement::shape(0));
    CHECK(placement::tensor(op(empty)).size() == 0);
  });
}

/// Checks op(x) against exact(v), computed in long double, within some ulps for every edge value v.
template <class T, class Op, class Exact> void check_near(Op op, Exact exact) {
  auto const values = edge_values<T>();
  INFO("element type " << placement::element_name<T>());
  on_each_device([&](placement::device d) {
    auto const x =
        tensor_of(values, placement::shape(static_cast<placement::index_t>(values.size())));
    placement::tensor<T, placement::dextents<1>> const y = op(x);
    CHECK(y.where() == d);
    auto const h = y.read();
    for (std::size_t i = 0; i != values.size(); ++i) {
      INFO("of " << values[i] << " it is " << h[i]);
      CHECK(ulps_apart(h[i], exact(static_cast<long double>(values[i]))) <= 2);
    }
    auto const empty = tensor_of(std::vector<T>{}, placement::shape(0));
    CHECK(placement::tensor(op(empty)).size() == 0);
  });
}

/// Checks op(x, y) against expected(v, w) for every pair of edge values of T. The shapes are equal,
/// broadcast, or empty.
template <class T, runs Where = runs::as_requested, class Op, class Expected>
void check_binary(Op op, Expected expected) {
  auto const values = edge_values<T>();
  auto const n = static_cast<placement::index_t>(values.size());
  using R = decltype(expected(T{}, T{}));
  std::vector<T> left, right;
  std::vector<R> results;
  for (T v : values)
    for (T w : values) {
      left.push_back(v);
      right.push_back(w);
      results.push_back(expected(v, w));
    }
  INFO("element type " << placement::element_name<T>());
  on_each_device([&](placement::device d) {
    using matrix = placement::tensor<R, placement::dextents<2>>;
    using placement::shape;
    matrix const equal = op(tensor_of(left, shape(n, n)), tensor_of(right, shape(n, n)));
    CHECK(differences(equal, results) == no_differences);
    CHECK(equal.where() == expected_device<Where>(d));
    matrix const broadcast = op(tensor_of(values, shape(n, 1)), tensor_of(values, shape(1, n)));
    CHECK(differences(broadcast, results) == no_differences);
    matrix const empty =
        op(tensor_of(std::vector<T>{}, shape(0, 1)), tensor_of(values, shape(1, n)));
    CHECK(empty.shape() == shape(0, n));
  });
}

/// Applies f in 64 bits and reduces modulo 2^bits: the reference for integer + - and *.
template <class T, class F> T wrapped(T a, T b, F f) {
  return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}
