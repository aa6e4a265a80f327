// Computes the cases of nets.py: activations, losses, batch normalisation and embeddings.
//
//   nets FOLDER DEVICE    for each line of FOLDER/cases.txt, "NUMBER OP TYPE ARGUMENT...", reads
//                         NUMBER_x.npy and the op's other operands, and writes NUMBER_out.npy
#include <placement/interop/npy.hpp>
#include <placement/nets.hpp>
#include <placement/placement.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace placement;

/// One line of the cases, with its files.
struct net_case {
  std::string number, op, type, folder;
  std::vector<double> arguments;

  template <class T, std::size_t R> tensor<T, dextents<R>> operand(char const* name) const {
    return load_npy<T, R>(folder + "/" + number + "_" + name + ".npy");
  }
  template <class E> bool is(E const& value) const {
    save_npy(folder + "/" + number + "_out.npy", tensor(value));
    return true;
  }
};

template <class T> bool activation(net_case const& c, tensor<T, dextents<2>> const& x) {
  if (c.op == "leaky_relu") return c.is(leaky_relu(x, c.arguments.at(0)));
  if (c.op == "elu") return c.is(elu(x, c.arguments.at(0)));
  if (c.op == "silu") return c.is(silu(x));
  if (c.op == "softplus") return c.is(softplus(x));
  if (c.op == "gelu_tanh") return c.is(gelu<gelu_form::tanh>(x));
  return c.op == "gelu" && c.is(gelu(x));
}
template <class T> bool loss(net_case const& c, tensor<T, dextents<2>> const& x) {
  auto const y = [&] { return c.operand<T, 2>("y"); };
  auto const labels = [&] { return c.operand<std::int64_t, 1>("labels"); };
  auto const g = [&] { return c.operand<T, 1>("g"); };
  if (c.op == "mse") return c.is(mse(x, y()));
  if (c.op == "l2_loss") return c.is(l2_loss(x));
  if (c.op == "huber") return c.is(huber(x, y(), c.arguments.at(0)));
  if (c.op == "cross_entropy") return c.is(softmax_cross_entropy(x, y()));
  if (c.op == "sparse_cross_entropy") return c.is(softmax_cross_entropy(x, labels()));
  if (c.op == "cross_entropy_gradient") return c.is(softmax_cross_entropy_gradient(x, y(), g()));
  return c.op == "sparse_cross_entropy_gradient" &&
         c.is(softmax_cross_entropy_gradient(x, labels(), g()));
}
template <class T> bool normalised(net_case const& c, tensor<T, dextents<2>> const& x) {
  double const epsilon = c.arguments.empty() ? 0 : c.arguments[0];
  auto const scale = [&] { return c.operand<T, 1>("scale"); };
  if (c.op == "batch_norm")
    return c.is(batch_norm(x, batch_moments(x), scale(), c.operand<T, 1>("offset"), epsilon));
  if (c.op == "batch_norm_gradient")
    return c.is(
        batch_norm_gradient(c.operand<T, 2>("y"), x, batch_moments(x), scale(), epsilon).input);
  return c.op == "embedding_gradient" &&
         c.is(embedding_gradient(x, c.operand<std::int64_t, 1>("labels"),
                                 static_cast<index_t>(c.arguments.at(0))));
}
template <class T> bool compute(net_case const& c) {
  tensor const x = c.operand<T, 2>("x");
  return activation<T>(c, x) || loss<T>(c, x) || normalised<T>(c, x);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "usage: nets FOLDER DEVICE\n"), 2;
  with_device const scope(arguments[2]);
  std::ifstream cases(std::string(arguments[1]) + "/cases.txt");
  int all = 0;
  for (std::string line; std::getline(cases, line); ++all) {
    net_case c;
    std::istringstream words(line);
    words >> c.number >> c.op >> c.type;
    for (double x = 0; words >> x;) c.arguments.push_back(x);
    c.folder = arguments[1];
    if (!(c.type == "float32" ? compute<float>(c) : compute<double>(c)))
      return std::fprintf(stderr, "no such case: %s\n", line.c_str()), 1;
  }
  std::printf("%d cases on %s\n", all, arguments[2]);
}
