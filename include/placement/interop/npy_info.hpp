#pragma once
/// What the header of a NumPy array states, and the element types that NumPy has, too.

#include <placement/interop/file.hpp>
#include <placement/shape/extents.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

/// The order of the elements in a file: the last index varies fastest (C), or the first (Fortran).
enum class npy_order : unsigned char { c, fortran };

/// What the header of an array states.
struct npy_info {
  std::string dtype;           ///< as in the file: "<f4". Structured dtypes: their whole text.
  std::string_view element;    ///< the element type of placement, "float"; empty if it has none
  std::size_t item_bytes = 0;  ///< of one element; 0 if placement has no such type
  bool is_swapped = false;     ///< the bytes of an element are in the other order than here
  npy_order order = npy_order::c;
  std::vector<index_t> shape;
  int version = 1;                ///< 1, 2 or 3
  std::uint64_t data_offset = 0;  ///< bytes before the first element
};

/// "'<f4' (float) [2, 3], C order".
inline std::string to_string(npy_info const& info) {
  return detail::quote(info.dtype) +
         (info.element.empty() ? " " : " (" + std::string(info.element) + ") ") +
         detail::list_text(info.shape.data(), info.shape.size()) +
         (info.order == npy_order::c ? ", C order" : ", Fortran order");
}

namespace detail {

/// One row for each element type that NumPy has, too.
struct npy_type {
  std::string_view code;  ///< without the byte order
  std::string_view element, element_cpp;
};
inline constexpr npy_type npy_types[] = {{"b1", "bool", "bool"},
                                         {"i1", "int8", "std::int8_t"},
                                         {"i2", "int16", "std::int16_t"},
                                         {"i4", "int32", "int"},
                                         {"i8", "int64", "std::int64_t"},
                                         {"u1", "uint8", "std::uint8_t"},
                                         {"u2", "uint16", "std::uint16_t"},
                                         {"u4", "uint32", "unsigned"},
                                         {"u8", "uint64", "std::uint64_t"},
                                         {"f2", "half", "float16"},
                                         {"c8", "complex64", "std::complex<float>"},
                                         {"c16", "complex128", "std::complex<double>"},
                                         {"f4", "float", "float"},
                                         {"f8", "double", "double"}};

/// Whether NumPy has an element type. g++ -fsanitize=undefined compares no address in a constant.
constexpr bool has_npy_type(std::string_view element) {
  for (npy_type const& t : npy_types)
    if (t.element == element) return true;
  return false;
}

/// The row of an element type. nullptr: NumPy has no such type.
constexpr npy_type const* npy_type_of(std::string_view element) {
  for (npy_type const& t : npy_types)
    if (t.element == element) return &t;
  return nullptr;
}

/// Throws the error for malformed bytes. `name`: the array, quoted.
[[noreturn, gnu::cold]] inline void throw_malformed(std::string const& name, std::uint64_t byte,
                                                    std::string const& what) {
  throw file_error("placement: " + name + " is malformed at byte " + std::to_string(byte) + ": " +
                   what + ". Write it again, as with numpy.save.");
}

}  // namespace detail

}}  // namespace placement::v0_1
