#pragma once
/// The slots of an optimizer: tensors beside each variable, of its shape and on its device.

#include <placement/expr/evaluate.hpp>
#include <placement/expr/memory.hpp>
#include <placement/expr/with_shape.hpp>
#include <placement/kernels/element.hpp>
#include <placement/ops/constant.hpp>
#include <placement/runtime/escape.hpp>

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

  bool fits(std::string_view element, core::any_shape const& x) const {
    bool fits = type == element && rank == x.rank;
    for (std::size_t d = 0; fits && d != x.rank; ++d) fits = extent[d] == x.extent[d];
    return fits;
  }
};

/// A slot as a vector, while an update writes to it.
template <class T> class slot_elements : public core::flat_elements<T> {
 public:
  slot_elements(slot& from, core::flat_tensor<T> const& w)
      : core::flat_elements<T>(from.elements, w.shape()) {}
};

/// The position of a variable among others, and its name: "0, 'kernel',".
[[gnu::cold, gnu::noinline]] inline std::string position_text(std::size_t number,
                                                              std::string_view name) {
  return std::to_string(number) + ", " + core::quote(name) + ",";
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_other_variable(
    std::size_t number, std::string_view name, std::string const& now, slots_of_variable const& v) {
  core::any_shape const before(v.rank, v.extent);
  throw invalid_argument("placement: variable " + position_text(number, name) +
                         " of this optimizer is " + now + ", but was " + std::string(v.type) +
                         " of shape " + core::text_of(before) +
                         ". Give the same variables in the same order, or make another optimizer.");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_other_gradient(std::size_t number,
                                                                        std::string_view name,
                                                                        std::string const& shape,
                                                                        std::string const& given) {
  throw shape_error("placement: variable " + position_text(number, name) + " has shape " + shape +
                    ", but its gradient has shape " + given +
                    ". Give one gradient for each variable, in the same order.");
}

/// A slot with its first value. T: the element type of the variable.
template <class T, class K> slot make_slot(double first, dextents<1> const& shape, site at) {
  core::flat_tensor<T> filled(
      constant(static_cast<T>(static_cast<computed_in<T>>(first)), shape, at), at);
  return {std::move(core::tensor_access::elements(filled))};
}

/// A slot of the same elements on the device of the scope.
template <class T, class K> slot copied_slot(slot const& from, dextents<1> const& shape, site at) {
  auto t = core::tensor_access::empty<core::flat_tensor<T>>();
  core::tensor_access::elements(t) = from.elements;
  core::tensor_access::shape(t) = shape;
  core::flat_tensor<T> copy =
      copy_to(device_request(core::requested_here().requested.local_device(), at), t);
  return {std::move(core::tensor_access::elements(copy))};
}

/// The slots of all variables of an optimizer, in the order in which it gets them.
class slot_table {
 public:
  std::vector<slots_of_variable>& all() noexcept { return all_; }
  /// Makes the slots of variable `number` of shape x, unless they exist: as copies of those in
  /// `first_copy`, if it is not null and has them, else with the values `first`. On the device of
  /// the scope. Throws: out_of_memory; then nothing has changed.
  template <class T, class K, class First>
  void make(std::size_t number, slot_table const* first_copy, core::any_shape const& x,
            First const& first, site at) {
    if (has(number)) return;
    slots_of_variable v;
    v.type = element_name<T>();
    v.rank = x.rank;
    for (std::size_t d = 0; d != x.rank; ++d) v.extent[d] = x.extent[d];
    if (first_copy != nullptr && first_copy->has(number)) {
      for (slot const& s : first_copy->all_[number].slots)
        v.slots.push_back(copied_slot<T, K>(s, core::flat_shape(x), at));
    } else {
      for (double const value : first)
        v.slots.push_back(make_slot<T, K>(value, core::flat_shape(x), at));
    }
    if (number >= all_.size()) all_.resize(number + 1);
    all_[number] = std::move(v);
  }
  bool has(std::size_t number) const noexcept {
    return number < all_.size() && !all_[number].type.empty();
  }
  /// The slots of a variable, after make().
  std::vector<slot>& of(std::size_t number) { return all_[number].slots; }
  /// Throws: invalid_argument for a variable of another type or shape than before.
  void check(std::size_t number, std::string_view name, std::string_view type,
             core::any_shape const& x) const {
    if (has(number) && !all_[number].fits(type, x))
      throw_other_variable(number, name, std::string(type) + " of shape " + core::text_of(x),
                           all_[number]);
  }

 private:
  std::vector<slots_of_variable> all_;
};

}}}}  // namespace placement::v0_1::nn::detail
