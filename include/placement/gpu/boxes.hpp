#pragma once
/// Copies and fills of boxes on a GPU, one launch each.

#include <placement/gpu/map.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

template <class Grid> struct gpu_boxes {
  Grid const& grid;

  /// `to` at each position of one layout = `from` at that of the other. They do not overlap.
  template <class T, std::size_t R>
  void copy(T* to, layout<R> const& where, T const* from, layout<R> const& source,
            dextents<R> const& x) const {
    if (x.count() == 0) return;
    map_strided<false>(grid, to, where, x, strided_load<dense_leaf<T>, R>{{from}, source});
  }
  template <class T, std::size_t R>
  void fill(T* to, layout<R> const& where, T value, dextents<R> const& x) const {
    if (x.count() == 0) return;
    map_strided<false>(grid, to, where, x, scalar<T>{value});
  }
};

}}}  // namespace placement::v0_1::detail
