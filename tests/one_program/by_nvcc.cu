// The half that a CUDA compiler builds.
#undef PLACEMENT_COMPILED  // both compilers define all functions
#include "halves.hpp"

#include <support/test_ops.hpp>

#include <utility>

namespace other_half {

using namespace placement;

matrix<float> numbers() { return {{1.f, 2.f}, {3.f, 4.f}}; }
matrix<float> product(matrix<float> const& x) { return matmul(x, x, {"half.cu", 1}); }
matrix<float> bigger(matrix<float> x) {
  return relu(add(std::move(x), 1.f, {"half.cu", 2}), {"half.cu", 3});
}
device device_of_an_op() { return matrix<float>(relu(numbers())).where(); }
std::size_t next_without_a_gpu_kernel() {
  matrix<float> const x = next(numbers(), {"half.cu", 4});
  return fallback_count();
}
bool throws_shape_error() {
  try {
    static_cast<void>(matmul(numbers(), matrix<float>{{1.f, 2.f, 3.f}}));
  } catch (shape_error const&) { return true; }
  return false;
}
facts facts_of_other_half() { return facts_here(); }

}  // namespace other_half
