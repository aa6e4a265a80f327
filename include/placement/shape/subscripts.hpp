#pragma once
/// Subscripts of einsum: one label for each dimension. The compiler reads them from a string.

#include <placement/shape/extents.hpp>

#include <cstddef>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

/// A string as a template argument.
template <std::size_t N> struct fixed_string {
  char text[N]{};
  constexpr fixed_string(char const (&s)[N]) {
    for (std::size_t i = 0; i != N; ++i) text[i] = s[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

/// The labels of the dimensions of one array. Letters have their code; a dimension of an ellipsis
/// has the label `first_of_ellipsis` plus its distance from the last one.
struct subscript_list {
  static constexpr int capacity = 3 * static_cast<int>(max_rank);
  static constexpr int first_of_ellipsis = 256;

  int size = 0;
  int label[capacity]{};

  constexpr void add(int l) {
    if (size != capacity) label[size++] = l;
  }
  constexpr bool has(int l) const { return position(l) >= 0; }
  /// The first dimension with this label; -1 if there is none.
  constexpr int position(int l) const {
    for (int i = 0; i != size; ++i)
      if (label[i] == l) return i;
    return -1;
  }
  /// The dimensions with this label, one bit each.
  constexpr unsigned dimensions(int l) const {
    unsigned mask = 0;
    for (int i = 0; i != size; ++i)
      if (label[i] == l) mask |= 1u << i;
    return mask;
  }
  friend constexpr bool operator==(subscript_list const&, subscript_list const&) = default;
};

/// What is wrong with the subscripts of einsum.
enum class subscript_error {
  none,
  characters,
  operands,
  rank,
  repeated_output,
  unknown_output,
  no_ellipsis_in_output,
  extents  ///< of one label differ in the types of the operands
};

/// The subscripts of the operands and of the result.
struct parsed_subscripts {
  static constexpr int max_operands = 8;

  subscript_error error = subscript_error::none;
  int operands = 0;
  subscript_list operand[max_operands]{};
  subscript_list out;
};

/// Reads "bij,bjk->bik" as NumPy does. Spaces are skipped; without an arrow the result has the
/// labels that occur once, in alphabetical order, after those of an ellipsis.
class subscript_parser {
 public:
  /// rank: of each of the `count` operands.
  constexpr subscript_parser(std::string_view text, int const* rank, int count)
      : text_(text), rank_(rank), count_(count) {}

  constexpr parsed_subscripts parse() {
    for (bool more = true; more && ok(); more = take(',')) read_operand();
    if (ok() && result_.operands != count_) fail(subscript_error::operands);
    if (ok() && take('-')) {
      if (!take('>')) fail(subscript_error::characters);
      else read_output();
    } else if (ok()) {
      make_output();
    }
    if (ok() && !at_end()) fail(subscript_error::characters);
    return result_;
  }

 private:
  static constexpr bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  constexpr bool ok() const { return result_.error == subscript_error::none; }
  constexpr void fail(subscript_error e) { result_.error = e; }
  constexpr bool at_end() {
    while (at_ != text_.size() && text_[at_] == ' ') ++at_;
    return at_ == text_.size();
  }
  constexpr bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// Adds the letters at the current position, and calls ellipsis() for "...".
  template <class Ellipsis> constexpr void read_labels(subscript_list& to, Ellipsis ellipsis) {
    bool seen = false;
    for (; ok() && !at_end() && (is_letter(text_[at_]) || text_[at_] == '.');) {
      if (is_letter(text_[at_])) {
        to.add(text_[at_++]);
      } else if (seen || text_.substr(at_, 3) != "...") {
        fail(subscript_error::characters);
      } else {
        seen = true;
        at_ += 3;
        ellipsis();
      }
    }
  }
  constexpr void read_operand() {
    int const k = result_.operands++;
    if (k >= count_ || k >= parsed_subscripts::max_operands) {
      result_.operands = k;
      return fail(subscript_error::operands);
    }
    int letters = 0;  // of this operand: the ellipsis has the other dimensions
    for (std::size_t i = at_; i != text_.size() && text_[i] != ',' && text_[i] != '-'; ++i)
      letters += is_letter(text_[i]);
    int const others = rank_[k] - letters;
    bool has_ellipsis = false;
    read_labels(result_.operand[k], [&] {
      has_ellipsis = true;
      for (int d = others; d-- > 0;) result_.operand[k].add(subscript_list::first_of_ellipsis + d);
      if (others > ellipsis_) ellipsis_ = others;
    });
    if (ok() && !at_end() && text_[at_] != ',' && text_[at_] != '-')
      fail(subscript_error::characters);
    if (ok() && (others < 0 || (others > 0 && !has_ellipsis))) fail(subscript_error::rank);
  }
  constexpr void add_ellipsis_to_output() {
    for (int d = ellipsis_; d-- > 0;) result_.out.add(subscript_list::first_of_ellipsis + d);
  }
  constexpr void read_output() {
    bool has_ellipsis = false;
    read_labels(result_.out, [&] {
      has_ellipsis = true;
      add_ellipsis_to_output();
    });
    if (!ok()) return;
    if (ellipsis_ > 0 && !has_ellipsis) return fail(subscript_error::no_ellipsis_in_output);
    for (int i = 0; i != result_.out.size; ++i) {
      int const l = result_.out.label[i];
      if (result_.out.position(l) != i) return fail(subscript_error::repeated_output);
      if (occurrences(l) == 0) return fail(subscript_error::unknown_output);
    }
  }
  constexpr void make_output() {
    add_ellipsis_to_output();
    for (int l = 'A'; l <= 'z'; ++l)
      if (occurrences(l) == 1) result_.out.add(l);
  }
  constexpr int occurrences(int l) const {
    int n = 0;
    for (int k = 0; k != result_.operands; ++k)
      for (int i = 0; i != result_.operand[k].size; ++i) n += result_.operand[k].label[i] == l;
    return n;
  }

  std::string_view text_;
  int const* rank_;
  int count_;
  std::size_t at_ = 0;
  int ellipsis_ = 0;  ///< dimensions of the longest ellipsis
  parsed_subscripts result_;
};

}}}  // namespace placement::v0_1::detail
