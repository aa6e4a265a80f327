#pragma once
/// Device scopes, as `with tf.device(...)`: what is written on this thread while one lives is asked
/// to run there.

#include <placement/device/registry.hpp>
#include <placement/device/tag.hpp>
#include <placement/fwd.hpp>
#include <placement/place/settings.hpp>
#include <placement/place/site.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>

namespace placement::inline v0_1 {

namespace detail {

/// What a tag asks for: a constant also where its use is not inlined.
template <class D> inline constexpr wish wish_of_tag{D::value};

/// What is in force on this thread by its scopes: settings, ...
struct scope_settings {
  settings_change changes{};
  std::uint32_t copies_before = 0;  ///< copies_made when the innermost budget began
};
/// ... the device asked for, and the line of the innermost scope. Trivially destroyed, so that
/// thread_local needs no guard.
struct scope_state {
  wish asked{};
  site where{};
  scope_settings settings{};
};
PLACEMENT_PROCESS_STATE inline constinit thread_local scope_state this_scope{};
/// Operands that this thread has copied; wraps.
PLACEMENT_PROCESS_STATE inline constinit thread_local std::uint32_t copies_made = 0;

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
/// The device that is asked for, and by which line, for as long as this lives. Field by field: a
/// wide load of what was just written field by field waits until the processor has stored it, which
/// made entering and leaving a scope five times as slow.
class device_scope {
 public:
  device_scope(wish w, site at)
      : asked_(this_scope.asked), file_(this_scope.where.file), line_(this_scope.where.line) {
    set(w.said() ? nest(asked_, w) : w, at.file, at.line);
  }
  ~device_scope() { set(asked_, file_, line_); }
  device_scope(device_scope const&) = delete;
  device_scope& operator=(device_scope const&) = delete;

 private:
  static void set(wish asked, char const* file, unsigned line) {
    this_scope.asked = asked;
    this_scope.where.file = file;
    this_scope.where.line = line;
  }

  wish asked_;
  char const* file_;
  unsigned line_;
};

/// What an op written here and now asks for.
struct asking {
  wish asked{};
  asked_by who = asked_by::nobody;
};
inline asking asked_here() noexcept {
  if (wish const w = this_scope.asked; w.said()) return {w, asked_by::scope};
  if (this_scope.where.known()) return {};  // in a scope with no preference
  if (device const d = current_device(); d.said()) return {wish{d}, asked_by::thread};
  return {};
}

/// The settings in force on this thread.
inline settings_word settings_here() {
  return settings_word{this_scope.settings.changes.applied_to(settings_of_process().bits())};
}

}  // namespace detail

namespace detail {
/// What `with_device(d);` asks for: to C++ it declares a scope d, without a device.
struct no_device_given {};
}  // namespace detail

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

/// A device asked for at run time, and the line that asks. Converts from a name and from a device.
struct device_request {
  wish asked{};
  site where{};

  /// Throws: invalid_argument when the text is no device name.
  template <std::convertible_to<std::string_view> Name>
  device_request(Name const& name, site at = site::here())
      : asked(detail::wish_for(name)), where(at) {}
  device_request(device d, site at = site::here()) : asked(d), where(at) {}
};

/// Everything written on this thread while it lives asks for this device.
///
///     { pl::with_device scope("/gpu:1");  c = pl::matmul(a, b); }
///
/// Nesting: the inner wins, field by field; an inner device type resets the index. The empty name
/// means no preference. Every exit restores what was before. D: the device as a type, when it was
/// given as one.
/// Errors: invalid_argument for a name that is none. A device that does not exist is reported by
/// the op that uses it.
/// Thread: scopes are per thread; a new thread has none. Cost: about 1 ns for a tag or device, plus
/// parsing for a name.
template <class D = any_device, class P = soft_t> class [[nodiscard]] with_device {
  static_assert(
      !std::same_as<D, detail::no_device_given>,
      "placement: a scope needs a device and a name of its own. Write with_device scope(\"/gpu:1\").");

 public:
  template <scope_setting... S>
  [[nodiscard]] explicit with_device(device_request r, S... settings)
      : mine_(r.asked),
        device_(checked(r.asked), r.where),
        settings_(scope_of(detail::change_of(settings)...)) {}
  template <class... S> requires(device_tag<D> && (scope_setting<S> && ...))
  [[nodiscard]] explicit with_device(tag_request<D> tag, S... settings)
      : mine_(D::value),
        device_(checked(detail::wish_of_tag<D>), tag.where),
        settings_(scope_of(detail::change_of(settings)...)) {}

  with_device(with_device const&) = delete;
  with_device& operator=(with_device const&) = delete;

  /// The expression, pinned to this scope's device: `on(device, e)`. Lazy, as every expression.
  template <class E> auto operator()(E&& e) const -> placed<typename detail::kept<E>::type, D, P>;

 private:
  /// A scope of CPU:0 needs to know of no other device.
  static wish checked(wish w) {
    if constexpr (!std::is_same_v<D, dev<kind::cpu, 0>>) freeze_configuration();
    return w;
  }
  template <class... Change> static detail::settings_scope scope_of(Change... changes) {
    if constexpr (sizeof...(changes) == 0 && std::is_same_v<P, soft_t>) {
      return {};
    } else {
      detail::settings_change all = detail::change_of(P{});
      ((all = all.then(changes)), ...);
      return detail::settings_scope(all);
    }
  }

  wish mine_;
  detail::device_scope device_;
  detail::settings_scope settings_;
};

template <class R, scope_setting... S> requires std::convertible_to<R, device_request>
with_device(R, S...) -> with_device<>;
template <device_tag D, class... S> with_device(D, S...) -> with_device<D, detail::policy_of<S...>>;
with_device() -> with_device<detail::no_device_given>;

}  // namespace placement::inline v0_1
