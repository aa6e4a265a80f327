#pragma once
/// Tensors, expressions, shapes and devices as text, in NumPy's format.

#include <placement/expr/evaluate.hpp>

#include <cstdio>
#include <cstring>
#include <iosfwd>
#include <limits>
#include <string>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The shortest text that reads back as the same number. Uses an exponent from 1e8 on and below
/// 1e-4, like NumPy.
template <class T> std::string number_text(T v) {
  if constexpr (std::is_same_v<T, bool>) {
    return v ? "True" : "False";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(v);
  } else if constexpr (is_complex<T>) {
    auto const imag = number_text(complex_math<T>::imag(v));
    return number_text(complex_math<T>::real(v)) + (imag[0] == '-' ? "" : "+") + imag + "j";
  } else {
    char text[40];
    auto reads_back = [&] {
      using scanned = computed_in<T>;
      scanned back{};
      char const* const form = std::is_same_v<scanned, float> ? "%f" : "%lf";
      return std::sscanf(text, form, &back) == 1 && static_cast<T>(back) == v;
    };
    double const x = static_cast<double>(v);
    if (!(x - x == 0)) return x != x ? "nan" : x > 0 ? "inf" : "-inf";
    int constexpr enough = std::numeric_limits<T>::max_digits10;
    for (int digits = 1; digits <= enough; ++digits) {
      std::snprintf(text, sizeof text, "%.*e", digits - 1, x);
      if (!reads_back()) continue;
      int exponent = 0;
      std::sscanf(std::strchr(text, 'e') + 1, "%d", &exponent);
      int const decimals = digits - 1 - exponent;
      if (exponent >= -4 && exponent < 8)
        std::snprintf(text, sizeof text, "%.*f", decimals < 0 ? 0 : decimals, x);
      break;
    }
    return text;
  }
}

}  // namespace detail

/// "[[22 28]\n [49 64]]"; "[]" without elements. Tensors of more than 1000 elements show the first
/// and last `edge` entries of long dimensions, at least one.
/// Cost: one copy to the host if the tensor is on a GPU.
template <class T, class X, class D>
std::string to_string(tensor<T, X, D> const& t, index_t edge = 3) try {
  if (t.size() == 0) return "[]";
  if (edge < 1) edge = 1;
  auto const h = t.read({});
  auto part = [&](auto self, std::size_t d, index_t first,
                  std::string const& indent) -> std::string {
    if (d == X::rank) return detail::number_text(h.data()[first]);
    index_t const n = t.shape().at(d);
    index_t below = 1;
    for (std::size_t e = X::rank; e-- > d + 1;) below *= t.shape().at(e);
    bool const cut = t.size() > 1000 && n > 2 * edge;
    std::string const between =
        d + 1 == X::rank ? " " : std::string(X::rank - d - 1, '\n') + indent + ' ';
    std::string text = "[";
    for (index_t i = 0; i != n; ++i) {
      if (i != 0) text += between;
      if (cut && i == edge) {
        text += "..." + between;
        i = n - edge;
      }
      text += self(self, d + 1, first + i * below, indent + ' ');
    }
    return text + "]";
  };
  return part(part, 0, 0, "");
} catch (...) { detail::rethrow_as_error(); }

/// The same for an expression, which is computed immediately, and for the tensor of a reference.
template <operand E> requires(lazy<E> || is_reference<E>)
std::string to_string(E const& e, index_t edge = 3) {
  detail::gradient_pause const no_gradient;  // the result is text
  if constexpr (is_reference<E>) return to_string(e.target(), edge);
  else return to_string(tensor<typename E::value_type, typename E::extents_type>(e, site{}), edge);
}

template <class C, class Traits, class T, class X, class D> requires std::is_same_v<C, char>
std::basic_ostream<C, Traits>& operator<<(std::basic_ostream<C, Traits>& out,
                                          tensor<T, X, D> const& t) {
  return out << to_string(t);
}
/// Expressions and references; a shape as "[2, 3]", a device as "/GPU:0".
template <class C, class Traits, class X>
requires(std::is_same_v<C, char> &&
         (lazy<X> || is_reference<X> || is_extents<X> || std::is_same_v<X, device>))
std::basic_ostream<C, Traits>& operator<<(std::basic_ostream<C, Traits>& out, X const& x) {
  return out << to_string(x);
}

}}  // namespace placement::v0_1
