#pragma once
/// Layers, and descriptions of layers.
///
/// A layer is a value that is called with samples: `layer(x)` gives an operand. The first dimension
/// of x numbers the samples. Its members:
/// - `output(shape)`: the shape of an output sample, from the shape of an input sample;
/// - `parts()`: if it has parameters, see parameters.hpp;
/// - `non_trainable()`: if it has other variables, references to them as a tuple;
/// - `reads_tensor`: true if its operand is evaluated first, and does not fuse with it;
/// - `fuses_with<X>`: true for expressions that fuse with it although it reads tensors;
/// - `operator()(x, training)`: what it computes in training. It may change the layer. A last
///   parameter `site at = site::here()` gets the source location of the model's call;
/// - `shares_kernels`: see in_model_t.
/// A description has layer<T>(shape), which makes the layer for input samples of that shape.
///
/// A model calls its layers with tensors of run-time extents. It has compared them with the shapes
/// for which the layers were made.

#include <placement/expr/operand.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace nn {

/// For calls of layers: `model(x, training)`.
struct training_t {};
inline constexpr training_t training{};

/// Whether samples with Given features fit a layer for In features, as far as both are static.
template <index_t In, index_t Given>
inline constexpr bool features_fit = In == dyn || Given == dyn || In == Given;

/// Whether the samples of X are vectors with In features. Otherwise asserts with one sentence, and
/// the caller compiles nothing further.
template <index_t In, class X> constexpr bool check_features() {
  static_assert(X::rank == 2,
                "placement: a dense layer takes a matrix with a sample in each row. Put flatten "
                "before it.");
  if constexpr (X::rank == 2) {
    constexpr index_t given = X::extents_type::static_extent(1);
    static_assert(features_fit<In, given>,
                  "placement: this dense layer takes another number of features. Give samples of "
                  "the size for which the layer was made.");
    return features_fit<In, given>;
  } else {
    return false;
  }
}

/// The last argument with which a model calls a layer that declares `shares_kernels`. The model has
/// checked the shape of the samples. The layer reads its variables with extents at run time, so
/// that layers which differ in sizes alone share their kernels.
struct in_model_t {};
inline constexpr in_model_t in_model{};

struct with_bias {};
struct without_bias {};

namespace detail {
template <class L, class X>
inline constexpr bool reads_tensor =
    requires { requires L::reads_tensor; } && !requires { requires L::template fuses_with<X>; };
}  // namespace detail

}}}  // namespace placement::v0_1::nn
