#pragma once
/// concat, stack and sums of lists on a GPU.

#include <placement/gpu/map.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 {

/// The sum of dense operands of one shape, in their order; integers wrap.
template <class T> struct sum_of_several {
  static constexpr int max = 8;

  T const* p[max];
  int count;

  PLACEMENT_HD T operator()(index_t i) const { return vec<1>(i).v[0]; }
  template <int V> PLACEMENT_HD access_of<T, V> vec(index_t i) const {
    access_of<T, V> sum = load_vec<V>(p[0] + i);
    PLACEMENT_UNROLL
    for (int k = 1; k < max; ++k) {
      if (k >= count) break;
      access_of<T, V> const x = load_vec<V>(p[k] + i);
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) sum.v[v] = added(sum.v[v], x.v[v]);
    }
    return sum;
  }

 private:
  PLACEMENT_HD static T added(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      using wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
      return static_cast<T>(static_cast<wide>(x) + static_cast<wide>(y));
    } else {
      return x + y;
    }
  }
};

namespace detail {
template <class T> inline constexpr std::size_t widest<sum_of_several<T>> = sizeof(T);
template <class T>
inline constexpr int operands_in_memory<sum_of_several<T>> = sum_of_several<T>::max;

/// Calls f(view) for each operand; for a list, for each of its views.
template <class F, class V> void for_each_view(V const& v, F const& f) {
  if constexpr (requires { v.shape; }) {
    f(v);
  } else {
    for (auto const& each : v) f(each);
  }
}

/// Concatenates operands along dimension `axis` of out. chunk(view): the number of contiguous
/// elements that each operand contributes. Cost: one launch per operand.
template <class Grid, class T, class Y, class Chunk, class... In>
void join_along(Grid const& grid, dense_view<T, Y> const& out, std::size_t axis, Chunk const& chunk,
                In const&... in) {
  sides const side = sides_of(out.shape, axis);
  index_t const width = out.shape.at(axis) * side.after;
  index_t done = 0;
  auto const put = [&](auto const& view) {
    index_t const n = chunk(view, side.after);
    auto const x = shape(side.before, n);
    map_strided<false>(grid, out.data, layout<2>{done, {width, 1}}, x,
                       strided_load<dense_leaf<T>, 2>{{view.data}, row_major(x)});
    done += n;
  };
  (for_each_view(in, put), ...);
}

/// out = the sum of two or more views. Cost: one launch per 7 views.
template <class Grid, class T, class X, class Views>
void add_views(Grid const& grid, dense_view<T, X> const& out, Views const& in) {
  constexpr int width = vector_width<T, sum_of_several<T>>;
  sum_of_several<T> f{{in[0].data}, 1};
  bool aligned = is_aligned<width>(out.data) && is_aligned<width>(in[0].data);
  for (std::size_t k = 1; k < in.size(); ++k) {
    f.p[f.count++] = in[k].data;
    aligned = aligned && is_aligned<width>(in[k].data);
    if (f.count != f.max && k + 1 != in.size()) continue;
    launch_tiles(grid, dense_result<T>{out.data}, out.size(), f, aligned);
    f = {{out.data}, 1};
  }
}

}  // namespace detail
}}  // namespace placement::v0_1
