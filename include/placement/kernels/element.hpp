#pragma once
/// The element types of tensors, and their names.

#include <placement/math/float16.hpp>

#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 {

/// The element types of tensors.
template <class T> concept element =
    std::is_same_v<T, bool> || std::is_same_v<T, signed char> || std::is_same_v<T, unsigned char> ||
    std::is_same_v<T, short> || std::is_same_v<T, unsigned short> || std::is_same_v<T, int> ||
    std::is_same_v<T, unsigned> || std::is_same_v<T, long> || std::is_same_v<T, unsigned long> ||
    std::is_same_v<T, long long> || std::is_same_v<T, unsigned long long> ||
    (real_number<T> && !std::is_same_v<T, long double>) || is_complex<T>;

/// The name of an element type in logs and messages.
template <element T> constexpr std::string_view element_name() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  else if constexpr (std::is_same_v<T, float>) return "float";
  else if constexpr (std::is_same_v<T, double>) return "double";
  else if constexpr (std::is_same_v<T, float16>) return "half";
  else if constexpr (std::is_same_v<T, bfloat16>) return "bfloat16";
  else if constexpr (is_complex<T>) return sizeof(T) == 8 ? "complex64" : "complex128";
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1 ? "int8" : sizeof(T) == 2 ? "int16" : sizeof(T) == 4 ? "int32" : "int64";
  else
    return sizeof(T) == 1   ? "uint8"
           : sizeof(T) == 2 ? "uint16"
           : sizeof(T) == 4 ? "uint32"
                            : "uint64";
}

namespace detail {
/// Calls f with a zero of the floating point type of this name. Returns false for another type.
template <class F> bool visit_real_type(std::string_view element, F const& f) {
  if (element == element_name<float>()) f(float{});
  else if (element == element_name<double>()) f(double{});
  else if (element == element_name<float16>()) f(float16{});
  else if (element == element_name<bfloat16>()) f(bfloat16{});
  else return false;
  return true;
}
}  // namespace detail

}}  // namespace placement::v0_1
