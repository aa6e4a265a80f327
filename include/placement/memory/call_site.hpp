#pragma once
/// The op and the source line that allocated a block.

#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// The op and line of an allocation. The texts must live for ever, as names of ops and of source
/// files do.
struct call_site {
  std::string_view tag = {};   ///< the op's name; empty = not given
  char const* file = nullptr;  ///< nullptr = not known
  unsigned line = 0;
  std::string_view name =
      {};  ///< the user's name for the op, or its name in name scopes; empty = none

  friend constexpr bool operator==(call_site const& a, call_site const& b) noexcept {
    return a.line == b.line && a.tag == b.tag && a.name == b.name &&
           std::string_view(a.file == nullptr ? "" : a.file) ==
               std::string_view(b.file == nullptr ? "" : b.file);
  }
};

/// "MatMul at train.cpp:12", "mine (MatMul) at train.cpp:12", "tower_0/MatMul at train.cpp:12" in a
/// name scope; "not said" if nothing is known.
std::string to_string(call_site const& h);

}}  // namespace placement::v0_1
