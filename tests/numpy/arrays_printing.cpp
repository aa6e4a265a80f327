// Prints arrays of files that arrays_printing.py writes, which compares the texts with NumPy's.
//
//   arrays_printing FOLDER    reads cases.txt: number type rank precision threshold edgeitems
//   linewidth suppress, and writes
//                             the text of number.npy to number.txt
#include <placement/expr/array2string.hpp>
#include <placement/interop/npy.hpp>
#include <placement/ops/complex.hpp>
#include <placement/placement.hpp>

#include <fstream>
#include <iostream>
#include <string>

namespace {

using namespace placement;

struct printed_case {
  std::string number, type;
  std::size_t rank = 0;
  print_options options;
};

template <class T, std::size_t R>
void print(std::string const& path, print_options const& options) {
  std::ofstream(path + ".txt") << array2string(load_npy<T, R>(path + ".npy"), options);
}
template <class T> void print_rank(std::string const& path, printed_case const& c) {
  switch (c.rank) {
    case 0: return print<T, 0>(path, c.options);
    case 1: return print<T, 1>(path, c.options);
    case 2: return print<T, 2>(path, c.options);
    case 3: return print<T, 3>(path, c.options);
    default: return print<T, 4>(path, c.options);
  }
}
void print_type(std::string const& path, printed_case const& c) {
  if (c.type == "b1") print_rank<bool>(path, c);
  else if (c.type == "i1") print_rank<signed char>(path, c);
  else if (c.type == "i4") print_rank<int>(path, c);
  else if (c.type == "i8") print_rank<long>(path, c);
  else if (c.type == "u1") print_rank<unsigned char>(path, c);
  else if (c.type == "i2") print_rank<short>(path, c);
  else if (c.type == "u8") print_rank<unsigned long>(path, c);
  else if (c.type == "f2") print_rank<float16>(path, c);
  else if (c.type == "f4") print_rank<float>(path, c);
  else if (c.type == "c8") print_rank<std::complex<float>>(path, c);
  else if (c.type == "c16") print_rank<std::complex<double>>(path, c);
  else print_rank<double>(path, c);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) return 2;
  std::string const folder = arguments[1];
  std::ifstream list(folder + "/cases.txt");
  for (printed_case c; list >> c.number >> c.type >> c.rank >> c.options.precision >>
                       c.options.threshold >> c.options.edgeitems >> c.options.linewidth >>
                       c.options.suppress_small;)
    print_type(folder + "/" + c.number, c);
  return 0;
} catch (error const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
