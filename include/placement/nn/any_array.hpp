#pragma once
/// Variables and slots without their types.

#include <placement/nn/parameters.hpp>
#include <placement/runtime/escape.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace nn { namespace detail {

namespace core = placement::detail;

/// The elements of a variable or a slot, which lives longer.
struct any_array {
  std::string name;
  std::string_view element;  ///< its type
  std::size_t rank = 0;
  index_t extent[max_rank]{};
  device where{};  ///< of the elements, also of those that are read
  core::buffer_ref* elements = nullptr;
  bool trainable = true;

  core::any_shape shape() const { return {rank, extent}; }
  void set_shape(core::any_shape const& x) {
    rank = x.rank;
    std::copy(x.extent, x.extent + x.rank, extent);
  }
};

template <class T, class X>
any_array array_of(std::string name, variable<T, X>& v, bool trainable) {
  any_array a;
  a.name = std::move(name);
  a.element = element_name<T>();
  a.set_shape(v.shape());
  a.where = v.where();
  a.elements = &variable_access::elements(v);
  a.trainable = trainable;
  return a;
}

/// The variables that are trained.
inline std::vector<any_array> trainable_among(std::vector<any_array> all) {
  std::erase_if(all, [](any_array const& a) { return !a.trainable; });
  return all;
}

/// Calls f with a zero of a variable's type. Throws: invalid_argument unless it is floating point.
template <class F> void with_real_type(any_array const& a, F const& f) {
  if (!core::visit_real_type(a.element, f))
    throw invalid_argument("placement: variable " + core::quote(a.name) + " of " +
                           std::string(a.element) +
                           " cannot be trained. Give a floating point type, or "
                           "{.trainable = false}.");
}
/// Elements of this shape as a vector, which shares them.
template <class T>
core::flat_tensor<T> flat_of(core::buffer_ref const& elements, core::any_shape const& x) {
  auto t = core::tensor_access::empty<core::flat_tensor<T>>();
  core::tensor_access::elements(t) = elements;
  core::tensor_access::shape(t) = core::flat_shape(x);
  return t;
}
template <class T> core::flat_tensor<T> flat_of(any_array const& a) {
  return flat_of<T>(*a.elements, a.shape());
}

/// The variables of a model whose type has them.
template <class M> std::vector<any_array> arrays_of_parts(M& model) {
  std::vector<any_array> all;
  auto const list = [&](bool trainable) {
    return [&all, trainable](std::string const& name, auto& v) {
      auto const is_same = [&](any_array const& a) {
        return a.elements == &variable_access::elements(v);
      };
      if (std::none_of(all.begin(), all.end(), is_same))
        all.push_back(array_of(name, v, trainable));
    };
  };
  for_each_parameter(model, list(true));
  for_each_variable(model, list(false));
  return all;
}

/// A model that lists its variables at run time.
template <class M> concept lists_arrays = requires(M& m) {
  { m.arrays() } -> std::same_as<std::vector<any_array>>;
};

/// The variables of a model: the parameters in order, then those that are not trained. Those of a
/// list at run time in its order.
template <class M> std::vector<any_array> arrays_of(M& model) {
  if constexpr (lists_arrays<M>) return model.arrays();
  else return arrays_of_parts(model);
}

}}}}  // namespace placement::v0_1::nn::detail
