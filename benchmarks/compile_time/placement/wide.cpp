#include "arrays.hpp"

// The sum of 64 arrays.
#define FOUR(i) a[i] + a[i + 1] + a[i + 2] + a[i + 3]
#define SIXTEEN(i) FOUR(i) + FOUR(i + 4) + FOUR(i + 8) + FOUR(i + 12)

void wide(array& out, array const (&a)[64]) {
  out = SIXTEEN(0) + SIXTEEN(16) + SIXTEEN(32) + SIXTEEN(48);
}
