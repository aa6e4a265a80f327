// error: placement: include placement/gradient.hpp before placement/placement.hpp.
#include <placement/placement.hpp>

#include <placement/gradient.hpp>

int main() {}
