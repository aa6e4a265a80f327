#pragma once
/// GPU kernels of the library's ops that have their own loop.

#include <placement/gpu/batch_norm_pool.hpp>
#include <placement/gpu/boxes.hpp>
#include <placement/gpu/concat.hpp>
#include <placement/gpu/conv2d_pool.hpp>
#include <placement/gpu/convolve.hpp>
#include <placement/gpu/cross_entropy.hpp>
#include <placement/gpu/gather.hpp>
#include <placement/gpu/indices.hpp>
#include <placement/gpu/layer_norm.hpp>
#include <placement/gpu/lower_fibers.hpp>
#include <placement/gpu/pool2d.hpp>
#include <placement/gpu/quantile.hpp>
#include <placement/gpu/softmax.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/shape/axis.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

template <> struct lowering_of<lowered::softmax> {
  template <class Grid, class Op, class Out, class In>
  static void run(Grid const& grid, Op const&, Out const& out, In const& in) {
    softmax_rows<softmax_result>(grid, out, in);
  }
};
template <> struct lowering_of<lowered::log_softmax> {
  template <class Grid, class Op, class Out, class In>
  static void run(Grid const& grid, Op const&, Out const& out, In const& in) {
    softmax_rows<log_softmax_result>(grid, out, in);
  }
};
template <> struct lowering_of<lowered::cross_entropy> {
  template <class Grid, class Op, class T, class Y, class X, class Labels>
  static void run(Grid const& grid, Op const&, dense_view<T, Y> const& out,
                  dense_view<T const, X> const& logits, Labels const& labels) {
    cross_entropy_of<false>(grid, out.data, logits, labels, static_cast<T const*>(nullptr), 0);
  }
};
template <> struct lowering_of<lowered::cross_entropy_gradient> {
  template <class Grid, class Op, class T, class X, class Labels, class G>
  static void run(Grid const& grid, Op const&, dense_view<T, X> const& out,
                  dense_view<T const, X> const& logits, Labels const& labels,
                  dense_view<T const, G> const& g) {
    cross_entropy_of<true>(grid, out.data, logits, labels, g.data, G::rank == 0 ? 0 : 1);
  }
};
template <> struct lowering_of<lowered::layer_norm> {
  template <class Grid, class Op, class T, class X, class... P>
  static void run(Grid const& grid, Op const& op, dense_view<T, X> const& out,
                  dense_view<T const, X> const& x, P const&... scale_and_offset) {
    layer_norm_operands<T> of{out.data, x.data, nullptr, nullptr, nullptr};
    if constexpr (sizeof...(P) != 0) of = {of.out, of.x, nullptr, scale_and_offset.data...};
    layer_norm_of<false>(grid, of, x.size(), row_length(x.shape), op.epsilon);
  }
};
template <> struct lowering_of<lowered::layer_norm_gradient> {
  template <class Grid, class Op, class T, class X, class G, class... S>
  static void run(Grid const& grid, Op const& op, dense_view<T, X> const& out,
                  dense_view<T const, G> const& g, dense_view<T const, X> const& x,
                  S const&... scale) {
    layer_norm_operands<T> of{out.data, x.data, g.data, nullptr, nullptr};
    ((of.scale = scale.data), ...);
    layer_norm_of<true>(grid, of, x.size(), row_length(x.shape), op.epsilon);
  }
};
template <> struct lowering_of<lowered::add_n> {
  template <class Grid, class Op, class Out, class In>
  static void run(Grid const& grid, Op const&, Out const& out, In const& in) {
    add_views(grid, out, in);
  }
};
template <> struct lowering_of<lowered::concat> {
  template <class Grid, class Op, class T, class Y, class... In>
  static void run(Grid const& grid, Op const& op, dense_view<T, Y> const& out, In const&... in) {
    std::size_t const axis = dimension_of<Y::rank>(op.axis);
    auto const chunk = [axis](auto const& view, index_t after) {
      return view.shape.at(axis) * after;
    };
    join_along(grid, out, axis, chunk, in...);
  }
};
template <> struct lowering_of<lowered::stack> {
  template <class Grid, class Op, class T, class Y, class... In>
  static void run(Grid const& grid, Op const& op, dense_view<T, Y> const& out, In const&... in) {
    auto const chunk = [](auto const&, index_t after) { return after; };
    join_along(grid, out, dimension_of<Y::rank>(op.axis), chunk, in...);
  }
};
template <> struct lowering_of<lowered::gather> {
  template <class Grid, class Op, class Out, class T, class X, class Indices>
  static void run(Grid const& grid, Op const& op, Out const& out, dense_view<T, X> const& x,
                  Indices const& indices) {
    gather_slices(grid, out, x, indices, dimension_of<X::rank>(op.axis));
  }
};
template <> struct lowering_of<lowered::one_hot> {
  template <class Grid, class Op, class Out, class In>
  static void run(Grid const& grid, Op const& op, Out const& out, In const& in) {
    one_hot_of(grid, out, in, op.depth.at(0), op.on, op.off);
  }
};
template <> struct lowering_of<lowered::boxes> {
  template <class Grid, class Op, class Out, class In>
  static void run(Grid const& grid, Op const& op, Out const& out, In const& in) {
    op.each_box(out, in, gpu_boxes<Grid>{grid});
  }
};
template <> struct lowering_of<lowered::conv2d> {
  template <class Grid, class Op, class Out, class X, class W>
  static void run(Grid const& grid, Op const& op, Out const& out, X const& x, W const& w) {
    convolution_on_gpu::forward(grid, op.sizes(x.shape, w.shape), out.data, x.data, w.data);
  }
};
template <> struct lowering_of<lowered::conv2d_input_gradient> {
  template <class Grid, class Op, class Out, class W, class G>
  static void run(Grid const& grid, Op const& op, Out const& out, W const& w, G const& g) {
    convolution_on_gpu::of_images(grid, op.sizes(w.shape), out.data, w.data, g.data);
  }
};
template <> struct lowering_of<lowered::conv2d_filter_gradient> {
  template <class Grid, class Op, class Out, class X, class G>
  static void run(Grid const& grid, Op const& op, Out const& out, X const& x, G const& g) {
    convolution_on_gpu::of_filter(grid, op.sizes(x.shape), out.data, x.data, g.data);
  }
};
template <> struct lowering_of<lowered::conv2d_pool> {
  template <class Grid, class Op, class T, class Y, class X, class W, class B>
  static void run(Grid const& grid, Op const& op, dense_view<T, Y> const& out, X const& x,
                  W const& w, B const& b) {
    if (out.size() != 0) call_of<T>(op, x, w, b).forward(grid, out.data);
  }
  template <class T, class Op, class X, class W, class B>
  static conv2d_pool_on_gpu<convolution_on_gpu, T> call_of(Op const& op, X const& x, W const& w,
                                                           B const& b) {
    return {x.data, w.data, b.data, op.sizes(x.shape, w.shape), op.pool_sizes(x.shape, w.shape),
            op.kept};
  }
};
template <> struct lowering_of<lowered::conv2d_pool_input_gradient> {
  template <class Grid, class Op, class T, class Y, class X, class W, class B, class G>
  static void run(Grid const& grid, Op const& op, dense_view<T, Y> const& out, X const& x,
                  W const& w, B const& b, G const& g) {
    auto const call = lowering_of<lowered::conv2d_pool>::call_of<T>(op, x, w, b);
    call.with_gradient(grid, g.data, [&](T const* d) {
      convolution_on_gpu::of_images(grid, call.convolution, out.data, w.data, d);
    });
  }
};
template <> struct lowering_of<lowered::conv2d_pool_filter_gradient> {
  template <class Grid, class Op, class T, class Y, class X, class W, class B, class G>
  static void run(Grid const& grid, Op const& op, dense_view<T, Y> const& out, X const& x,
                  W const& w, B const& b, G const& g) {
    auto const call = lowering_of<lowered::conv2d_pool>::call_of<T>(op, x, w, b);
    call.with_gradient(grid, g.data, [&](T const* d) {
      convolution_on_gpu::of_filter(grid, call.convolution, out.data, x.data, d);
    });
  }
};
template <> struct lowering_of<lowered::max_pool2d> {
  template <class Grid, class Op, class Out, class X>
  static void run(Grid const& grid, Op const& op, Out const& out, X const& x) {
    pool_on<pool_maximum>(grid, op.sizes(x.shape), out.data, x.data);
  }
};
template <> struct lowering_of<lowered::avg_pool2d> {
  template <class Grid, class Op, class Out, class X>
  static void run(Grid const& grid, Op const& op, Out const& out, X const& x) {
    pool_on<pool_mean>(grid, op.sizes(x.shape), out.data, x.data);
  }
};
template <> struct lowering_of<lowered::max_pool2d_gradient> {
  template <class Grid, class Op, class Out, class X, class Y, class G>
  static void run(Grid const& grid, Op const& op, Out const& out, X const& x, Y const& y,
                  G const& g) {
    pool_gradient_on<true>(grid, op.sizes(x.shape), out.data, x.data, y.data, g.data);
  }
};
template <> struct lowering_of<lowered::avg_pool2d_gradient> {
  template <class Grid, class Op, class Out, class G>
  static void run(Grid const& grid, Op const& op, Out const& out, G const& g) {
    pool_gradient_on<false>(grid, op.sizes(out.shape), out.data, g.data, g.data, g.data);
  }
};
template <> struct lowering_of<lowered::batch_norm_pool> {
  template <class Grid, class Op, class Out, class X, class M, class I>
  static void run(Grid const& grid, Op const& op, Out const& out, X const& x, M const&, I const&) {
    pool_on<pool_maximum>(grid, op.sizes(x.shape), out.data, x.data);
  }
};
template <> struct lowering_of<lowered::batch_norm_pool_gradient> {
  template <class Grid, class Op, class T, class Y, class X, class Z, class G, class M, class A,
            class B>
  static void run(Grid const& grid, Op const& op, dense_view<T, Y> const& out, X const& x,
                  Z const& y, G const& g, M const& mean, A const& of_x, B const& shift) {
    if (out.size() != 0)
      batch_norm_pool_gradient_on(
          grid, op.sizes(x.shape), out.data, y.data, g.data,
          moment_gradient<T>{out.data, x.data, mean.data, of_x.data, shift.data, x.shape.at(3)});
  }
};
template <> struct lowering_of<lowered::take_along_axis> {
  template <class Grid, class Op, class Out, class T, class X, class Indices>
  static void run(Grid const& grid, Op const& op, Out const& out, dense_view<T const, X> const& x,
                  Indices const& indices) {
    take_along(grid, out, x, indices, dimension_of<X::rank>(op.axis), Op::name);
  }
};
template <> struct lowering_of<lowered::take_along_axis_gradient> {
  template <class Grid, class Op, class T, class Y, class G, class Indices>
  static void run(Grid const& grid, Op const& op, dense_view<T, Y> const& out, G const& g,
                  Indices const& indices) {
    sum_along<joined_sum, true>(grid, out, g.data, indices, dimension_of<Y::rank>(op.axis),
                                Op::name);
  }
};
template <> struct lowering_of<lowered::gather_gradient> {
  template <class Grid, class Op, class T, class Y, class G, class Indices>
  static void run(Grid const& grid, Op const& op, dense_view<T, Y> const& out, G const& g,
                  Indices const& indices) {
    sum_along<joined_sum, false>(grid, out, g.data, indices, dimension_of<Y::rank>(op.axis),
                                 Op::name);
  }
};
template <> struct lowering_of<lowered::scatter> {
  template <class Grid, class Op, class Out, class T, class X, class Indices, class V>
  static void run(Grid const& grid, Op const& op, Out const& out, dense_view<T const, X> const& x,
                  Indices const& indices, V const& values) {
    scatter_along<typename Op::rule>(grid, out.data, x, indices, values.data,
                                     dimension_of<X::rank>(op.axis), Op::name);
  }
};
template <> struct lowering_of<lowered::searchsorted> {
  template <class Grid, class Op, class Out, class X, class V>
  static void run(Grid const& grid, Op const& op, Out const& out, X const& sorted,
                  V const& values) {
    search_sorted(grid, out.data, sorted.data, sorted.size(), values.data, values.size(),
                  op.is_right());
  }
};
template <> struct lowering_of<lowered::quantile> {
  template <class Grid, class Op, class Out, class In>
  static void run(Grid const& grid, Op const& op, Out const& out, In const& in) {
    auto const f = op.fibers_of(in.shape);
    quantiles_of<typename Op::order>(grid, out.data, in.data, {f.before, f.length, f.after}, op.q);
  }
};
template <> struct lowering_of<lowered::topk> {
  template <class Grid, class Op, class Out, class T, class X>
  static void run(Grid const& grid, Op const& op, Out const& out,
                  dense_view<T const, X> const& in) {
    using Order = typename Op::order;
    using Kind =
        std::conditional_t<Op::gives_indices, sorted_origin<T, Order>, sorted_element<T, Order>>;
    first_of_sorted<Kind>(grid, out.data, in, dimension_of<X::rank>(op.axis), op.k);
  }
};

/// The lowering of an op. `exists` is false for an op without one.
template <class Op> struct lowering {
  static constexpr bool exists = false;
};
template <class Op> requires requires { typename Op::gpu_lowering; }
struct lowering<Op> : lowering_of<typename Op::gpu_lowering> {
  static constexpr bool exists = true;
};

}}}  // namespace placement::v0_1::detail
