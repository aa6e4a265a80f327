// A program that also uses the toolkit's libraries.
#include <placement/placement.hpp>

#include <cublasLt.h>
#include <thrust/version.h>

int main() { return cublasLtGetVersion() != 0 && THRUST_VERSION >= 200000 ? 0 : 1; }
