#pragma once
/// Looks for infinities and NaN, as tf.debugging.check_numerics and enable_check_numerics do.

#include <placement/expr/concepts.hpp>
#include <placement/expr/tensor.hpp>
#include <placement/gradient/tape_core.hpp>
#include <placement/place/site.hpp>

#include <cstddef>
#include <string_view>

namespace placement { inline namespace v0_1 {

namespace detail {

/// x - x is 0 for numbers, and NaN for infinities and NaN.
template <class T> constexpr bool is_finite_number(T const& x) noexcept {
  if constexpr (is_complex<T>) return is_finite_number(x.real()) && is_finite_number(x.imag());
  else return widened(x) - widened(x) == 0;
}
template <class T> constexpr bool is_nan_number(T const& x) noexcept {
  if constexpr (is_complex<T>) return is_nan_number(x.real()) || is_nan_number(x.imag());
  else return widened(x) != widened(x);
}
template <class T> element_faults find_faults(void const* data, std::size_t n) noexcept {
  auto const* const x = static_cast<T const*>(data);
  element_faults faults;
  for (std::size_t i = 0; i != n; ++i) {
    if (is_finite_number(x[i])) continue;
    if (faults.count() == 0) faults.first = i;
    ++(is_nan_number(x[i]) ? faults.nans : faults.infinities);
  }
  return faults;
}
/// Whether elements of T can be infinite or NaN.
template <class T> inline constexpr bool has_faults = real_number<T> || is_complex<T>;

}  // namespace detail

/// The type of check_numerics.
struct check_numerics_t {
  /// Returns x, whose elements are shared: none is infinite or NaN. `message`: begins the error.
  /// Throws: numerics_error, which names the first such element and how many there are.
  /// Gradients flow through it. Cost: a pass over x on the host, and a counted copy from a GPU.
  template <class T, class X, class D>
  tensor<T, X, D> operator()(tensor<T, X, D> const& x, std::string_view message = "a tensor",
                             site at = site::here()) const {
    if constexpr (detail::has_faults<T>) {
      auto const host = x.read();
      auto const faults = detail::find_faults<T>(host.data(), host.size());
      if (faults.count() != 0) detail::throw_faults(message, at, faults, to_string(x.shape()));
    }
    return x;
  }
  /// The same of an expression, which it evaluates.
  template <lazy E>
  auto operator()(E const& e, std::string_view message = "a tensor", site at = site::here()) const {
    tensor x = e;
    (*this)(x, message, at);
    return x;
  }
};
/// `check_numerics(x)` throws where an element of x is infinite or NaN. `gradient_tape
/// tape(check_numerics, w)` does so for each statement that it records, and for each gradient.
inline constexpr check_numerics_t check_numerics{};

}}  // namespace placement::v0_1
