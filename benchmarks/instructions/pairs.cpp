/// The same work written with placement and by hand, for instruction counts and docs/assembly.md.
#include "pairs.hpp"

namespace pairs {

// ---- one fused loop over a million elements; the device is in the type of the tensors

void large_placed(large& o, large const& a, large const& b, large const& c) { o = a * b + c; }

void large_by_hand(float* o, float const* a, float const* b, float const* c) {
  for (pl::index_t i = 0; i != many; ++i) o[i] = a[i] * b[i] + c[i];
}

// ---- the same in a scope of a tag, for tensors without a device in their type

void scope_placed(open& o, open const& a, open const& b, open const& c) {
  pl::with_device const scope(pl::cpu<0>);
  o = scope(a * b + c);
}

// ---- a 2 x 3 matrix

void small_placed(small<2, 3>& o, small<2, 3> const& a, small<2, 3> const& b,
                  small<2, 3> const& c) {
  o = a * b + c;
}

void small_by_hand(float (&o)[2][3], float const (&a)[2][3], float const (&b)[2][3],
                   float const (&c)[2][3]) {
  for (int i = 0; i != 2; ++i)
    for (int j = 0; j != 3; ++j) o[i][j] = a[i][j] * b[i][j] + c[i][j];
}

// ---- a 4 x 4 product with an epilogue

void product_placed(small<4, 4>& o, small<4, 4> const& a, small<4, 4> const& b,
                    small<4, 4> const& c) {
  o = relu(matmul(a, b) + c);
}

void product_by_hand(float (&o)[4][4], float const (&a)[4][4], float const (&b)[4][4],
                     float const (&c)[4][4]) {
  float sum[4][4]{};
  for (int i = 0; i != 4; ++i)
    for (int k = 0; k != 4; ++k)
      for (int j = 0; j != 4; ++j) sum[i][j] += a[i][k] * b[k][j];
  for (int i = 0; i != 4; ++i)
    for (int j = 0; j != 4; ++j) {
      float const v = sum[i][j] + c[i][j];
      o[i][j] = v < 0 ? 0 : v;
    }
}

}  // namespace pairs
