#pragma once
/// Gradients whose types and number only the program knows.

#include <placement/error.hpp>
#include <placement/expr/tensor.hpp>
#include <placement/kernels/element.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 { namespace nn {

/// The gradients of the variables of a variable_store, in order, without their types.
class gradient_list {
 public:
  std::size_t size() const noexcept { return all_.size(); }
  /// Gradient i as a vector. Throws: invalid_argument for another element type, or if there is
  /// none.
  template <element T> tensor<T, dextents<1>> at(std::size_t i) const {
    check(i, element_name<T>());
    auto t = placement::detail::tensor_access::empty<tensor<T, dextents<1>>>();
    placement::detail::tensor_access::elements(t) = all_[i].elements;
    placement::detail::tensor_access::shape(t) = {{all_[i].count}};
    return t;
  }
  /// Calls f(gradient i as a vector) for each, in order.
  template <class F> void for_each(F const& f) const {
    for (std::size_t i = 0; i != size(); ++i)
      placement::detail::visit_real_type(all_[i].element, [&]<class T>(T) { f(at<T>(i)); });
  }
  /// Adds a gradient after the others. for_each() visits floating point alone, so there is no
  /// other.
  template <real_number T> void add(tensor<T, dextents<1>> const& g) { all_.push_back(one_of(g)); }
  /// Replaces gradient i, as by a clipped one. Throws: as at().
  template <real_number T> void set(std::size_t i, tensor<T, dextents<1>> const& g) {
    check(i, element_name<T>());
    all_[i] = one_of(g);
  }

 private:
  struct one {
    std::string_view element;
    index_t count;
    placement::detail::buffer_ref elements;
  };
  template <class T> static one one_of(tensor<T, dextents<1>> const& g) {
    return {element_name<T>(), g.shape().at(0), placement::detail::tensor_access::elements(g)};
  }
  void check(std::size_t i, std::string_view element) const {
    if (i >= all_.size() || all_[i].element != element) throw_none(i, element);
  }
  [[noreturn, gnu::cold, gnu::noinline]] void throw_none(std::size_t i,
                                                         std::string_view element) const {
    throw invalid_argument("placement: there is no gradient " + std::to_string(i) + " of " +
                           std::string(element) + " among " + std::to_string(all_.size()) +
                           ". Give the type of the variable.");
  }

  std::vector<one> all_;
};

}}}  // namespace placement::v0_1::nn
