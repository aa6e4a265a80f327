#pragma once
/// The element types of tensors, and their names.

#include <placement/math/float16.hpp>

#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 {

/// The element types of tensors.
template <class T> concept element = std::is_same_v<T, bool> || std::is_same_v<T, signed char> ||
                                     std::is_same_v<T, unsigned char> || std::is_same_v<T, int> ||
                                     std::is_same_v<T, unsigned> || std::is_same_v<T, long> ||
                                     std::is_same_v<T, long long> || real_number<T>;

/// The name of an element type in logs and messages.
template <element T> constexpr std::string_view element_name() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  else if constexpr (std::is_same_v<T, float>) return "float";
  else if constexpr (std::is_same_v<T, double>) return "double";
  else if constexpr (std::is_same_v<T, float16>) return "half";
  else if constexpr (std::is_same_v<T, bfloat16>) return "bfloat16";
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1 ? "int8" : sizeof(T) == 4 ? "int32" : "int64";
  else return sizeof(T) == 1 ? "uint8" : "uint32";
}

}}  // namespace placement::v0_1
