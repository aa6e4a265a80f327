#include "arrays.hpp"

// 64 nested ops.
#define FOUR(x) placement::abs(placement::sqrt(placement::abs(-(x))))
#define SIXTEEN(x) FOUR(FOUR(FOUR(FOUR(x))))

void deep(array& out, array const& a) { out = SIXTEEN(SIXTEEN(SIXTEEN(SIXTEEN(a)))); }
