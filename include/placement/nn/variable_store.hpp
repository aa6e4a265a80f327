#pragma once
/// Named variables that several callers share, as TensorFlow's variable_scope and get_variable.

#include <placement/gradient/record.hpp>
#include <placement/nn/any_array.hpp>
#include <placement/nn/initializers.hpp>
#include <placement/place/location.hpp>
#include <placement/place/log.hpp>
#include <placement/place/scope.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace nn {

/// What a name means that a variable_store has, or has not: an error, the variable, or a new
/// variable. `automatic`: the variable if it exists, else a new one.
enum class reuse { no, yes, automatic };

/// A variable of a store, without its type.
struct variable_info {
  std::string_view name;
  std::string_view element;  ///< "float"
  std::vector<index_t> shape;
  device where{};
  device_spec requested{};
  bool trainable = true;
  site made_at{};
};

namespace detail {

struct stored_variable {
  stored_variable() = default;
  virtual ~stored_variable() = default;
  stored_variable(stored_variable const&) = delete;
  stored_variable& operator=(stored_variable const&) = delete;
  virtual any_array array() = 0;
  virtual device_spec requested() const noexcept = 0;

  site made_at;
};
template <class T, class X> struct stored final : stored_variable {
  explicit stored(variable<T, X>&& v) : value(std::move(v)) {}
  any_array array() override { return array_of(value.name(), value, value.trainable()); }
  device_spec requested() const noexcept override { return value.requested(); }

  variable<T, X> value;
};

[[noreturn, gnu::cold]] inline void throw_not_reused(any_array const& has, site made_at, site at) {
  throw invalid_argument("placement: variable " + core::quote(has.name) +
                         " exists: " + std::string(has.element) + " " + core::text_of(has.shape()) +
                         ", made" + core::place_text(made_at) +
                         ". This scope makes new variables. Give nn::reuse::yes or "
                         "nn::reuse::automatic to share it." +
                         core::location_text({}, at));
}
[[noreturn, gnu::cold]] inline void throw_nothing_to_reuse(std::string const& name, site at) {
  throw invalid_argument("placement: there is no variable " + core::quote(name) +
                         ", and this scope makes none. Make it first, or give "
                         "nn::reuse::automatic." +
                         core::location_text({}, at));
}
[[noreturn, gnu::cold]] inline void throw_other_form(any_array const& has, site made_at,
                                                     std::string_view element,
                                                     core::any_shape const& shape, site at) {
  std::string const text = "placement: variable " + core::quote(has.name) + " is " +
                           std::string(has.element) + " " + core::text_of(has.shape()) + ", made" +
                           core::place_text(made_at) + "; here it is " + std::string(element) +
                           " " + core::text_of(shape);
  std::string const where = core::location_text({}, at);
  if (has.element != element) throw invalid_argument(text + ". Give the same type." + where);
  if (core::text_of(has.shape()) != core::text_of(shape))
    throw shape_error(text + ". Give the same shape, or another name." + where);
  throw shape_error(text + " with other extents in the type. Give the shape by the same type." +
                    where);
}

}  // namespace detail

/// Named variables of any types and shapes, which are made by the first call that names them:
///
///     nn::variable_store vars(nn::reuse::automatic);
///     nn::variable_scope const net(vars, "ConvNet");
///     auto& w = vars.get<float>("conv_1/weights", pl::extents<5, 5, 1, 6>{},
///                               nn::init::truncated_normal(0.01));
///
/// A store is a model for watch(), gradients_of(), optimizers, save(), load() and checkpoints. The
/// trainable variables are its parameters, in the order in which they were made. References to
/// variables stay valid as long as the store.
/// Thread: one at a time.
class variable_store {
 public:
  explicit variable_store(reuse policy = reuse::no) : policy_(policy) {}
  variable_store(variable_store const&) = delete;
  variable_store& operator=(variable_store const&) = delete;

  /// The variable of a name, behind the names of the open scopes. A new variable gets its first
  /// value on the device of the options, or as any op. Options are ignored for one that exists.
  /// The innermost gradient tape of the thread watches a new variable that is trainable.
  /// Throws: invalid_argument for a name that the policy rejects, or another type; shape_error for
  /// another shape; as the initializer.
  template <element T, class X, class K = kernels_here> requires is_extents<X>
  variable<T, X>& get(std::string_view name, X const& shape,
                      initializer const& first = init::glorot_uniform,
                      variable_options const& o = {}, site at = site::here()) {
    std::string full = prefix_ + std::string(name);
    if (detail::stored_variable* const found = found_for(full, at)) {
      if (auto* const same = dynamic_cast<detail::stored<T, X>*>(found))
        if (same->value.shape() == shape) return same->value;
      detail::throw_other_form(found->array(), found->made_at, element_name<T>(), shape, at);
    }
    with_device const there(o.device);
    tensor<T, X> value = first.make<T, X, K>(shape, at);
    auto made = std::make_unique<detail::stored<T, X>>(
        variable<T, X>(std::move(full), std::move(value), {.trainable = o.trainable}, at));
    made->made_at = at;
    variable<T, X>& v = made->value;
    add(std::move(made));
    if constexpr (real_number<T>)
      if (o.trainable && placement::detail::gradients_here != nullptr)
        placement::detail::tape_of_thread().watch(
            detail::flat_of<T>(detail::array_of("", v, true)));
    return v;
  }

  /// The number of variables.
  std::size_t size() const noexcept { return order_.size(); }
  /// The number of elements of the variables that are trained, and of the others.
  std::size_t trainable_elements() const { return elements(true); }
  std::size_t other_elements() const { return elements(false); }
  /// Calls f(variable_info) for each variable, in the order in which they were made.
  template <class F> void for_each(F const& f) const {
    for (detail::stored_variable* const v : order_) {
      detail::any_array const a = v->array();
      f(variable_info{a.name,
                      a.element,
                      {a.extent, a.extent + a.rank},
                      a.where,
                      v->requested(),
                      a.trainable,
                      v->made_at});
    }
  }

  reuse policy() const noexcept { return policy_; }
  void set_policy(reuse p) noexcept { policy_ = p; }

  // ---- for optimizers and files

  std::vector<detail::any_array> arrays() const {
    std::vector<detail::any_array> all;
    for (detail::stored_variable* const v : order_) all.push_back(v->array());
    return all;
  }

 private:
  friend class variable_scope;

  /// The variable of this name, if the policy allows it; null for a new one.
  detail::stored_variable* found_for(std::string const& name, site at) const {
    auto const found = by_name_.find(name);
    if (found == by_name_.end()) {
      if (policy_ == reuse::yes) detail::throw_nothing_to_reuse(name, at);
      return nullptr;
    }
    if (policy_ == reuse::no)
      detail::throw_not_reused(found->second->array(), found->second->made_at, at);
    return found->second.get();
  }
  void add(std::unique_ptr<detail::stored_variable> v) {
    order_.reserve(order_.size() + 1);
    auto* const made = v.get();
    by_name_.emplace(made->array().name, std::move(v));
    order_.push_back(made);
  }
  std::size_t elements(bool trainable) const {
    std::size_t n = 0;
    for (detail::any_array const& a : arrays())
      if (a.trainable == trainable) n += a.shape().count();
    return n;
  }

  std::map<std::string, std::unique_ptr<detail::stored_variable>> by_name_;
  std::vector<detail::stored_variable*> order_;
  std::string prefix_;
  reuse policy_;
};

/// Names in front of the variables of a store while the object lives: "ConvNet/conv_1/weights".
/// Scopes nest, and end in reverse order. The second constructor sets the policy, too.
class variable_scope {
 public:
  variable_scope(variable_store& store, std::string_view name)
      : variable_scope(store, name, store.policy_) {}
  variable_scope(variable_store& store, std::string_view name, reuse policy)
      : store_(store), outer_bytes_(store.prefix_.size()), outer_policy_(store.policy_) {
    store.prefix_ += std::string(name) + "/";
    store.policy_ = policy;
  }
  ~variable_scope() {
    store_.prefix_.resize(outer_bytes_);
    store_.policy_ = outer_policy_;
  }
  variable_scope(variable_scope const&) = delete;
  variable_scope& operator=(variable_scope const&) = delete;

 private:
  variable_store& store_;
  std::size_t outer_bytes_;
  reuse outer_policy_;
};

}}}  // namespace placement::v0_1::nn
