// Fuzzes the reader of NumPy's archives. Its checksum hides most changes of the arrays, so they are
// also parsed without it.
#include <placement/interop/npz.hpp>
#include <placement/placement.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace placement;

[[noreturn]] void stop(char const* what, std::string const& text) {
  std::fprintf(stderr, "%s: %s\n", what, detail::escape(text).c_str());
  std::abort();
}

template <class F> void check(F const& f) {
  try {
    f();
  } catch (error const& e) {
    std::string const text = e.what();
    if (text.size() > 9000) stop("long message", text);
    for (char const c : text)
      if (c < 0x20 || c > 0x7e) stop("message not escaped", text);
  }
}

/// Maps the array and reads all elements.
template <class T, std::size_t R> void check_map(npz_file const& file, std::string const& name) {
  check([&] {
    auto const m = file.map<T const, R>(name);
    tensor<T, dextents<R>> const x = m;
    if (!(x.shape() == m.shape())) stop("shape of a map", name);
  });
}

void check_file(npz_file const& file) {
  for (std::string const& name : file.names()) {
    if (!file.contains(name)) stop("name", name);
    check([&] { file.info(name); });
    check([&] { file.load<float, 2>(name); });
    check([&] { file.load<bool, 1>(name); });
    check_map<float, 2>(file, name);
    check_map<float, 3>(file, name);
    check_map<bool, 1>(file, name);
  }
}

/// The entries of the archive, without their checksums.
void check_entries(std::string const& bytes) {
  detail::zip_directory const directory({"'x'", bytes.size(), nullptr, 0, bytes.data()});
  for (detail::zip_entry const& e : directory.entries()) {
    check([&] {
      std::uint64_t const data = directory.data_of(e);
      if (data > bytes.size() || e.compressed > bytes.size() - data) stop("data", e.name);
      detail::npy_source const array{"'x'", e.compressed, nullptr, 0, bytes.data() + data};
      npy_info const info = detail::read_npy_info(array);
      if (info.item_bytes != 0 && info.shape.size() <= max_rank)
        detail::read_npy_elements(array, info);
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const bytes(reinterpret_cast<char const*>(data), size);
  check([&] { check_entries(bytes); });
  int const file = ::memfd_create("fuzz", 0);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  check([&] { check_file(npz_file("/proc/self/fd/" + std::to_string(file))); });
  ::close(file);
  return 0;
}
