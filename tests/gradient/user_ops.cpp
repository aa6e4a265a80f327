/// Derivatives of ops that a program defines, by their pullbacks, against central differences.

#include <placement/gradient.hpp>
#include <placement/ops/flip.hpp>

#include <support/finite_differences.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <concepts>
#include <string>
#include <utility>

namespace pl = placement;
using test::require_derivatives;
using test::with_random_operands;

namespace my {

/// sqrt((x - y)^2 + width^2).
struct smooth_distance_op {
  static constexpr std::string_view name = "SmoothDistance";
  using pattern = pl::map;

  double width;

  template <std::floating_point T> PLACEMENT_HD constexpr T operator()(T x, T y) const noexcept {
    return std::sqrt((x - y) * (x - y) + static_cast<T>(width * width));
  }

  using pullback_reads = pl::reads_all;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& distance, auto const& x, auto const& y) {
    if constexpr (I == 0) return g * (x - y) / distance;
    else return g * (y - x) / distance;
  }
};
template <class A, class B> requires pl::operands<A, B>
auto smooth_distance(A&& a, B&& b, double width, pl::site at = pl::site::here())
    -> pl::binary<smooth_distance_op, A, B> {
  return pl::make_binary(smooth_distance_op{width}, at, std::forward<A>(a), std::forward<B>(b));
}

/// slope * x where x is negative, else x. Its pullback reads the parameter of the op.
struct leaky_op {
  static constexpr std::string_view name = "Leaky";
  using pattern = pl::map;

  double slope;

  template <std::floating_point T> PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    return x < T{} ? static_cast<T>(slope) * x : x;
  }

  using pullback_reads = pl::reads_operands;
  template <std::size_t I, class K> auto pullback(auto const& g, auto const&, auto const& x) const {
    using T = typename std::remove_cvref_t<decltype(x)>::value_type;
    return pl::where(x < T{}, g * static_cast<T>(slope), g);
  }
};
template <pl::operand X>
auto leaky(X&& x, double slope, pl::site at = pl::site::here()) -> pl::unary<leaky_op, X> {
  return {{slope}, at, std::forward<X>(x)};
}

/// The square root of the sum of squares of all elements.
struct length_op {
  static constexpr std::string_view name = "Length";
  using pattern = pl::reduce;
  static constexpr bool reduces_all = true;

  template <class X> static constexpr pl::extents<> result(X const&) { return {}; }
  template <class T> struct state {
    double squares = 0;
  };
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, pl::index_t) noexcept {
    double const wide{x};
    return {s.squares + wide * wide};
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    return {a.squares + b.squares};
  }
  template <class T> PLACEMENT_HD static T finalize(state<T> s, pl::index_t) noexcept {
    return static_cast<T>(std::sqrt(s.squares));
  }

  using pullback_reads = pl::reads_all;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& length, auto const& x) {
    return x * (g / length);
  }
};
template <pl::operand X>
auto length(X&& x, pl::site at = pl::site::here()) -> pl::unary<length_op, X> {
  return {{}, at, std::forward<X>(x)};
}

/// Element i is the sum of elements 0 to i. The gradient is the same sum from the end.
struct running_sum_op {
  static constexpr std::string_view name = "RunningSum";
  using pattern = pl::custom;

  template <class X> static constexpr X result(X const& x) { return x; }
  template <class T, class X>
  void operator()(pl::dense_view<T, X> out, pl::dense_view<T const, X> in) const noexcept {
    T sum{};
    for (pl::index_t i = 0; i != in.size(); ++i) out[i] = sum += in[i];
  }

  using pullback_reads = pl::reads_nothing;
  template <std::size_t I, class K> static auto pullback(auto const& g, auto const&, auto const&);
};
template <pl::operand X>
auto running_sum(X&& x, pl::site at = pl::site::here()) -> pl::unary<running_sum_op, X> {
  return {{}, at, std::forward<X>(x)};
}
template <std::size_t I, class K>
auto running_sum_op::pullback(auto const& g, auto const&, auto const&) {
  return pl::flip(running_sum(pl::flip(g)));
}

/// x + 1, without a pullback.
struct successor_op {
  static constexpr std::string_view name = "Successor";
  using pattern = pl::map;
  template <std::floating_point T> PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    return x + T{1};
  }
};
template <pl::operand X>
auto successor(X&& x, pl::site at = pl::site::here()) -> pl::unary<successor_op, X> {
  return {{}, at, std::forward<X>(x)};
}

/// x + y, with a pullback that does not use the incoming gradient.
struct careless_sum_op {
  static constexpr std::string_view name = "CarelessSum";
  using pattern = pl::map;

  template <std::floating_point T> PLACEMENT_HD constexpr T operator()(T x, T y) const noexcept {
    return x + y;
  }

  using pullback_reads = pl::reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const&, auto const&, auto const& x, auto const& y) {
    if constexpr (I == 0) return y / y;
    else return x / x;
  }
};
template <class A, class B> requires pl::operands<A, B>
auto careless_sum(A&& a, B&& b, pl::site at = pl::site::here())
    -> pl::binary<careless_sum_op, A, B> {
  return pl::make_binary(careless_sum_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

}  // namespace my

namespace {

using number = pl::tensor<double, pl::extents<>>;

TEST_CASE("The pullback of a user's op of two operands that broadcast", "[gradient]") {
  with_random_operands([](auto& r) {
    auto const rows = r.extent(), columns = r.extent();
    auto const f = [](auto const& x, auto const& y) { return my::smooth_distance(x, y, 0.5); };
    require_derivatives(f, r.elements(pl::dextents<2>{{rows, columns}}),
                        r.elements(pl::dextents<1>{{columns}}));
  });
}
TEST_CASE("The pullback of a user's op reads the parameter of the op", "[gradient]") {
  with_random_operands([](auto& r) {
    require_derivatives([](auto const& x) { return my::leaky(x, 0.25); },
                        r.elements(pl::dextents<2>{{r.extent(), r.extent()}}));
  });
}
TEST_CASE("The pullback of a user's reduction", "[gradient]") {
  with_random_operands([](auto& r) {
    require_derivatives([](auto const& x) { return my::length(x * x); },
                        r.elements(pl::dextents<2>{{r.extent(), r.extent()}}, 0.5, 2));
  });
}
TEST_CASE("The pullback of a user's op with a loop of its own", "[gradient]") {
  with_random_operands([](auto& r) {
    require_derivatives([](auto const& x) { return my::running_sum(x * x); },
                        r.elements(pl::dextents<1>{{r.extent()}}));
  });
}
TEST_CASE("The static form and a tape give the same gradient of a user's op", "[gradient]") {
  pl::tensor<double, pl::dextents<1>> const x{3., -1., 0.5}, y{1., 2., 0.5};
  pl::tensor const by_static = pl::gradient<0>(pl::sum(my::smooth_distance(pl::leaf<0>(x), y, 2.)));
  pl::gradient_tape tape(x);
  number const loss = pl::sum(my::smooth_distance(x, y, 2.));
  pl::tensor const by_tape = tape.gradient(loss, x);
  CHECK(pl::to_vector(by_static) == pl::to_vector(by_tape));
}
TEST_CASE("A user's op without a pullback has no derivative, and names itself", "[gradient]") {
  pl::tensor<double, pl::dextents<1>> const x{1., 2.};
  STATIC_CHECK(!pl::is_differentiable<decltype(my::successor(x))>);
  STATIC_CHECK(pl::is_differentiable<decltype(my::leaky(x, 0.5))>);
  pl::gradient_tape tape(x);
  std::string const message = error_message<pl::invalid_argument>(
      [&] { number const loss = pl::sum(my::successor(x) * x); });
  CHECK(message.find("Successor") != std::string::npos);
}

TEST_CASE("A gradient smaller than its operand names both shapes", "[gradient]") {
  pl::tensor<double, pl::dextents<1>> const x{1., 2., 3.}, y{2.};
  pl::gradient_tape tape(x, y);
  pl::tensor<double, pl::dextents<1>> const sums = my::careless_sum(x, y);
  number const loss = pl::sum(sums * x);
  std::string const message =
      error_message<pl::shape_error>([&] { static_cast<void>(tape.gradient(loss, x, y)); });
  CHECK(message.find("a gradient of shape [1] for an operand of shape [3]") != std::string::npos);
}

}  // namespace
