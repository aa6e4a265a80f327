#pragma once
/// Name scopes, as `tf.name_scope`: a prefix for the names of ops in logs and messages.

#include <placement/device/name.hpp>
#include <placement/place/label.hpp>
#include <placement/place/scope_stack.hpp>
#include <placement/place/site.hpp>

#include <cstddef>
#include <string_view>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The path inside a name scope, and whether it ignores outer name scopes.
struct named_path {
  label path{};
  bool restarts = false;
};
/// The path of a name that is empty, invalid, or ends in "/". Throws: invalid_argument.
[[gnu::cold]] named_path path_of_special_name(std::string_view name, label outer);
/// The path of a scope in the scope `outer`. Throws: invalid_argument for an invalid name.
inline named_path path_of(std::string_view name, label outer) {
  if (!name.empty() && name.back() != '/') [[likely]] {
    label_entry const& e = label_in(outer, name);
    if (outer == label::none ? e.in_root : e.in_scope) [[likely]]
      return {label_of_scope(e), false};
  }
  return path_of_special_name(name, outer);
}

}  // namespace detail

/// A name scope: an op written on this thread while it lives has the scope's name before its own.
///
///     { pl::name_scope scope("tower_0");  c = pl::matmul(a, b); }   // tower_0/MatMul
///
/// Nesting joins names with "/". A name that ends in "/" is a whole path, whatever scopes are around
/// it, and "" is the outermost scope, both as in TensorFlow. A scope that is opened again has the
/// same name again. Names of op events and of the log are made from it. It decides no device.
/// Scopes end on their thread in reverse order, with the rules of with_device.
/// Throws: invalid_argument unless the name matches [A-Za-z0-9.][A-Za-z0-9_.\\/>-]*. Inside another
/// name scope the first character may be any of the others, too.
/// Thread: scopes are per thread; a new thread has none.
/// Cost: a scope and a look-up in a hash table; a new name allocates.
class [[nodiscard(
    "placement: a scope without a name ends at once. Write name_scope scope(\"tower_0\").")]] name_scope {
 public:
  [[nodiscard(
      "placement: a scope without a name ends at once. Write name_scope "
      "scope(\"tower_0\").")]] explicit name_scope(std::string_view name, site at = site::here())
      : name_scope(detail::path_of(name, detail::names_here()), at) {}
  explicit name_scope(std::nullptr_t, site = {}) = delete;

  name_scope(name_scope const&) = delete;
  name_scope& operator=(name_scope const&) = delete;
  ~name_scope() = default;
  /// A scope ends with its block, so new cannot make one.
  static void* operator new(std::size_t) = delete;
  static void* operator new[](std::size_t) = delete;

 private:
  name_scope(detail::named_path p, site at) : open_(device_spec{}, at) {
    open_.set_names(p.path, p.restarts);
  }

  detail::open_scope open_;
};

}}  // namespace placement::v0_1
