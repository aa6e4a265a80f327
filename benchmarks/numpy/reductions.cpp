// Reductions, scans and products of the side placement.

#include "ours.hpp"

#include <placement/ops/allclose.hpp>
#include <placement/ops/array_equal.hpp>
#include <placement/ops/cumulative.hpp>
#include <placement/ops/diff.hpp>
#include <placement/ops/dot.hpp>
#include <placement/ops/einsum.hpp>
#include <placement/ops/inner.hpp>
#include <placement/ops/logsumexp.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/nan_variance.hpp>
#include <placement/ops/norm.hpp>
#include <placement/ops/outer.hpp>
#include <placement/ops/quantile.hpp>
#include <placement/ops/tensordot.hpp>

namespace {

using namespace bench;
using o = operands const&;

bool const reductions = [] {
  add("sum", [](o a) { return pl::sum(a.x); });
  add("sum_axis_0", [](o a) { return pl::sum(a.m, 0); });
  add("sum_axis_1", [](o a) { return pl::sum(a.m, 1); });
  add("sum_axes_0_2", [](o a) { return pl::sum(a.batch, 0, 2); });
  add("sum_int32", [](o a) { return pl::sum(a.whole); });
  add("sum_double", [](o a) { return pl::sum(a.wide); });
  add("mean", [](o a) { return pl::mean(a.x); });
  add("mean_axis_0", [](o a) { return pl::mean(a.m, 0); });
  add("prod", [](o a) { return pl::prod(a.positive); });
  add("variance", [](o a) { return pl::variance(a.x); });
  add("std_dev_axis_1", [](o a) { return pl::std_dev(a.m, 1); });
  add("max", [](o a) { return pl::max(a.x); });
  add("max_axis_0", [](o a) { return pl::max(a.m, 0); });
  add("max_axis_1", [](o a) { return pl::max(a.m, 1); });
  add("min", [](o a) { return pl::min(a.x); });
  add("argmax", [](o a) { return pl::argmax(a.x); });
  add("argmin_axis_1", [](o a) { return pl::argmin(a.m, 1); });
  add("all", [](o a) { return pl::all(a.x < 100.f); });
  add("any", [](o a) { return pl::any(a.x > 100.f); });
  add("count_nonzero", [](o a) { return pl::count_nonzero(a.x); });
  return true;
}();
bool const more_reductions = [] {
  add("nansum", [](o a) { return pl::nansum(a.x); });
  add("nanprod", [](o a) { return pl::nanprod(a.positive); });
  add("nanmean", [](o a) { return pl::nanmean(a.x); });
  add("nanmax", [](o a) { return pl::nanmax(a.x); });
  add("nanmin", [](o a) { return pl::nanmin(a.x); });
  add("nanvar", [](o a) { return pl::nanvar(a.x); });
  add("nanstd", [](o a) { return pl::nanstd(a.x); });
  add("norm", [](o a) { return pl::norm(a.x); });
  add("norm_1", [](o a) { return pl::norm<1>(a.x); });
  add("norm_inf", [](o a) { return pl::norm<pl::norm_inf>(a.x); });
  add("norm_axis_1", [](o a) { return pl::norm(a.m, 1); });
  add("logsumexp", [](o a) { return pl::logsumexp(a.x); });
  add("logsumexp_axis_1", [](o a) { return pl::logsumexp(a.m, 1); });
  add("median", [](o a) { return pl::median(a.x); });
  add("median_axis_1", [](o a) { return pl::median(a.m, 1); });
  add("quantile", [](o a) { return pl::quantile(a.x, 0.9); });
  return true;
}();
bool const scans = [] {
  add("cumsum", [](o a) { return pl::cumsum(a.x); });
  add("cumsum_axis_0", [](o a) { return pl::cumsum(a.m, 0); });
  add("cumprod", [](o a) { return pl::cumprod(a.positive); });
  add("cummax", [](o a) { return pl::cummax(a.x); });
  add("cummin", [](o a) { return pl::cummin(a.x); });
  add("diff", [](o a) { return pl::diff(a.x); });
  add("allclose", [](o a) { return pl::allclose(a.x, a.x); });
  add("array_equal", [](o a) { return pl::array_equal(a.x, a.x); });
  return true;
}();
bool const products = [] {
  add("matmul", [](o a) { return pl::matmul(a.square, a.square); });
  add("matmul_vector", [](o a) { return pl::matmul(a.m, pl::slice(a.n, 0)); });
  add("matmul_batch", [](o a) { return pl::matmul(a.batch, a.batch); });
  add("dot", [](o a) { return pl::dot(a.x, a.y); });
  add("inner", [](o a) { return pl::inner(a.square, a.square); });
  add("outer", [](o a) { return pl::outer(a.square[0], a.square[1]); });
  add("tensordot", [](o a) { return pl::tensordot<2>(a.batch, pl::slice(a.batch, 0)); });
  add("einsum_ij_ij_i", [](o a) { return pl::einsum<"ij,ij->i">(a.m, a.n); });
  add("einsum_bij_bjk_bik", [](o a) { return pl::einsum<"bij,bjk->bik">(a.batch, a.batch); });
  add("einsum_ij_ji", [](o a) { return pl::einsum<"ij->ji">(a.m) + 0.f; });
  return true;
}();

}  // namespace
