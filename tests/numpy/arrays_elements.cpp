// Computes the cases of arrays_elements.py: elements, makers and shaping.
//
//   arrays_elements FOLDER DEVICE    for each line of FOLDER/cases.txt, "NUMBER OP TYPE RANK
//   ARGUMENT...",
//                                    reads NUMBER.npy and writes NUMBER_out.npy
#include <placement/interop/npy.hpp>
#include <placement/ops/arange.hpp>
#include <placement/ops/diag.hpp>
#include <placement/ops/eye.hpp>
#include <placement/ops/flip.hpp>
#include <placement/ops/hstack.hpp>
#include <placement/ops/linspace.hpp>
#include <placement/ops/meshgrid.hpp>
#include <placement/ops/moveaxis.hpp>
#include <placement/ops/pad.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/rows.hpp>
#include <placement/ops/tile.hpp>
#include <placement/ops/tril.hpp>
#include <placement/placement.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace placement;

/// One line of the cases, with the file of its result.
struct array_case {
  std::string number, op, type;
  int rank = 0;
  std::vector<double> arguments;
  std::string folder;

  index_t at(std::size_t i) const { return static_cast<index_t>(arguments.at(i)); }
  int axis(std::size_t i) const { return static_cast<int>(arguments.at(i)); }
  template <class E> bool is(E const& value) const {
    save_npy(folder + "/" + number + "_out.npy", tensor(value));
    return true;
  }
};

bool make(array_case const& c) {
  if (c.op == "arange") return c.is(arange(c.at(0), c.at(1), c.at(2)));
  if (c.op == "arange_float")
    return c.is(arange(c.arguments.at(0), c.arguments.at(1), c.arguments.at(2)));
  if (c.op == "linspace")
    return c.is(linspace(c.arguments.at(0), c.arguments.at(1), c.at(2),
                         c.at(3) != 0 ? interval::closed : interval::half_open));
  if (c.op == "eye") return c.is(eye<float>(c.at(0), c.at(1), c.at(2)));
  return false;
}

template <class T, std::size_t R>
bool pad_by(array_case const& c, tensor<T, dextents<R>> const& x, pad_mode mode) {
  pad_width w[R];
  for (std::size_t d = 0; d != R; ++d) w[d] = {c.at(2 * d), c.at(2 * d + 1)};
  return mode == pad_mode::constant ? c.is(pad(x, w, 1)) : c.is(pad(x, w, mode));
}

/// Assigns through a row and an element of a view.
template <class T, std::size_t R> bool assign_parts(array_case const& c, tensor<T, dextents<R>> x) {
  view(x)[c.at(0)] = x[c.at(1)] + x[c.at(1)];
  if constexpr (R == 2) view(x)(c.at(0), -1) = T(1);
  return c.is(x + T(0));
}

template <class T, std::size_t R>
bool shape_anew(array_case const& c, tensor<T, dextents<R>> const& x) {
  if (c.op == "flip_all") return c.is(flip(x));
  if (c.op == "flip") return c.is(flip(x, c.axis(0)));
  if (c.op == "moveaxis") return c.is(moveaxis(x, c.axis(0), c.axis(1)));
  if (c.op == "swapaxes") return c.is(swapaxes(x, c.axis(0), c.axis(1)));
  if (c.op == "hstack") return c.is(hstack(x, x));
  if (c.op == "vstack") return c.is(vstack(x, x));
  if (c.op == "split")
    return c.is(split(x, c.at(0), c.axis(1)).at(static_cast<std::size_t>(c.at(2))));
  if (c.op == "reshape") return c.is(reshape(x, shape(c.at(0), c.at(1))));
  if (c.op == "pad") return pad_by<T, R>(c, x, pad_mode::constant);
  if (c.op == "pad_edge") return pad_by<T, R>(c, x, pad_mode::edge);
  if (c.op == "pad_reflect") return pad_by<T, R>(c, x, pad_mode::reflect);
  if (c.op == "tile") return c.is(tile(x, shape(c.at(0), c.at(1))));
  if (c.op == "repeat") return c.is(repeat(x, c.at(0), c.axis(1)));
  if (c.op == "repeat_all") return c.is(repeat(x, c.at(0)));
  if (c.op == "roll") return c.is(roll(x, c.at(0), c.axis(1)));
  if (c.op == "roll_all") return c.is(roll(x, c.at(0)));
  if constexpr (R == 1) {
    if (c.op == "diag") return c.is(diag(x, c.at(0)));
    if (c.op == "meshgrid") return c.is(std::get<0>(meshgrid(x, flip(x), x)));
    if (c.op == "meshgrid_ij") return c.is(std::get<1>(meshgrid<indexing::ij>(x, flip(x), x)));
  } else {
    if (c.op == "tril") return c.is(tril(x, c.at(0)));
    if (c.op == "triu") return c.is(triu(x, c.at(0)));
    if (c.op == "row") return c.is(x[c.at(0)]);
    if constexpr (R == 2)
      if (c.op == "diag") return c.is(diag(x, c.at(0)));
  }
  return false;
}

template <class T, std::size_t R>
bool index_into(array_case const& c, tensor<T, dextents<R>> const& x) {
  if (c.op == "newaxis") return c.is(slice(x, c.at(0), ellipsis, newaxis));
  if (c.op == "last") return c.is(slice(x, ellipsis, newaxis, c.at(0)));
  if (c.op == "ranges") return c.is(slice(x, range{c.at(0), c.at(1), c.at(2)}, ellipsis, newaxis));
  if constexpr (R != 1) {
    if (c.op == "rows") {
      std::vector<tensor<T, dextents<R - 1>>> all;
      for (auto row : rows(x)) all.push_back(row);
      return c.is(stack(0, std::move(all)));
    }
    if constexpr (!std::is_same_v<T, bool>)
      if (c.op == "assign") return assign_parts<T, R>(c, x);
  }
  return false;
}

template <class T, std::size_t R> bool compute_of(array_case const& c) {
  tensor const x = load_npy<T, R>(c.folder + "/" + c.number + ".npy");
  return shape_anew<T, R>(c, x) || index_into<T, R>(c, x);
}
template <class T> bool compute(array_case const& c) {
  return c.rank == 1   ? compute_of<T, 1>(c)
         : c.rank == 2 ? compute_of<T, 2>(c)
                       : compute_of<T, 3>(c);
}
bool computed(array_case const& c) {
  if (c.rank == 0) return make(c);
  if (c.type == "int32") return compute<int>(c);
  if (c.type == "float64") return compute<double>(c);
  return c.type == "bool" && compute<bool>(c);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "usage: arrays_elements FOLDER DEVICE\n"), 2;
  with_device const scope(arguments[2]);
  std::ifstream cases(std::string(arguments[1]) + "/cases.txt");
  int all = 0;
  for (std::string line; std::getline(cases, line); ++all) {
    array_case c;
    std::istringstream words(line);
    words >> c.number >> c.op >> c.type >> c.rank;
    for (double x = 0; words >> x;) c.arguments.push_back(x);
    c.folder = arguments[1];
    if (!computed(c)) return std::fprintf(stderr, "no such case: %s\n", line.c_str()), 1;
  }
  std::printf("%d cases on %s\n", all, arguments[2]);
}
