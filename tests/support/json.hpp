#pragma once
/// A checker of JSON, which reads a document of RFC 8259 into values.

#include <cstddef>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace json {

/// A value; `text` has the characters of a string or of a number.
struct value {
  enum class type { null, boolean, number, string, list, object } is = type::null;
  bool boolean = false;
  std::string text;
  std::vector<value> list;
  std::map<std::string, value> members;

  bool has(std::string const& name) const { return members.count(name) != 0; }
  value const& operator[](std::string const& name) const {
    auto const at = members.find(name);
    if (at == members.end()) throw std::runtime_error("no member " + name);
    return at->second;
  }
  double number() const {
    if (is != type::number) throw std::runtime_error("no number: " + text);
    return std::strtod(text.c_str(), nullptr);
  }
};

/// Reads a document. Throws: std::runtime_error with the byte where it is malformed.
class reader {
 public:
  explicit reader(std::string_view text) : text_(text) {}

  value document() {
    value v = next();
    skip_spaces();
    if (at_ != text_.size()) fail("more after the document");
    return v;
  }

 private:
  [[noreturn]] void fail(std::string const& what) const {
    throw std::runtime_error(what + " at byte " + std::to_string(at_));
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (at_ < text_.size() && std::string_view(" \n\r\t").find(text_[at_]) != text_.npos) ++at_;
  }
  void expect(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) fail("no " + std::string(word));
    at_ += word.size();
  }
  bool takes(char c) {
    skip_spaces();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  value next() {
    skip_spaces();
    value v;
    switch (peek()) {
      case '{': read_object(v); break;
      case '[': read_list(v); break;
      case '"':
        v.is = value::type::string;
        v.text = read_string();
        break;
      case 't':
      case 'f':
        v.is = value::type::boolean;
        v.boolean = peek() == 't';
        expect(v.boolean ? "true" : "false");
        break;
      case 'n': expect("null"); break;
      default: read_number(v);
    }
    return v;
  }
  void read_object(value& v) {
    v.is = value::type::object;
    expect("{");
    if (takes('}')) return;
    do {
      skip_spaces();
      std::string const name = read_string();
      if (!takes(':')) fail("no colon");
      if (!v.members.emplace(name, next()).second) fail("twice " + name);
    } while (takes(','));
    if (!takes('}')) fail("no end of the object");
  }
  void read_list(value& v) {
    v.is = value::type::list;
    expect("[");
    if (takes(']')) return;
    do v.list.push_back(next());
    while (takes(','));
    if (!takes(']')) fail("no end of the list");
  }
  std::string read_string() {
    expect("\"");
    std::string out;
    for (;;) {
      if (at_ == text_.size()) fail("no end of the string");
      char const c = text_[at_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) fail("a control character");
      out += c != '\\' ? std::string(1, c) : read_escape();
    }
  }
  std::string read_escape() {
    char const c = peek();
    ++at_;
    if (std::string_view("\"\\/").find(c) != std::string_view::npos) return {c};
    if (c == 'n') return "\n";
    if (c != 'u') fail("an unknown escape");
    std::string const digits(text_.substr(at_, 4));
    if (digits.size() != 4 || digits.find_first_not_of("0123456789abcdef") != digits.npos)
      fail("no four digits");
    at_ += 4;
    unsigned long const code = std::strtoul(digits.c_str(), nullptr, 16);
    return code < 0x80 ? std::string(1, static_cast<char>(code)) : "\\u" + digits;
  }
  void read_number(value& v) {
    std::size_t const first = at_;
    if (peek() == '-') ++at_;
    auto const digits = [&] {
      std::size_t const before = at_;
      while (peek() >= '0' && peek() <= '9') ++at_;
      if (at_ == before) fail("no value");
    };
    digits();
    if (peek() == '.') {
      ++at_;
      digits();
    }
    v.is = value::type::number;
    v.text = text_.substr(first, at_ - first);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace json
