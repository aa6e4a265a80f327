#include "rows.hpp"

#include <Eigen/Core>

struct eigen {
  static constexpr char const* name = "eigen";

  static Eigen::ArrayXf array(benchmark::State const& state) {
    std::vector<float> const from = bench::mixed(state);
    return Eigen::Map<Eigen::ArrayXf const>(from.data(), bench::size_of(state));
  }
  static float sum(Eigen::ArrayXf const& a) { return a.sum(); }
  static float mean(Eigen::ArrayXf const& a) { return a.mean(); }
  static float max(Eigen::ArrayXf const& a) { return a.maxCoeff(); }
  static float min(Eigen::ArrayXf const& a) { return a.minCoeff(); }
  static float variance(Eigen::ArrayXf const& a) { return (a - a.mean()).square().mean(); }
  static auto argmax(Eigen::ArrayXf const& a) {
    Eigen::Index at = 0;
    a.maxCoeff(&at);
    return at;
  }
  static float norm(Eigen::ArrayXf const& a) { return a.matrix().norm(); }
  static bool any(Eigen::ArrayXf const& a) { return (a > 2.f).any(); }
  static bool all(Eigen::ArrayXf const& a) { return (a < 2.f).all(); }
};
static bench::reduction_rows<eigen> const rows;
