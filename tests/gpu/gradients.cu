// Gradients on a GPU, against the CPU: of layer normalisation, and static ones of views.
#include <placement/gradient.hpp>
#include <placement/nets.hpp>
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <tuple>

using namespace placement;

namespace {
/// Layer normalisation and its gradients on a device: of x, the scale and the offset.
template <class T, class X, class P>
auto layer_normalised(device d, X const& x, X const& g, P const& p) {
  with_device const scope(d);
  tensor const y = layer_norm(x, p, -p);
  tensor const plain = layer_norm(x);
  CHECK(y.where() == d);
  X const watched_x = copy_to(d, x);
  P const scale = copy_to(d, p), offset = copy_to(d, P(-p));
  gradient_tape tape;
  tape.watch(watched_x, scale, offset);
  X const factors = copy_to(d, g);
  tensor const loss = sum(layer_norm(watched_x, scale, offset) * factors);
  auto const [dx, of_scale, of_offset] = tape.gradient(loss, watched_x, scale, offset);
  with_device const on_host(cpu0);
  auto const here = [](auto const& t) { return tensor(cast<float>(copy_to(cpu0, t))); };
  return std::tuple{here(y), here(plain), here(dx), here(of_scale), here(of_offset)};
}
template <class T> void check_layer_norm(index_t m, index_t n, float precision) {
  INFO(m << " rows of " << n);
  with_device const on_host(cpu0);
  tensor<T, dextents<2>> const x = cast<T>(plain_tensor<float>(shape(m, n))),
                               g = cast<T>(plain_tensor<float>(shape(m, n), 2));
  tensor<computed_in<T>, dextents<1>> const p =
      cast<computed_in<T>>(plain_tensor<float>(shape(n), 3));
  auto const there = layer_normalised<T>(gpu0, x, g, p),
             expected = layer_normalised<T>(cpu0, x, g, p);
  std::apply(
      [&](auto const&... got) {
        std::apply(
            [&](auto const&... wanted) {
              auto const close = [&](auto const& a, auto const& b) {
                CHECK(item(max(abs(a - b))) <= precision * (1 + item(max(abs(b)))));
              };
              (close(got, wanted), ...);
            },
            expected);
      },
      there);
}
}  // namespace

TEST_CASE("layer normalisation and its gradients on a GPU match the CPU", "[small]") {
  need_gpu();
  for (index_t const n : {1, 10, 32, 768, 4096, 5000})
    for (index_t const m : {1, 7}) {
      check_layer_norm<float>(m, n, 1e-5f);
      check_layer_norm<double>(m, n, 1e-6f);  // compared as float
      check_layer_norm<float16>(m, n, 4e-3f);
      check_layer_norm<bfloat16>(m, n, 3e-2f);
    }
}

/// The gradient of the sum of squares of a view of a matrix, by an expression.
template <class View> void check_gradient_of_view(View const& view) {
  check_expression(0, [&] {
    return gradient<0>(sum(square(view(leaf<0>(plain_tensor<float>(shape(33, 17)))))));
  });
}
TEST_CASE("static gradients of views on a GPU match the CPU", "[small]") {
  need_gpu();
  check_gradient_of_view([](auto const& x) { return slice(x, range{1, 30}, range{2, 9}); });
  check_gradient_of_view(
      [](auto const& x) { return slice(x, range{.step = -2}, range{.step = 3}); });
  check_gradient_of_view([](auto const& x) { return x(4, 5); });
  check_gradient_of_view([](auto const& x) { return diagonal(x); });
  check_gradient_of_view([](auto const& x) { return transpose(x)[3]; });
}
