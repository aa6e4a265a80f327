// error: placement: a scope without a name ends at once. Write with_device scope("/gpu:1").
#include <placement/placement.hpp>

// C++ allows a discarded temporary with a warning. Here the warning is an error.
#pragma GCC diagnostic error "-Wunused-result"
#pragma GCC diagnostic error "-Wunused-value"
#pragma nv_diag_error 3005

using namespace placement;

int main() {
#ifdef CONTROL
  with_device const scope("/gpu:1");
#else
  with_device("/gpu:1");
#endif
}
