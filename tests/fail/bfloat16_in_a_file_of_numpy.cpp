// only error: placement: NumPy has no bfloat16. Save cast<float>(x), and load float.
#include <placement/placement.hpp>

#include <placement/interop/npy.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const x = load_npy<float, 1>("x.npy");
#else
  tensor const x = load_npy<bfloat16, 1>("x.npy");
#endif
}
