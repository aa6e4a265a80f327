#pragma once
/// The text of PTX: comments, lists, types and the words of an instruction.

#include "fault.hpp"
#include "number.hpp"

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptx {

inline std::string_view trimmed(std::string_view s) {
  constexpr char const* blanks = " \t\r\n";
  std::size_t const first = s.find_first_not_of(blanks);
  if (first == s.npos) return {};
  return s.substr(first, s.find_last_not_of(blanks) - first + 1);
}
/// The elements of a list. Separators in brackets separate nothing.
inline std::vector<std::string_view> split(std::string_view s, char separator = ',') {
  std::vector<std::string_view> all;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i != s.size(); ++i) {
    if (s[i] == '{' || s[i] == '[' || s[i] == '(') ++depth;
    if (s[i] == '}' || s[i] == ']' || s[i] == ')') --depth;
    if (s[i] != separator || depth != 0) continue;
    all.push_back(trimmed(s.substr(first, i - first)));
    first = i + 1;
  }
  if (std::string_view const rest = trimmed(s.substr(first)); !rest.empty()) all.push_back(rest);
  return all;
}
/// The words between blanks.
inline std::vector<std::string_view> words_of(std::string_view s) {
  std::vector<std::string_view> all;
  for (std::size_t i = 0; (i = s.find_first_not_of(" \t\r\n", i)) != s.npos;) {
    std::size_t const end = std::min(s.find_first_of(" \t\r\n", i), s.size());
    all.push_back(s.substr(i, end - i));
    i = end;
  }
  return all;
}
/// The text with one blank for each sequence of blanks.
inline std::string in_one_line(std::string_view s) {
  std::string all;
  for (std::string_view word : words_of(s)) all.append(all.empty() ? "" : " ").append(word);
  return all;
}
/// The words of a declaration. Those with a dot need no blanks: `.reg.b16 x` is `.reg .b16 x`.
inline std::vector<std::string_view> declaration_words(std::string_view s) {
  std::vector<std::string_view> all;
  for (std::string_view word : words_of(s)) {
    while (word.starts_with('.') && word.find('.', 1) != word.npos) {
      all.push_back(word.substr(0, word.find('.', 1)));
      word.remove_prefix(all.back().size());
    }
    all.push_back(word);
  }
  return all;
}
/// The bracket that closes the one at `open`.
inline std::size_t closing(std::string_view s, std::size_t open) {
  char const up = s[open], down = up == '(' ? ')' : up == '[' ? ']' : '}';
  int depth = 0;
  for (std::size_t i = open; i != s.size(); ++i) {
    if (s[i] == up) ++depth;
    if (s[i] == down && --depth == 0) return i;
  }
  throw unknown_ptx("text without a closing " + std::string(1, down));
}
/// Comments become blanks, so that each line keeps its number.
inline std::string without_comments(std::string s) {
  for (std::size_t i = 0; (i = s.find('/', i)) != s.npos && i + 1 < s.size(); ++i) {
    std::size_t end = i;
    if (s[i + 1] == '/') end = std::min(s.find('\n', i), s.size());
    if (s[i + 1] == '*') end = std::min(s.find("*/", i + 2), s.size() - 2) + 2;
    for (std::size_t k = i; k != end; ++k)
      if (s[k] != '\n') s[k] = ' ';
  }
  return s;
}

// ---- types

/// Bytes of a type; 0 for `pred`.
inline u8 width_of(std::string_view type) {
  if (type == "pred") return 0;
  if (type.ends_with("x2")) return 4;
  if (type == "bf16") return 2;
  std::size_t const digit = type.find_first_of("0123456789");
  if (digit == type.npos) throw unknown_ptx("type ." + std::string(type));
  int const bits = std::stoi(std::string(type.substr(digit)));
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    throw unknown_ptx("type ." + std::string(type));
  return static_cast<u8>(bits / 8);
}
inline bool is_float_type(std::string_view type) {
  return type.starts_with("f") || type.starts_with("bf");
}

/// Calls f(tag<T>) for the C++ type of a PTX type.
template <class F> void with_type(std::string_view t, F const& f) {
  if (t == "u8" || t == "b8") f(tag<u8>{});
  else if (t == "s8") f(tag<s8>{});
  else if (t == "u16" || t == "b16") f(tag<u16>{});
  else if (t == "s16") f(tag<s16>{});
  else if (t == "u32" || t == "b32") f(tag<u32>{});
  else if (t == "s32") f(tag<s32>{});
  else if (t == "u64" || t == "b64") f(tag<u64>{});
  else if (t == "s64") f(tag<s64>{});
  else if (t == "f32") f(tag<float>{});
  else if (t == "f64") f(tag<double>{});
  else if (t == "f16") f(tag<half>{});
  else if (t == "bf16") f(tag<brain>{});
  else if (t == "f16x2") f(tag<pair_of<half>>{});
  else if (t == "bf16x2") f(tag<pair_of<brain>>{});
  else throw unknown_ptx("type ." + std::string(t));
}
/// The same for those types for which `Accepts` is true.
template <template <class> class Accepts, class F>
void with_type_that(std::string_view t, F const& f) {
  with_type(t, [&]<class T>(tag<T> x) {
    if constexpr (Accepts<T>::value) f(x);
    else throw unknown_ptx("this instruction with type ." + std::string(t));
  });
}
template <class F> void with_integer(std::string_view t, F const& f) {
  with_type_that<std::is_integral>(t, f);
}
template <class F> void with_float(std::string_view t, F const& f) {
  with_type_that<std::is_floating_point>(t, f);
}
template <class F> void with_number(std::string_view t, F const& f) {
  with_type_that<std::is_arithmetic>(t, f);
}
/// An unsigned type of this many bytes.
template <class F> void with_width(u8 bytes, F const& f) {
  with_type(bytes == 1   ? "u8"
            : bytes == 2 ? "u16"
            : bytes == 4 ? "u32"
                         : "u64",
            [&]<class T>(tag<T> x) {
              if constexpr (std::is_integral_v<T>) f(x);
            });
}

// ---- values

/// The bits of a literal for a register of this type; empty if the text is no literal.
inline std::optional<u64> literal(std::string_view s, std::string_view type) {
  if (s.empty()) return std::nullopt;
  std::string const text(s);
  if (text.starts_with("0f") || text.starts_with("0F")) {
    auto const bits = static_cast<u32>(std::stoul(text.substr(2), nullptr, 16));
    if (type == "f64") return std::bit_cast<u64>(static_cast<double>(std::bit_cast<float>(bits)));
    return bits;
  }
  if (text.starts_with("0d") || text.starts_with("0D")) {
    u64 const bits = std::stoull(text.substr(2), nullptr, 16);
    if (type == "f32") return std::bit_cast<u32>(static_cast<float>(std::bit_cast<double>(bits)));
    return bits;
  }
  if (std::isdigit(static_cast<unsigned char>(s[0])) != 0) return std::stoull(text, nullptr, 0);
  if (s[0] == '-' && s.size() > 1) return static_cast<u64>(std::stoll(text, nullptr, 0));
  return std::nullopt;
}

/// An instruction's name and the words after it. Each word must be taken, so that no modifier is
/// ignored.
class opcode {
 public:
  explicit opcode(std::string_view text) {
    std::vector<std::string_view> const all = split(text, '.');
    name = all.empty() ? std::string_view() : all.front();
    for (std::size_t i = 1; i < all.size(); ++i)
      if (!all[i].empty()) words_.push_back(all[i]);
  }

  /// Whether the word is there. Takes it.
  bool take(std::string_view word) {
    for (std::string_view& w : words_)
      if (w == word) {
        w = {};
        return true;
      }
    return false;
  }
  /// Takes the first of these words that is there; returns its place in the list, or -1.
  int take_one_of(std::initializer_list<std::string_view> list) {
    int i = 0;
    for (std::string_view word : list) {
      if (take(word)) return i;
      ++i;
    }
    return -1;
  }
  /// Takes the last word, which is the type.
  std::string_view take_type() {
    for (std::size_t i = words_.size(); i-- != 0;)
      if (!words_[i].empty()) return std::exchange(words_[i], {});
    throw unknown_ptx("instruction " + std::string(name) + " without a type");
  }
  /// The words that nobody took.
  std::string left() const {
    std::string all;
    for (std::string_view w : words_)
      if (!w.empty()) all += "." + std::string(w);
    return all;
  }

  std::string_view name;

 private:
  std::vector<std::string_view> words_;
};

}  // namespace ptx
