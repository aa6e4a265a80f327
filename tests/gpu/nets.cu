// Ops of nets on a GPU: activations, losses, batch normalisation and dropout, against the CPU.
#include <placement/nets.hpp>
#include <placement/placement.hpp>

#include <support/both_devices.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <tuple>

using namespace placement;

TEST_CASE("activations on a GPU match the CPU within some ulp", "[small]") {
  need_gpu();
  for (index_t const n : {1, 1000, 4099}) {
    auto const x = plain_tensor<float>(shape(n));
    auto const wide = plain_tensor<double>(shape(n));
    check_expression(2, [&] { return leaky_relu(x - 3.f, 0.3); });
    check_expression(16, [&] { return elu(x - 3.f); });
    check_expression(16, [&] { return silu(wide - 3.); });
    check_expression(16, [&] { return softplus(x - 3.f); });
    check_expression(64, [&] { return gelu(abs(x)); });
    check_expression(64, [&] { return gelu<gelu_form::tanh>(abs(wide)); });
  }
}

TEST_CASE("softmax cross entropy and its gradient on a GPU match the CPU", "[small]") {
  need_gpu();
  for (index_t const n : {1, 10, 33, 1000, 5000})
    for (index_t const m : {1, 7, 300}) {
      INFO(m << " rows of " << n);
      with_device const on_host(cpu0);
      auto const x = plain_tensor<float>(shape(m, n));
      tensor<int, dextents<1>> const labels = uniform<int>(shape(m), 0, static_cast<int>(n));
      tensor<float, dextents<2>> const p = one_hot<float>(labels, n);
      tensor<float, dextents<1>> const g = ones<float>(m);
      auto const check = [&](auto const& make) {
        tensor const expected = on("/cpu:0", make());
        tensor const there = on("/gpu:0", make());
        CHECK(there.where().is_gpu());
        tensor const here = copy_to(cpu0, there);
        CHECK(item(max(abs(here - expected))) <= 1e-5f * (1 + item(max(abs(expected)))));
      };
      check([&] { return softmax_cross_entropy(x, labels); });
      check([&] { return softmax_cross_entropy(x, p); });
      check([&] { return softmax_cross_entropy_gradient(x, labels, g); });
      check([&] { return softmax_cross_entropy_gradient(x, p, g); });
    }
}

TEST_CASE("a label out of range on a GPU is an error that names the row") {
  need_gpu();
  with_device const scope("/gpu:0");
  tensor const x{{1.f, 2.f}, {3.f, 4.f}};
  std::string const text = error_message<shape_error>([&] {
    tensor const y = softmax_cross_entropy(x, tensor{0, 2});
    (void)y.read();
    synchronize(device{kind::gpu, 0});
  });
  CHECK(text.starts_with("placement: label 2 of row 1 is no class: the logits"));
}

TEST_CASE("batch normalisation, its gradient and dropout on a GPU match the CPU", "[small]") {
  need_gpu();
  auto const x = plain_tensor<float>(shape(8, 5, 7, 6));
  auto const g = plain_tensor<float>(shape(8, 5, 7, 6));
  auto const normalised = [&](device d) {
    with_device const scope(d);
    auto const m = batch_moments(x);
    tensor const y = relu(batch_norm(x, m, 1, 0.5));
    CHECK(y.where() == d);
    auto const gradients = batch_norm_gradient(g, x, m, 2);
    tensor const dropped = dropout(x, 0.5, random_stream{1, 2});
    with_device const on_host(cpu0);
    return std::tuple{copy_to(cpu0, y), copy_to(cpu0, gradients.input),
                      copy_to(cpu0, gradients.scale), copy_to(cpu0, dropped)};
  };
  auto const [y, dx, of_scale, dropped] = normalised(device{kind::gpu, 0});
  auto const [y0, dx0, of_scale0, dropped0] = normalised(cpu0);
  with_device const on_host(cpu0);
  CHECK(item(max(abs(y - y0))) <= 1e-5f);
  CHECK(item(max(abs(dx - dx0))) <= 1e-4f * (1 + item(max(abs(dx0)))));
  CHECK(item(max(abs(of_scale - of_scale0))) <= 1e-4f * (1 + item(max(abs(of_scale0)))));
  CHECK(item(max(abs(dropped - dropped0))) == 0);
}
