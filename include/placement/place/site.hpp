#pragma once
/// A line of the user's program that contains an op, a tensor or a scope.

namespace placement { inline namespace v0_1 {

/// File and line. A last, defaulted parameter `site at = site::here()` is the caller's line.
struct site {
  char const* file = nullptr;
  unsigned line = 0;

  static constexpr site here(char const* file = __builtin_FILE(),
                             unsigned line = __builtin_LINE()) noexcept {
    return {file, line};
  }
  constexpr bool known() const noexcept { return file != nullptr; }
  friend constexpr bool operator==(site, site) = default;
};

}}  // namespace placement::v0_1
