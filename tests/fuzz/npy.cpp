// Fuzzes the reader of NumPy's arrays: with the bytes themselves, and with the bytes as dictionary
// behind a valid prefix. What it accepts must have the same meaning after it was written again.
#include <placement/interop/npy.hpp>
#include <placement/placement.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace placement;

[[noreturn]] void stop(char const* what, std::string const& text) {
  std::fprintf(stderr, "%s: %s\n", what, detail::escape(text).c_str());
  std::abort();
}

detail::npy_source source_of(std::string const& bytes) {
  return {"'x'", bytes.size(), nullptr, 0, bytes.data()};
}

void check_message(char const* message) {
  std::string const text = message;
  if (text.size() > 4000 || text.find("'x'") == text.npos) stop("message", text);
  for (char const c : text)
    if (c < 0x20 || c > 0x7e) stop("message not escaped", text);
}

/// The elements in the order of the file again.
std::string in_file_order(void const* data, npy_info const& info, std::size_t bytes) {
  std::string result(static_cast<char const*>(data), bytes);
  auto* const at = reinterpret_cast<unsigned char*>(result.data());
  if (info.order == npy_order::fortran) {
    std::vector<index_t> const reversed(info.shape.rbegin(), info.shape.rend());
    detail::copy_to_row_major(at, static_cast<unsigned char const*>(data),
                              {reversed.size(), reversed.data()}, info.item_bytes);
  }
  if (info.is_swapped) detail::swap_bytes(at, bytes, info.item_bytes);
  return result;
}

void check_elements(std::string const& file, npy_info const& info) {
  detail::npy_elements const e = detail::read_npy_elements(source_of(file), info);
  std::size_t bytes = info.item_bytes;
  for (index_t const n : info.shape) bytes *= static_cast<std::size_t>(n);
  if (info.data_offset > file.size() || bytes > file.size() - info.data_offset)
    stop("more elements than bytes", file);
  if (in_file_order(e.data, info, bytes) != file.substr(info.data_offset, bytes))
    stop("elements", file);
}

void check_header(std::string const& file, npy_info const& info) {
  std::string const again = detail::npy_header_text(
      *detail::npy_type_of(info.element), {info.shape.size(), info.shape.data()}, info.order);
  npy_info const b = detail::read_npy_info(source_of(again));
  if (b.element != info.element || b.shape != info.shape || b.order != info.order ||
      b.item_bytes != info.item_bytes || b.data_offset != again.size())
    stop("written header", file);
}

void check(std::string const& file) {
  try {
    npy_info const info = detail::read_npy_info(source_of(file));
    if (info.data_offset > file.size() || info.shape.size() > 64) stop("info", file);
    if (info.element.empty() || info.shape.size() > max_rank) return;
    check_header(file, info);
    check_elements(file, info);
    detail::tensor_from_npy<kernels_here, float, dextents<2>>(source_of(file), "load_npy", {});
  } catch (file_error const& e) { check_message(e.what()); } catch (invalid_argument const& e) {
    check_message(e.what());
  } catch (shape_error const& e) { check_message(e.what()); }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const text(reinterpret_cast<char const*>(data), size);
  check(text);
  if (size > 60000) return 0;
  std::string prefix("\x93NUMPY\x01\x00", 8);
  std::size_t const end = text.find('\n');
  std::size_t const dictionary = end == text.npos ? size : end;
  prefix += static_cast<char>(dictionary & 255);
  prefix += static_cast<char>(dictionary >> 8);
  check(prefix + text);
  return 0;
}
