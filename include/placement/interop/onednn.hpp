#pragma once
/// Computes convolutions on the CPU with oneDNN 2 or 3. Include this in one file of a program that
/// links placement::onednn. Larger convolutions of floats of all its files, and their gradients,
/// then go to oneDNN, where channels fill its vectors. placement.hpp does not include this header.
///
/// Threads: oneDNN has its own. If they are OpenMP's, it takes `intra_op_threads()` of them. It
/// adds the parts of a filter's gradient by thread, so that last bits depend on their number.

#include <placement/cpu/scratch.hpp>
#include <placement/device/configuration.hpp>
#include <placement/error.hpp>
#include <placement/kernels/convolution_engine.hpp>
#include <placement/runtime/lock.hpp>

#include <dnnl.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <dlfcn.h>

namespace placement { inline namespace v0_1 {

namespace detail {

/// Sets the number of OpenMP threads that this thread starts. No effect without OpenMP.
class openmp_limit {
 public:
  explicit openmp_limit(int count) : before_(count == 0 ? 0 : current()) {
    if (before_ != 0) set(count);
  }
  openmp_limit(openmp_limit const&) = delete;
  openmp_limit& operator=(openmp_limit const&) = delete;
  ~openmp_limit() {
    if (before_ != 0) set(before_);
  }

  /// 0 without OpenMP.
  static int current() {
    static auto* const get =
        reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
    return get != nullptr ? get() : 0;
  }

 private:
  static void set(int count) {
    static auto* const set =
        reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    if (set != nullptr) set(count);
  }

  int before_;
};

/// Describes a primitive; empty if the library has none. hint: the forward pass, for gradients.
template <class Primitive, class... Arguments>
typename Primitive::primitive_desc described(dnnl::engine const& cpu,
                                             dnnl::primitive_attr const& attributes,
                                             Arguments const&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {cpu, arguments..., attributes, true};
#else
  return {{arguments...}, attributes, cpu, true};
#endif
}
template <class Primitive, class... Arguments>
typename Primitive::primitive_desc described_gradient(
    dnnl::engine const& cpu, dnnl::primitive_attr const& attributes,
    dnnl::convolution_forward::primitive_desc const& hint, Arguments const&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {cpu, arguments..., hint, attributes, true};
#else
  return {{arguments...}, attributes, cpu, hint, true};
#endif
}

/// One pass of a convolution of floats. oneDNN chooses the layout of its filter.
class onednn_convolution {
 public:
  onednn_convolution(dnnl::engine const& cpu, convolution_pass pass, conv2d_sizes const& s) {
    using memory = dnnl::memory;
    index_t const g = s.groups, depth = s.channels / g, filters = s.filters / g;
    images_ = described_images(s.images, s.channels, s.y.in, s.x.in);
    result_ = described_images(s.images, s.filters, s.y.out, s.x.out);
    memory::dims extents{g, filters, depth, s.y.taps, s.x.taps},
        strides{filters, 1, s.filters, s.x.taps * depth * s.filters, depth * s.filters};
    if (g == 1) {
      extents.erase(extents.begin());
      strides.erase(strides.begin());
    }
    filter_ = memory::desc(extents, memory::data_type::f32, strides);
    memory::desc const any(extents, memory::data_type::f32, memory::format_tag::any);

    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    auto const algorithm = dnnl::algorithm::convolution_direct;
    memory::dims const steps{s.y.stride, s.x.stride}, dilations{s.y.dilation - 1, s.x.dilation - 1},
        before{s.y.before, s.x.before}, after{after_of(s.y), after_of(s.x)};
    auto const forward = described<dnnl::convolution_forward>(
        cpu, attributes, dnnl::prop_kind::forward_training, algorithm, images_, any, result_, steps,
        dilations, before, after);
    if (!forward) return;
    if (pass == convolution_pass::forward) {
      take<dnnl::convolution_forward>(forward, forward.weights_desc());
    } else if (pass == convolution_pass::input_gradient) {
      auto const d = described_gradient<dnnl::convolution_backward_data>(
          cpu, attributes, forward, algorithm, images_, any, result_, steps, dilations, before,
          after);
      if (d) take<dnnl::convolution_backward_data>(d, d.weights_desc());
    } else {
      auto const d = described_gradient<dnnl::convolution_backward_weights>(
          cpu, attributes, forward, algorithm, images_, any, result_, steps, dilations, before,
          after);
      if (d) take<dnnl::convolution_backward_weights>(d, d.diff_weights_desc());
    }
    if (!compute_ || inner_filter_ == filter_) return;
    memory const own(filter_, cpu, nullptr), inner(inner_filter_, cpu, nullptr);
    reorder_ = pass == convolution_pass::filter_gradient ? dnnl::reorder(inner, own)
                                                         : dnnl::reorder(own, inner);
  }

  /// Whether the library has fast code for it.
  explicit operator bool() const { return static_cast<bool>(compute_); }

  /// The scratch memory of a call, in bytes.
  std::size_t scratch_bytes() const {
    return rounded(reorder_ ? inner_filter_.get_size() : 0) + scratchpad_.get_size();
  }

  /// scratch: scratch_bytes() bytes, aligned to 64.
  void run(dnnl::engine const& cpu, convolution_call const& c, void* scratch) const {
    using memory = dnnl::memory;
    auto const input = [&](memory::desc const& d, void const* p) {
      return memory(d, cpu, const_cast<void*>(p));  // oneDNN has no memory of const elements
    };
    bool const is_gradient = c.pass != convolution_pass::forward,
               makes_filter = c.pass == convolution_pass::filter_gradient;
    void const* const filter = makes_filter                          ? c.out
                               : c.pass == convolution_pass::forward ? c.b
                                                                     : c.a;
    void const* const images = c.pass == convolution_pass::input_gradient ? c.out : c.a;
    void const* const result = is_gradient ? c.b : c.out;
    memory const own = input(filter_, filter),
                 inner = reorder_ ? memory(inner_filter_, cpu, scratch) : own,
                 scratchpad(scratchpad_, cpu,
                            static_cast<unsigned char*>(scratch) +
                                rounded(reorder_ ? inner_filter_.get_size() : 0));
    dnnl::stream queue(cpu);
    if (reorder_ && !makes_filter)
      reorder_.execute(queue, {{DNNL_ARG_FROM, own}, {DNNL_ARG_TO, inner}});
    compute_.execute(
        queue, {{c.pass == convolution_pass::input_gradient ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC,
                 input(images_, images)},
                {makes_filter ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, inner},
                {is_gradient ? DNNL_ARG_DIFF_DST : DNNL_ARG_DST, input(result_, result)},
                {DNNL_ARG_SCRATCHPAD, scratchpad}});
    if (reorder_ && makes_filter)
      reorder_.execute(queue, {{DNNL_ARG_FROM, inner}, {DNNL_ARG_TO, own}});
    queue.wait();
  }

 private:
  static std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
  /// Images in NHWC. oneDNN names extents in the order NCHW.
  static dnnl::memory::desc described_images(index_t n, index_t c, index_t h, index_t w) {
    return {{n, c, h, w}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::nhwc};
  }
  /// The padding behind an image; negative if windows leave its last elements out.
  static index_t after_of(window_axis const& a) {
    return (a.out - 1) * a.stride + a.reach() - a.in - a.before;
  }
  template <class Primitive, class Description>
  void take(Description const& d, dnnl::memory::desc const& filter) {
    if (std::strncmp(d.impl_info_str(), "ref", 3) == 0) return;
    compute_ = Primitive(d);
    inner_filter_ = filter;
    scratchpad_ = d.scratchpad_desc();
  }

  dnnl::memory::desc images_, result_, filter_, inner_filter_, scratchpad_;
  dnnl::primitive compute_,
      reorder_;  ///< empty: the library has no fast code; no reorder is needed
};

}  // namespace detail

/// The convolution engine that calls oneDNN, for floats. It keeps the primitives of the last
/// convolutions. Their scratch memory holds a copy of the filter in oneDNN's layout. Thread: safe.
class onednn_convolutions final : public convolution_engine {
 public:
  /// Left to the library's own kernels are convolutions of fewer multiplications than `least`: a
  /// call of oneDNN alone takes some microseconds. So are those whose groups have other than a
  /// multiple of `channels` channels and filters. Depthwise ones count all channels.
  explicit onednn_convolutions(index_t least = index_t{1} << 20, index_t channels = 16)
      : least_(static_cast<double>(least)), channels_(channels) {}

  bool convolve(convolution_call const& call) override try {
    if (call.element != product_element::f32 || !is_taken(call.sizes)) return false;
    detail::openmp_limit const limit(call.is_parallel ? intra_op_threads() : 1);
    auto const convolution = found(call);
    if (!*convolution) return false;
    detail::scratch_buffer scratch;
    void* const memory = scratch.at_least(convolution->scratch_bytes() + 1);
    if (memory == nullptr) return false;
    convolution->run(cpu(), call, memory);
    return true;
  } catch (dnnl::error const& e) {
    if (e.status == dnnl_invalid_arguments || e.status == dnnl_unimplemented) return false;
    if (e.status == dnnl_out_of_memory) throw out_of_memory();
    throw placement_error(
        "placement: oneDNN could not compute a convolution: " + std::string(e.message) + '.');
  }

 private:
  static constexpr std::size_t most = 1024;  ///< convolutions; all are dropped when there are more

  using key = std::array<index_t, 18>;
  using entry = std::shared_ptr<detail::onednn_convolution const>;

  static dnnl::engine const& cpu() {
    static auto const& all = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
    return all;
  }
  bool is_taken(conv2d_sizes const& s) const {
    index_t const depth = s.channels / s.groups, filters = s.filters / s.groups;
    bool const fills_vectors = s.is_depthwise()
                                   ? s.channels % channels_ == 0
                                   : depth % channels_ == 0 && filters % channels_ == 0;
    auto const terms = static_cast<double>(s.y.taps * s.x.taps) * static_cast<double>(depth);
    return fills_vectors && static_cast<double>(s.all_results()) * terms >= least_;
  }
  static key key_of(convolution_call const& c) {
    conv2d_sizes const& s = c.sizes;
    return {static_cast<index_t>(c.pass),
            detail::openmp_limit::current(),
            s.images,
            s.channels,
            s.filters,
            s.groups,
            s.y.in,
            s.y.taps,
            s.y.stride,
            s.y.dilation,
            s.y.before,
            s.y.out,
            s.x.in,
            s.x.taps,
            s.x.stride,
            s.x.dilation,
            s.x.before,
            s.x.out};
  }
  entry found(convolution_call const& call) {
    key const k = key_of(call);
    {
      lock_guard const guard(lock_);
      if (auto const it = made_.find(k); it != made_.end()) return it->second;
    }
    auto const made =
        std::make_shared<detail::onednn_convolution const>(cpu(), call.pass, call.sizes);
    lock_guard const guard(lock_);
    if (made_.size() >= most) made_.clear();
    made_[k] = made;
    return made;
  }

  double const least_;
  index_t const channels_;
  lock lock_;
  std::map<key, entry> made_;
};

/// The engine of this process.
PLACEMENT_PROCESS_STATE inline onednn_convolutions& onednn_of_process() {
  static auto& all = *new onednn_convolutions;
  return all;
}

namespace detail {
/// Registers the engine during static initialisation.
PLACEMENT_PROCESS_STATE inline bool const onednn_is_used =
    (set_cpu_convolutions(&onednn_of_process()), true);
}  // namespace detail

}}  // namespace placement::v0_1
