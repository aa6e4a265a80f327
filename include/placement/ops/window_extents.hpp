#pragma once
/// The extents of convolutions and pools, and the errors for images and filters that do not match.

#include <placement/expr/operand.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/window.hpp>

#include <string>

namespace placement { inline namespace v0_1 { namespace detail {

/// The element type of images, filters and their gradients.
template <class... X> constexpr void check_images() {
  static_assert(
      one_element_type<typename bare<X>::value_type...>,
      "placement: these operands have different element types. Write cast<T>(x) on one of them.");
  static_assert((real_number<typename bare<X>::value_type> && ...),
                "placement: images are of floating point. Write cast<float>(x).");
}

/// Whether all shapes have 4 dimensions, which the compiler requires.
template <class... X> constexpr bool have_four_dimensions() {
  static_assert(
      ((X::rank == 4) && ...),
      "placement: images have the dimensions (N, height, width, channels), filters (height, width, channels / "
      "groups, filters). Reshape them.");
  return ((X::rank == 4) && ...);
}

// ---- errors

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_no_convolution(any_shape const& x,
                                                                        any_shape const& w,
                                                                        std::string const& why) {
  throw shape_error("placement: conv2d of images of shape " + list_text(x.extent, x.rank) +
                    " with a filter of shape " + list_text(w.extent, w.rank) + ": " + why);
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_no_pool(any_shape const& x,
                                                                 window2d const& window,
                                                                 std::string const& why) {
  throw shape_error("placement: a pool of images of shape " + list_text(x.extent, x.rank) +
                    " with a window of " + std::to_string(window.height) + " x " +
                    std::to_string(window.width) + ": " + why);
}
/// For a gradient whose shape is not that of the result. of: "images of shape [...] with ...".
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_no_gradient(any_shape const& g,
                                                                     std::string const& of,
                                                                     any_shape const& y) {
  throw shape_error("placement: a gradient of shape " + list_text(g.extent, g.rank) + ", where " +
                    of + " give a result of shape " + list_text(y.extent, y.rank) +
                    ". Check the shapes and the options.");
}
inline std::string why_not(window_fit fit) {
  return fit == window_fit::too_large
             ? "the window is larger than the images with their padding. Use a smaller one, or "
               "padding = same_padding."
             : "windows, strides and dilations are 1 to 2^31 - 1, and paddings 0 to 2^31 - 1.";
}

// ---- convolutions

constexpr window_result slide_rows(index_t in, index_t taps, conv2d_options const& o) {
  return slide_window({in, taps, o.strides.height, o.dilations.height, 0, 0}, o.padding.is_same,
                      o.padding.top, o.padding.bottom);
}
constexpr window_result slide_columns(index_t in, index_t taps, conv2d_options const& o) {
  return slide_window({in, taps, o.strides.width, o.dilations.width, 0, 0}, o.padding.is_same,
                      o.padding.left, o.padding.right);
}

/// The sizes of a convolution. Throws: shape_error unless the shapes and options match.
template <class X, class W>
constexpr conv2d_sizes conv2d_sizes_of(X const& x, W const& w, conv2d_options const& o) {
  if (o.groups < 1 || x.at(3) % o.groups != 0)
    throw_no_convolution(x, w,
                         "groups, " + std::to_string(o.groups) +
                             ", must be at least 1 and divide the number of channels, the images' "
                             "last extent.");
  if (w.at(2) != x.at(3) / o.groups)
    throw_no_convolution(x, w,
                         "the filter's third extent is the number of channels divided by groups, " +
                             std::to_string(o.groups) + ". Check the shapes.");
  if (w.at(3) % o.groups != 0)
    throw_no_convolution(x, w,
                         "groups, " + std::to_string(o.groups) +
                             ", must divide the number of filters, the filter's last extent.");
  window_result const y = slide_rows(x.at(1), w.at(0), o), c = slide_columns(x.at(2), w.at(1), o);
  if (y.fit != window_fit::fits) throw_no_convolution(x, w, why_not(y.fit));
  if (c.fit != window_fit::fits) throw_no_convolution(x, w, why_not(c.fit));
  return {x.at(0), x.at(3), w.at(3), o.groups, y.axis, c.axis};
}

/// The static extent of rows (d = 1) or columns (d = 2) of a convolution; dyn if it is not known.
template <class Options, class X, class W> constexpr window_result static_window(std::size_t d) {
  if constexpr (Options::is_static) {
    index_t const in = X::static_extent(d), taps = W::static_extent(d - 1);
    if (in != dyn && taps != dyn)
      return d == 1 ? slide_rows(in, taps, Options::get())
                    : slide_columns(in, taps, Options::get());
  }
  window_result unknown{{}, window_fit::fits};
  unknown.axis.out = dyn;
  return unknown;
}
/// Whether static extents allow this convolution.
template <class Options, class X, class W> constexpr bool channels_agree() {
  index_t const channels = X::static_extent(3), depth = W::static_extent(2);
  if (channels == dyn || depth == dyn) return true;
  if constexpr (Options::is_static) {
    constexpr index_t groups = Options::get().groups;
    return groups > 0 && channels % groups == 0 && depth == channels / groups;
  } else {
    return depth == 0 ? channels == 0 : channels % depth == 0;
  }
}
template <class Options, class X, class W> constexpr bool window_fits() {
  return static_window<Options, X, W>(1).fit == window_fit::fits &&
         static_window<Options, X, W>(2).fit == window_fit::fits;
}

/// The shape of a convolution of images and a filter.  Throws: shape_error.
template <class Options, class X, class W>
constexpr auto matching_shape(X const& x, W const& w, Options const& options) {
  static_assert(
      channels_agree<Options, X, W>(),
      "placement: conv2d's images and filter differ in their channels. The filter's third extent is the number "
      "of channels divided by groups.");
  static_assert(
      window_fits<Options, X, W>(),
      "placement: conv2d's filter is larger than the images with their padding, or an option is out of range. "
      "Use a smaller one, or padding = same_padding.");
  conv2d_sizes const s = conv2d_sizes_of(x, w, options.get());
  return make_shape<4>(
      [](std::size_t d) {
        return d == 0   ? X::static_extent(0)
               : d == 3 ? W::static_extent(3)
                        : static_window<Options, X, W>(d).axis.out;
      },
      [&](std::size_t d) {
        return d == 0 ? s.images : d == 1 ? s.y.out : d == 2 ? s.x.out : s.filters;
      });
}

/// The same for operands of any rank.
template <class Options, class X, class W>
constexpr auto conv2d_shape(X const& x, W const& w, Options const& options) {
  if constexpr (have_four_dimensions<X, W>()) return matching_shape(x, w, options);
  else return dextents<4>{};
}

/// Throws: shape_error unless g has the shape of the convolution. Does not compile if static
/// extents differ.
template <class Options, class X, class W, class G>
constexpr void check_conv2d_gradient(X const& x, W const& w, G const& g, Options const& options) {
  static_cast<void>(have_four_dimensions<G>());
  auto const y = conv2d_shape(x, w, options);
  static_assert(
      may_convert<G, std::remove_const_t<decltype(y)>>(),
      "placement: this gradient has not the shape of the convolution's result. Check the shapes and the options.");
  if (!(y == g))
    throw_no_gradient(
        g, "images of shape " + to_string(x) + " with a filter of shape " + to_string(w), y);
}

}}}  // namespace placement::v0_1::detail
