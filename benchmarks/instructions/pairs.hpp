#pragma once
/// Pairs of functions: one written with placement, one by hand.

#include <placement/placement.hpp>

namespace pairs {

namespace pl = placement;
using here = pl::dev<pl::kind::cpu, 0>;

inline constexpr pl::index_t many = 1 << 18;
using large = pl::tensor<float, pl::extents<many>, here>;
using open = pl::tensor<float, pl::extents<many>>;
template <pl::index_t R, pl::index_t C> using small = pl::tensor<float, pl::extents<R, C>, here>;

void large_placed(large& o, large const& a, large const& b, large const& c);
void large_by_hand(float* o, float const* a, float const* b, float const* c);

void scope_placed(open& o, open const& a, open const& b, open const& c);

void small_placed(small<2, 3>& o, small<2, 3> const& a, small<2, 3> const& b, small<2, 3> const& c);
void small_by_hand(float (&o)[2][3], float const (&a)[2][3], float const (&b)[2][3],
                   float const (&c)[2][3]);

void product_placed(small<4, 4>& o, small<4, 4> const& a, small<4, 4> const& b,
                    small<4, 4> const& c);
void product_by_hand(float (&o)[4][4], float const (&a)[4][4], float const (&b)[4][4],
                     float const (&c)[4][4]);

}  // namespace pairs
