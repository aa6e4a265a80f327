#pragma once
/// Names that users give to ops and to name scopes, stored once per process: a node holds numbers.

#include <placement/config.hpp>
#include <placement/runtime/shared_word.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// A user's name for an op or a name scope; 0 = none.
enum class label : std::uint32_t { none = 0 };

/// The label of a text. Cost: a look-up in a hash table. A new text allocates.
label label_of(std::string_view text);

/// The text of a label; empty for none. The text lives for ever.
std::string_view to_string(label l);

namespace detail {

/// A label of the process. Never removed and never changed, so readers take no lock.
struct label_entry {
  std::string text;       ///< "tower_0/conv"
  std::string_view own;   ///< "conv", a part of `text`
  label scope{};          ///< of "tower_0"
  label number{};         ///< its own, without the bit of a scope
  bool in_root = false;   ///< `text` is a name for the outermost scope, by TensorFlow's rule
  bool in_scope = false;  ///< `own` is a name for a scope inside another one
  label_entry const* next = nullptr;  ///< with the same hash
};

/// The labels by the hash of their scope and own text.
struct label_table {
  static constexpr std::size_t size = 1024;
  shared_word<label_entry const*> first[size]{};
};
PLACEMENT_PROCESS_STATE inline constinit label_table labels_of_process{};

/// The first and last 8 characters and the length are enough for names of scopes and ops. The loads
/// are constant for a literal.
inline std::size_t hash_of_label(label scope, std::string_view own) noexcept {
  std::size_t const n = own.size();
  std::uint64_t first = 0, last = 0;
  if (n >= 8) {
    std::memcpy(&first, own.data(), 8);
    std::memcpy(&last, own.data() + n - 8, 8);
  } else if (n >= 4) {
    std::uint32_t low = 0, high = 0;
    std::memcpy(&low, own.data(), 4);
    std::memcpy(&high, own.data() + n - 4, 4);
    first = low | static_cast<std::uint64_t>(high) << 32;
  } else {
    for (char const c : own) first = first << 8 | static_cast<unsigned char>(c);
  }
  std::uint64_t const mixed =
      ((first ^ n) + static_cast<std::uint64_t>(scope)) * 0x9e3779b97f4a7c15u ^
      last * 0xc2b2ae3d27d4eb4fu;
  return (mixed >> 52) % label_table::size;
}

/// Adds a label to the table.
[[gnu::cold]] label_entry const& add_label(label scope, std::string_view own);

/// The label "scope/own". Throws: out_of_memory.
inline label_entry const& label_in(label scope, std::string_view own) {
  auto const& first = labels_of_process.first[hash_of_label(scope, own)];
  for (auto const* e = first.load(); e != nullptr; e = e->next)
    if (e->scope == scope && e->own == own) return *e;
  return add_label(scope, own);
}
/// Labels of name scopes have this bit, in nodes: the node is in the scope and has no name of its
/// own.
inline constexpr std::uint32_t scope_bit = 1u << 31;
constexpr bool is_scope(label l) noexcept {
  return (static_cast<std::uint32_t>(l) & scope_bit) != 0;
}

constexpr label label_of_scope(label_entry const& e) noexcept {
  return static_cast<label>(static_cast<std::uint32_t>(e.number) | scope_bit);
}

/// "tower_0/MatMul": a name inside name scopes, which lives for ever if `name` does.
inline std::string_view name_in(label scope, std::string_view name) {
  return scope == label::none ? name : label_in(scope, name).text;
}
/// The label of a node in the name scopes of the node labelled `l`.
label label_named(label l, std::string_view name);
/// The name scopes of a node labelled `l`.
label scope_of(label l);
/// A node's name in messages: the scopes, and its own name or the op. The text lives for ever.
std::string_view full_name(label l, std::string_view op);
/// The entry of a label other than none. Takes the lock of the table.
label_entry const& entry_of(label l);

}  // namespace detail

}}  // namespace placement::v0_1
