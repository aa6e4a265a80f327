// Element-wise ops and makers of the side placement.

#include "ours.hpp"

#include <placement/ops/arange.hpp>
#include <placement/ops/bitwise.hpp>
#include <placement/ops/eye.hpp>
#include <placement/ops/full.hpp>
#include <placement/ops/isclose.hpp>
#include <placement/ops/linspace.hpp>
#include <placement/ops/meshgrid.hpp>

namespace {

using namespace bench;
using o = operands const&;

bool const arithmetic = [] {
  pl::set_intra_op_threads(1);
  add("abs", [](o a) { return pl::abs(a.x); });
  add("negative", [](o a) { return -a.x; });
  add("add", [](o a) { return a.x + a.y; });
  add("add_double", [](o a) { return a.wide + a.wide; });
  add("add_int32", [](o a) { return a.whole + a.whole; });
  add("subtract", [](o a) { return a.x - a.y; });
  add("multiply", [](o a) { return a.x * a.y; });
  add("divide", [](o a) { return a.x / a.positive; });
  add("modulo", [](o a) { return a.x % a.positive; });
  add("add_n", [](o a) { return pl::add_n(a.x, a.y, a.positive); });
  add("maximum", [](o a) { return pl::maximum(a.x, a.y); });
  add("minimum", [](o a) { return pl::minimum(a.x, a.y); });
  add("clamp", [](o a) { return pl::clamp(a.x, -1.f, 1.f); });
  add("relu", [](o a) { return pl::relu(a.x); });
  add("sign", [](o a) { return pl::sign(a.x); });
  add("square", [](o a) { return pl::square(a.x); });
  add("reciprocal", [](o a) { return pl::reciprocal(a.x); });
  add("floor", [](o a) { return pl::floor(a.x); });
  add("ceil", [](o a) { return pl::ceil(a.x); });
  add("round", [](o a) { return pl::round(a.x); });
  add("where", [](o a) { return pl::where(a.mask, a.x, a.y); });
  add("broadcast_add", [](o a) { return a.m + pl::slice(a.n, 0); });
  add("cast_to_double", [](o a) { return pl::cast<double>(a.x); });
  add("cast_to_int32", [](o a) { return pl::cast<std::int32_t>(a.x); });
  return true;
}();
bool const functions = [] {
  add("sqrt", [](o a) { return pl::sqrt(a.positive); });
  add("rsqrt", [](o a) { return pl::rsqrt(a.positive); });
  add("exp", [](o a) { return pl::exp(a.x); });
  add("exp_double", [](o a) { return pl::exp(a.wide); });
  add("expm1", [](o a) { return pl::expm1(a.x); });
  add("log", [](o a) { return pl::log(a.positive); });
  add("log_double", [](o a) { return pl::log(pl::abs(a.wide)); });
  add("log1p", [](o a) { return pl::log1p(a.positive); });
  add("sin", [](o a) { return pl::sin(a.x); });
  add("cos", [](o a) { return pl::cos(a.x); });
  add("tanh", [](o a) { return pl::tanh(a.x); });
  add("pow", [](o a) { return pl::pow(a.positive, a.x); });
  add("sigmoid", [](o a) { return pl::sigmoid(a.x); });
  add("erf", [](o a) { return pl::erf(a.x); });
  add("softmax", [](o a) { return pl::softmax(a.m); });
  add("log_softmax", [](o a) { return pl::log_softmax(a.m); });
  add("next_after", [](o a) { return pl::next_after(a.x, a.y); });
  return true;
}();
bool const comparisons = [] {
  add("less", [](o a) { return a.x < a.y; });
  add("equal", [](o a) { return a.x == a.y; });
  add("logical_and", [](o a) { return pl::logical_and(a.mask, a.mask); });
  add("logical_not", [](o a) { return !a.mask; });
  add("is_nan", [](o a) { return pl::is_nan(a.x); });
  add("is_finite", [](o a) { return pl::is_finite(a.x); });
  add("isclose", [](o a) { return pl::isclose(a.x, a.y); });
  add("bitwise_and", [](o a) { return a.whole & a.whole; });
  add("bitwise_or", [](o a) { return a.whole | a.whole; });
  add("bitwise_xor", [](o a) { return a.whole ^ a.whole; });
  add("invert", [](o a) { return ~a.whole; });
  add("left_shift", [](o a) { return a.whole << 3; });
  add("right_shift", [](o a) { return a.whole >> 3; });
  return true;
}();
bool const makers = [] {
  add("zeros", [](o a) { return pl::zeros<float>(a.x.shape()); });
  add("full", [](o a) { return pl::full(a.x.shape(), 5.f); });
  add("arange", [](o a) { return pl::arange(a.x.size()); });
  add("linspace", [](o a) { return pl::linspace(0.f, 1.f, a.x.size()); });
  add("eye", [](o a) { return pl::eye<float>(a.square.shape().at(0)); });
  add("meshgrid", [](o a) {
    pl::tensor const row = a.square[0];
    return std::get<0>(pl::meshgrid(row, row)) + 0.f;
  });
  add("one_hot", [](o a) { return pl::one_hot<float>(a.lows, 100); });
  add("uniform", [](o a) { return pl::uniform<float>(a.x.shape()); });
  add("normal", [](o a) { return pl::normal<float>(a.x.shape()); });
  return true;
}();

}  // namespace
