/// Shapes in the types: shapes that do not fit do not compile, and the message contains both.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

template <pl::index_t... N> using array = pl::tensor<float, pl::extents<N...>>;
template <class E> using shape_of = typename E::extents_type;

// A layer of a network for any batch size. The other extents are static.
using images = array<pl::dyn, 784>;
using weights = array<784, 10>;
using bias = array<10>;

auto layer(images const& x, weights const& w, bias const& b) {
  return pl::softmax(pl::matmul(x, w) + b);
}
using output =
    decltype(layer(std::declval<images>(), std::declval<weights>(), std::declval<bias>()));
static_assert(std::is_same_v<shape_of<output>, pl::extents<pl::dyn, 10>>);

// Every op computes its result shape in the type.
array<2, 3> const a{{1, 2, 3}, {4, 5, 6}};
static_assert(std::is_same_v<shape_of<decltype(pl::transpose(a))>, pl::extents<3, 2>>);
static_assert(std::is_same_v<shape_of<decltype(pl::sum(a, pl::axis<0>))>, pl::extents<3>>);
static_assert(
    std::is_same_v<shape_of<decltype(pl::matmul(a, pl::transpose(a)))>, pl::extents<2, 2>>);
static_assert(std::is_same_v<shape_of<decltype(a - pl::max(a, pl::keep_dim(pl::axis<1>)))>,
                             pl::extents<2, 3>>);

// pl::matmul(a, a) does not compile:
//   placement: matmul of these shapes: the columns of the left side are not the rows of the right.
// nor does a + array<2, 2>{{1, 2}, {3, 4}}, nor array<2, 2>{{1, 2}, {3}}.

int main() {
  array<2, 2> const square = pl::matmul(a, pl::transpose(a));
  std::cout << square << "\nthe sum of each column: " << pl::tensor(pl::sum(a, pl::axis<0>))
            << '\n';
}
