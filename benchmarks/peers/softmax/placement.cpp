#include <ours.hpp>

#include "rows.hpp"

#include <placement/ops/layer_norm.hpp>

namespace pl = placement;

template <class F> static auto by(F const& f) {
  return [f](benchmark::State& state, bench::matrix_shape const& shape) {
    pl::with_device const scope(pl::cpu<0>);
    auto const x = pl::from(bench::logits(shape), pl::shape(shape.rows, shape.columns));
    pl::tensor y = f(x);
    y = f(x);  // its pages are written before the measurement
    for (auto _ : state) {
      y = f(x);
      benchmark::ClobberMemory();
    }
    bench::note_third(state, y.data());
  };
}
static bench::softmax_rows const softmax("placement",
                                         by([](auto const& x) { return pl::softmax(x); }));
static bench::log_softmax_rows const log_softmax("placement", by([](auto const& x) {
                                                   return pl::log_softmax(x);
                                                 }));
static bench::layer_norm_rows const layer_norm("placement", by([](auto const& x) {
                                                 return pl::layer_norm(x, bench::epsilon);
                                               }));
