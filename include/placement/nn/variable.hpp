#pragma once
/// Variables: what training changes.

#include <placement/expr/evaluate.hpp>
#include <placement/expr/memory.hpp>
#include <placement/expr/pin.hpp>
#include <placement/expr/with_shape.hpp>
#include <placement/place/log.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace nn {

namespace detail {
struct variable_access;

/// The number of the strategy in whose scope this thread makes variables; 0: none.
PLACEMENT_PROCESS_STATE inline constinit thread_local std::uint32_t strategy_here = 0;
}  // namespace detail

/// Options of a variable: `variable w("w", e, {.trainable = false, .device = "/cpu:0"})`.
struct variable_options {
  /// Whether optimizers update it in a variable_store. In a model its parts() decide.
  bool trainable = true;
  /// Where the first value is computed; a name is merged with the enclosing scopes. Default: as for
  /// any tensor.
  device_request device{placement::device{}};
};

/// A named tensor that owns its elements: `variable w("w", zeros<float>(2, 3))`. Copying it copies
/// the elements, so that two variables never share them, and a gradient tape distinguishes them.
/// Expressions read value().
/// Thread: as a tensor.
template <element T, class X> class variable {
 public:
  using value_type = T;
  using extents_type = X;
  using tensor_type = tensor<T, X>;
  static constexpr std::size_t rank = X::rank;

  /// The value of an operand, computed now. Throws: as a tensor.
  template <operand E, class K = kernels_here>
  variable(std::string name, E&& e, site at = site::here())
      : variable(std::move(name), computed(std::forward<E>(e), at), true) {
    log_made<K>(at);
  }
  /// The same with options. Throws: placement_error for a missing device under hard placement, too.
  template <operand E, class K = kernels_here>
  variable(std::string name, E&& e, variable_options const& o, site at = site::here())
      : variable(std::move(name), computed(std::forward<E>(e), o.device, at), o.trainable) {
    log_made<K>(at);
  }
  /// A copy of the elements on their device. Throws: out_of_memory; shape_error if `other` was
  /// moved from.
  variable(variable const& other)
      : name_(other.name_),
        value_(other.value_),
        requested_(other.requested_),
        trainable_(other.trainable_),
        strategy_(other.strategy_) {
    own();
  }
  variable(variable&&) noexcept = default;
  variable& operator=(variable const& other) {
    if (this != &other) *this = variable(other);
    return *this;
  }
  variable& operator=(variable&&) = default;
  ~variable() = default;

  std::string const& name() const noexcept { return name_; }
  tensor_type const& value() const noexcept { return value_; }
  /// The value with all extents at run time.
  decltype(auto) run_time_value() const { return placement::detail::with_run_time_shape(value_); }
  operator tensor_type const&() const noexcept { return value_; }
  X shape() const noexcept { return value_.shape(); }
  std::size_t size() const noexcept { return value_.size(); }
  device where() const noexcept { return value_.where(); }
  /// The device that was requested for the variable when it was made: by an option, on(), or the
  /// scopes of its first value; empty without a request. assign(), copies and moves keep it.
  device_spec requested() const noexcept { return requested_; }
  /// Whether a variable_store trains it.
  bool trainable() const noexcept { return trainable_; }

  /// Replaces the value, with the device on which it was computed. The variable shares no elements
  /// with x. Strong exception guarantee.
  template <operand E, class K = kernels_here> void assign(E&& x, site at = site::here()) {
    tensor_type value = computed(std::forward<E>(x), at);
    own(value);
    value_ = std::move(value);
  }
  /// Moves the elements to a device, which becomes the requested one. The name is merged with the
  /// enclosing scopes. Throws: as copy_to; then the variable is unchanged.
  void move_to(device_request there) {
    tensor_type value = copy_to(there, value_);
    requested_ = value.requested();
    if (!(value.where() == value_.where())) value_ = std::move(value);
  }
  /// Calls update(value), which may write to the tensor in place.
  template <class F> void modify(F const& update) {
    update(value_);
    own();
  }

 private:
  friend struct detail::variable_access;
  variable(std::string&& name, tensor_type&& value, bool trainable)
      : name_(std::move(name)),
        value_(std::move(value)),
        requested_(value_.requested()),
        trainable_(trainable) {
    own();
  }

  template <class K> void log_made(site at) const {
    if constexpr (logs_ops<K>)
      if (placement::detail::settings_here().level() == log_level::all) [[unlikely]]
        placement::detail::log_variable(name_, where(), at);
  }
  template <class E> static tensor_type computed(E&& e, site at) {
    if constexpr (lazy<E>) return tensor_type(std::forward<E>(e), at);
    else return tensor_type(std::forward<E>(e));
  }
  /// The value on a device, if one is requested. Tensors are copied, expressions computed there.
  template <class E> static tensor_type computed(E&& e, device_request there, site at) {
    if (!there.requested.has_value()) return computed(std::forward<E>(e), at);
    there.where = at;
    if constexpr (lazy<E>) return tensor_type(on(there, std::forward<E>(e)), at);
    else if constexpr (std::is_same_v<bare<E>, tensor<T, typename bare<E>::extents_type>>)
      // copied as a vector, by one function for all shapes
      return placement::detail::with_shape(
          placement::detail::flat_tensor<T>(copy_to(there, placement::detail::flattened(e))),
          e.shape());
    else return copy_to(there, e);
  }
  void own() { own(value_); }
  static void own(tensor_type& t) {
    placement::detail::buffer_ref& elements = placement::detail::tensor_access::elements(t);
    if (elements && (elements->owners() != 1 || elements->is_external()))
      elements = placement::detail::copied_to(elements->where(), *elements.get());
  }

  std::string name_;
  tensor_type value_;
  device_spec requested_;
  bool trainable_ = true;
  std::uint32_t strategy_ = detail::strategy_here;
};
template <operand E>
variable(std::string, E&&)
    -> variable<typename bare<E>::value_type, typename bare<E>::extents_type>;
template <operand E>
variable(std::string, E&&, site)
    -> variable<typename bare<E>::value_type, typename bare<E>::extents_type>;
template <operand E>
variable(std::string, E&&, variable_options)
    -> variable<typename bare<E>::value_type, typename bare<E>::extents_type>;
template <operand E>
variable(std::string, E&&, variable_options, site)
    -> variable<typename bare<E>::value_type, typename bare<E>::extents_type>;

namespace detail {
/// For layers above: the elements of a variable, and the strategy in whose scope it was made.
struct variable_access {
  template <class T, class X>
  static placement::detail::buffer_ref& elements(variable<T, X>& v) noexcept {
    return placement::detail::tensor_access::elements(v.value_);
  }
  template <class T, class X> static std::uint32_t strategy(variable<T, X> const& v) noexcept {
    return v.strategy_;
  }
};
}  // namespace detail

template <class V> inline constexpr bool is_variable = false;
template <class T, class X> inline constexpr bool is_variable<variable<T, X>> = true;

}}}  // namespace placement::v0_1::nn
