#pragma once
/// The first values of variables.

#include <placement/expr/evaluate.hpp>
#include <placement/ops/constant.hpp>
#include <placement/ops/truncated_normal.hpp>
#include <placement/ops/uniform.hpp>

#include <algorithm>
#include <cmath>

namespace placement { inline namespace v0_1 { namespace nn {

/// The distribution of a variable's first values. A kernel has the shape (..., in, out). Its fan in
/// is the product of all extents but `out`. Its fan out is that of all but `in`. Random values are
/// those of set_seed, equal on every device.
class initializer {
 public:
  enum class distribution { constant, uniform, truncated_normal };
  enum class scale { none, fan_in, both_fans };

  constexpr initializer(distribution of, double value, scale by = scale::none)
      : of_(of), by_(by), value_(value) {}

  /// A tensor of the first values, placed by the enclosing scopes. Throws: as uniform.
  template <element T, class X, class K = kernels_here>
  tensor<T, X> make(X const& shape, site at = site::here()) const {
    auto const value = static_cast<T>(static_cast<computed_in<T>>(value_ * factor(shape)));
    switch (of_) {
      case distribution::uniform:
        return tensor<T, X>(placement::uniform<T>(shape, static_cast<T>(-value), value, at), at);
      case distribution::truncated_normal:
        return tensor<T, X>(placement::truncated_normal<T>(shape, T{}, value, at), at);
      case distribution::constant: break;
    }
    return tensor<T, X>(constant(value, shape, at), at);
  }

 private:
  template <class X> double factor(X const& shape) const {
    double in = 1, out = 1;
    for (std::size_t d = 0; d != X::rank; ++d) {
      auto const n = static_cast<double>(shape.at(d));
      if (d + 1 != X::rank || X::rank == 1) in *= n;
      if (d + 2 != X::rank) out *= n;
    }
    if (by_ == scale::fan_in) return std::sqrt(1 / std::max(in, 1.0));
    if (by_ == scale::both_fans) return std::sqrt(2 / std::max(in + out, 1.0));
    return 1;
  }

  distribution of_;
  scale by_;
  double value_;
};

/// Names of initializers: `dense<10>{.kernel = nn::init::truncated_normal(0.01)}`.
namespace init {

/// The standard deviation of a normal distribution that is truncated at two deviations.
inline constexpr double truncated_deviation = 0.87962566103423978;

inline constexpr initializer zeros{initializer::distribution::constant, 0};
inline constexpr initializer ones{initializer::distribution::constant, 1};
constexpr initializer constant(double value) {
  return {initializer::distribution::constant, value};
}
/// Mean 0; no value is further from it than two standard deviations.
constexpr initializer truncated_normal(double stddev) {
  return {initializer::distribution::truncated_normal, stddev};
}
/// Variance 2 / (fan in + fan out).
/// Source: Glorot, Bengio: Understanding the Difficulty of Training Deep Feedforward Neural
/// Networks (2010); tf.keras.initializers.
inline constexpr initializer glorot_uniform{initializer::distribution::uniform, 1.7320508075688772,
                                            initializer::scale::both_fans};
inline constexpr initializer glorot_normal{initializer::distribution::truncated_normal,
                                           1 / truncated_deviation, initializer::scale::both_fans};
/// Variance 2 / fan in.
/// Source: He et al.: Delving Deep into Rectifiers (2015); tf.keras.initializers.
inline constexpr initializer he_uniform{initializer::distribution::uniform, 2.4494897427831779,
                                        initializer::scale::fan_in};
inline constexpr initializer he_normal{initializer::distribution::truncated_normal,
                                       1.4142135623730951 / truncated_deviation,
                                       initializer::scale::fan_in};

}  // namespace init

}}}  // namespace placement::v0_1::nn
