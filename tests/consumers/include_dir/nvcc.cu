// A file of nvcc that has the include path and nothing else. It computes on the CPU, by the loops
// that such a file contains.
#include <placement/ops/bitwise.hpp>
#include <placement/ops/take.hpp>
#include <placement/placement.hpp>

#include <cstdio>
#include <vector>

namespace pl = placement;

namespace {

int wrong = 0;

void expect(char const* name, pl::tensor<float, pl::dextents<1>> const& got,
            std::vector<float> const& all) {
  if (got.shape().at(0) == static_cast<pl::index_t>(all.size()) &&
      std::vector<float>(got.data(), got.data() + all.size()) == all)
    return;
  std::printf("%s is wrong\n", name);
  ++wrong;
}

}  // namespace

int main() {
  pl::with_device const cpu("/CPU:0");
  pl::tensor<float, pl::dextents<2>> const m{{1.f, 4.f}, {9.f, 16.f}, {25.f, 36.f}};
  pl::tensor<int, pl::dextents<1>> const last{-1, 0};
  expect("sum", pl::sum(pl::sqrt(m), 1), {3, 7, 11});
  expect("max", pl::max(m, 0), {25, 36});
  expect("take", pl::take(pl::sort(pl::reshape(-m, pl::shape(6))), last), {-1, -36});
  expect("matmul", pl::reshape(pl::matmul(pl::transpose(m), m), pl::shape(4)),
         {707, 1048, 1048, 1568});
  expect("bitwise_and", pl::cast<float>(last & 3), {3, 0});
  pl::tensor<float, pl::dextents<5>> const x = pl::reshape(m, pl::shape(1, 3, 2, 1, 1));
  expect("windows", pl::reshape(pl::max(x, pl::axis<1, 3>), pl::shape(2)), {25, 36});
  return wrong;
}
