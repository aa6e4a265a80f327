// Convolutions of ResNet-50's and MobileNet's layers and their gradients on one thread, or on
// PLACEMENT_INTRA_OP_THREADS threads, beside oneDNN. Names are row/side/rows of an image. oneDNN's
// images are NHWC; its filters have the layout that it prefers, and their reorder is not counted.
// Rows with bias_relu add a bias and compute relu: in one statement, in two, and by oneDNN's post
// op.

#include <placement/placement.hpp>

#include <placement/nets.hpp>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

#if PLACEMENT_BENCH_ONEDNN
#  include <placement/interop/onednn.hpp>
#endif

namespace pl = placement;

namespace {

/// A convolution with stride 1 and same padding of 8 square images.
struct layer {
  pl::index_t extent, channels, taps, filters, groups = 1;

  pl::index_t depth() const { return channels / groups; }
  double operations() const {
    return 2. * 8. * static_cast<double>(extent * extent * depth() * taps * taps * filters);
  }
};
enum class pass { forward, bias_relu, in_two, filter, images };

template <class F> void repeat(benchmark::State& state, layer const& l, F const& work) {
  for (auto _ : state) {
    work();
    benchmark::ClobberMemory();
  }
  state.counters["FLOP/s"] = benchmark::Counter(
      l.operations() * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

using images = pl::tensor<float, pl::dextents<4>>;

void by_placement(benchmark::State& state, layer l, pass p) {
  pl::conv2d_options const same{.padding = pl::same_padding, .groups = l.groups};
  images const x = pl::uniform<float>(pl::shape(8, l.extent, l.extent, l.channels));
  images const w = pl::uniform<float>(pl::shape(l.taps, l.taps, l.depth(), l.filters));
  images const g = pl::uniform<float>(pl::shape(8, l.extent, l.extent, l.filters));
  pl::tensor const b = pl::uniform<float>(pl::shape(l.filters));
  images out;
  repeat(state, l, [&] {
    if (p == pass::forward) out = pl::conv2d(x, w, same);
    else if (p == pass::bias_relu) out = pl::relu(pl::conv2d(x, w, same) + b);
    else if (p == pass::in_two) {
      images const sums = pl::conv2d(x, w, same);
      out = pl::relu(sums + b);
    } else if (p == pass::filter) out = pl::conv2d_filter_gradient(x, g, w.shape(), same);
    else out = pl::conv2d_input_gradient(w, g, x.shape(), same);
  });
}

#if PLACEMENT_BENCH_ONEDNN
/// Through placement::onednn, which reorders the filter in each call.
void by_component(benchmark::State& state, layer l, pass p) {
  pl::set_cpu_convolutions(&pl::onednn_of_process());
  by_placement(state, l, p);
  pl::set_cpu_convolutions(nullptr);
}
void by_onednn(benchmark::State& state, layer l, pass p) {
  using tag = dnnl::memory::format_tag;
  using dnnl::algorithm;
  using dnnl::memory;
  static dnnl::engine const cpu(dnnl::engine::kind::cpu, 0);
  dnnl::stream queue(cpu);
  auto const described = [](memory::dims const& dims, tag order) {
    return memory::desc(dims, memory::data_type::f32, order);
  };
  memory::dim const extent = l.extent, border = l.taps / 2;
  auto const x = described({8, l.channels, extent, extent}, tag::nhwc);
  auto const w =
      l.groups == 1
          ? described({l.filters, l.channels, l.taps, l.taps}, tag::any)
          : described({l.groups, l.filters / l.groups, l.depth(), l.taps, l.taps}, tag::any);
  auto const y = described({8, l.filters, extent, extent}, tag::nhwc);
  memory::dims const strides{1, 1}, padding{border, border};
  dnnl::convolution_forward::primitive_desc const forward(
      {dnnl::prop_kind::forward_training, algorithm::convolution_direct, x, w, y, strides, padding,
       padding},
      cpu);
  auto const filled = [&](memory::desc const& d) {
    memory m(d, cpu);
    auto* const numbers = static_cast<float*>(m.get_data_handle());
    for (std::size_t i = 0; i != d.get_size() / sizeof(float); ++i)
      numbers[i] = static_cast<float>(i % 97) / 97.f;
    return m;
  };
  auto const measure = [&](dnnl::primitive const& primitive,
                           std::unordered_map<int, memory> const& arguments) {
    repeat(state, l, [&] {
      primitive.execute(queue, arguments);
      queue.wait();
    });
  };
  if (p == pass::forward) {
    measure(dnnl::convolution_forward(forward), {{DNNL_ARG_SRC, filled(x)},
                                                 {DNNL_ARG_WEIGHTS, filled(forward.weights_desc())},
                                                 {DNNL_ARG_DST, filled(y)}});
  } else if (p == pass::bias_relu) {
    memory::desc const b({l.filters}, memory::data_type::f32, tag::x);
    dnnl::post_ops relu;
    relu.append_eltwise(1.f, algorithm::eltwise_relu, 0.f, 0.f);
    dnnl::primitive_attr with_relu;
    with_relu.set_post_ops(relu);
    dnnl::convolution_forward::primitive_desc const d(
        {dnnl::prop_kind::forward_inference, algorithm::convolution_direct, x, w, b, y, strides,
         padding, padding},
        with_relu, cpu);
    measure(dnnl::convolution_forward(d), {{DNNL_ARG_SRC, filled(x)},
                                           {DNNL_ARG_WEIGHTS, filled(d.weights_desc())},
                                           {DNNL_ARG_BIAS, filled(b)},
                                           {DNNL_ARG_DST, filled(y)}});
  } else if (p == pass::filter) {
    dnnl::convolution_backward_weights::primitive_desc const d(
        {algorithm::convolution_direct, x, w, y, strides, padding, padding}, cpu, forward);
    measure(dnnl::convolution_backward_weights(d),
            {{DNNL_ARG_SRC, filled(x)},
             {DNNL_ARG_DIFF_DST, filled(y)},
             {DNNL_ARG_DIFF_WEIGHTS, filled(d.diff_weights_desc())}});
  } else {
    dnnl::convolution_backward_data::primitive_desc const d(
        {algorithm::convolution_direct, x, w, y, strides, padding, padding}, cpu, forward);
    measure(dnnl::convolution_backward_data(d), {{DNNL_ARG_DIFF_SRC, filled(x)},
                                                 {DNNL_ARG_WEIGHTS, filled(d.weights_desc())},
                                                 {DNNL_ARG_DIFF_DST, filled(y)}});
  }
}
#endif

void add_row(std::string const& row, layer l, pass p) {
  auto const name = [&](char const* side) {
    return row + "_f32/" + side + '/' + std::to_string(l.extent);
  };
  benchmark::RegisterBenchmark(name("placement").c_str(),
                               [=](auto& state) { by_placement(state, l, p); });
#if PLACEMENT_BENCH_ONEDNN
  benchmark::RegisterBenchmark(name("placement_by_onednn").c_str(),
                               [=](auto& state) { by_component(state, l, p); });
  benchmark::RegisterBenchmark(name("onednn").c_str(),
                               [=](auto& state) { by_onednn(state, l, p); });
#endif
}
void add_epilogues(std::string const& kernel, std::vector<layer> const& layers) {
  for (layer const& l : layers) {
    std::string const row = "conv_" + kernel + "_bias_relu";
    add_row(row, l, pass::bias_relu);
    benchmark::RegisterBenchmark(
        (row + "_f32/placement_in_two/" + std::to_string(l.extent)).c_str(),
        [=](auto& state) { by_placement(state, l, pass::in_two); });
  }
}
void add_rows(std::string const& kernel, std::vector<layer> const& layers) {
  for (layer const& l : layers) {
    add_row("conv_" + kernel, l, pass::forward);
    add_row("conv_" + kernel + "_filter_gradient", l, pass::filter);
    add_row("conv_" + kernel + "_input_gradient", l, pass::images);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (std::getenv("PLACEMENT_INTRA_OP_THREADS") == nullptr) pl::set_intra_op_threads(1);
#if PLACEMENT_BENCH_ONEDNN
  pl::set_cpu_convolutions(nullptr);
#endif
  add_rows("3x3", {{56, 64, 3, 64}, {28, 128, 3, 128}, {14, 256, 3, 256}, {7, 512, 3, 512}});
  add_rows("1x1", {{56, 256, 1, 64}, {28, 512, 1, 128}, {14, 1024, 1, 256}, {7, 2048, 1, 512}});
  add_rows("1x1_to_wide", {{56, 64, 1, 256}, {28, 128, 1, 512}, {14, 256, 1, 1024}});
  add_epilogues("3x3", {{56, 64, 3, 64}, {14, 256, 3, 256}});
  add_epilogues("1x1", {{56, 256, 1, 64}, {14, 1024, 1, 256}});
  add_epilogues("1x1_to_wide", {{56, 64, 1, 256}, {28, 128, 1, 512}, {14, 256, 1, 1024}});
  add_rows("depthwise", {{112, 32, 3, 32, 32},
                         {56, 128, 3, 128, 128},
                         {28, 256, 3, 256, 256},
                         {14, 512, 3, 512, 512},
                         {7, 1024, 3, 1024, 1024}});
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
