// error: placement: include placement/gradient.hpp before placement/placement.hpp and the headers of ops.
#include <placement/ops/einsum.hpp>

#include <placement/gradient.hpp>

int main() {}
