#pragma once
/// The slots of an optimizer: tensors beside each variable, of its shape and on its device.

#include <placement/expr/evaluate.hpp>
#include <placement/kernels/element.hpp>
#include <placement/ops/constant.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace nn { namespace detail {

namespace core = placement::detail;

/// A slot, without its type. Copies share their elements until one of them is updated.
struct slot {
  core::buffer_ref elements;
};
/// The slots of one variable, which is known by its number.
struct slots_of_variable {
  std::string_view type;
  std::size_t rank = 0;
  index_t extent[max_rank]{};
  std::vector<slot> slots;

  template <class T, class X> bool fits(tensor<T, X> const& t) const {
    bool fits = type == element_name<T>() && rank == X::rank;
    for (std::size_t d = 0; fits && d != X::rank; ++d) fits = extent[d] == t.extent(d);
    return fits;
  }
};

/// A slot as a tensor, while an update writes to it.
template <class T, class X> class slot_tensor {
 public:
  slot_tensor(slot& from, X const& shape)
      : from_(from), tensor_(core::tensor_access::empty<tensor<T, X>>()) {
    core::tensor_access::elements(tensor_) = std::move(from.elements);
    core::tensor_access::shape(tensor_) = shape;
  }
  ~slot_tensor() { from_.elements = std::move(core::tensor_access::elements(tensor_)); }
  slot_tensor(slot_tensor const&) = delete;
  slot_tensor& operator=(slot_tensor const&) = delete;
  tensor<T, X>& operator*() noexcept { return tensor_; }

 private:
  slot& from_;
  tensor<T, X> tensor_;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_other_variable(
    std::size_t number, std::string const& now, slots_of_variable const& v) {
  core::any_shape const before(v.rank, v.extent);
  throw invalid_argument("placement: variable " + std::to_string(number) +
                         " of this optimizer is " + now + ", but was " + std::string(v.type) +
                         " of shape " + core::text_of(before) +
                         ". Give the same variables in the same order, or make another optimizer.");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_other_gradient(std::size_t number,
                                                                        std::string const& shape,
                                                                        std::string const& given) {
  throw shape_error("placement: variable " + std::to_string(number) + " has shape " + shape +
                    ", but its gradient has shape " + given +
                    ". Give one gradient for each variable, in the same order.");
}

/// The slots of all variables of an optimizer, in the order in which it gets them.
class slot_table {
 public:
  /// The slots of variable `number`. first: their first values. Throws: invalid_argument for a
  /// variable of another type or shape than before; out_of_memory.
  template <class K, class T, class X, class First>
  std::vector<slot>& of(std::size_t number, tensor<T, X> const& t, First const& first, site at) {
    if (number < all_.size()) {
      check(number, t);
      return all_[number].slots;
    }
    slots_of_variable v;
    v.type = element_name<T>();
    v.rank = X::rank;
    for (std::size_t d = 0; d != X::rank; ++d) v.extent[d] = t.extent(d);
    for (double const value : first) {
      tensor<T, X> filled(
          constant(static_cast<T>(static_cast<computed_in<T>>(value)), t.shape(), at), at);
      v.slots.push_back({std::move(core::tensor_access::elements(filled))});
    }
    all_.push_back(std::move(v));
    return all_.back().slots;
  }
  template <class T, class X> void check(std::size_t number, tensor<T, X> const& t) const {
    if (number < all_.size() && !all_[number].fits(t))
      throw_other_variable(number,
                           std::string(element_name<T>()) + " of shape " + to_string(t.shape()),
                           all_[number]);
  }

 private:
  std::vector<slots_of_variable> all_;
};

}}}}  // namespace placement::v0_1::nn::detail
