#pragma once
/// Sizes with a unit: `512_MiB`.

#include <compare>
#include <cstddef>

namespace placement { inline namespace v0_1 {

/// A number of bytes. A type of its own, so that no bare number converts to it.
struct bytes {
  std::size_t value = 0;
  friend constexpr auto operator<=>(bytes, bytes) = default;
};

namespace literals {
consteval bytes operator""_B(unsigned long long n) { return {n}; }
consteval bytes operator""_KiB(unsigned long long n) { return {n << 10}; }
consteval bytes operator""_MiB(unsigned long long n) { return {n << 20}; }
consteval bytes operator""_GiB(unsigned long long n) { return {n << 30}; }
}  // namespace literals

}}  // namespace placement::v0_1
