// Ops that move, order and combine elements: scans, sorts, gathers, reductions along an axis.
#include "measure.hpp"
#include "sides.hpp"

#include <placement/ops/argmax.hpp>
#include <placement/ops/argsort.hpp>
#include <placement/ops/cumsum.hpp>
#include <placement/ops/gather.hpp>
#include <placement/ops/layer_norm.hpp>
#include <placement/ops/sort.hpp>
#include <placement/ops/variance.hpp>

#include <cstddef>

namespace bench {

namespace {

constexpr pl::index_t n = pl::index_t{1} << 26, columns = 8192, rows = n / columns;
constexpr double bytes_read = 4.0 * n;

template <class K = pl::kernels_here> void along_axes() {
  if (!is_wanted("along axis") && !is_wanted("variance") && !is_wanted("layer norm")) return;
  auto x = random_sets<float>(pl::shape(rows, columns));
  auto of_columns = random_sets<float>(pl::shape(columns));
  auto of_rows = random_sets<float>(pl::shape(rows));
  auto total = random_sets<float>(pl::shape());
  auto y = random_sets<float>(pl::shape(rows, columns));
  auto scale = random_sets<float>(pl::shape(columns));
  std::vector<vector<pl::index_t>> largest;
  for (int s = 0; s != sets; ++s) largest.emplace_back(pl::argmax(x.front(), pl::axis<1>));

  compare("sum along axis 0, f32 8192 x 8192", {bytes_read},
          {{"placement",
            [&](int r) { of_round(of_columns, r) = pl::sum(of_round(x, r), pl::axis<0>); }}});
  compare(
      "sum along axis 1, f32 8192 x 8192", {bytes_read},
      {{"placement", [&](int r) { of_round(of_rows, r) = pl::sum(of_round(x, r), pl::axis<1>); }}});
  compare("argmax along axis 1, f32 8192 x 8192", {bytes_read},
          {{"placement",
            [&](int r) { of_round(largest, r) = pl::argmax(of_round(x, r), pl::axis<1>); }}});
  compare("variance f32 2^26", {bytes_read},
          {{"placement", [&](int r) { of_round(total, r) = pl::variance(of_round(x, r)); }}});
  compare("layer norm f32 8192 x 8192", {2 * bytes_read},
          {{"placement", [&](int r) {
              of_round(y, r) =
                  pl::layer_norm(of_round(x, r), of_round(scale, r), of_round(of_columns, r));
            }}});
}

template <class K = pl::kernels_here> void scans_and_sorts() {
  if (!is_wanted("cumsum") && !is_wanted("sort")) return;
  auto x = random_sets<float>(pl::shape(n)), y = random_sets<float>(pl::shape(n));
  pl::cuda::scratch const memory(pl::logical(pl::gpu0), cub_side::scratch_bytes_for_sort(n));
  compare("cumsum f32 2^26", {2 * bytes_read},
          {{"placement", [&](int r) { of_round(y, r) = pl::cumsum(of_round(x, r)); }},
           {"cub", [&](int r) {
              cub_side::scan(std::as_const(of_round(x, r)).data(), of_round(y, r).data(), n,
                             memory.data(), memory.size(), stream());
            }}});
  compare("sort f32 2^26", {2 * bytes_read},
          {{"placement", [&](int r) { of_round(y, r) = pl::sort(of_round(x, r)); }},
           {"cub", [&](int r) {
              cub_side::sort(std::as_const(of_round(x, r)).data(), of_round(y, r).data(), n,
                             memory.data(), memory.size(), stream());
            }}});
}

/// CUB's side sorts prepared 32-bit numbers with the keys; ours gives 64-bit indices.
template <class K = pl::kernels_here> void argsorts() {
  if (!is_wanted("argsort")) return;
  auto x = random_sets<float>(pl::shape(n)), keys = random_sets<float>(pl::shape(n));
  std::vector<vector<pl::index_t>> y;
  std::vector<vector<int>> order;
  vector<int> const numbers = pl::on(pl::gpu0, pl::iota(n, 0));
  for (int s = 0; s != sets; ++s) {
    y.emplace_back(pl::argsort(x.front()));
    order.emplace_back(pl::on(pl::gpu0, pl::iota(n, 0)));
  }
  pl::cuda::scratch const memory(pl::logical(pl::gpu0), cub_side::scratch_bytes_for_argsort(n));
  compare("argsort f32 2^26", {3 * bytes_read},
          {{"placement", [&](int r) { of_round(y, r) = pl::argsort(of_round(x, r)); }},
           {"cub", [&](int r) {
              cub_side::argsort(std::as_const(of_round(x, r)).data(), of_round(keys, r).data(),
                                numbers.data(), of_round(order, r).data(), n, memory.data(),
                                memory.size(), stream());
            }}});
}

template <class K = pl::kernels_here> void gathers() {
  if (!is_wanted("gather")) return;
  constexpr pl::index_t words = 50'000, features = 1024, taken = 65'536;
  auto table = random_sets<float>(pl::shape(words, features));
  auto out = random_sets<float>(pl::shape(taken, features));
  vector<int> const which =
      pl::on(pl::gpu0, pl::uniform<int>(pl::shape(taken), 0, static_cast<int>(words)));
  compare(
      "gather 65536 rows of 1024, f32", {8.0 * taken * features},
      {{"placement", [&](int r) { of_round(out, r) = pl::gather(of_round(table, r), which); }}});
}

}  // namespace

void array_ops() {
  measure([] { along_axes(); });
  measure([] { scans_and_sorts(); });
  measure([] { argsorts(); });
  measure([] { gathers(); });
}

}  // namespace bench
