// The function RESULTS computes by code of many kinds. Two compilers compile this file.
#include <placement/nn.hpp>
#include <placement/ops/complex.hpp>
#include <placement/ops/cumsum.hpp>
#include <placement/ops/sort.hpp>
#include <placement/ops/topk.hpp>

#include <placement/placement.hpp>

#include <string>
#include <tuple>

namespace pl = placement;

std::string RESULTS() {
  std::string all;
  auto const add = [&all](auto const& x) { all += to_string(pl::tensor(x)) + "\n"; };
  pl::set_seed(7);
  pl::tensor<float, pl::dextents<2>> const x = pl::uniform<float>(pl::shape(40, 30));
  pl::tensor<int, pl::dextents<2>> const n = pl::cast<int>(x * 100.f) + 1;
  add(pl::sum(x / (x + 1.f), pl::axis<1>));
  add(pl::softmax(x));
  add(n / 7 + 1000 / n);
  add(pl::sort(x));
  add(pl::topk(x, 3));
  add(pl::cumsum(n, pl::axis<0>));
  add(pl::matmul(pl::transpose(x), x));
  add(pl::argmax(x, pl::axis<0>));
  auto const z = pl::make_complex(x, -x);
  add(pl::matmul(z, pl::transpose(z)));
  pl::nn::variable w("w", pl::tensor(x * 0.1f));
  pl::nn::adam adam(0.01);
  for (int i = 0; i != 3; ++i)
    adam.minimize([&] { return mean(square(w.value() - x)); }, std::tie(w));
  add(w.value());
  return all;
}
