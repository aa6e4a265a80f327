#include "arrays.hpp"

// 64 nested ops.
#define FOUR(x) Eigen::abs(Eigen::sqrt(Eigen::abs(-(x))))
#define SIXTEEN(x) FOUR(FOUR(FOUR(FOUR(x))))

void deep(array& out, array const& a) { out = SIXTEEN(SIXTEEN(SIXTEEN(SIXTEEN(a)))); }
