#pragma once
/// Definitions of statement.hpp.

#include <placement/config.hpp>
#include <placement/tasks/statement.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

/// Appends text to a field of fixed size. Its last byte stays 0.
template <std::size_t N> void append(char (&to)[N], std::size_t& at, std::string_view text) {
  std::size_t const n = text.size() < N - 1 - at ? text.size() : N - 1 - at;
  if (n != 0) text.copy(to + at, n);
  at += n;
}
template <std::size_t N> void append_decimal(char (&to)[N], std::size_t& at, index_t value) {
  char digits[20];
  std::size_t first = sizeof digits;
  do digits[--first] = static_cast<char>('0' + value % 10);
  while ((value /= 10) != 0);
  append(to, at, {digits + first, sizeof digits - first});
}

inline std::uint64_t mixed(std::uint64_t h, std::uint64_t v) noexcept {
  h = (h ^ v) * 0xff51afd7ed558ccdu;
  return h ^ (h >> 32);
}
PLACEMENT_INLINE std::uint64_t hash_bytes(void const* data, std::size_t size,
                                          std::uint64_t h) noexcept {
  auto const* p = static_cast<unsigned char const*>(data);
  for (; size >= 8; size -= 8, p += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    h = mixed(h, word);
  }
  std::uint64_t last = size;
  if (size != 0) std::memcpy(&last, p, size);
  return mixed(h, last);
}

PLACEMENT_INLINE std::string statement::text() const {
  return std::to_string(number) + " (" + what + ")" +
         (line == 0 ? std::string()
                    : (is_after != 0 ? " after " : " at ") + std::string(file) + ':' +
                          std::to_string(line));
}

PLACEMENT_INLINE void statement_stream::count(std::string_view op, int home, site at,
                                              any_shape const& shape, std::uint64_t detail) {
  statement s;
  s.number = now_.number + 1;
  s.home = static_cast<std::int16_t>(home);
  std::size_t end = 0;
  if (at.known()) {
    s.line = at.line;
    std::string_view path = at.file;
    path = path.substr(path.rfind('/') + 1);
    append(s.file, end, path.size() < sizeof s.file ? path : path.substr(path.size() - 39));
  } else {
    s.line = now_.line;
    s.is_after = 1;
    append(s.file, end, now_.file);
  }
  end = 0;
  append(s.what, end, op);
  append(s.what, end, " [");
  for (std::size_t d = 0; d != shape.rank; ++d) {
    if (d != 0) append(s.what, end, ", ");
    append_decimal(s.what, end, shape.extent[d]);
  }
  append(s.what, end, "]");
  std::uint64_t h = mixed(now_.hash, detail);
  for (std::size_t d = 0; d != shape.rank; ++d)
    h = mixed(h, static_cast<std::uint64_t>(shape.extent[d]));
  s.hash = h;
  s.hash = hash_bytes(&s.line, sizeof s - offsetof(statement, line), h);
  lock_guard const guard(guard_);
  now_ = s;
  all_[s.number % kept] = s;
}

}}}  // namespace placement::v0_1::detail
