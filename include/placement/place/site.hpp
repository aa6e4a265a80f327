#pragma once
/// A line of the user's program: where an op, a tensor or a scope was written.

#include <placement/config.hpp>
#include <placement/version.hpp>

namespace placement::inline v0_1 {

/// File and line. As a last, defaulted argument `site at = site::here()` it names the caller's
/// line.
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

}  // namespace placement::inline v0_1
