#pragma once
/// Numbers as decimal text, digit for digit as NumPy writes them.

#include <placement/math/float16.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

enum class printed_kind : unsigned char { boolean, integer, real, complex };

/// An element type for the formatter.
struct printed_type {
  printed_kind kind;
  int decimal_digits;   ///< of a real type, as numpy.finfo's precision
  double scalar_limit;  ///< a scalar from here on has an exponent
  double (*real)(void const*, std::size_t);
  double (*rounded)(double);      ///< to the type and back
  double (*parsed)(char const*);  ///< the element nearest to a decimal text
  std::string (*integer)(void const*, std::size_t);
};

template <class T> double real_at(void const* data, std::size_t i) {
  return static_cast<double>(static_cast<T const*>(data)[i]);
}
template <class T> double rounded_to(double v) {
  return static_cast<double>(static_cast<T>(static_cast<computed_in<T>>(v)));
}
template <class T> double parsed_as(char const* text) {
  if constexpr (std::is_same_v<T, double>) return std::strtod(text, nullptr);
  else return static_cast<double>(static_cast<T>(std::strtof(text, nullptr)));
}
template <class T> std::string integer_text_at(void const* data, std::size_t i) {
  return std::to_string(static_cast<T const*>(data)[i]);
}
template <class T> constexpr printed_type printed_type_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return {printed_kind::boolean, 0, 0, nullptr, nullptr, nullptr, &integer_text_at<T>};
  } else if constexpr (std::is_integral_v<T>) {
    return {printed_kind::integer, 0, 0, nullptr, nullptr, nullptr, &integer_text_at<T>};
  } else if constexpr (is_complex<T>) {  // a real and an imaginary number for each element
    printed_type type = printed_type_of<typename complex_math<T>::real_type>();
    type.kind = printed_kind::complex;
    return type;
  } else {
    constexpr int digits = std::numeric_limits<T>::digits10;
    double limit = digits >= 15 ? 1e16 : 1;
    for (int d = 0; d != digits && digits < 15; ++d) limit *= 10;
    return {printed_kind::real, digits, limit, &real_at<T>, &rounded_to<T>, &parsed_as<T>, nullptr};
  }
}

/// A number in decimal: digits with the point after the first one, times 10^exponent.
struct decimal {
  bool negative = false;
  std::string digits;  ///< "0" for zero
  int exponent = 0;
};
/// The number rounded to this many digits, from its exact value.
inline decimal decimal_of(double v, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*e", digits - 1, v);
  decimal d;
  char const* p = text;
  d.negative = *p == '-';
  for (; *p != 'e'; ++p)
    if (*p >= '0' && *p <= '9') d.digits += *p;
  d.exponent = std::atoi(p + 1);
  return d;
}
/// The fewest digits that read back as the same element.
inline decimal shortest_decimal(double v, printed_type const& type) {
  char text[64];
  for (int digits = 1;; ++digits) {
    std::snprintf(text, sizeof text, "%.*e", digits - 1, v);
    if (digits == 17 || type.parsed(text) == v) return decimal_of(v, digits);
  }
}

/// A number before and after the point, and its exponent: "-1", "25", "+03".
struct number_parts {
  std::string whole, fraction, exponent;
};
inline void trim_zeros(std::string& digits) {
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
}
/// Without an exponent; at most `precision` digits after the point, no zeros at their end.
inline number_parts positional_parts(double v, printed_type const& type, int precision) {
  decimal const d = shortest_decimal(v, type);
  number_parts parts;
  int const decimals = static_cast<int>(d.digits.size()) - 1 - d.exponent;
  if (decimals > precision) {  // rounded from the exact value, as Dragon4 does
    std::string text(400, '\0');
    text.resize(
        static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.*f", precision, v)));
    std::size_t const end = text.find_first_not_of("-0123456789");
    parts.whole = text.substr(0, end);
    if (end != std::string::npos) parts.fraction = text.substr(end + 1);
  } else {
    std::string digits = d.digits;
    int whole = d.exponent + 1;  // digits before the point
    if (whole < 1) digits.insert(0, static_cast<std::size_t>(1 - whole), '0');
    if (whole < 1) whole = 1;
    if (static_cast<int>(digits.size()) < whole)
      digits.resize(static_cast<std::size_t>(whole), '0');
    parts.whole = (d.negative ? "-" : "") + digits.substr(0, static_cast<std::size_t>(whole));
    parts.fraction = digits.substr(static_cast<std::size_t>(whole));
  }
  trim_zeros(parts.fraction);
  return parts;
}
/// d with an exponent of at least two digits.
inline number_parts scientific_parts(decimal const& d) {
  char exponent[16];
  std::snprintf(exponent, sizeof exponent, "%+03d", d.exponent);
  return {(d.negative ? "-" : "") + d.digits.substr(0, 1), d.digits.substr(1), exponent};
}
inline number_parts scientific_parts(double v, printed_type const& type, int precision) {
  decimal d = shortest_decimal(v, type);
  if (static_cast<int>(d.digits.size()) > precision + 1) d = decimal_of(v, precision + 1);
  number_parts parts = scientific_parts(d);
  trim_zeros(parts.fraction);
  return parts;
}

/// An element of an array of rank 0, as str() of a NumPy scalar.
inline std::string scalar_text(double v, printed_type const& type) {
  if (v != v) return "nan";
  if (v - v != 0) return v > 0 ? "inf" : "-inf";
  double const size = v < 0 ? -v : v;
  if (size == 0 || (size >= 1e-4 && size < type.scalar_limit)) {
    number_parts const parts = positional_parts(v, type, 400);
    return parts.whole + "." + (parts.fraction.empty() ? "0" : parts.fraction);
  }
  number_parts const parts = scientific_parts(v, type, 17);
  return parts.whole + (parts.fraction.empty() ? "" : "." + parts.fraction) + "e" + parts.exponent;
}

/// The same of a complex number, as str() of a NumPy scalar: "(1+2j)", "2j".
inline std::string complex_text(double re, double im, printed_type const& type) {
  auto const text = [&](double v) {
    std::string s = scalar_text(v, type);
    return s.size() > 2 && s.substr(s.size() - 2) == ".0" ? s.substr(0, s.size() - 2) : s;
  };
  std::string const imag = text(im) + "j";
  if (re == 0 && !std::signbit(re)) return imag;
  return "(" + text(re) + (imag[0] == '-' ? "" : "+") + imag + ")";
}

}}}  // namespace placement::v0_1::detail
