// A function in the style of a header with two definitions, which one_body.py must find.
#include <placement/placement.hpp>

#include <string>

using namespace placement;

/// Wrong: the body depends on the kernels that this file can launch, but the name does not.
inline std::string what_this_file_launches() {
  if constexpr (launches_gpu<kernels_here>) return "GPU kernels too";
  else return "CPU kernels";
}

/// Right: the kernel set is part of the name.
template <class K = kernels_here> std::string what_a_set_launches() {
  if constexpr (launches_gpu<K>) return "GPU kernels too";
  else return "CPU kernels";
}

int main() {
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  tensor const b = relu(matmul(a, a) + 1.f);
  return static_cast<int>(what_this_file_launches().size() + what_a_set_launches().size() +
                          b.size());
}
