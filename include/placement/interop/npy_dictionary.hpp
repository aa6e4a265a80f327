#pragma once
/// Parses the dictionary in the header of a NumPy array, a text in Python's syntax.

#include <placement/interop/npy_info.hpp>
#include <placement/runtime/parse.hpp>

#include <bit>
#include <limits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Deepest nesting of a structured dtype that is read.
inline constexpr int max_npy_depth = 32;
/// The largest rank in NumPy.
inline constexpr std::size_t max_npy_rank = 64;

/// Parses one dictionary. NumPy evaluates it as Python; this accepts what programs write.
class npy_dictionary {
 public:
  /// `begin`: the byte of the file at which the text begins, for messages.
  npy_dictionary(std::string const& name, std::string_view text, std::uint64_t begin)
      : name_(name), text_(text), begin_(begin) {}

  /// Throws: file_error.
  void parse(npy_info& into) {
    expect('{');
    while (!accept('}')) {
      parse_entry(into);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("nothing after the dictionary");
    for (int key = 0; key != 3; ++key)
      if (!seen_[key]) fail("the key '" + std::string(keys[key]) + "' before the end");
  }

 private:
  static constexpr std::string_view keys[] = {"descr", "fortran_order", "shape"};

  void parse_entry(npy_info& into) {
    skip_space();
    std::size_t const begin = at_;
    std::string_view const key = parse_string();
    int which = 0;
    while (which != 3 && keys[which] != key) ++which;
    if (which == 3) fail_at(begin, "one of the keys 'descr', 'fortran_order' and 'shape'");
    if (seen_[which]) fail_at(begin, "each key once");
    seen_[which] = true;
    expect(':');
    skip_space();
    if (which == 0) parse_dtype(into);
    else if (which == 1) into.order = parse_bool() ? npy_order::fortran : npy_order::c;
    else parse_shape(into.shape);
  }

  void parse_dtype(npy_info& into) {
    std::size_t const begin = at_;
    char const c = peek();
    if (c != '\'' && c != '"') {
      if (c != '[' && c != '(' && c != '{') fail("a dtype such as '<f4'");
      skip_brackets();
      into.dtype = text_.substr(begin, at_ - begin);
      return;
    }
    into.dtype = parse_string();
    std::string_view code = into.dtype;
    char order = '=';
    if (!code.empty() && std::string_view("<>|=").find(code[0]) != code.npos) {
      order = code[0];
      code.remove_prefix(1);
    }
    for (npy_type const& t : npy_types) {
      if (t.code != code) continue;
      into.element = t.element;
      into.item_bytes = t.code == "c16" ? 16 : static_cast<std::size_t>(code[1] - '0');
    }
    if (into.item_bytes == 1 && code[0] == 'b') into.item_bytes = sizeof(bool);
    if (into.item_bytes > 1 && order == '|') fail_at(begin, "a byte order, '<' or '>'");
    constexpr bool little = std::endian::native == std::endian::little;
    into.is_swapped = into.item_bytes > 1 && order == (little ? '>' : '<');
  }

  /// Skips a structured dtype: strings and brackets in pairs.
  void skip_brackets() {
    char closing[max_npy_depth];
    int depth = 0;
    do {
      char const c = peek();
      if (c == '\'' || c == '"') {
        parse_string();
        continue;
      }
      if (c == '[' || c == '(' || c == '{') {
        if (depth == max_npy_depth)
          fail("at most " + std::to_string(max_npy_depth) + " brackets inside one another");
        closing[depth++] = c == '[' ? ']' : c == '(' ? ')' : '}';
      } else if (c == ']' || c == ')' || c == '}') {
        if (c != closing[depth - 1]) fail(std::string("'") + closing[depth - 1] + "'");
        --depth;
      }
      ++at_;
    } while (depth != 0);
  }

  bool parse_bool() {
    for (bool const value : {false, true}) {
      std::string_view const word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("True or False");
  }

  /// A tuple of extents: (), (3,), (3, 4) or (3, 4,).
  void parse_shape(std::vector<index_t>& shape) {
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("',' or ')'");
      if (shape.size() == max_npy_rank)
        fail("at most " + std::to_string(max_npy_rank) + " extents, as in NumPy");
      shape.push_back(parse_extent());
      comma = accept(',');
      if (!comma && shape.size() == 1) fail("','");
    }
  }
  index_t parse_extent() {
    skip_space();
    std::size_t const begin = at_;
    while (at_ != text_.size() && is_digit(text_[at_])) ++at_;
    if (begin == at_) fail("an extent, at least 0");
    std::uint64_t const n = *parse_decimal(text_.substr(begin, at_ - begin));
    if (n > static_cast<std::uint64_t>(std::numeric_limits<index_t>::max()))
      fail_at(begin, "an extent below 2^63");
    if (at_ != text_.size() && text_[at_] == 'L') ++at_;  // of Python 2
    return static_cast<index_t>(n);
  }

  std::string_view parse_string() {
    skip_space();
    char const quote = peek();
    if (quote != '\'' && quote != '"') fail("a string in quotes");
    std::size_t const begin = ++at_;
    while (peek() != quote) {
      if (text_[at_] == '\\' || text_[at_] == '\n') fail("a string without escapes");
      ++at_;
    }
    return text_.substr(begin, at_++ - begin);
  }

  void skip_space() {
    constexpr std::string_view space = " \t\n\r\f";
    while (at_ != text_.size() && space.find(text_[at_]) != space.npos) ++at_;
  }
  char peek() {
    if (at_ == text_.size()) fail("more of the dictionary");
    return text_[at_];
  }
  bool accept(char c) {
    skip_space();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "'");
  }
  [[noreturn]] void fail(std::string const& expected) const { fail_at(at_, expected); }
  [[noreturn, gnu::cold]] void fail_at(std::size_t at, std::string const& expected) const {
    std::string const found =
        at == text_.size() ? "the header ends" : "'" + escape(text_[at]) + "' is there";
    throw_malformed(name_, begin_ + at, "expected " + expected + ", but " + found);
  }

  std::string const& name_;
  std::string_view text_;
  std::uint64_t begin_;
  std::size_t at_ = 0;
  bool seen_[3] = {};
};

}}}  // namespace placement::v0_1::detail
