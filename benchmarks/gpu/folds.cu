// Reductions, and softmax of rows.
#include "measure.hpp"
#include "sides.hpp"

#include <cstddef>

namespace bench {

namespace {

template <class K = pl::kernels_here> void sums() {
  if (!is_wanted("sum")) return;
  constexpr pl::index_t n = pl::index_t{1} << 28;
  auto x = random_sets<float>(pl::shape(n));
  auto total = random_sets<float>(pl::shape());
  auto raw_total = random_sets<float>(pl::shape(1));
  pl::cuda::scratch const memory(pl::logical(pl::gpu0), cub_side::scratch_bytes_for_sum(n));
  compare("sum f32 2^28", {4.0 * n},
          {{"placement", [&](int r) { of_round(total, r) = pl::sum(of_round(x, r)); }},
           {"cub", [&](int r) {
              cub_side::sum(std::as_const(of_round(x, r)).data(), of_round(raw_total, r).data(), n,
                            memory.data(), memory.size(), stream());
            }}});
}

template <class K = pl::kernels_here> void softmaxes() {
  for (pl::index_t const columns : {256, 1024, 4096, 8192, 32768}) {
    std::string const row = "softmax f32, rows of " + std::to_string(columns);
    if (!is_wanted(row)) continue;
    pl::index_t const rows = (pl::index_t{1} << 26) / columns;
    auto x = random_sets<float>(pl::shape(rows, columns));
    auto y = random_sets<float>(pl::shape(rows, columns));
    compare(row, {8.0 * (1 << 26)},
            {{"placement", [&](int r) { of_round(y, r) = pl::softmax(of_round(x, r)); }}});
  }
}

}  // namespace

void folds() {
  measure([] { sums(); });
  measure([] { softmaxes(); });
}

}  // namespace bench
