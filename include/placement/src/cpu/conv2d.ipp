#pragma once
/// Definitions: convolutions on the CPU, and their gradients.

#include <placement/config.hpp>
#include <placement/cpu/conv2d.hpp>
#include <placement/cpu/conv2d_depthwise.hpp>
#include <placement/cpu/conv2d_filter.hpp>
#include <placement/cpu/conv2d_filter_lanes.hpp>
#include <placement/cpu/conv2d_packed_gather.hpp>
#include <placement/cpu/real_arrays.hpp>
#include <placement/kernels/convolution_engine.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Filters of one tap join the rows of an image to longer ones, which fill tiles.
constexpr conv2d_sizes with_joined_rows(conv2d_sizes s) {
  constexpr index_t wanted = 48;
  auto const is_plain = [](window_axis const& a) {
    return a.taps == 1 && a.stride == 1 && a.before == 0 && a.in == a.out;
  };
  if (!is_plain(s.y) || !is_plain(s.x)) return s;
  for (index_t n = 1; n <= s.y.in; ++n)
    if (s.y.in % n == 0 && (s.x.in * n >= wanted || n == s.y.in)) {
      s.y.in = s.y.out = s.y.in / n;
      s.x.in = s.x.out = s.x.in * n;
      return s;
    }
  return s;
}

/// Applies the epilogue to all pixels of a result.
inline void finish_convolution(conv2d_sizes const& s, par on, epilogue_callback const& epilogue) {
  if (epilogue.call == nullptr) return;
  work_size const size{s.all_results() / s.filters, 1, static_cast<std::size_t>(s.all_results())};
  on.parallel_for(size, [&](work_chunk const& c) {
    epilogue({c.begin, c.end - c.begin, 0, s.filters, s.filters});
  });
}

template <class S>
void convolve(S* out, S const* x, S const* w, conv2d_sizes const& given, par on,
              epilogue_callback const& epilogue) {
  conv2d_sizes const s = with_joined_rows(given);
  index_t const size = s.all_results(), depth = s.channels / s.groups;
  if (size == 0 || depth == 0) {
    std::fill_n(out, size, S{});
    return finish_convolution(s, on, epilogue);
  }
  if (s.is_depthwise())
    return convolve_depthwise(out, x, w, forward_axis(s.y), forward_axis(s.x), s,
                              multiplications_of(s), on, epilogue);
  conv2d_gather<S> gather(forward_axis(s.y), forward_axis(s.x), s.channels, s.filters, s.groups,
                          s.images);
  index_t const tap = depth * s.filters;
  gather.run(out, x, w, {s.x.taps * tap, tap, s.filters, 1, s.filters / s.groups}, s.images,
             multiplications_of(s), on, epilogue);
}
template <class S>
void convolve_gradient(S* out, S const* w, S const* g, conv2d_sizes const& given, par on) {
  conv2d_sizes const s = with_joined_rows(given);
  index_t const size = s.all_images(), depth = s.channels / s.groups;
  if (size == 0 || s.result_size() == 0) return static_cast<void>(std::fill_n(out, size, S{}));
  if (s.is_depthwise())
    return convolve_depthwise(out, g, w, backward_axis(s.y), backward_axis(s.x), s,
                              multiplications_of(s), on);
  conv2d_gather<S> gather(backward_axis(s.y), backward_axis(s.x), s.filters, s.channels, s.groups,
                          s.images);
  index_t const tap = depth * s.filters;
  gather.run(out, g, w, {s.x.taps * tap, tap, 1, s.filters, s.filters / s.groups}, s.images,
             multiplications_of(s), on);
}

template <class S>
void convolve_filter_gradient(S* out, S const* x, S const* g, conv2d_sizes const& given, par on) {
  conv2d_sizes const s = with_joined_rows(given);
  if (s.filter_size() == 0) return;
  if (s.all_results() == 0) return static_cast<void>(std::fill_n(out, s.filter_size(), S{}));
  index_t const multiplications = multiplications_of(s);
  if (s.is_depthwise()) return depthwise_filter_gradient(out, x, g, s, multiplications, on);
  if constexpr (std::is_same_v<S, float>)
    if (conv2d_filter_lanes::fits(s))
      return conv2d_filter_lanes(x, g, s).run(out, multiplications, on);
  conv2d_filter<S>(x, g, s).run(out, multiplications, on);
}

/// Whether the engine of a component computed the convolution.
inline bool computed_by_engine(convolution_call const& call) {
  convolution_engine* const engine = cpu_convolutions.load();
  return engine != nullptr && multiplications_of(call.sizes) != 0 && engine->convolve(call);
}

PLACEMENT_INLINE void conv2d_forward(product_element type, void* out, void const* x, void const* w,
                                     conv2d_sizes const& s, par on,
                                     epilogue_callback const& epilogue) {
  if (computed_by_engine({convolution_pass::forward, type, s, out, x, w, on.is_parallel}))
    return finish_convolution(s, on, epilogue);
  bool const is_converted = type != product_element::f32 && type != product_element::f64;
  epilogue_callback const in_loops = is_converted ? epilogue_callback{} : epilogue;
  on_real_arrays(
      type, out, s.all_results(),
      [&](auto* y, auto const* a, auto const* b) { convolve(y, a, b, s, on, in_loops); },
      real_array{x, s.all_images()}, real_array{w, s.filter_size()});
  if (is_converted) finish_convolution(s, on, epilogue);
}
PLACEMENT_INLINE void conv2d_backward_input(product_element type, void* out, void const* w,
                                            void const* g, conv2d_sizes const& s, par on) {
  if (computed_by_engine({convolution_pass::input_gradient, type, s, out, w, g, on.is_parallel}))
    return;
  on_real_arrays(
      type, out, s.all_images(),
      [&](auto* y, auto const* a, auto const* b) { convolve_gradient(y, a, b, s, on); },
      real_array{w, s.filter_size()}, real_array{g, s.all_results()});
}
PLACEMENT_INLINE void conv2d_backward_filter(product_element type, void* out, void const* x,
                                             void const* g, conv2d_sizes const& s, par on) {
  if (computed_by_engine({convolution_pass::filter_gradient, type, s, out, x, g, on.is_parallel}))
    return;
  on_real_arrays(
      type, out, s.filter_size(),
      [&](auto* y, auto const* a, auto const* b) { convolve_filter_gradient(y, a, b, s, on); },
      real_array{x, s.all_images()}, real_array{g, s.all_results()});
}

}}}  // namespace placement::v0_1::detail
