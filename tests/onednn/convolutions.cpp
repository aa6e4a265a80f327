// Convolutions and their gradients by oneDNN, against plain loops.
#include <placement/interop/onednn.hpp>
#include <placement/ops/conv2d.hpp>
#include <placement/ops/conv2d_gradients.hpp>
#include <placement/placement.hpp>

#include <support/convolutions.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <thread>
#include <vector>

using namespace placement;

namespace {

/// Counts the calls that oneDNN computes, of any size and number of channels.
class counted final : public convolution_engine {
 public:
  std::atomic<int> computed{0}, refused{0};

  bool convolve(convolution_call const& call) override {
    bool const is_computed = all_.convolve(call);
    (is_computed ? computed : refused).fetch_add(1);
    return is_computed;
  }

 private:
  onednn_convolutions all_{1, 1};
};
/// The engine of a test, until its end.
class in_use {
 public:
  in_use() { set_cpu_convolutions(&engine()); }
  in_use(in_use const&) = delete;
  in_use& operator=(in_use const&) = delete;
  ~in_use() { set_cpu_convolutions(&onednn_of_process()); }

  int computed() const { return engine().computed.exchange(0); }
  int refused() const { return engine().refused.exchange(0); }

 private:
  static counted& engine() {
    static auto& all = *new counted;
    return all;
  }
};

/// No extent is 0.
conv_loops random_convolution(test_numbers& r) {
  conv2d_options o;
  o.strides = {r.next(1, 3), r.next(1, 3)};
  o.dilations = {r.next(1, 3), r.next(1, 2)};
  o.groups = r.next(0, 2) == 0 ? r.next(2, 3) : 1;
  if (r.next(0, 1) == 0) o.padding = same_padding;
  else if (r.next(0, 1) == 0) o.padding = {r.next(0, 2), r.next(0, 2), r.next(0, 2), r.next(0, 2)};
  dextents<4> const w{{r.next(1, 4), r.next(1, 4), r.next(1, 17), r.next(1, 33) * o.groups}};
  dextents<4> const x{{r.next(1, 4), r.next(10, 15), r.next(7, 15), w.n[2] * o.groups}};
  return {x, w, o};
}

template <class T> void check(conv_loops const& c, test_numbers& r) {
  with_device const scope("/CPU:0");
  check_convolution<T>(c, r);
}

}  // namespace

TEST_CASE("including onednn.hpp registers oneDNN for larger convolutions") {
  CHECK(detail::cpu_convolutions.load() == &onednn_of_process());
  test_numbers r(1);
  check<float>({{{2, 20, 20, 16}}, {{3, 3, 16, 32}}, {.padding = same_padding}}, r);
  check<float>({{{1, 2, 2, 1}}, {{1, 1, 1, 1}}, {}}, r);
}

TEST_CASE("convolutions that do not fill oneDNN's vectors are left to the library's kernels") {
  auto const is_taken = [](index_t side, index_t channels, index_t filters, index_t groups) {
    static onednn_convolutions engine;
    window_axis const axis{side, 1, 1, 1, 0, side};
    conv2d_sizes const s{4, channels, filters, groups, axis, axis};
    std::vector<float> out(static_cast<std::size_t>(s.all_results())),
        x(static_cast<std::size_t>(s.all_images())), w(static_cast<std::size_t>(s.filter_size()));
    return engine.convolve(
        {convolution_pass::forward, product_element::f32, s, out.data(), x.data(), w.data(), true});
  };
  CHECK(is_taken(32, 16, 32, 1));
  CHECK(is_taken(32, 64, 64, 4));
  CHECK(is_taken(128, 32, 32, 32));
  CHECK_FALSE(is_taken(8, 16, 16, 1));
  CHECK_FALSE(is_taken(64, 24, 32, 1));
  CHECK_FALSE(is_taken(64, 32, 24, 1));
  CHECK_FALSE(is_taken(64, 64, 64, 8));
  CHECK_FALSE(is_taken(128, 24, 24, 24));
}

TEST_CASE("oneDNN computes convolutions and their gradients of random shapes") {
  in_use const engine;
  for (unsigned seed = 0; seed != 100; ++seed) {
    test_numbers r(seed);
    check<float>(random_convolution(r), r);
  }
  // It has no fast code for some groups and dilations.
  int const computed = engine.computed(), refused = engine.refused();
  CHECK(computed + refused == 300);
  CHECK(computed >= 150);
}

TEST_CASE("oneDNN computes the layers of nets") {
  in_use const engine;
  test_numbers r(2);
  conv2d_options const same{.padding = same_padding};
  check<float>({{{2, 14, 14, 64}}, {{3, 3, 64, 32}}, same}, r);
  check<float>({{{3, 7, 7, 40}}, {{1, 1, 40, 130}}, {}}, r);
  check<float>({{{2, 21, 19, 3}}, {{7, 7, 3, 64}}, {.padding = same_padding, .strides = {2, 2}}},
               r);
  check<float>({{{1, 20, 20, 16}}, {{3, 3, 1, 16}}, {.padding = same_padding, .groups = 16}}, r);
  CHECK(engine.computed() == 12);
}

TEST_CASE("windows may leave the last elements of an image out") {
  in_use const engine;
  test_numbers r(3);
  check<float>({{{2, 12, 11, 8}}, {{2, 2, 8, 16}}, {.strides = {3, 3}}}, r);
  CHECK(engine.computed() == 3);
}

TEST_CASE("windows that read zeros alone are computed, by oneDNN or by the library's kernels") {
  in_use const engine;
  test_numbers r(5);
  check<float>({{{2, 6, 5, 8}}, {{3, 3, 8, 16}}, {.padding = {9, 7, 8, 6}}}, r);
  check<float>({{{1, 6, 5, 8}}, {{3, 3, 8, 16}}, {.padding = {40, 50, 60, 70}, .strides = {5, 4}}},
               r);
  CHECK(engine.computed() + engine.refused() == 6);
}

TEST_CASE("convolutions of other types and without elements are left to the library's kernels") {
  in_use const engine;
  test_numbers r(4);
  conv_loops const c{{{2, 9, 8, 5}}, {{3, 3, 5, 7}}, {}};
  check<double>(c, r);
  check<float16>(c, r);
  check<bfloat16>(c, r);
  CHECK(engine.computed() == 0);
  CHECK(engine.refused() == 9);
  check<float>({{{0, 9, 8, 5}}, {{3, 3, 5, 7}}, {}}, r);
  check<float>({{{2, 9, 8, 0}}, {{3, 3, 0, 7}}, {}}, r);
  CHECK(engine.computed() + engine.refused() == 0);
}

TEST_CASE("threads share the primitives of oneDNN") {
  in_use const engine;
  conv_loops const c{{{2, 10, 10, 8}}, {{3, 3, 8, 16}}, {.padding = same_padding}};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t != 4; ++t)
    threads.emplace_back([&, t] {
      test_numbers r(t);
      image_array const x = image_array(c.x).fill(r), w = image_array(c.w).fill(r);
      with_device const scope("/CPU:0");
      for (int i = 0; i != 20; ++i)
        if (image_difference(conv2d(x.as<float>(), w.as<float>(), c.o), c.forward(x, w)) != "")
          wrong.fetch_add(1);
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(engine.computed() == 80);
}

TEST_CASE("the number of OpenMP threads of the caller stays as it is") {
  int const before = detail::openmp_limit::current();
  {
    detail::openmp_limit const limit(1);
    CHECK((before == 0 || detail::openmp_limit::current() == 1));
  }
  CHECK(detail::openmp_limit::current() == before);
}

TEST_CASE("element-wise ops follow a convolution by oneDNN in the same memory") {
  with_device const scope("/CPU:0");
  in_use const engine;
  tensor const x = uniform<float>(shape(2, 20, 20, 16)), w = uniform<float>(shape(3, 3, 16, 32));
  tensor const b = uniform<float>(shape(32));
  tensor const sums = conv2d(x, w), expected = relu(sums * 2.f + b);
  tensor const y = relu(conv2d(x, w) * 2.f + b);
  CHECK(engine.computed() == 2);
  CHECK(item(all(y == expected)));
}
