#pragma once
/// Warnings about the environment, written once when the devices are fixed. They report a
/// CUDA_VISIBLE_DEVICES that hides all GPUs, and variables whose names look misspelt.

#include <placement/place/log.hpp>
#include <placement/src/device/environment.ipp>

#include <cstddef>
#include <string>
#include <string_view>

#include <unistd.h>

namespace placement { inline namespace v0_1 { namespace detail {

/// The number of edits that make one name from the other: change, insert, delete, or swap two
/// neighbours. 64 for a name of 64 characters or more. Source: optimal string alignment distance.
constexpr std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
  constexpr std::size_t max = 64;
  if (a.size() >= max || b.size() >= max) return max;
  std::size_t rows[3][max]{};  // the two rows before, and this one
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto const& two_up = rows[(i + 1) % 3];
    auto const& up = rows[(i + 2) % 3];
    auto& row = rows[i % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t best = up[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0);
      if (up[j] + 1 < best) best = up[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && two_up[j - 2] + 1 < best) best = two_up[j - 2] + 1;
      row[j] = best;
    }
  }
  return rows[a.size() % 3][b.size()];
}

/// The library's variable that this name misspells; empty for a correct or unrelated name. A
/// misspelling has at most two edits, or one if the variable is as short as PLACEMENT_LOG.
constexpr std::string_view meant_variable(std::string_view name) noexcept {
  std::string_view nearest;
  std::size_t least = 3;
  for (std::size_t i = 0; i != variable_count; ++i) {
    std::string_view const known = facts_of(static_cast<variable>(i)).name;
    if (name.size() >= known.size() + least || known.size() >= name.size() + least) continue;
    std::size_t const distance = edit_distance(name, known);
    if (distance == 0) return {};
    if (distance < least && (distance == 1 || known.size() > 15)) {
      least = distance;
      nearest = known;
    }
  }
  return nearest;
}

/// Writes one line for each variable whose name looks misspelt.
inline void write_misspelt_variables() {
  if (::environ == nullptr) return;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    std::string_view const text = *entry;
    std::string_view const name = text.substr(0, text.find('='));
    std::string_view const meant = meant_variable(name);
    if (!meant.empty())
      log_notice("placement: warning: the environment variable " + std::string(name) +
                 " is not known and has no effect; did you mean " + std::string(meant) + '?');
  }
}

}}}  // namespace placement::v0_1::detail
