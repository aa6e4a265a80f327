// The side Eigen, for ops that it has.

#include "sides.hpp"

#include <Eigen/Core>
#include <cmath>
#include <memory>
#include <unsupported/Eigen/SpecialFunctions>

namespace {

using namespace bench;
using array = Eigen::ArrayXf;
using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct operands {
  array x, y, positive;
  Eigen::ArrayXd wide;
  Eigen::ArrayXi whole;
  matrix m, n, square;

  explicit operands(arrays const& a)
      : x(Eigen::Map<array const>(a.x, a.size)),
        y(Eigen::Map<array const>(a.y, a.size)),
        positive(Eigen::Map<array const>(a.positive, a.size)),
        wide(Eigen::Map<Eigen::ArrayXd const>(a.wide, a.size)),
        whole(Eigen::Map<Eigen::ArrayXi const>(a.whole, a.size)),
        m(Eigen::Map<matrix const>(a.x, a.size / 100, 100)),
        n(Eigen::Map<matrix const>(a.y, a.size / 100, 100)),
        square(Eigen::Map<matrix const>(a.x, side(a), side(a))) {}

  static Eigen::Index side(arrays const& a) {
    return static_cast<Eigen::Index>(std::sqrt(static_cast<double>(a.size)));
  }
};

/// Registers an op whose value is what f returns for the operands, as `Result`.
template <class Result, class F> void add(char const* name, F f) {
  ops().push_back({"eigen", name, [f](arrays const& from) -> std::function<void()> {
                     auto const o = std::make_shared<operands>(from);
                     return [f, o] {
                       Result const result = f(*o);
                       keep(result);
                     };
                   }});
}
using o = operands const&;

bool const elementwise = [] {
  add<array>("abs", [](o a) { return a.x.abs(); });
  add<array>("negative", [](o a) { return -a.x; });
  add<array>("add", [](o a) { return a.x + a.y; });
  add<Eigen::ArrayXd>("add_double", [](o a) { return a.wide + a.wide; });
  add<Eigen::ArrayXi>("add_int32", [](o a) { return a.whole + a.whole; });
  add<array>("subtract", [](o a) { return a.x - a.y; });
  add<array>("multiply", [](o a) { return a.x * a.y; });
  add<array>("divide", [](o a) { return a.x / a.positive; });
  add<array>("maximum", [](o a) { return a.x.max(a.y); });
  add<array>("minimum", [](o a) { return a.x.min(a.y); });
  add<array>("relu", [](o a) { return a.x.max(0.f); });
  add<array>("square", [](o a) { return a.x.square(); });
  add<array>("reciprocal", [](o a) { return a.x.inverse(); });
  add<array>("floor", [](o a) { return a.x.floor(); });
  add<array>("ceil", [](o a) { return a.x.ceil(); });
  add<array>("round", [](o a) { return a.x.rint(); });
  add<array>("sqrt", [](o a) { return a.positive.sqrt(); });
  add<array>("rsqrt", [](o a) { return a.positive.rsqrt(); });
  add<array>("exp", [](o a) { return a.x.exp(); });
  add<Eigen::ArrayXd>("exp_double", [](o a) { return a.wide.exp(); });
  add<array>("expm1", [](o a) { return a.x.expm1(); });
  add<array>("log", [](o a) { return a.positive.log(); });
  add<Eigen::ArrayXd>("log_double", [](o a) { return a.wide.abs().log(); });
  add<array>("log1p", [](o a) { return a.positive.log1p(); });
  add<array>("sin", [](o a) { return a.x.sin(); });
  add<array>("cos", [](o a) { return a.x.cos(); });
  add<array>("tanh", [](o a) { return a.x.tanh(); });
  add<array>("pow", [](o a) { return Eigen::pow(a.positive, a.x); });
  add<array>("sigmoid", [](o a) { return a.x.logistic(); });
  add<array>("erf", [](o a) { return a.x.erf(); });
  return true;
}();
bool const reductions = [] {
  add<float>("sum", [](o a) { return a.x.sum(); });
  add<double>("sum_double", [](o a) { return a.wide.sum(); });
  add<Eigen::VectorXf>("sum_axis_0", [](o a) { return a.m.colwise().sum(); });
  add<Eigen::VectorXf>("sum_axis_1", [](o a) { return a.m.rowwise().sum(); });
  add<float>("mean", [](o a) { return a.x.mean(); });
  add<float>("prod", [](o a) { return a.positive.prod(); });
  add<float>("max", [](o a) { return a.x.maxCoeff(); });
  add<float>("min", [](o a) { return a.x.minCoeff(); });
  add<float>("norm", [](o a) { return a.x.matrix().norm(); });
  add<float>("norm_1", [](o a) { return a.x.matrix().lpNorm<1>(); });
  add<float>("variance", [](o a) { return (a.x - a.x.mean()).square().mean(); });
  add<float>("dot", [](o a) { return a.x.matrix().dot(a.y.matrix()); });
  add<Eigen::Index>("argmax", [](o a) {
    Eigen::Index at = 0;
    a.x.maxCoeff(&at);
    return at;
  });
  return true;
}();
bool const products_and_shapes = [] {
  add<matrix>("matmul", [](o a) { return a.square * a.square; });
  add<Eigen::VectorXf>("matmul_vector", [](o a) { return a.m * a.n.row(0).transpose(); });
  add<matrix>("outer", [](o a) { return a.square.row(0).transpose() * a.square.row(1); });
  add<matrix>("transpose", [](o a) { return a.square.transpose(); });
  add<array>("flip", [](o a) { return a.x.reverse(); });
  add<matrix>("hstack", [](o a) {
    matrix r(a.m.rows(), 200);
    r << a.m, a.n;
    return r;
  });
  add<matrix>("broadcast_add", [](o a) { return a.m.rowwise() + a.n.row(0); });
  add<matrix>("tile", [](o a) { return a.square.replicate(2, 3); });
  add<array>("linspace", [](o a) { return array::LinSpaced(a.x.size(), 0.f, 1.f); });
  return true;
}();

}  // namespace
