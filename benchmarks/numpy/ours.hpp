#pragma once
/// The side placement: its operands, and how its ops are registered.

#include "sides.hpp"

#include <placement/placement.hpp>

#include <cmath>
#include <memory>

namespace bench {
namespace pl = placement;

/// A matrix has 100 columns, a batch has matrices of 10 x 10.
struct operands {
  pl::tensor<float, pl::dextents<1>> x, y, positive;
  pl::tensor<double, pl::dextents<1>> wide;
  pl::tensor<std::int32_t, pl::dextents<1>> whole;
  pl::tensor<std::int64_t, pl::dextents<1>> index, small, lows, counts;
  pl::tensor<bool, pl::dextents<1>> mask, mask_rows;
  pl::tensor<float, pl::dextents<1>> sorted;
  pl::tensor<float, pl::dextents<2>> m, n, square;
  pl::tensor<float, pl::dextents<3>> batch;

  explicit operands(arrays const& a)
      : x(pl::from(a.x, pl::shape(a.size))),
        y(pl::from(a.y, pl::shape(a.size))),
        positive(pl::from(a.positive, pl::shape(a.size))),
        wide(pl::from(a.wide, pl::shape(a.size))),
        whole(pl::from(a.whole, pl::shape(a.size))),
        index(pl::from(a.index, pl::shape(a.size))),
        small(pl::from(a.small, pl::shape(a.size))),
        lows(pl::from(a.small, pl::shape(a.size / 100))),
        counts(small % 3),
        mask(pl::from(a.mask, pl::shape(a.size))),
        mask_rows(pl::from(a.mask, pl::shape(a.size / 100))),
        sorted(pl::sort(x)),
        m(pl::reshape(x, pl::shape(-1, 100))),
        n(pl::reshape(y, pl::shape(-1, 100))),
        square(pl::reshape(pl::slice(x, pl::range{0, side(a) * side(a)}),
                           pl::shape(side(a), side(a)))),
        batch(pl::reshape(x, pl::shape(-1, 10, 10))) {}

  static pl::index_t side(arrays const& a) {
    return static_cast<pl::index_t>(std::sqrt(static_cast<double>(a.size)));
  }
};

/// Registers an op whose value is what f returns for the operands.
template <class F> void add(char const* name, F f) {
  ops().push_back({"placement", name, [f](arrays const& from) -> std::function<void()> {
                     auto const o = std::make_shared<operands>(from);
                     return [f, o] {
                       if constexpr (pl::operand<decltype(f(*o))>) {
                         pl::tensor const result = f(*o);
                         keep(result);
                       } else {
                         auto const result = f(*o);
                         keep(result);
                       }
                     };
                   }});
}

}  // namespace bench
