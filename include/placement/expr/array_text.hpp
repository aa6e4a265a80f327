#pragma once
/// Arrays as text, byte for byte as NumPy prints them. The formatter knows no expression. It reads
/// elements through functions of their type.

#include <placement/expr/decimal_text.hpp>
#include <placement/shape/extents.hpp>

#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

/// How arrays are printed, by NumPy's names and defaults (numpy.set_printoptions).
struct print_options {
  int precision = 8;             ///< the most digits after the point
  std::size_t threshold = 1000;  ///< arrays of more elements are summarised
  index_t edgeitems = 3;         ///< shown at each end of a summarised dimension; at least 1
  std::size_t linewidth = 75;    ///< characters of a line; longer rows are wrapped
  bool suppress_small = false;   ///< small numbers do not cause an exponent
};

namespace detail {

/// Elements on the host, dense in row-major order.
struct printed_array {
  void const* data;
  printed_type type;
  any_shape shape;
};

/// Whether positive numbers have a plus, as imaginary parts have.
enum class plus_sign : unsigned char { omitted, shown };

/// The common format of the numbers that are shown.
class real_format {
 public:
  real_format(printed_array const& x, std::vector<std::size_t> const& shown,
              print_options const& options, plus_sign plus = plus_sign::omitted)
      : type_(x.type), precision_(options.precision), has_plus_(plus == plus_sign::shown) {
    choose_form(x, shown, options);
    bool any_infinite = false, any_negative_infinity = false;
    for (std::size_t i : shown) {
      double const v = x.type.real(x.data, i);
      if (v - v == 0) widen(v);
      else any_infinite = true;
      if (v < 0 && v - v != 0) any_negative_infinity = true;
    }
    if (has_exponent_) precision_ = static_cast<int>(right_);
    if (has_exponent_) right_ += exponent_;  // with its "e"
    if (any_infinite) make_room(any_negative_infinity || has_plus_ ? 4 : 3);
  }

  std::string operator()(double v) const {
    std::string text;
    if (v != v) text = signed_text("nan");
    else if (v - v != 0) text = v > 0 ? signed_text("inf") : "-inf";
    if (!text.empty()) return std::string(left_ + right_ + 1 - text.size(), ' ') + text;
    number_parts parts;
    if (has_exponent_) {
      parts = scientific_parts(decimal_of(v, precision_ + 1));
      parts.exponent.insert(1, exponent_ - 1 - parts.exponent.size(), '0');
      text = parts.fraction + "e" + parts.exponent;
    } else {
      parts = positional_parts(v, type_, precision_);
      text = parts.fraction + std::string(right_ - parts.fraction.size(), ' ');
    }
    parts.whole = signed_text(parts.whole);
    return std::string(left_ - parts.whole.size(), ' ') + parts.whole + "." + text;
  }

 private:
  std::string signed_text(std::string const& number) const {
    return (has_plus_ && number[0] != '-' ? "+" : "") + number;
  }
  void choose_form(printed_array const& x, std::vector<std::size_t> const& shown,
                   print_options const& options) {
    double largest = 0, smallest = 0;
    for (std::size_t i : shown) {
      double const v = x.type.real(x.data, i), size = v < 0 ? -v : v;
      if (v - v != 0 || size == 0) continue;
      if (size > largest) largest = size;
      if (smallest == 0 || size < smallest) smallest = size;
    }
    double limit = 1;
    for (int d = 0; d != type_.decimal_digits && d != 8; ++d) limit *= 10;
    if (largest != 0)
      has_exponent_ = largest >= limit ||
                      (!options.suppress_small && (smallest < type_.rounded(0.0001) ||
                                                   type_.rounded(largest / smallest) > 1000));
  }
  void widen(double v) {
    number_parts const parts = has_exponent_ ? scientific_parts(v, type_, precision_)
                                             : positional_parts(v, type_, precision_);
    std::size_t const left = signed_text(parts.whole).size();
    if (left > left_) left_ = left;
    if (parts.fraction.size() > right_) right_ = parts.fraction.size();
    if (parts.exponent.size() + 1 > exponent_) exponent_ = parts.exponent.size() + 1;
  }
  void make_room(std::size_t width) {
    if (left_ + right_ + 1 < width) left_ = width - right_ - 1;
  }

  printed_type type_;
  bool has_exponent_ = false;
  int precision_;
  bool has_plus_;
  std::size_t left_ = 0, right_ = 0;  ///< characters before and after the point
  std::size_t exponent_ = 0;          ///< characters of the exponent with its "e"
};

/// Prints one array.
class array_printer {
 public:
  array_printer(printed_array const& x, print_options const& options) : x_(x), options_(options) {
    if (options_.edgeitems < 1) options_.edgeitems = 1;
    is_summarised_ = x.shape.count() > options.threshold;
    collect(0, 0);
    format_elements();
  }
  std::string text() {
    next_ = 0;
    return part(0, " ", options_.linewidth);
  }

 private:
  bool is_cut(std::size_t d) const {
    return is_summarised_ && x_.shape.extent[d] > 2 * options_.edgeitems;
  }
  /// Calls visit(i) for the indices of dimension d that are shown.
  template <class Visit> void each_index(std::size_t d, Visit const& visit) const {
    index_t const n = x_.shape.extent[d];
    for (index_t i = 0; i != n; ++i) {
      if (is_cut(d) && i == options_.edgeitems) i = n - options_.edgeitems;
      visit(i);
    }
  }
  void collect(std::size_t d, std::size_t first) {
    if (d == x_.shape.rank) return shown_.push_back(first);
    each_index(d, [&](index_t i) {
      collect(d + 1,
              first * static_cast<std::size_t>(x_.shape.extent[d]) + static_cast<std::size_t>(i));
    });
  }
  void format_elements() {
    words_.reserve(shown_.size());
    if (x_.type.kind == printed_kind::real) {
      real_format const format(x_, shown_, options_);
      for (std::size_t i : shown_) words_.push_back(format(x_.type.real(x_.data, i)));
      return;
    }
    if (x_.type.kind == printed_kind::complex) return format_complex();
    std::size_t width = 0;
    for (std::size_t i : shown_) {
      std::string word = x_.type.integer(x_.data, i);
      if (x_.type.kind == printed_kind::boolean) word = word == "0" ? "False" : " True";
      if (word.size() > width) width = word.size();
      words_.push_back(std::move(word));
    }
    if (x_.type.kind == printed_kind::boolean) return;
    for (std::string& word : words_) word.insert(0, width - word.size(), ' ');
  }
  /// Real and imaginary numbers alternate in memory.
  void format_complex() {
    std::vector<std::size_t> re = shown_, im = shown_;
    for (std::size_t& i : re) i = 2 * i;
    for (std::size_t& i : im) i = 2 * i + 1;
    real_format const real(x_, re, options_), imag(x_, im, options_, plus_sign::shown);
    for (std::size_t i : re) {
      std::string number = imag(x_.type.real(x_.data, i + 1));
      number.insert(number.find_last_not_of(' ') + 1, 1, 'j');  // before the spaces at the end
      words_.push_back(real(x_.type.real(x_.data, i)) + number);
    }
  }
  std::string part(std::size_t d, std::string const& indent, std::size_t width) {
    std::string const text =
        d + 1 == x_.shape.rank ? row(d, indent, width - 1) : rows(d, indent, width);
    return "[" + text.substr(indent.size()) + "]";
  }
  std::string rows(std::size_t d, std::string const& indent, std::size_t width) {
    std::string text;
    std::string const end(x_.shape.rank - d - 1, '\n');
    each_index(d, [&](index_t i) {
      if (i != 0) text += end;
      if (is_cut(d) && i == x_.shape.extent[d] - options_.edgeitems) text += indent + "..." + end;
      text += indent + part(d + 1, indent + ' ', width - 1);
    });
    return text;
  }
  std::string row(std::size_t d, std::string const& indent, std::size_t width) {
    std::string text, line = indent;
    auto const add = [&](std::string const& word) {
      if (line.size() + word.size() > width && line.size() > indent.size()) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
        line = indent;
      }
      line += word;
    };
    each_index(d, [&](index_t i) {
      if (i != 0) line += ' ';
      if (is_cut(d) && i == x_.shape.extent[d] - options_.edgeitems) {
        add("...");
        line += ' ';
      }
      add(words_[next_++]);
    });
    return text + line;
  }

  printed_array x_;
  print_options options_;
  bool is_summarised_;
  std::vector<std::size_t> shown_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

/// The text of an array on the host.
inline std::string array_text(printed_array const& x, print_options const& options) {
  if (x.shape.count() == 0) return "[]";
  if (x.shape.rank != 0) return array_printer(x, options).text();
  if (x.type.kind == printed_kind::real) return scalar_text(x.type.real(x.data, 0), x.type);
  if (x.type.kind == printed_kind::complex)
    return complex_text(x.type.real(x.data, 0), x.type.real(x.data, 1), x.type);
  std::string const text = x.type.integer(x.data, 0);
  if (x.type.kind == printed_kind::integer) return text;
  return text == "0" ? "False" : "True";
}

}  // namespace detail
}}  // namespace placement::v0_1
