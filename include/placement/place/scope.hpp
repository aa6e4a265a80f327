#pragma once
/// Device scopes, as `with tf.device(...)`: what is written on this thread while one lives is asked
/// to run there.

#include <placement/device/registry.hpp>
#include <placement/device/tag.hpp>
#include <placement/place/settings.hpp>
#include <placement/place/site.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>

namespace placement::inline v0_1 {

namespace detail {

/// This thread's innermost scope. Trivial, so that thread_local needs no guard.
struct scope_state {
  wish asked{};
  settings_change changes{};
  site where{};
};
PLACEMENT_PROCESS_STATE inline constinit thread_local scope_state this_scope{};

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
  return settings_word{this_scope.changes.applied_to(settings_of_process().bits())};
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

template <class E, class D, class P> struct placed;

/// A setting a scope can override: soft_placement, hard_placement, log_placement, log_level,
/// log_format, transfers.
template <class S> concept scope_setting = std::convertible_to<S, detail::settings_change>;

/// A device asked for at run time, and the line that asks. Converts from a name and from a device.
struct device_request {
  wish asked{};
  site where{};

  /// Throws: invalid_argument when the text is no device name.
  template <std::convertible_to<std::string_view> Name>
  device_request(Name const& name, site at = site::here())
      : asked(wish::of(parse_name(name))), where(at) {}
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
      : with_device(r.asked, settings_of(settings...), r.where) {}
  [[nodiscard]] explicit with_device(D tag, P setting = {}, site at = site::here())
      requires device_tag<D>
      : with_device(wish{tag.value}, settings_of(setting), at) {}

  ~with_device() { detail::this_scope = outer_; }
  with_device(with_device const&) = delete;
  with_device& operator=(with_device const&) = delete;

  /// The expression, pinned to this scope's device: `on(device, e)`. Lazy, as every expression.
  template <class E> auto operator()(E&& e) const -> placed<std::remove_cvref_t<E>, D, P>;

 private:
  explicit with_device(wish w, detail::settings_change c, site at)
      : mine_(w), outer_(detail::this_scope) {
    freeze_configuration();
    detail::this_scope = {w.said() ? nest(outer_.asked, w) : w, outer_.changes.then(c), at};
  }
  template <class... S> static constexpr detail::settings_change settings_of(S... s) {
    detail::settings_change all;
    ((all = all.then(setting(s))), ...);
    return all;
  }
  template <class S> static constexpr detail::settings_change setting([[maybe_unused]] S s) {
    if constexpr (std::same_as<S, soft_t>) return {};
    else if constexpr (std::same_as<S, strict_t>) return hard_placement{};
    else return s;
  }

  wish mine_;
  detail::scope_state outer_;
};

template <class R, scope_setting... S> requires std::convertible_to<R, device_request>
with_device(R, S...) -> with_device<>;
template <device_tag D> with_device(D) -> with_device<D>;
template <device_tag D, class P> with_device(D, P) -> with_device<D, P>;
with_device() -> with_device<detail::no_device_given>;

}  // namespace placement::inline v0_1
