#pragma once
/// std::format of tensors, expressions, shapes and devices, where the standard library has it
/// (`__cpp_lib_format`). placement.hpp does not include this header.

#include <placement/expr/array2string.hpp>
#include <placement/expr/print.hpp>

#include <version>

#if defined(__cpp_lib_format)
#  include <format>
#endif

namespace placement { inline namespace v0_1 { namespace detail {

/// How std::format prints an array: as `<<` does, or by array2string.
struct array_format {
  print_options options;
  bool as_numpy = false;
};

/// A number of one to three digits without a zero in front, or -1. `digits` counts all of them.
struct short_number {
  int value;
  std::size_t digits;
};
template <class Iterator> constexpr short_number short_number_at(Iterator at, Iterator end) {
  short_number n{-1, 0};
  for (; at != end && *at >= '0' && *at <= '9'; ++at, ++n.digits)
    if (n.digits < 3) n.value = (n.digits == 0 ? 0 : 10 * n.value) + (*at - '0');
  Iterator const first = at - static_cast<std::ptrdiff_t>(n.digits);
  if (n.digits > 3 || (n.digits > 1 && *first == '0')) n.value = -1;
  return n;
}

/// A format specification that was read, up to `end`. It is valid if a '}' or nothing follows.
template <class Iterator> struct parsed_format {
  Iterator end;
  array_format format;
  bool is_valid;
};
/// Reads `[linewidth][.precision]`.
template <class Iterator>
constexpr parsed_format<Iterator> parse_array_format(Iterator at, Iterator end) {
  array_format format;
  auto const over = [&] { return at == end || *at == '}'; };
  if (!over() && *at != '.') {
    short_number const n = short_number_at(at, end);
    if (n.value < 1) return {at, format, false};
    format = {{.linewidth = static_cast<std::size_t>(n.value)}, true};
    at += static_cast<std::ptrdiff_t>(n.digits);
  }
  if (!over() && *at == '.') {
    short_number const n = short_number_at(++at, end);
    if (n.value < 0) return {at, format, false};
    format.options.precision = n.value;
    format.as_numpy = true;
    at += static_cast<std::ptrdiff_t>(n.digits);
  }
  return {at, format, over()};
}

template <class X> std::string formatted(X const& x, array_format const& format) {
  return format.as_numpy ? array2string(x, format.options) : to_string(x);
}

}}}  // namespace placement::v0_1::detail

#if defined(__cpp_lib_format)

/// Tensors, references and expressions, which are computed immediately. `{}` gives the text of
/// `<<`. `{:.3}` and `{:60.3}` give that of array2string, with at most 3 digits after the point and
/// 60 characters in a line.
/// Throws: std::format_error, a compile error for a constant text; exceptions of the ops.
template <placement::operand X> struct std::formatter<X, char> {
  constexpr auto parse(std::format_parse_context& context) {
    auto const parsed = placement::detail::parse_array_format(context.begin(), context.end());
    if (!parsed.is_valid)
      throw std::format_error("placement: an array has the format {}, or {:linewidth.precision}.");
    format_ = parsed.format;
    return parsed.end;
  }
  template <class Context> auto format(X const& x, Context& context) const {
    auto out = context.out();
    for (char const c : placement::detail::formatted(x, format_)) *out++ = c;
    return out;
  }

 private:
  placement::detail::array_format format_;
};

/// A shape as "[2, 3]" and a device as "/GPU:0", with the format of a text: `{:>10}`.
template <class X> requires(placement::is_extents<X> || std::is_same_v<X, placement::device>)
struct std::formatter<X, char> : std::formatter<std::string_view, char> {
  template <class Context> auto format(X const& x, Context& context) const {
    return std::formatter<std::string_view, char>::format(placement::to_string(x), context);
  }
};

#endif
