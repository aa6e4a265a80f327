#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/expr/with_shape.hpp>
#include <placement/nn/layer.hpp>

#include <string>
#include <tuple>
#include <utility>

namespace placement { inline namespace v0_1 { namespace nn {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_other_samples(std::string const& made_for,
                                                                       std::string const& given) {
  throw shape_error("placement: this model is for samples of shape " + made_for +
                    " along the first dimension, and was called with " + given +
                    ". Reshape the samples, or make a model for them.");
}
/// Throws: shape_error unless x has samples of this shape along its first dimension.
template <class Sample, class X> void check_samples(Sample const& sample, X const& x) {
  for (std::size_t d = 0; d != Sample::rank; ++d)
    if (sample.at(d) != x.at(d + 1)) throw_other_samples(to_string(sample), to_string(x));
}

/// Whether the static extents of X after the first are those of Sample.
template <class X, class Sample> constexpr bool samples_may_fit() {
  for (std::size_t d = 0; d != Sample::rank; ++d) {
    index_t const given = X::static_extent(d + 1), made_for = Sample::static_extent(d);
    if (given != dyn && made_for != dyn && given != made_for) return false;
  }
  return true;
}

/// An operand as a tensor.
template <class X> auto tensor_of(X const& x, site at) {
  using t = tensor<typename X::value_type, typename X::extents_type>;
  if constexpr (lazy<X>) return t(x, at);
  else return t(x);
}
/// The same with all extents at run time: the kernels of layers do not depend on sizes.
template <class X> auto as_run_time_tensor(X const& x, site at) {
  return tensor<typename X::value_type, dextents<X::rank>>(
      placement::detail::with_run_time_shape(tensor_of(x, at)));
}
/// One layer, called in the given mode at the caller's source location, as far as it takes them. K:
/// the kernels of this file.
template <class K, class Layer, class X, class... Mode>
decltype(auto) called(Layer& layer, X const& x, site at, Mode... mode) {
  if constexpr (requires { requires Layer::shares_kernels; }) {
    if constexpr (requires { layer(x, mode..., in_model, at); })
      return layer(x, mode..., in_model, at);
    else return layer(x, in_model, at);
  } else if constexpr (requires { layer(x, mode..., at); }) {
    return layer(x, mode..., at);
  } else if constexpr (requires { layer(x, mode...); }) {
    return layer(x, mode...);
  } else if constexpr (requires { layer(x, at); }) {
    return layer(x, at);
  } else {
    return layer(x);
  }
}
/// The layers from I on, applied to x. Layers that need a tensor evaluate x first.
template <std::size_t I, class K, class Layers, class X, class... Mode>
auto run_layers(Layers& layers, X const& x, site at, Mode... mode) {
  if constexpr (I == std::tuple_size_v<std::remove_const_t<Layers>>) {
    return tensor_of(x, at);
  } else {
    auto& layer = std::get<I>(layers);
    if constexpr (lazy<X> && reads_tensor<std::remove_cvref_t<decltype(layer)>, X>) {
      auto const t = as_run_time_tensor(x, at);
      return run_layers<I + 1, K>(layers, called<K>(layer, t, at, mode...), at, mode...);
    } else {
      return run_layers<I + 1, K>(layers, called<K>(layer, x, at, mode...), at, mode...);
    }
  }
}

/// The shape of a batch with the first extent of Batch, of samples Sample.
template <class Batch, class Sample> struct batch_shape;
template <class Batch, index_t... N> struct batch_shape<Batch, extents<N...>> {
  using type = extents<Batch::static_extent(0), N...>;
};
/// A model's result with the static extents of its type.
template <class X, class T, class Y> auto as_output(tensor<T, Y>&& y) {
  if constexpr (X::rank == Y::rank && placement::detail::may_convert<X, Y>())
    return placement::detail::with_shape(std::move(y), placement::detail::converted<X>(y.shape()));
  else return std::move(y);
}

}  // namespace detail

/// Layers that are called one after another: see sequential(). A value: copies have variables of
/// their own.
template <class Sample, class... Layers> class sequential_model {
 public:
  static constexpr bool reads_tensor = true;

  sequential_model(Sample const& sample, std::tuple<Layers...> layers)
      : sample_(sample), layers_(std::move(layers)) {}

  /// The outputs of samples, in inference. x: samples along the first dimension. Each layer with
  /// parameters and the element-wise layers after it are one kernel.
  /// Throws: shape_error for samples of another shape; exceptions of the ops.
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, site at = site::here()) const {
    if constexpr (check<X>()) {
      detail::check_samples(sample_, x.shape());
      return run<K>(layers_, x, at);
    } else {
      return detail::tensor_of(x, at);
    }
  }
  /// The same in training: layers such as dropout compute something else.
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, training_t mode, site at = site::here()) {
    if constexpr (check<X>()) {
      detail::check_samples(sample_, x.shape());
      return run<K>(layers_, x, at, mode);
    } else {
      return detail::tensor_of(x, at);
    }
  }

  template <operand X> auto operator()(X const& x, training_t, site at = site::here()) const {
    static_assert(placement::detail::always_false<X>,
                  "placement: a constant model is called in training, which may change its layers. "
                  "Make it not const, or call it without nn::training.");
    return detail::tensor_of(x, at);
  }

  /// Layer I, from 0 on.
  template <std::size_t I> auto& layer() { return std::get<I>(layers_); }
  template <std::size_t I> auto const& layer() const { return std::get<I>(layers_); }

  auto parts() {
    return std::apply([](auto&... l) { return std::tie(l...); }, layers_);
  }
  auto parts() const {
    return std::apply([](auto const&... l) { return std::tie(l...); }, layers_);
  }
  /// The shape of an input sample.
  Sample sample() const { return sample_; }
  template <class X> auto output(X const& sample) const { return output_from<0>(sample); }

 private:
  template <class K, class Made, class X, class... Mode>
  static auto run(Made& layers, X const& x, site at, Mode... mode) {
    using sample = decltype(std::declval<sequential_model const&>().output(Sample{}));
    using output = typename detail::batch_shape<typename X::extents_type, sample>::type;
    return detail::as_output<output>(
        detail::run_layers<0, K>(layers, placement::detail::with_run_time_shape(x), at, mode...));
  }
  template <std::size_t I, class X> auto output_from(X const& sample) const {
    if constexpr (I == sizeof...(Layers)) return sample;
    else return output_from<I + 1>(std::get<I>(layers_).output(sample));
  }
  /// Whether samples of X may fit. Otherwise asserts, and the caller compiles nothing further.
  template <class X> static constexpr bool check() {
    static_assert(X::rank == Sample::rank + 1,
                  "placement: a model takes samples along the first dimension. Its operand has one "
                  "dimension more than a sample.");
    if constexpr (X::rank == Sample::rank + 1) {
      using given = typename X::extents_type;
      static_assert(detail::samples_may_fit<given, Sample>(),
                    "placement: this model is for samples of another shape. Reshape the samples, "
                    "or make a model for them.");
      return detail::samples_may_fit<given, Sample>();
    } else {
      return false;
    }
  }

  Sample sample_;
  std::tuple<Layers...> layers_;
};

namespace detail {
template <class T, class K, class L, class X> auto layer_for(L const& l, X const& sample, site at) {
  if constexpr (requires { l.template layer<T>(sample, at); })
    return l.template layer<T>(sample, at);
  else return l;
}
/// Calls f with the layers that `next` and `more` describe, each made for the output of the one
/// before it.
template <class T, class K, class X, class F> auto with_layers(X const&, site, F const& f) {
  return f();
}
template <class T, class K, class X, class F, class L, class... More>
[[gnu::cold]] auto with_layers(X const& sample, site at, F const& f, L const& next,
                               More const&... more) {
  auto layer = layer_for<T, K>(next, sample, at);
  static_assert(
      requires { layer.output(sample); },
      "placement: sequential gets something that is not a layer. A layer has "
      "output(shape), which returns the shape of an output sample.");
  return with_layers<T, K>(
      layer.output(sample), at, [&](auto&... later) { return f(layer, later...); }, more...);
}
/// A model of the layers that `all` describes.
template <class T, class K, class X, class... L>
auto make_model(X const& sample, site at, L const&... all) {
  return with_layers<T, K>(
      sample, at,
      [&]<class... Layer>(Layer&... l) {
        return sequential_model<X, Layer...>(sample, std::tuple<Layer...>(std::move(l)...));
      },
      all...);
}
}  // namespace detail

/// A model from the shape of one sample, and layers or descriptions of layers:
/// `sequential(extents<28, 28>{}, flatten, dense<100>{}, relu, dense<10>{})`. Each layer is made
/// for the output of the one before it. With a static shape all shapes of variables are static, and
/// samples of another size do not compile. T: the element type of the variables.
/// Throws: as the initializers; out_of_memory.
template <element T = float, index_t... N, class... L, class K = kernels_here>
auto sequential(extents<N...> sample, L const&... layers) {
  return detail::make_model<T, K>(sample, {}, layers...);
}
template <element T = float, class First, class... L> requires(!is_extents<First>)
auto sequential(First const& first, L const&...) {
  static_assert(placement::detail::always_false<First>,
                "placement: sequential takes the shape of one sample before the layers. Write "
                "sequential(extents<28, 28>{}, flatten, dense<10>{}).");
  return first;
}

}}}  // namespace placement::v0_1::nn
