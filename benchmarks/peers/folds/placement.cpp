#include <ours.hpp>

#include "rows.hpp"

#include <placement/ops/norm.hpp>

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
  static float norm(auto const& a) { return pl::item(pl::norm(a)); }
  static bool any(auto const& a) { return pl::item(pl::any(a > 2.f)); }
  static bool all(auto const& a) { return pl::item(pl::all(a < 2.f)); }
};
static bench::reduction_rows<ours> const rows;
