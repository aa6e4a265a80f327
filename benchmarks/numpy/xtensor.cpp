// The side xtensor, for ops that it has.

#include "sides.hpp"

#include <array>
#include <memory>
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace {

using namespace bench;
using vector = xt::xtensor<float, 1>;
using matrix = xt::xtensor<float, 2>;

template <class T> auto copy_of(T const* from, std::int64_t size) {
  auto const n = static_cast<std::size_t>(size);
  return xt::xtensor<T, 1>(xt::adapt(from, n, xt::no_ownership(), std::array<std::size_t, 1>{n}));
}

struct operands {
  vector x, y, positive;
  xt::xtensor<double, 1> wide;
  xt::xtensor<std::int32_t, 1> whole;
  matrix m;

  explicit operands(arrays const& a)
      : x(copy_of(a.x, a.size)),
        y(copy_of(a.y, a.size)),
        positive(copy_of(a.positive, a.size)),
        wide(copy_of(a.wide, a.size)),
        whole(copy_of(a.whole, a.size)),
        m(xt::reshape_view(x, std::array<std::size_t, 2>{x.size() / 100, 100})) {}
};

/// Registers an op whose value is what f returns for the operands, as `Result`.
template <class Result, class F> void add(char const* name, F f) {
  ops().push_back({"xtensor", name, [f](arrays const& from) -> std::function<void()> {
                     auto const o = std::make_shared<operands>(from);
                     return [f, o] {
                       Result const result = f(*o);
                       keep(result);
                     };
                   }});
}
using o = operands const&;
constexpr auto now = xt::evaluation_strategy::immediate;

bool const elementwise = [] {
  add<vector>("abs", [](o a) { return xt::abs(a.x); });
  add<vector>("add", [](o a) { return a.x + a.y; });
  add<vector>("multiply", [](o a) { return a.x * a.y; });
  add<vector>("divide", [](o a) { return a.x / a.positive; });
  add<vector>("maximum", [](o a) { return xt::maximum(a.x, a.y); });
  add<vector>("clamp", [](o a) { return xt::clip(a.x, -1.f, 1.f); });
  add<vector>("sqrt", [](o a) { return xt::sqrt(a.positive); });
  add<vector>("exp", [](o a) { return xt::exp(a.x); });
  add<xt::xtensor<double, 1>>("exp_double", [](o a) { return xt::exp(a.wide); });
  add<vector>("expm1", [](o a) { return xt::expm1(a.x); });
  add<vector>("log", [](o a) { return xt::log(a.positive); });
  add<vector>("log1p", [](o a) { return xt::log1p(a.positive); });
  add<vector>("sin", [](o a) { return xt::sin(a.x); });
  add<vector>("cos", [](o a) { return xt::cos(a.x); });
  add<vector>("tanh", [](o a) { return xt::tanh(a.x); });
  add<vector>("pow", [](o a) { return xt::pow(a.positive, a.x); });
  add<vector>("erf", [](o a) { return xt::erf(a.x); });
  add<xt::xtensor<bool, 1>>("less", [](o a) { return a.x < a.y; });
  return true;
}();
bool const reductions = [] {
  add<float>("sum", [](o a) { return xt::sum<float>(a.x, now)(); });
  add<vector>("sum_axis_0", [](o a) { return xt::sum<float>(a.m, {0}, now); });
  add<vector>("sum_axis_1", [](o a) { return xt::sum<float>(a.m, {1}, now); });
  add<double>("mean", [](o a) { return xt::mean(a.x, now)(); });
  add<float>("max", [](o a) { return xt::amax(a.x, now)(); });
  add<float>("min", [](o a) { return xt::amin(a.x, now)(); });
  add<float>("nansum", [](o a) { return xt::nansum<float>(a.x, now)(); });
  add<vector>("cumsum", [](o a) { return xt::cumsum<float>(a.x); });
  add<vector>("diff", [](o a) { return xt::diff(a.x); });
  return true;
}();
bool const orders = [] {
  add<vector>("sort", [](o a) { return xt::sort(a.x); });
  add<xt::xtensor<std::size_t, 1>>("argsort", [](o a) { return xt::argsort(a.x); });
  add<vector>("unique", [](o a) { return xt::unique(a.x); });
  return true;
}();

}  // namespace
