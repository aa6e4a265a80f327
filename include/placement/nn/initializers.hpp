#pragma once
/// The first values of variables.

#include <placement/expr/evaluate.hpp>
#include <placement/expr/with_shape.hpp>
#include <placement/ops/constant.hpp>
#include <placement/ops/truncated_normal.hpp>
#include <placement/ops/uniform.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

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

  /// A tensor of the first values, placed by the enclosing scopes. Throws: as uniform;
  /// invalid_argument for random integers.
  template <element T, class X, class K = kernels_here>
  tensor<T, X> make(X const& shape, site at = site::here()) const {
    placement::detail::checked_count(shape, sizeof(T), "initializer", at);
    return placement::detail::with_shape(
        elements<T, K>(placement::detail::flat_shape(shape), value_ * factor(shape), at), shape);
  }

 private:
  /// The values as a vector: element i of each shape is the same.
  template <class T, class K>
  tensor<T, dextents<1>> elements(dextents<1> const& n, double scaled, site at) const {
    using flat = tensor<T, dextents<1>>;
    auto const value = static_cast<T>(static_cast<computed_in<T>>(scaled));
    if constexpr (real_number<T>) {
      if (of_ == distribution::uniform)
        return flat(placement::uniform<T>(n, static_cast<T>(-value), value, at), at);
      if (of_ == distribution::truncated_normal)
        return flat(placement::truncated_normal<T>(n, T{}, value, at), at);
    } else if (of_ != distribution::constant) {
      throw_no_distribution(element_name<T>());
    }
    return flat(constant(value, n, at), at);
  }
  [[noreturn, gnu::cold]] static void throw_no_distribution(std::string_view element) {
    throw invalid_argument("placement: random first values of " + std::string(element) +
                           " are floating point. Give nn::init::zeros, ones or constant.");
  }
  double factor(placement::detail::any_shape const& x) const {
    double in = 1, out = 1;
    for (std::size_t d = 0; d != x.rank; ++d) {
      auto const n = static_cast<double>(x.extent[d]);
      if (d + 1 != x.rank || x.rank == 1) in *= n;
      if (d + 2 != x.rank) out *= n;
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
