#pragma once
/// Definitions of name_scope.hpp: names that are whole paths, and invalid names.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/place/name_scope.hpp>
#include <placement/runtime/escape.hpp>
#include <placement/src/place/label.ipp>

#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_scope_name(std::string_view name,
                                                                    bool in_root) {
  throw invalid_argument("placement: " + quote(name) +
                         " is no name of a scope. A name has letters, digits and _.\\/>-" +
                         (in_root ? ", and starts with a letter, a digit or a dot." : "."));
}

PLACEMENT_INLINE named_path path_of_special_name(std::string_view name, label outer) try {
  if (name.empty()) return {label::none, true};
  bool const is_path = name.back() == '/';
  bool const in_root = is_path || outer == label::none;
  if (!(in_root ? is_name_in_root(name) : is_name_in_scope(name))) throw_scope_name(name, in_root);
  if (is_path) name.remove_suffix(1);
  return {label_of_scope(label_in(is_path ? label::none : outer, name)), is_path};
} catch (...) { rethrow_as_error(); }

}}}  // namespace placement::v0_1::detail
