#include "rows.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnorm.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>

struct xtensor {
  static constexpr char const* name = "xtensor";
  using floats = xt::xtensor<float, 1>;

  static floats array(benchmark::State const& state) {
    std::vector<float> const from = bench::mixed(state);
    return xt::adapt(from, std::array<std::size_t, 1>{from.size()});
  }
  static float sum(floats const& a) {
    return xt::sum<float>(a, xt::evaluation_strategy::immediate)();
  }
  static double mean(floats const& a) { return xt::mean(a, xt::evaluation_strategy::immediate)(); }
  static float max(floats const& a) { return xt::amax(a, xt::evaluation_strategy::immediate)(); }
  static float min(floats const& a) { return xt::amin(a, xt::evaluation_strategy::immediate)(); }
  static auto argmax(floats const& a) { return xt::argmax(a)(); }
  static float norm(floats const& a) { return xt::norm_l2(a)(); }
  static bool any(floats const& a) { return xt::any(a > 2.f); }
  static bool all(floats const& a) { return xt::all(a < 2.f); }
};
static bench::reduction_rows<xtensor> const rows;
