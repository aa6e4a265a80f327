#include "arrays.hpp"

#include <thrust/copy.h>

#include <cmath>

template <class F, class I> auto each(I of, F f) { return thrust::make_transform_iterator(of, f); }

// 64 nested ops.
#define FOUR(x)                                          \
  each(                                                  \
      each(                                              \
          each(                                          \
              each(                                      \
                  x, FORMULA(float y) { return -y; }),   \
              FORMULA(float y) { return std::abs(y); }), \
          FORMULA(float y) { return std::sqrt(y); }),    \
      FORMULA(float y) { return std::abs(y); })
#define SIXTEEN(x) FOUR(FOUR(FOUR(FOUR(x))))

void deep(array& out, array const& a) {
  auto const begin = SIXTEEN(SIXTEEN(SIXTEEN(SIXTEEN(a.begin()))));
  thrust::copy(begin, begin + static_cast<long>(a.size()), out.begin());
}
