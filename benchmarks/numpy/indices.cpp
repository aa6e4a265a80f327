// Masks, indices, orders and shapes of the side placement.

#include "ours.hpp"

#include <placement/ops/assign_where.hpp>
#include <placement/ops/compress.hpp>
#include <placement/ops/diag.hpp>
#include <placement/ops/flip.hpp>
#include <placement/ops/histogram.hpp>
#include <placement/ops/hstack.hpp>
#include <placement/ops/moveaxis.hpp>
#include <placement/ops/nonzero.hpp>
#include <placement/ops/pad.hpp>
#include <placement/ops/repeat.hpp>
#include <placement/ops/repeat_each.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/scatter.hpp>
#include <placement/ops/searchsorted.hpp>
#include <placement/ops/take.hpp>
#include <placement/ops/tile.hpp>
#include <placement/ops/topk.hpp>
#include <placement/ops/tril.hpp>
#include <placement/ops/unique.hpp>
#include <placement/ops/unique_all.hpp>

namespace {

using namespace bench;
using o = operands const&;

bool const orders = [] {
  add("sort", [](o a) { return pl::sort(a.x); });
  add("sort_double", [](o a) { return pl::sort(a.wide); });
  add("sort_int32", [](o a) { return pl::sort(a.whole); });
  add("sort_axis_1", [](o a) { return pl::sort(a.m, 1); });
  add("sort_axis_0", [](o a) { return pl::sort(a.m, 0); });
  add("argsort", [](o a) { return pl::argsort(a.x); });
  add("topk_10", [](o a) { return pl::topk(a.x, 10); });
  add("topk_half", [](o a) { return pl::topk(a.x, a.x.size() / 2); });
  add("argtopk_10", [](o a) { return pl::argtopk(a.x, 10); });
  add("unique", [](o a) { return pl::unique(a.x); });
  add("unique_int64_of_100", [](o a) { return pl::unique(a.small); });
  add("unique_counts", [](o a) { return pl::unique_counts(a.x); });
  add("unique_all", [](o a) { return pl::unique_all(a.x); });
  add("searchsorted", [](o a) { return pl::searchsorted(a.sorted, a.y); });
  add("bincount", [](o a) { return pl::bincount(a.small); });
  add("histogram", [](o a) { return pl::histogram(a.x, 50); });
  return true;
}();
bool const masks_and_indices = [] {
  add("flatnonzero", [](o a) { return pl::flatnonzero(a.mask); });
  add("nonzero", [](o a) { return pl::nonzero(pl::reshape(a.mask, pl::shape(-1, 100))); });
  add("extract", [](o a) { return pl::extract(a.mask, a.x); });
  add("compress", [](o a) { return pl::compress(a.mask_rows, a.m, 0); });
  add("assign_where", [](o a) {
    pl::tensor y = a.x + 0.f;
    pl::assign_where(y, a.mask, 0.f);
    return y;
  });
  add("take", [](o a) { return pl::take(a.x, a.index); });
  add("take_axis_0", [](o a) { return pl::take(a.m, a.lows, 0); });
  add("take_axis_1", [](o a) { return pl::take(a.m, a.lows, 1); });
  add("gather", [](o a) { return pl::gather(a.m, a.lows); });
  add("take_along_axis",
      [](o a) { return pl::take_along_axis(a.m, pl::reshape(a.small, pl::shape(-1, 100)), 1); });
  add("scatter", [](o a) { return pl::scatter(a.x, a.index, a.y); });
  add("index_add", [](o a) { return pl::index_add(a.x, a.index, a.y); });
  add("put", [](o a) {
    pl::tensor y = a.x + 0.f;
    pl::put(y, a.index, a.y);
    return y;
  });
  return true;
}();
bool const shapes = [] {
  add("pad", [](o a) { return pl::pad(a.m, 1); });
  add("pad_edge", [](o a) { return pl::pad(a.m, 1, pl::pad_mode::edge); });
  add("pad_reflect", [](o a) { return pl::pad(a.m, 1, pl::pad_mode::reflect); });
  add("tile", [](o a) { return pl::tile(a.square, pl::shape(2, 3)); });
  add("repeat", [](o a) { return pl::repeat(a.x, 3); });
  add("repeat_axis_0", [](o a) { return pl::repeat(a.m, 3, 0); });
  add("repeat_each", [](o a) { return pl::repeat_each(a.x, a.counts); });
  add("roll", [](o a) { return pl::roll(a.x, 7); });
  add("roll_axis_1", [](o a) { return pl::roll(a.m, 7, 1); });
  add("flip", [](o a) { return pl::flip(a.x); });
  add("transpose", [](o a) { return pl::transpose(a.square); });
  add("moveaxis", [](o a) { return pl::moveaxis(a.batch, 0, -1); });
  add("slice_every_second", [](o a) { return pl::slice(a.x, pl::range{.step = 2}); });
  add("slice_columns", [](o a) { return pl::slice(a.m, pl::everything, pl::range{10, 60}); });
  add("broadcast_to", [](o a) { return pl::broadcast_to(pl::slice(a.m, 0), a.m.shape()); });
  add("hstack", [](o a) { return pl::hstack(a.m, a.n); });
  add("vstack", [](o a) { return pl::vstack(a.m, a.n); });
  add("concat", [](o a) { return pl::concat(0, a.x, a.y); });
  add("stack", [](o a) { return pl::stack(1, a.x, a.y); });
  add("diag", [](o a) { return pl::diag(a.square[0]); });
  add("diagonal", [](o a) { return pl::diagonal(a.square); });
  add("tril", [](o a) { return pl::tril(a.square); });
  add("triu", [](o a) { return pl::triu(a.square); });
  return true;
}();

}  // namespace
