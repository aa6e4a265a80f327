// Writes files for files.py, and checks those that it wrote with NumPy.
//
//   files write FOLDER    writes an array of each type, rank and order
//   files check FOLDER    reads such arrays, as NumPy wrote them
#include <placement/interop/npz.hpp>
#include <placement/ops/complex.hpp>
#include <placement/placement.hpp>

#ifdef WITH_ZLIB
#  include <placement/interop/npz_zlib.hpp>
#endif

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <type_traits>

namespace {

using namespace placement;

int failures = 0;
int files = 0;

void fail(std::string const& what) {
  std::cerr << what << '\n';
  ++failures;
}

/// Elements 0, 1, 2, ... modulo 101 in row-major order; for bool whether they are multiples of 3.
template <class T, class X> tensor<T, X> numbered(X const& shape) {
  if constexpr (std::is_same_v<T, bool>) return iota(shape, 0) % 3 == 0;
  else return cast<T>(iota(shape, 0) % 101);
}

/// Calls f(tensor, name) for an array of each rank.
template <class T, class F> void each_rank(F const& f) {
  std::string const type(element_name<T>());
  f(numbered<T>(shape()), type + "_0");
  f(numbered<T>(shape(5)), type + "_1");
  f(numbered<T>(shape(4, 3)), type + "_2");
  f(numbered<T>(shape(2, 3, 4)), type + "_3");
  f(numbered<T>(shape(3, 1, 2, 5)), type + "_4");
  f(numbered<T>(shape(3, 0, 2)), type + "_empty");
}
template <class F> void each_array(F const& f) {
  each_rank<bool>(f);
  each_rank<signed char>(f);
  each_rank<int>(f);
  each_rank<long>(f);
  each_rank<unsigned char>(f);
  each_rank<unsigned>(f);
  each_rank<short>(f);
  each_rank<unsigned short>(f);
  each_rank<unsigned long>(f);
  each_rank<float16>(f);
  each_rank<float>(f);
  each_rank<double>(f);
  each_rank<std::complex<float>>(f);
  each_rank<std::complex<double>>(f);
}

template <class T, class X>
void compare(tensor<T, X> const& expected, tensor<T, X> const& x, std::string const& name) {
  ++files;
  if (!(x.shape() == expected.shape())) return fail(name + ": shape " + to_string(x.shape()));
  auto const left = expected.read(), right = x.read();
  for (std::size_t i = 0; i != x.size(); ++i)
    if (left[i] != right[i]) return fail(name + ": element " + std::to_string(i));
}

void write(std::string const& folder) {
  npz_writer archive(folder + "/all.npz");
  detail::zip_writer zip64(folder + "/zip64.npz", 0);  // all numbers in ZIP64 records
  detail::zip_writer sparse(folder + "/sparse.npz");   // offsets of 33 bits
  each_array([&](auto const& x, std::string const& name) {
    save_npy(folder + "/" + name + "_C.npy", x);
    save_npy(folder + "/" + name + "_F.npy", x, npy_order::fortran);
    archive.add(name, x);
    archive.add(name + "_\xc3\xa9", x, npy_order::fortran);
    auto const elements = detail::host_elements(x, "add", {});
    detail::npy_image const image = detail::npy_image_of(elements, npy_order::c);
    for (detail::zip_writer* zip : {&zip64, &sparse})
      zip->add(name + ".npy", image.header, image.data, image.bytes);
    if (sparse.entries().size() == 1) sparse.file().skip(std::uint64_t{5} << 30);
  });
  archive.close();
  zip64.finish();
  sparse.finish();
}

/// NumPy wrote each array in both orders, with both orders of bytes.
void check_arrays(std::string const& folder) {
  each_array([&]<class T, class X>(tensor<T, X> const& x, std::string const& name) {
    for (std::string const how : {"_C_<", "_F_<", "_C_>", "_F_>", "_C_2", "_C_3"}) {
      std::string const file = name + how + ".npy";
      compare(x, load_npy<T, X::rank>(folder + "/" + file), file);
    }
    for (std::string const how : {"_C_<", "_F_<"}) {
      std::string const file = name + how + ".npy";
      compare(x, tensor<T, X>(map_npy<T const, X::rank>(folder + "/" + file)), file + ", mapped");
    }
  });
}

void check_archive(std::string const& path) {
  npz_file const archive(path);
  each_array([&]<class T, class X>(tensor<T, X> const& x, std::string const& name) {
    compare(x, archive.load<T, X::rank>(name), path + ": " + name);
    if (archive.info(name).element != element_name<T>()) fail(path + ": header of " + name);
  });
}

/// A line of others.txt: a file, and the dtype that read_npy_info must show.
void check_others(std::string const& folder) {
  std::ifstream list(folder + "/others.txt");
  for (std::string file, dtype; list >> file && std::getline(list >> std::ws, dtype); ++files) {
    npy_info const info = read_npy_info(folder + "/" + file);
    if (info.dtype != dtype || !info.element.empty()) fail(file + ": dtype " + info.dtype);
    try {
      load_npy<float, 1>(folder + "/" + file);
      fail(file + ": loaded");
    } catch (invalid_argument const& e) {
      if (std::strstr(e.what(), "no element type") == nullptr) fail(e.what());
    }
  }
}

}  // namespace

int main(int count, char** arguments) try {
  std::string const command = count == 3 ? arguments[1] : "";
  if (command == "write") {
    write(arguments[2]);
  } else if (command == "check") {
    check_arrays(arguments[2]);
    check_archive(std::string(arguments[2]) + "/numpy.npz");
#ifdef WITH_ZLIB
    check_archive(std::string(arguments[2]) + "/compressed.npz");
#endif
    check_others(arguments[2]);
    std::cout << files << " arrays of NumPy read, " << failures << " wrong" << std::endl;
  } else {
    return 2;
  }
  return failures == 0 ? 0 : 1;
} catch (error const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
