#pragma once
/// Edge values per element type, and checks of element-wise ops against plain loops on a CPU and a
/// GPU.

#include <placement/expr/memory.hpp>
#include <support/call_of.hpp>
#include <support/element_types.hpp>
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

inline placement::device expected_device(runs where, placement::device requested) {
  return where == runs::as_requested ? requested : placement::cpu0;
}

namespace test {
template <class T, std::size_t R> using operand_of = placement::tensor<T, placement::dextents<R>>;

/// Element i of an element-wise expression of tensors of one shape on the CPU, and of numbers.
template <class E> auto element_at(E const& e, std::size_t i) {
  if constexpr (requires { E::arity; })
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return e.op(element_at(e.template arg<I>(), i)...);
    }(std::make_index_sequence<E::arity>{});
  else if constexpr (requires { e.data(); }) return e.data()[i];
  else return e.v;
}

/// The elements of an expression, each computed alone.
template <class R, class E> std::vector<R> elements_of(E const& e) {
  static_assert(std::is_same_v<typename E::value_type, R>);
  std::vector<R> all;
  for (std::size_t i = 0; i != e.shape().count(); ++i) all.push_back(element_at(e, i));
  return all;
}

/// The first difference between the elements and the expected ones. Empty if there is none.
template <class R>
std::string first_difference(std::vector<R> const& got, std::vector<R> const& expected) {
  if (got.size() != expected.size()) return "another number of elements";
  for (std::size_t i = 0; i != expected.size(); ++i)
    if (!same<R>(got[i], expected[i]))
      return "[" + std::to_string(i) + "] is " + std::to_string(got[i]) + ", not " +
             std::to_string(expected[i]);
  return "";
}

// The parts of the checks that are compiled once for each type, not for each op.

template <class T, class R>
void check_evaluated_unary(test::call<operand_of<R, 1>(operand_of<T, 1> const&)> op,
                           std::vector<R> const& results, runs where) {
  auto const values = edge_values<T>();
  on_each_device([&](placement::device d) {
    auto const x =
        tensor_of(values, placement::shape(static_cast<placement::index_t>(values.size())));
    auto const y = op(x);
    CHECK(differences(y, results) == no_differences);
    CHECK(y.where() == expected_device(where, d));
    auto const empty = tensor_of(std::vector<T>{}, placement::shape(0));
    CHECK(op(empty).size() == 0);
  });
}
template <class T>
void check_evaluated_near(test::call<operand_of<T, 1>(operand_of<T, 1> const&)> op,
                          test::call<long double(long double)> exact) {
  auto const values = edge_values<T>();
  on_each_device([&](placement::device d) {
    auto const x =
        tensor_of(values, placement::shape(static_cast<placement::index_t>(values.size())));
    auto const y = op(x);
    CHECK(y.where() == d);
    auto const h = y.read();
    for (std::size_t i = 0; i != values.size(); ++i) {
      INFO("of " << values[i] << " it is " << h[i]);
      CHECK(ulps_apart(h[i], exact(static_cast<long double>(values[i]))) <= 2);
    }
    auto const empty = tensor_of(std::vector<T>{}, placement::shape(0));
    CHECK(op(empty).size() == 0);
  });
}
template <class T, class R>
void check_evaluated_binary(
    test::call<operand_of<R, 2>(operand_of<T, 2> const&, operand_of<T, 2> const&)> op,
    std::vector<T> const& left, std::vector<T> const& right, std::vector<R> const& results,
    runs where) {
  using placement::shape;
  auto const values = edge_values<T>();
  auto const n = static_cast<placement::index_t>(values.size());
  on_each_device([&](placement::device d) {
    auto const equal = op(tensor_of(left, shape(n, n)), tensor_of(right, shape(n, n)));
    CHECK(differences(equal, results) == no_differences);
    CHECK(equal.where() == expected_device(where, d));
    auto const broadcast = op(tensor_of(values, shape(n, 1)), tensor_of(values, shape(1, n)));
    CHECK(differences(broadcast, results) == no_differences);
    auto const empty = op(tensor_of(std::vector<T>{}, shape(0, 1)), tensor_of(values, shape(1, n)));
    CHECK(empty.shape() == shape(0, n));
  });
}
}  // namespace test

/// Checks op(x) against expected(v) for every edge value v of T, and for an empty tensor.
template <class T, runs Where = runs::as_requested, bool Evaluated = is_evaluated<T>, class Op,
          class Expected>
void check_unary(Op op, Expected expected) {
  auto const values = edge_values<T>();
  using R = decltype(expected(T{}));
  std::vector<R> results;
  for (T v : values) results.push_back(expected(v));
  INFO("element type " << placement::element_name<T>());
  using X = test::operand_of<T, 1>;
  if constexpr (Evaluated) {
    test::check_evaluated_unary<T, R>([&](X const& x) -> test::operand_of<R, 1> { return op(x); },
                                      results, Where);
  } else {
    placement::with_device const scope(placement::cpu0);
    X const x = tensor_of(values, placement::shape(static_cast<placement::index_t>(values.size())));
    CHECK(test::first_difference(test::elements_of<R>(op(x)), results) == "");
  }
}

/// Checks op(x) against exact(v), computed in long double, within some ulps for every edge value v.
template <class T, class Op, class Exact> void check_near(Op op, Exact exact) {
  INFO("element type " << placement::element_name<T>());
  using X = test::operand_of<T, 1>;
  if constexpr (is_evaluated<T>) {
    test::check_evaluated_near<T>([&](X const& x) -> X { return op(x); }, exact);
  } else {
    auto const values = edge_values<T>();
    placement::with_device const scope(placement::cpu0);
    X const x = tensor_of(values, placement::shape(static_cast<placement::index_t>(values.size())));
    auto const got = test::elements_of<T>(op(x));
    for (std::size_t i = 0; i != values.size(); ++i) {
      INFO("of " << values[i] << " it is " << got[i]);
      CHECK(ulps_apart(got[i], exact(static_cast<long double>(values[i]))) <= 2);
    }
  }
}

/// Checks op(x, y) against expected(v, w) for every pair of edge values of T. The shapes are equal,
/// broadcast, or empty.
template <class T, runs Where = runs::as_requested, class Op, class Expected>
void check_binary(Op op, Expected expected) {
  auto const values = edge_values<T>();
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
  if constexpr (is_evaluated<T>) {
    using X = test::operand_of<T, 2>;
    test::check_evaluated_binary<T, R>(
        [&](X const& x, X const& y) -> test::operand_of<R, 2> { return op(x, y); }, left, right,
        results, Where);
  } else {
    placement::with_device const scope(placement::cpu0);
    auto const n = placement::shape(static_cast<placement::index_t>(left.size()));
    test::operand_of<T, 1> const x = tensor_of(left, n), y = tensor_of(right, n);
    CHECK(test::first_difference(test::elements_of<R>(op(x, y)), results) == "");
  }
}

/// Applies f in 64 bits and reduces modulo 2^bits: the reference for integer + - and *.
template <class T, class F> T wrapped(T a, T b, F f) {
  return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}
