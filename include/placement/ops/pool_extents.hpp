#pragma once
/// The extents of pools, and the base of their ops.

#include <placement/cpu/pool2d.hpp>
#include <placement/ops/window_extents.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Positions of a pool's window: each must contain an element.
constexpr window_result slide_pool(index_t in, index_t window, index_t stride, bool is_same,
                                   index_t before, index_t after) {
  if (before >= window || after >= window) return {{}, window_fit::bad_option};
  if (in == 0) before = after = 0;  // no window without an element
  return slide_window({in, window, stride == 0 ? window : stride, 1, 0, 0}, is_same, before, after);
}
constexpr window_result slide_pool_rows(index_t in, pool2d_options const& o) {
  return slide_pool(in, o.window.height, o.strides.height, o.padding.is_same, o.padding.top,
                    o.padding.bottom);
}
constexpr window_result slide_pool_columns(index_t in, pool2d_options const& o) {
  return slide_pool(in, o.window.width, o.strides.width, o.padding.is_same, o.padding.left,
                    o.padding.right);
}
/// The sizes of a pool.  Throws: shape_error.
template <class X> constexpr pool2d_sizes pool2d_sizes_of(X const& x, pool2d_options const& o) {
  window_result const y = slide_pool_rows(x.at(1), o), c = slide_pool_columns(x.at(2), o);
  if (y.fit != window_fit::fits || c.fit != window_fit::fits)
    throw_no_pool(x, o.window,
                  y.fit == window_fit::bad_option || c.fit == window_fit::bad_option
                      ? "windows are 1 to 2^31 - 1, and larger than each padding; strides are 0, "
                        "for the window's, to 2^31 - 1."
                      : "the window is larger than the images with their padding. Use a smaller "
                        "one, or padding = same_padding.");
  return {x.at(0), x.at(3), y.axis, c.axis};
}

template <class Options, class X> constexpr window_result static_pool(std::size_t d) {
  if constexpr (Options::is_static) {
    index_t const in = X::static_extent(d);
    if (in != dyn)
      return d == 1 ? slide_pool_rows(in, Options::get()) : slide_pool_columns(in, Options::get());
  }
  window_result unknown{{}, window_fit::fits};
  unknown.axis.out = dyn;
  return unknown;
}
/// The shape of a pool of images.  Throws: shape_error.
template <class Options, class X>
constexpr auto matching_pool_shape(X const& x, Options const& options) {
  static_assert(
      static_pool<Options, X>(1).fit == window_fit::fits &&
          static_pool<Options, X>(2).fit == window_fit::fits,
      "placement: this pool's window is larger than the images with their padding, or an option is out of "
      "range. Use a smaller one, or padding = same_padding.");
  pool2d_sizes const s = pool2d_sizes_of(x, options.get());
  return make_shape<4>(
      [](std::size_t d) {
        return d == 0 || d == 3 ? X::static_extent(d) : static_pool<Options, X>(d).axis.out;
      },
      [&](std::size_t d) {
        return d == 0 ? s.images : d == 1 ? s.y.out : d == 2 ? s.x.out : s.channels;
      });
}
/// The same for an operand of any rank.
template <class Options, class X> constexpr auto pool2d_shape(X const& x, Options const& options) {
  if constexpr (have_four_dimensions<X>()) return matching_pool_shape(x, options);
  else return dextents<4>{};
}
/// Throws: shape_error unless g has the shape of the pool of images of shape x.
template <class Options, class X, class G>
constexpr void check_pool_gradient(X const& x, G const& g, Options const& options) {
  auto const y = pool2d_shape(x, options);
  static_assert(
      may_convert<G, std::remove_const_t<decltype(y)>>(),
      "placement: this gradient has not the shape of the pool's result. Check the shapes and the options.");
  if (!(y == g)) throw_no_gradient(g, "pools of images of shape " + to_string(x), y);
}

namespace no_adl {
template <class Options> struct pool_op {
  using pattern = custom;
  template <class T> static constexpr bool has_gpu_kernel = real_number<T>;
  static constexpr bool partitions = true;

  [[no_unique_address]] Options options;

  template <class X> constexpr auto result(X const& x) const { return pool2d_shape(x, options); }
  template <class X> constexpr pool2d_sizes sizes(X const& x) const {
    return pool2d_sizes_of(x, options.get());
  }
};
}  // namespace no_adl
using no_adl::pool_op;

}}}  // namespace placement::v0_1::detail
