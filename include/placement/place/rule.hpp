#pragma once
/// Rules of device scopes, as `tf.device(function)`: a function of an op that chooses its device.

#include <placement/device/device.hpp>
#include <placement/device/device_spec.hpp>
#include <placement/device/parse_name.hpp>
#include <placement/device/tag.hpp>
#include <placement/place/site.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 {

/// What a rule knows about an op.
struct op_facts {
  std::string_view name{};     ///< "MatMul", as in the placement log.
  std::string_view element{};  ///< "float": the type that selects the kernel.
  std::size_t bytes = 0;       ///< Of the result.
  std::string_view scope{};    ///< The name scopes around the op: "tower_0/conv".
};

/// For a scope: automatic placement inside, as TensorFlow's `tf.device(None)`. Hides outer scopes
/// and set_current_device.
struct no_preference_t {};
inline constexpr no_preference_t no_preference{};

/// The device spec of a name in the full form, "/gpu:1", or the local form, "gpu:1". Usable in
/// constant expressions. Throws: invalid_argument for a text that is not a device name.
constexpr device_spec spec(std::string_view name) {
  return device_spec::of(detail::name_or_throw(name, detail::read_either_form(name)));
}

namespace detail {

/// The spec of a rule's result: a tag, a device, a spec, a name or no_preference.
template <class Q> constexpr device_spec spec_of_answer(Q const& q) {
  if constexpr (std::is_same_v<Q, no_preference_t>) return device_spec::no_preference();
  else if constexpr (device_tag<Q>) return spec_of_tag<Q>();
  else if constexpr (std::convertible_to<Q, device_spec>) return q;
  else return spec(q);
}
template <class Q>
inline constexpr bool is_answer =
    std::is_same_v<Q, no_preference_t> || device_tag<Q> || std::convertible_to<Q, device_spec> ||
    std::convertible_to<Q, std::string_view>;

/// Whether R is called as a function, so that a scope of it can only be meant as a rule.
template <class R> concept function_like =
    std::invocable<R const&, op_facts const&> || requires { &R::operator(); };

}  // namespace detail

/// A function of an op that chooses its device.
template <class R> concept device_rule = requires(R const& rule, op_facts const& op) {
  requires detail::is_answer<std::remove_cvref_t<decltype(rule(op))>>;
};

namespace detail {

/// The device of an op by a rule.
template <device_rule R> constexpr device_spec answer_of(R const& rule, op_facts const& op) {
  return spec_of_answer(rule(op));
}

}  // namespace detail

/// A rule for a scope, and the line of the scope.
template <class R> struct rule_request {
  R rule;
  site where{};
  rule_request(R r, site at = site::here()) : rule(r), where(at) {}
};

}}  // namespace placement::v0_1
