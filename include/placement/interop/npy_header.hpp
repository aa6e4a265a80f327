#pragma once
/// The header of NumPy's format .npy: parsed from untrusted bytes, and written as NumPy writes it.
///
/// Source: numpy.lib.format, versions 1.0, 2.0 and 3.0.

#include <placement/interop/npy_dictionary.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Longest header that is read. A header of numbers has 118 bytes.
inline constexpr std::size_t max_npy_header = std::size_t{1} << 20;

/// The bytes before the dictionary: magic, version, length.
struct npy_prefix {
  static constexpr std::string_view magic = "\x93NUMPY";
  static constexpr std::size_t max_size = 12;

  int version = 0;
  std::size_t size = 0, header_bytes = 0;

  /// `first`: the first bytes of the array, max_size of them if it has so many. Throws: file_error.
  static npy_prefix parse(std::string const& name, std::string_view first) {
    for (std::size_t i = 0; i != magic.size(); ++i)
      if (i >= first.size() || first[i] != magic[i])
        throw_malformed(name, i, "this is no file of NumPy, which begin with '\\x93NUMPY'");
    if (first.size() < 8) throw_malformed(name, first.size(), "the file ends in its version");
    npy_prefix p;
    p.version = static_cast<unsigned char>(first[6]);
    if (p.version < 1 || p.version > 3 || first[7] != 0)
      throw_malformed(name, 6,
                      "version " + std::to_string(p.version) + "." +
                          std::to_string(static_cast<unsigned char>(first[7])) +
                          " is unknown; 1.0, 2.0 and 3.0 are read");
    p.size = p.version == 1 ? 10 : 12;
    if (first.size() < p.size)
      throw_malformed(name, first.size(), "the file ends in the length of its header");
    for (std::size_t i = p.size; i-- != 8;)
      p.header_bytes = p.header_bytes << 8 | static_cast<unsigned char>(first[i]);
    if (p.header_bytes > max_npy_header)
      throw_malformed(name, 8,
                      "a header of " + std::to_string(p.header_bytes) + " bytes, more than " +
                          std::to_string(max_npy_header));
    return p;
  }
};

/// Parses the dictionary that follows the prefix. Throws: file_error.
inline npy_info parse_npy_header(std::string const& name, npy_prefix const& prefix,
                                 std::string_view dictionary) {
  npy_info info;
  info.version = prefix.version;
  info.data_offset = prefix.size + prefix.header_bytes;
  npy_dictionary(name, dictionary, prefix.size).parse(info);
  return info;
}

/// The bytes before the elements, as numpy.save writes them: version 1.0, padded to a multiple of
/// 64 bytes.
inline std::string npy_header_text(npy_type const& type, any_shape const& shape, npy_order order) {
  constexpr bool little = std::endian::native == std::endian::little;
  std::string text = "{'descr': '";
  text += type.code.substr(1) == "1" ? '|' : little ? '<' : '>';
  text += type.code;
  text += order == npy_order::c ? "', 'fortran_order': False, 'shape': ("
                                : "', 'fortran_order': True, 'shape': (";
  for (std::size_t d = 0; d != shape.rank; ++d)
    text += (d == 0 ? "" : ", ") + std::to_string(shape.extent[d]);
  text += shape.rank == 1 ? ",), }" : "), }";
  // NumPy leaves space for a longer extent of the dimension along which files are appended to.
  constexpr std::size_t longest_extent = 21, alignment = 64, prefix = 10;
  if (shape.rank != 0)
    text.append(longest_extent -
                    std::to_string(shape.extent[order == npy_order::c ? 0 : shape.rank - 1]).size(),
                ' ');
  text.append(alignment - (prefix + text.size() + 1) % alignment, ' ');
  text += '\n';
  std::string all(npy_prefix::magic);
  for (std::size_t const byte :
       {std::size_t{1}, std::size_t{0}, text.size() & 255, text.size() >> 8})
    all += static_cast<char>(byte);
  return all + text;
}

}}}  // namespace placement::v0_1::detail
