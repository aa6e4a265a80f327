// The GPU kernels of pad, tile, repeat, roll and diag, run by loops on the host, against the CPU
// loops.
#include <placement/gpu/lower_custom.hpp>
#include <placement/ops/diag.hpp>
#include <placement/ops/pad.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/tile.hpp>
#include <placement/placement.hpp>

#include <support/host_grid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <vector>

using namespace placement;
using emulated::host_grid;

namespace {

/// Both kernels write all elements of the result, and nothing behind it.
template <class T, class Op, class X> void check(Op const& op, X const& x, std::size_t shift) {
  INFO(Op::name << ' ' << to_string(x) << ", from element " << shift << " on");
  std::vector<T> v(x.count() + shift);
  for (std::size_t i = 0; i != v.size(); ++i) v[i] = static_cast<T>(i % 101);
  auto const y = op.result(x);
  std::vector<T> expected(y.count() + 1, T(77)), out(y.count() + 1, T(55));
  dense_view<T const, X> const in{v.data() + shift, x};
  using result = dense_view<T, std::remove_const_t<decltype(y)>>;
  op(result{expected.data(), y}, in);
  detail::lowering<Op>::run(host_grid{}, op, result{out.data(), y}, in);
  CHECK(out.back() == T(55));
  CHECK(expected.back() == T(77));
  out.back() = expected.back();
  CHECK(out == expected);
}

template <class T, class X> void check_pad(X const& x, std::size_t shift) {
  for (pad_mode const mode : {pad_mode::constant, pad_mode::edge, pad_mode::reflect})
    for (index_t const n : {0, 1, 4, 9}) {
      pad_op<T, X::rank> op{T(3), mode};
      for (std::size_t d = 0; d != X::rank; ++d) op.width[d] = {n, d == 0 ? n + 1 : n};
      check<T>(op, x, shift);
    }
}
template <class T, class X> void check_all(X const& x, std::size_t shift) {
  check_pad<T>(x, shift);
  check<T>(tile_op<dextents<1>>{shape(4)}, x, shift);
  check<T>(tile_op<dextents<3>>{shape(2, 5, 3)}, x, shift);
  for (int axis = 0; axis != static_cast<int>(X::rank); ++axis) {
    check<T>(repeat_op<dextents<1>, run_time_axis>{shape(3), {axis}}, x, shift);
    check<T>(roll_op<run_time_axis>{5, {axis}}, x, shift);
    check<T>(roll_op<run_time_axis>{-1, {axis}}, x, shift);
  }
}

/// Matrices with a vector or a number at a diagonal.
template <class T> void check_diagonals() {
  for (index_t const k : {-3, -1, 0, 2, 9}) {
    index_t const n = 5 + (k < 0 ? -k : k);
    check<T>(matrix_diag_op<dextents<2>>{shape(n, n), k}, shape(5), 1);
    check<T>(matrix_diag_op<dextents<2>>{shape(4, 7), k}, shape(), 0);
    check<T>(matrix_diag_op<extents<7, 3>>{{}, k}, shape(), 0);
    check<T>(matrix_diag_op<dextents<2>>{shape(0, 7), k}, shape(), 0);
  }
}

}  // namespace

TEST_CASE("diagonals on a GPU are written as on the CPU") {
  check_diagonals<float>();
  check_diagonals<std::int8_t>();
  check_diagonals<double>();
}

TEST_CASE("boxes on a GPU are copied as on the CPU") {
  for (std::size_t const shift : {0u, 1u})
    for (index_t const n : {1, 2, 4, 7, 64}) {
      check_all<float>(shape(n), shift);
      check_all<std::int8_t>(shape(3, n), shift);
      check_all<double>(shape(n, 5), shift);
      check_all<float>(shape(n, 3, 16), shift);
    }
}
