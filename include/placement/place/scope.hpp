#pragma once
/// Device scopes, as `with tf.device(...)`: an op written on this thread while a scope lives
/// requests the scope's device.

#include <placement/device/device.hpp>
#include <placement/device/device_spec.hpp>
#include <placement/device/name.hpp>
#include <placement/device/registry.hpp>
#include <placement/device/tag.hpp>
#include <placement/error.hpp>
#include <placement/fwd.hpp>
#include <placement/place/rule.hpp>
#include <placement/place/scope_stack.hpp>
#include <placement/place/settings.hpp>
#include <placement/place/site.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {

/// Changes settings of this thread while the object lives; the default object changes none.
class settings_scope {
 public:
  settings_scope() = default;
  explicit settings_scope(settings_change c) : changes_(true), outer_(this_scope.settings) {
    this_scope.settings.changes = outer_.changes.then(c);
    if (c.has_budget()) this_scope.settings.copies_before = copies_made;
  }
  ~settings_scope() {
    if (changes_) this_scope.settings = outer_;
  }
  settings_scope(settings_scope const&) = delete;
  settings_scope& operator=(settings_scope const&) = delete;

 private:
  bool changes_ = false;
  scope_settings outer_{};
};

}  // namespace detail

struct soft_t {};
struct strict_t {};
/// Evaluation in this scope may fall back (the default).
inline constexpr soft_t soft{};
/// With a compile-time device: an op without a kernel there does not compile. With a run-time
/// device: an error.
inline constexpr strict_t strict{};

/// Several policies as one, for everything that is pinned to a scope.
template <class... P> struct all_of {};

namespace detail {
/// Policies that are part of the scope's type, so that the compiler can check pinned expressions.
template <class S> inline constexpr bool is_policy = false;
template <> inline constexpr bool is_policy<soft_t> = true;
template <> inline constexpr bool is_policy<strict_t> = true;
template <> inline constexpr bool is_policy<no_fallback_t> = true;
template <class What, std::size_t N> inline constexpr bool is_policy<at_most<What, N>> = true;
}  // namespace detail

/// A setting of a scope, for evaluations inside it: soft_placement, hard_placement, log_placement,
/// log_level, log_format, transfers, tensor_float_32. Also the policies soft, strict, no_fallback,
/// no_copies, at_most.
template <class S> concept scope_setting =
    std::convertible_to<S, detail::settings_change> || detail::is_policy<S>;

namespace detail {
template <class Found, class... S> struct policies_among {
  using type = Found;
};
template <class... P, class S, class... More>
struct policies_among<all_of<P...>, S, More...>
    : policies_among<std::conditional_t<is_policy<S>, all_of<P..., S>, all_of<P...>>, More...> {};
template <class All> struct one_policy {
  using type = All;
};
template <> struct one_policy<all_of<>> {
  using type = soft_t;
};
template <class P> struct one_policy<all_of<P>> {
  using type = P;
};
/// The policies among the settings, as with_device keeps them in its type.
template <class... S>
using policy_of = typename one_policy<typename policies_among<all_of<>, S...>::type>::type;

/// Whether policies limit copies.
template <class P> inline constexpr bool has_budget = false;
template <class What, std::size_t N> inline constexpr bool has_budget<at_most<What, N>> = true;
template <class... P> inline constexpr bool has_budget<all_of<P...>> = (has_budget<P> || ...);

template <class P, class Policy> inline constexpr bool includes = std::is_same_v<P, Policy>;
template <class... P, class Policy>
inline constexpr bool includes<all_of<P...>, Policy> = (std::is_same_v<P, Policy> || ...);

constexpr settings_change change_of(soft_t) { return {}; }
constexpr settings_change change_of(strict_t) { return hard_placement{}; }
template <scope_setting S> constexpr settings_change change_of(S s) { return s; }
template <class... P> constexpr settings_change change_of(all_of<P...>) {
  settings_change all;
  ((all = all.then(change_of(P{}))), ...);
  return all;
}
}  // namespace detail

/// A device tag for a scope, and the line of the scope.
template <class D> struct tag_request {
  site where{};
  tag_request(D, site at = site::here()) : where(at) {}
};

/// A run-time device request, and its line. Converts from a name, in the full form "/gpu:1" or the
/// local form "gpu:1", from a device, and from no_preference.
struct device_request {
  device_spec requested{};
  site where{};

  /// Throws: invalid_argument for a text that is not a device name.
  template <std::convertible_to<std::string_view> Name>
  device_request(Name const& name, site at = site::here())
      : requested(detail::parse_device_spec(detail::text_of_name(name))), where(at) {}
  device_request(device d, site at = site::here()) : requested(d), where(at) {}
  device_request(no_preference_t, site at = site::here())
      : requested(device_spec::no_preference()), where(at) {}
  device_request(std::nullptr_t, site at = site::here()) = delete;
};

namespace detail {
template <class> inline constexpr bool never = false;

/// The device of `with_device(d);`, which C++ parses as a declaration of a scope d without a
/// device.
struct no_device_given {};
/// A rule for an entry of the stack, by its copied bytes.
template <device_rule R> scope_rule type_erased(R const& rule) noexcept {
  scope_rule made{};
  std::memcpy(made.object, &rule, sizeof(R));
  made.ask = [](void const* object, op_facts const& op) {
    return answer_of(*static_cast<R const*>(object), op);
  };
  return made;
}
/// The device of a scope with a rule.
template <class R> struct by_rule {};
/// The device of `with_device scope(nullptr)`.
struct null_given {};
}  // namespace detail

/// A device scope: ops written on this thread while it lives request its device.
///
///     { pl::with_device scope("/gpu:1");  c = pl::matmul(a, b); }
///
/// Nesting: fields of the inner scope override the outer ones; a different inner device type resets
/// the index. A name without a device, such as "", changes nothing; `no_preference` hides outer
/// scopes. Every exit restores the previous state. D: the device as a type, if it was given as one.
/// Scopes end on their thread in reverse order, as blocks do. A scope that ends out of order, in an
/// optional for example, removes its own entry. Standard error reports it, and the thread's next op
/// throws placement_error.
/// Throws: invalid_argument for an invalid name. A device that does not exist is an error of the op
/// that uses it.
/// Thread: scopes are per thread; a new thread has none. Cost: about 1 ns for a tag or device, plus
/// parsing for a name. The first scope of a thread allocates.
template <class D = any_device, class P = soft_t>
class [[nodiscard(
    "placement: a scope without a name ends at once. Write with_device scope(\"/gpu:1\").")]] with_device {
 public:
  template <scope_setting... S>
  [[nodiscard(
      "placement: a scope without a name ends at once. Write with_device "
      "scope(\"/gpu:1\").")]] explicit with_device(device_request r, S... settings)
      : mine_(r.requested), open_(checked(r.requested), r.where) {
    set(settings...);
  }
  template <class... S> requires(device_tag<D> && (scope_setting<S> && ...))
  [[nodiscard(
      "placement: a scope without a name ends at once. Write with_device "
      "scope(\"/gpu:1\").")]] explicit with_device(tag_request<D> tag, S... settings)
      : mine_(detail::spec_of_tag<D>()), open_(checked(detail::spec_of_tag<D>()), tag.where) {
    set(settings...);
  }

  with_device(with_device const&) = delete;  // placement: a scope cannot be copied. Write another.
  with_device& operator=(with_device const&) = delete;
  /// Only for the message: a scope cannot be copied.
  with_device(with_device&) : with_device(no_preference) {
    static_assert(
        detail::never<D>,
        "placement: a scope cannot be copied. Write another one: with_device scope(\"/gpu:1\").");
  }
  /// Only for the message: a scope is a local variable.
  static void* operator new(std::size_t size) {
    static_assert(
        detail::never<D>,
        "placement: a scope ends with its block, so new cannot make one. Write with_device scope(\"/gpu:1\").");
    return ::operator new(size);
  }
  static void* operator new[](std::size_t size) { return operator new(size); }
  static void operator delete(void* p) { ::operator delete(p); }
  static void operator delete[](void* p) { ::operator delete[](p); }

  /// Pins the expression, as `on(device, e)` does: to the request of an op written here in a scope
  /// of this name. Lazy, as every expression.
  template <class E>
  auto operator()(E&& e, site at = site::here()) const
      -> placed<typename detail::node_operand<E>::type, D, P>;

 private:
  /// Fixes the configuration. A scope of CPU:0 needs no other device, so it does not.
  static device_spec checked(device_spec w) {
    if constexpr (!std::is_same_v<D, dev<kind::cpu, 0>>) freeze_configuration();
    return w;
  }
  template <class... S> void set(S... settings) {
    if constexpr (sizeof...(settings) != 0 || !std::is_same_v<P, soft_t>) {
      detail::settings_change all = detail::change_of(P{});
      ((all = all.then(detail::change_of(settings))), ...);
      open_.set(all);
    }
  }

  device_spec mine_;
  detail::open_scope open_;
};

template <class P> class with_device<detail::no_device_given, P> {
  static_assert(
      detail::never<P>,
      "placement: a scope needs a device and a name of its own. Write with_device scope(\"/gpu:1\").");
};
template <class P> class with_device<detail::null_given, P> {
  static_assert(
      detail::never<P>,
      "placement: a null pointer is no device name. Write with_device scope(\"/gpu:1\").");

 public:
  template <class... S> explicit with_device(std::nullptr_t, S...) {}
};

/// A scope with a rule, as `tf.device(function)`: each op written inside is passed to the rule, and
/// requests the device that it returns. That is a tag, a device, a spec, a name or no_preference.
///
///     pl::with_device scope([](pl::op_facts const& op) {
///       return op.bytes > 1 << 20 ? pl::spec("/gpu:0") : pl::spec("/cpu:0");
///     });
///
/// Its answer is merged with the scopes around and inside as a name is; on() and devices in types
/// go before it. R: trivially copyable, at most 16 bytes. The rule must not write ops.
/// Throws: nothing. What the rule throws, the statement that writes the op throws.
/// Cost: as of a scope, and one call of the rule for each op written inside.
template <class R, class P> class [[nodiscard]] with_device<detail::by_rule<R>, P> {
 public:
  template <scope_setting... S>
  explicit with_device(rule_request<R> r, S... settings) : open_(device_spec::by_rule(), r.where) {
    static_assert(
        device_rule<R>,
        "placement: a rule takes an op and returns its device. Write a function of pl::op_facts const&.");
    static_assert(
        std::is_trivially_copyable_v<R> && sizeof(R) <= sizeof(detail::scope_rule::object),
        "placement: a rule has at most 16 bytes, trivially copyable. Capture a pointer to its data.");
    freeze_configuration();
    if constexpr (device_rule<R>) open_.set_rule(detail::type_erased(r.rule));
    if constexpr (sizeof...(settings) != 0) {
      detail::settings_change all;
      ((all = all.then(detail::change_of(settings))), ...);
      open_.set(all);
    }
  }
  with_device(with_device const&) = delete;
  with_device& operator=(with_device const&) = delete;
  static void* operator new(std::size_t) = delete;
  static void* operator new[](std::size_t) = delete;

 private:
  detail::open_scope open_;
};

template <class R, scope_setting... S> requires std::convertible_to<R, device_request>
with_device(R, S...) -> with_device<>;
template <device_tag D, class... S> with_device(D, S...) -> with_device<D, detail::policy_of<S...>>;
template <class R, scope_setting... S>
requires(!std::convertible_to<R, device_request> && !device_tag<R> && detail::function_like<R>)
with_device(R, S...) -> with_device<detail::by_rule<R>>;
template <class R, scope_setting... S>
with_device(rule_request<R>, S...) -> with_device<detail::by_rule<R>>;
with_device() -> with_device<detail::no_device_given>;
template <class... S> with_device(std::nullptr_t, S...) -> with_device<detail::null_given>;

}}  // namespace placement::v0_1
