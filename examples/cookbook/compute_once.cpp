/// An expression that is used twice is computed twice. A tensor is computed once.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  int kernels = 0;
  auto const count = [](pl::op_event const& e, void* n) noexcept {
    if (e.kind == pl::op_event_kind::op && e.op == "Sum") ++*static_cast<int*>(n);
  };
  pl::tensor x{1.f, 2.f, 3.f};
  pl::set_op_observer(count, &kernels);
  auto lazy = pl::sum(x);
  pl::tensor y = x / lazy, z = x * lazy;
  std::cout << "auto: " << kernels << " sums" << std::endl;
  kernels = 0;
  pl::tensor total = pl::sum(x);
  pl::tensor v = x / total, w = x * total;
  std::cout << "tensor: " << kernels << " sum" << std::endl;
  pl::set_op_observer(nullptr);
}
