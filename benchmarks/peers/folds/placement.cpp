#include <ours.hpp>

#include "rows.hpp"

namespace pl = placement;

struct ours {
  static constexpr char const* name = "placement";

  static pl::tensor<float, pl::dextents<1>> array(benchmark::State const& state) {
    pl::with_device const scope(pl::cpu<0>);
    return pl::from(bench::mixed(state));
  }
  static float sum(auto const& a) { return pl::item(pl::sum(a)); }
  static float mean(auto const& a) { return pl::item(pl::mean(a)); }
  static float max(auto const& a) { return pl::item(pl::max(a)); }
  static float min(auto const& a) { return pl::item(pl::min(a)); }
  static float variance(auto const& a) { return pl::item(pl::variance(a)); }
  static auto argmax(auto const& a) { return pl::item(pl::argmax(a)); }
};
static bench::reduction_rows<ours> const rows;
