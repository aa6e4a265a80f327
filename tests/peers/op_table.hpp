#pragma once
/// The ops that compare.py compares with PyTorch and TensorFlow: values, and gradients by a tape.

#include <placement/gradient.hpp>

#include <placement/interop/npz.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#if !defined(PLACEMENT_PEERS_ELEMENT)
#  define PLACEMENT_PEERS_ELEMENT float
#endif

namespace peers {

using namespace placement;
/// The element type of this program.
using number = PLACEMENT_PEERS_ELEMENT;

/// One case: its operands in an archive, its arguments, and the archive of its results.
struct op_case {
  npz_file const& in;
  npz_writer& out;
  std::string id;
  std::vector<double> arguments;

  double operator[](std::size_t i) const { return arguments.at(i); }
  index_t integer(std::size_t i) const { return static_cast<index_t>(arguments.at(i)); }
  int axis(std::size_t i) const { return static_cast<int>(arguments.at(i)); }
  template <element T, std::size_t R> tensor<T, dextents<R>> load(std::string const& name) const {
    return in.load<T, R>(id + "/" + name);
  }
  template <std::size_t R> auto integers(std::string const& name) const {
    return load<std::int64_t, R>(name);
  }
  template <operand E> void save(std::string const& name, E const& x) const {
    out.add(id + "/" + name, x);
  }
};

/// Saves f(c, x...) as y, and the gradients of sum(y * g) by each x as d0, d1, ...
template <class F, class... X>
void save_with_gradients(op_case const& c, F const& f, X const&... x) {
  gradient_tape tape(x...);
  auto const e = f(c, x...);
  constexpr std::size_t rank = decltype(e.shape())::rank;
  tensor<number, dextents<rank>> const y = e;
  c.save("y", y);
  tensor<number, extents<>> const loss = sum(y * c.load<number, rank>("g"));
  if constexpr (sizeof...(X) == 1) {
    c.save("d0", tape.gradient(loss, x...));
  } else {
    int i = 0;
    std::apply([&](auto const&... d) { (c.save("d" + std::to_string(i++), d), ...); },
               tape.gradient(loss, x...));
  }
}

/// The ops by name. Each file adds its own.
using op_function = void (*)(op_case const&);
inline std::map<std::string, op_function>& all_ops() {
  static std::map<std::string, op_function> ops;
  return ops;
}

/// The ranks of an op's operands.
template <std::size_t... R> struct ranks {};

/// An op of the table: its name, the ranks of its operands x0, x1, ..., and f(case, x0, x1, ...).
struct op {
  template <std::size_t... R, class F> op(char const* name, ranks<R...>, F) {
    all_ops()[name] = [](op_case const& c) {
      run<F, R...>(c, std::make_index_sequence<sizeof...(R)>{});
    };
  }

 private:
  template <class F, std::size_t... R, std::size_t... I>
  static void run(op_case const& c, std::index_sequence<I...>) {
    save_with_gradients(c, F{}, c.load<number, R>("x" + std::to_string(I))...);
  }
};

}  // namespace peers
