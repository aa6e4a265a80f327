#pragma once
/// Derivatives of an op over random shapes, in double, float and 16-bit types, by a tape and in the
/// static form. The gradients in double are compared with central differences, those of other types
/// with double's. All are the same bits on the CPU and on each simulated GPU. Needs gradient.hpp,
/// included first.
///
/// Operands are multiples of 1/64 below 4 in magnitude, which each of these types holds exactly.

#include <support/derivative_records.hpp>
#include <support/finite_differences.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace test {

/// The values of an operand's elements: low to high, and only those that are smooth, which leaves
/// out the kinks of an op. Distinct: no two are equal.
struct domain {
  double low = -2, high = 2;
  bool (*is_smooth)(double) = [](double) { return true; };
  bool distinct = false;
  int smallest_extent = 1;
};
inline constexpr auto is_not_zero = [](double x) { return x != 0; };
/// Numbers that are even do not equal those that are odd, so comparisons of the two are smooth.
inline constexpr auto is_even = [](double x) { return static_cast<int>(x * 64) % 2 == 0; };
inline constexpr auto is_odd = [](double x) { return static_cast<int>(x * 64) % 2 != 0; };

/// Random shapes and elements, the same for each seed.
class random_draws {
 public:
  explicit random_draws(unsigned seed) : bits_(seed) {}

  /// Of first to last.
  int number(int first, int last) {
    return first + static_cast<int>(bits_() >> 8) % (last - first + 1);
  }
  template <std::size_t R> pl::dextents<R> shape(int smallest = 1, int largest = 3) {
    pl::dextents<R> x;
    if constexpr (R != 0)
      for (auto& n : x.n) n = number(smallest, largest);
    return x;
  }
  /// A shape of rank R that broadcasts to `whole`: a third of its extents are 1.
  template <std::size_t R, class X> pl::dextents<R> broadcast(X const& whole) {
    pl::dextents<R> x;
    if constexpr (R != 0)
      for (std::size_t d = 0; d != R; ++d)
        x.n[d] = number(0, 2) == 0 ? 1 : whole.n[X::rank - R + d];
    return x;
  }
  template <class X> pl::tensor<double, X> elements(X const& shape, domain const& of = {}) {
    auto const n = static_cast<std::size_t>(shape.count());
    std::vector<double> values, allowed;
    for (int k = static_cast<int>(std::ceil(of.low * 64)); k <= of.high * 64; ++k)
      if (of.is_smooth(k / 64.)) allowed.push_back(k / 64.);
    for (std::size_t i = 0; i != n; ++i) {
      std::size_t const at = bits_() % allowed.size();
      values.push_back(allowed[at]);
      if (of.distinct) allowed.erase(allowed.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return pl::from(values, shape);
  }

 private:
  std::mt19937 bits_;
};

/// Which forms and types of gradients are compared. Each adds to the time to compile. Types other
/// than double are in the static form only where every_combination is set.
struct forms {
  bool is_static = every_combination, is_float = every_combination, is_narrow = true;
};
/// The static form each day, too: it compiles as long as all tapes together.
inline constexpr forms with_static{true};
/// 16 bits in nightly runs only: for ops whose derivatives are element-wise ops or views without
/// constants. One op of each file has a gradient in 16 bits each day.
inline constexpr forms wide_each_day{.is_narrow = every_combination};
/// The largest differences that are allowed from the gradients in double, in units of epsilon, of
/// the gradient's largest element.
struct bounds {
  double of_float = 8, of_narrow = 4;
};

/// Calls compute() on each device. Requires that its results, tuples of tensors, have the same
/// bits.
template <class Results> Results same_on_devices(call_of<Results()> compute) {
  auto const on = [&](pl::device d) {
    pl::with_device const scope(d);
    return compute();
  };
  auto const expected = on(pl::cpu0);
  for (int i = 0; i != pl::device_count(pl::kind::gpu); ++i) {
    auto const got = on(pl::device{pl::kind::gpu, i});
    INFO("on GPU " << i);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      auto const one = [](std::size_t operand, auto const& a, auto const& b) {
        INFO("operand " << operand << ": " << pl::to_string(a) << ", on the CPU "
                        << pl::to_string(b));
        REQUIRE(a.shape() == b.shape());
        REQUIRE(std::memcmp(a.read().data(), b.read().data(),
                            a.size() * sizeof(*a.read().data())) == 0);
      };
      (one(I, std::get<I>(got), std::get<I>(expected)), ...);
    }(std::make_index_sequence<std::tuple_size_v<Results>>{});
  }
  return expected;
}

/// Requires that gradients of a narrower type are close to those in double.
template <class... G, class... E>
void require_close(std::tuple<G...> const& got, std::tuple<E...> const& expected, double units) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto const one = [&](std::size_t operand, auto const& g, auto const& e) {
      using T = typename std::decay_t<decltype(g)>::value_type;
      pl::tensor<double, typename std::decay_t<decltype(g)>::extents_type> const wide =
          pl::cast<double>(g);
      INFO("operand " << operand << ": " << pl::to_string(wide) << ", in double "
                      << pl::to_string(e));
      REQUIRE(g.shape() == e.shape());
      double largest = 1, off = 0;
      for (std::size_t i = 0; i != e.size(); ++i) {
        largest = std::max(largest, std::abs(e.read()[i]));
        double const d = std::abs(wide.read()[i] - e.read()[i]);
        off = d <= off ? off : d;  // also a NaN
      }
      double const epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
      derivative_records::note_error(sizeof(T), off / (largest * epsilon));
      INFO("off by " << off / (largest * epsilon) << " units");
      REQUIRE(off <= units * epsilon * largest);
    };
    (one(I, std::get<I>(got), std::get<I>(expected)), ...);
  }(std::index_sequence_for<G...>{});
}

/// The gradients of sum(f(p...) * w) by each p, as a tuple. Two statements: what follows the first
/// is compiled once for all ops of the same operands.
template <class W, class... P> auto taped(call<W(P const&...)> f, W const& w, P const&... p) {
  using T = typename W::value_type;
  pl::gradient_tape tape(p...);
  W const y = f(p...);
  pl::tensor<T, pl::extents<>> const loss = pl::sum(y * w);
  if constexpr (sizeof...(P) == 1) return std::tuple{tape.gradient(loss, p...)};
  else return tape.gradient(loss, p...);
}
/// The same by an expression of all.
template <class F, class W, class... P> auto static_form(F const& f, W const& w, P const&... p) {
  // value_now: an assignment would compile the derivatives of the gradients, too
  return std::apply([](auto const&... g) { return std::tuple{pl::detail::value_now(g)...}; },
                    pl::gradient_of([&](auto const&... x) { return pl::sum(f(x...) * w); }, p...));
}

/// Calls check with the gradients that compute gives on each device.
template <class Gradients>
void for_one_form(char const* form, call<Gradients()> compute, call<void(Gradients const&)> check) {
  INFO(form);
  Gradients const got = same_on_devices<Gradients>(compute);
  derivative_records::note_gradients(got);
  check(got);
}
template <class W, class... P>
void for_tape(call<W(P const&...)> f, W const& w, call<void(std::tuple<P...> const&)> check,
              P const&... p) {
  for_one_form<std::tuple<P...>>("by a tape", [&] { return taped<W, P...>(f, w, p...); }, check);
}

/// The gradients of sum(f(p...) * w) by operands of one type, by a tape and in the static form.
/// check(gradients) is called for each form.
template <bool IsStatic, class F, class W, class... P>
void for_both_forms(F const& f, W const& w, call<void(std::tuple<P...> const&)> check,
                    P const&... p) {
  derivative_records::note_ops<decltype(f(p...))>();
  for_tape<W, P...>([&](P const&... x) -> W { return f(x...); }, w, check, p...);
  if constexpr (IsStatic)
    for_one_form<std::tuple<P...>>(
        "by gradient_of", [&] { return static_form(f, w, p...); }, check);
}

template <class T, class X> pl::tensor<T, X> in_type(pl::tensor<double, X> const& x) {
  return pl::cast<T>(x);
}

/// The gradients of sum(f(p...) * w) by operands p in a type other than double.
template <class T, bool IsStatic, class F, class W, class... P>
void require_in_type(F const& f, W const& w, std::tuple<P...> const& of_double, double units,
                     P const&... p) {
  INFO("in a type of " << 8 * sizeof(T) << " bits");
  for_both_forms<IsStatic, F, decltype(in_type<T>(w)), decltype(in_type<T>(p))...>(
      f, in_type<T>(w), [&](auto const& g) { require_close(g, of_double, units); },
      in_type<T>(p)...);
}

/// The gradients of f by the operands p in double, and in other types: each day the one of 16 bits,
/// whose kernels compute in float. f gives an expression of any operands.
template <class Narrow, forms Forms, class F, class... P>
void require_random(F const& f, bounds const& allowed, random_draws& r, P... p) {
  auto const shape = f(p...).shape();
  pl::dextents<decltype(shape)::rank> any_shape{};
  if constexpr (shape.rank != 0)
    for (std::size_t d = 0; d != shape.rank; ++d) any_shape.n[d] = shape.at(d);
  auto const w = r.elements(any_shape, {.low = 0.5, .high = 1.5});
  using values = std::decay_t<decltype(w)>;
  auto const of_f = [&](P const&... x) -> values { return f(x...); };
  auto const loss = [&] {
    values const y = of_f(p...);
    auto const all = y.read(), weights = w.read();
    return std::inner_product(all.begin(), all.end(), weights.begin(), 0.);
  };
  for_both_forms<Forms.is_static, F, values, P...>(
      f, w, [&](auto const& g) { require_gradients(loss, std::tie(p...), g); }, p...);
  if constexpr (Forms.is_float || Forms.is_narrow) {
    auto const of_double = taped<values, P...>(of_f, w, p...);
    constexpr bool is_static = Forms.is_static && every_combination;
    if constexpr (Forms.is_float)
      require_in_type<float, is_static>(f, w, of_double, allowed.of_float, p...);
    if constexpr (Forms.is_narrow)
      require_in_type<Narrow, is_static>(f, w, of_double, allowed.of_narrow, p...);
  }
}

/// Calls one(random_draws) for 5 seeds.
template <class F> void for_seeds(std::size_t first, F const& one) {
  for (std::size_t seed = first; seed != first + 5; ++seed) {
    INFO("seed " << seed);
    random_draws r(static_cast<unsigned>(seed));
    one(r);
  }
}

/// The number of an operand's dimensions.
template <class X> inline constexpr std::size_t rank_of = std::decay_t<X>::extents_type::rank;

/// f(x, axes...) for axes of another kind with each rank of x: all, one that is kept, one of the
/// type, several, one of run time.
template <class F> auto along(F const& f) {
  return [f](auto const& x) {
    constexpr std::size_t rank = rank_of<decltype(x)>;
    if constexpr (rank == 0) return f(x);
    else if constexpr (rank == 1) return f(x, pl::keep_dim(pl::axis<0>));
    else if constexpr (rank == 2) return f(x, pl::axis<0>);
    else if constexpr (rank == 3) return f(x, pl::axis<0, 2>);
    else return f(x, -2);
  };
}

template <std::size_t... R> using ranks = std::index_sequence<R...>;
/// Ranks in nightly runs, and those of them in other runs.
template <class Nightly, class Daily>
using ranks_of_run = std::conditional_t<every_combination, Nightly, Daily>;
template <std::size_t... R> using daily_ranks = ranks_of_run<ranks<0, 1, 2, 3, 4>, ranks<R...>>;
template <std::size_t... R> using daily_ranks_from_1 = ranks_of_run<ranks<1, 2, 3, 4>, ranks<R...>>;

/// 5 random cases of an op of one operand for each of these ranks. Each form and type has a rank or
/// two: all of them for each rank would compile four times as long.
template <class Narrow, forms Forms = forms{}, class Ranks = daily_ranks<2>, class F>
void random_unary(F const& f, domain const& of = {}, bounds const& allowed = {}) {
  auto const with_rank = [&]<std::size_t R>(std::integral_constant<std::size_t, R>) {
    constexpr bool is_static = every_combination ? R >= 1 && R <= 3 : R == 2;
    constexpr forms here{Forms.is_static && is_static, Forms.is_float && R % 3 == 1,
                         Forms.is_narrow && R == 2};
    INFO("rank " << R);
    for_seeds(5 * R + 1, [&](random_draws& r) {
      require_random<Narrow, here>(f, allowed, r, r.elements(r.shape<R>(of.smallest_extent), of));
    });
  };
  [&]<std::size_t... R>(ranks<R...>) {
    (with_rank(std::integral_constant<std::size_t, R>{}), ...);
  }(Ranks{});
}

/// 25 random cases of an op of two operands of ranks from 0 to 4 that broadcast, or 5 of the ranks
/// 1 and 2. Forms and types as above.
template <class Narrow, forms Forms = forms{}, class F>
void random_binary(F const& f, domain const& of_a = {}, domain const& of_b = {},
                   bounds const& allowed = {}) {
  auto const with_ranks = [&]<std::size_t A, std::size_t B, forms Here>() {
    constexpr std::size_t whole = std::max(A, B);
    INFO("ranks " << A << " and " << B);
    for_seeds(25 * A + 5 * B + 1, [&](random_draws& r) {
      auto const shape = r.shape<whole>();
      require_random<Narrow, Here>(f, allowed, r, r.elements(r.broadcast<A>(shape), of_a),
                                   r.elements(r.broadcast<B>(shape), of_b));
    });
  };
  with_ranks.template operator()<1, 2, Forms>();
  if constexpr (every_combination) {
    with_ranks.template operator()<2, 2, forms{Forms.is_static, false, Forms.is_narrow}>();
    with_ranks.template operator()<0, 0, forms{false, false, false}>();
    with_ranks.template operator()<3, 1, forms{Forms.is_static, false, false}>();
    with_ranks.template operator()<4, 4, forms{false, false, false}>();
  }
}

}  // namespace test
