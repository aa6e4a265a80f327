#pragma once
/// Tiny arrays, for which overhead dominates: a * b + c, and five ops, (a + b) * c - a * b + 1, on
/// static sizes. Also a * b + c on 2 x 3 with a dynamic size.

#include <row.hpp>

namespace bench {

/// The three static rows of five ops. Side: a template of rows and columns with `name`, `five_ops`.
template <template <int, int> class Side> struct five_op_rows {
  row two{std::string("static_2x3_five_ops/") + Side<2, 3>::name, Side<2, 3>::five_ops};
  row four{std::string("static_4x4_five_ops/") + Side<4, 4>::name, Side<4, 4>::five_ops};
  row eight{std::string("static_8x8_five_ops/") + Side<8, 8>::name, Side<8, 8>::five_ops};
};

}  // namespace bench
