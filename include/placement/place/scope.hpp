#pragma once
/// Device scopes, as `with tf.device(...)`: what is written on this thread while one lives is asked
/// to run there.

#include <placement/device/registry.hpp>
#include <placement/device/tag.hpp>
#include <placement/error.hpp>
#include <placement/fwd.hpp>
#include <placement/place/scope_stack.hpp>
#include <placement/place/settings.hpp>
#include <placement/place/site.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace placement::inline v0_1 {

namespace detail {

/// What a tag requests. A constant, also where its use is not inlined, where the index has the
/// local form.
template <class D> constexpr device_spec spec_of_tag() {
  if constexpr (device_spec::has_local_form(D::value)) {
    constexpr device_spec constant{D::value};
    return constant;
  } else {
    return device_spec{D::value};
  }
}

/// Settings for as long as this lives, over those that are in force; or none.
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

/// For a scope: automatic placement inside it, whatever is around it; TensorFlow's
/// `tf.device(None)`. Outer scopes and set_current_device do not count.
struct no_preference_t {};
inline constexpr no_preference_t no_preference{};

struct soft_t {};
struct strict_t {};
/// Evaluation in this scope may fall back (the default).
inline constexpr soft_t soft{};
/// With a compile-time device: an op without a kernel there does not compile. With a run-time
/// device: an error.
inline constexpr strict_t strict{};

/// Several policies as one: what a scope promises of all that is pinned to it.
template <class... P> struct all_of {};

namespace detail {
/// Policies that are kept in types, so that the compiler can check what is pinned.
template <class S> inline constexpr bool is_policy = false;
template <> inline constexpr bool is_policy<soft_t> = true;
template <> inline constexpr bool is_policy<strict_t> = true;
template <> inline constexpr bool is_policy<no_fallback_t> = true;
template <class What, std::size_t N> inline constexpr bool is_policy<at_most<What, N>> = true;
}  // namespace detail

/// What a scope can set for what is evaluated in it: soft_placement, hard_placement, log_placement,
/// log_level, log_format, transfers, tensor_float_32; and the policies soft, strict, no_fallback,
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
/// What with_device keeps in its type of its settings.
template <class... S>
using policy_of = typename one_policy<typename policies_among<all_of<>, S...>::type>::type;

/// Do policies count copies?
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

/// A device tag given to a scope, and the line that gives it.
template <class D> struct tag_request {
  site where{};
  tag_request(D, site at = site::here()) : where(at) {}
};

/// A device asked for at run time, and the line that asks. Converts from a name, in the full form
/// "/gpu:1" or the local form "gpu:1", from a device, and from no_preference.
struct device_request {
  device_spec requested{};
  site where{};

  /// Throws: invalid_argument when the text is no device name.
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

/// What `with_device(d);` asks for: to C++ it declares a scope d, without a device.
struct no_device_given {};
/// What `with_device scope(nullptr)` asks for.
struct null_given {};
}  // namespace detail

/// Everything written on this thread while it lives asks for this device.
///
///     { pl::with_device scope("/gpu:1");  c = pl::matmul(a, b); }
///
/// Nesting: the inner wins, field by field; an inner device type that is another one resets the
/// index. A name without a device, as "", changes nothing; `no_preference` hides what is outside.
/// Every exit restores what was before. D: the device as a type, when it was given as one.
/// Scopes end on their thread in reverse order, as blocks do. One that does not, in an optional,
/// removes its own entry; standard error says so, and the thread's next op throws placement_error.
/// Errors: invalid_argument for a name that is none. A device that does not exist is reported by
/// the op that uses it.
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
  /// For the sentence alone: a scope is not copied.
  with_device(with_device&) : with_device(no_preference) {
    static_assert(
        detail::never<D>,
        "placement: a scope cannot be copied. Write another one: with_device scope(\"/gpu:1\").");
  }
  /// For the sentence alone: a scope is a local variable.
  static void* operator new(std::size_t size) {
    static_assert(
        detail::never<D>,
        "placement: a scope ends with its block, so new cannot make one. Write with_device scope(\"/gpu:1\").");
    return ::operator new(size);
  }
  static void* operator new[](std::size_t size) { return operator new(size); }
  static void operator delete(void* p) { ::operator delete(p); }
  static void operator delete[](void* p) { ::operator delete[](p); }

  /// The expression, pinned to what an op written here in a scope of this device would request:
  /// `on(device, e)`. Lazy, as every expression.
  template <class E>
  auto operator()(E&& e, site at = site::here()) const
      -> placed<typename detail::node_operand<E>::type, D, P>;

 private:
  /// A scope of CPU:0 needs to know of no other device.
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

template <class R, scope_setting... S> requires std::convertible_to<R, device_request>
with_device(R, S...) -> with_device<>;
template <device_tag D, class... S> with_device(D, S...) -> with_device<D, detail::policy_of<S...>>;
with_device() -> with_device<detail::no_device_given>;
template <class... S> with_device(std::nullptr_t, S...) -> with_device<detail::null_given>;

}  // namespace placement::inline v0_1
