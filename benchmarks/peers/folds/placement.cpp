#include <ours.hpp>

#include "rows.hpp"

namespace pl = placement;

struct ours {
  static constexpr char const* name = "placement";
  using scalar = pl::tensor<float, pl::extents<>>;

  static pl::tensor<float, pl::dextents<1>> array(benchmark::State const& state) {
    pl::with_device const scope(pl::cpu<0>);
    return pl::from(bench::mixed(state));
  }
  static float sum(auto const& a) { return scalar(pl::sum(a)).read()(); }
  static float mean(auto const& a) { return scalar(pl::mean(a)).read()(); }
  static float max(auto const& a) { return scalar(pl::max(a)).read()(); }
  static float min(auto const& a) { return scalar(pl::min(a)).read()(); }
  static float variance(auto const& a) { return scalar(pl::variance(a)).read()(); }
  static auto argmax(auto const& a) { return pl::tensor(pl::argmax(a)).read()(); }
};
static bench::fold_rows<ours> const rows;
