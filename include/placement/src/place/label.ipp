#pragma once
/// Definitions of label.hpp: the process's table of labels.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/place/label.hpp>
#include <placement/runtime/lock.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The labels by their numbers.
struct label_numbers {
  lock guard;
  std::vector<label_entry const*> entries;
};
PLACEMENT_PROCESS_STATE inline label_numbers& all_labels() {
  static label_numbers& all = *new label_numbers;
  return all;
}

/// Source: _VALID_SCOPE_NAME_REGEX and _VALID_OP_NAME_REGEX of tensorflow/python/framework/ops.py.
constexpr bool is_name_in_scope(std::string_view name) noexcept {
  return name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
             "0123456789_.\\/>-") == std::string_view::npos;
}
constexpr bool is_name_in_root(std::string_view name) noexcept {
  return is_name_in_scope(name) && !name.empty() &&
         std::string_view("_\\/>-").find(name[0]) == std::string_view::npos;
}

PLACEMENT_INLINE label_entry const& add_label(label scope, std::string_view own) try {
  auto made = std::make_unique<label_entry>();
  if (scope != label::none) made->text.append(to_string(scope)).append("/");
  made->text += own;
  made->own = std::string_view(made->text).substr(made->text.size() - own.size());
  made->scope = scope;
  made->in_root = is_name_in_root(made->text);
  made->in_scope = is_name_in_scope(own);
  auto& all = all_labels();
  auto& first = labels_of_process.first[hash_of_label(scope, own)];
  lock_guard const guard(all.guard);
  for (auto const* e = first.load(); e != nullptr; e = e->next)
    if (e->scope == scope && e->own == own) return *e;  // by another thread
  all.entries.push_back(made.get());
  made->number = static_cast<label>(all.entries.size());
  made->next = first.load();
  first.publish(made.get());
  return *made.release();
} catch (...) { rethrow_as_error(); }

PLACEMENT_INLINE label_entry const& entry_of(label l) {
  auto& all = all_labels();
  lock_guard const guard(all.guard);
  return *all.entries[(static_cast<std::uint32_t>(l) & ~scope_bit) - 1];
}
PLACEMENT_INLINE label scope_of(label l) {
  return l == label::none || is_scope(l) ? l : entry_of(l).scope;
}
PLACEMENT_INLINE label label_named(label l, std::string_view name) {
  return label_in(scope_of(l), name).number;
}
PLACEMENT_INLINE std::string_view full_name(label l, std::string_view op) {
  return l == label::none || is_scope(l) ? name_in(l, op) : to_string(l);
}

}  // namespace detail

PLACEMENT_INLINE label label_of(std::string_view text) {
  return detail::label_in(label::none, text).number;
}

PLACEMENT_INLINE std::string_view to_string(label l) {
  if (l == label::none) return {};
  return detail::entry_of(l).text;
}

}}  // namespace placement::v0_1
