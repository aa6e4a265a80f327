#pragma once
/// The epilogues of matrix products on a GPU as kernels of their own, for products by an engine or
/// in parts.

#include <placement/gpu/map.hpp>
#include <placement/gpu/multiply.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

template <class T, class F> struct epilogue_launch<contiguous_epilogue<T, F>> {
  static constexpr bool exists = true;
  template <class Grid, class X>
  static void run(Grid const& grid, contiguous_epilogue<T, F> const& epilogue, X const& x) {
    map_contiguous(grid, epilogue.out, static_cast<index_t>(x.count()), epilogue.f);
  }
};
template <class T, class F, class S> struct epilogue_launch<strided_epilogue<T, F, S>> {
  static constexpr bool exists = true;
  template <class Grid, class X>
  static void run(Grid const& grid, strided_epilogue<T, F, S> const& epilogue, X const&) {
    map_strided(grid, epilogue.out, row_major(epilogue.shape), epilogue.shape, epilogue.f);
  }
};

}}}  // namespace placement::v0_1::detail
