// Ops with indices, scans, quantiles and topk on a GPU, against the CPU.
#include <placement/ops/cumulative.hpp>
#include <placement/ops/quantile.hpp>
#include <placement/ops/scatter.hpp>
#include <placement/ops/searchsorted.hpp>
#include <placement/ops/take.hpp>
#include <placement/ops/topk.hpp>
#include <placement/placement.hpp>

#include <support/both_devices.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace placement;

namespace {

/// Indices of n positions, where half of them count from the end.
template <class X> tensor<int, X> some_indices(X const& shape, int n) {
  with_device const on_host(cpu0);
  return uniform<int>(shape, -n, n);
}

}  // namespace

TEST_CASE("reads and writes at indices on a GPU have the bits of the CPU's", "[small]") {
  need_gpu();
  for (index_t const n : {1, 30, 2500}) {
    INFO(n << " indices");
    auto const x = plain_tensor<float>(shape(17, 3)), values = plain_tensor<float>(shape(n, 3), 2);
    auto const rows = some_indices(shape(n), 17);
    auto const each = some_indices(shape(n, 3), 17);
    check_expression(0, [&] { return take_along_axis(x, each, axis<0>); });
    check_expression(0, [&] { return scatter(x, rows, values); });
    check_expression(0, [&] { return index_add(x, rows, values); });
    auto const places = some_indices(shape(n), 51);
    auto const column = plain_tensor<float>(shape(n), 3);
    check_on_gpu(0, [&] {
      tensor y = x + 1.f;
      return put(y, places, column);
    });
  }
}

TEST_CASE("an index outside on a GPU is an error that names the op") {
  need_hardware();
  with_device const scope("/gpu:0");
  tensor const x{1.f, 2.f, 3.f};
  std::string const text = error_message<shape_error>([&] {
    tensor const y = take_along_axis(x, tensor{0, -4}, axis<0>);
    (void)y.read();
  });
  CHECK(text.starts_with("placement: TakeAlongAxis of index -4 in a dimension of extent 3 on "));
  CHECK(text.ends_with("Indices are -extent to extent - 1; negative ones count from the end."));
}

TEST_CASE("cumulative maxima on a GPU have the bits of the CPU's, products those within 1 ulp",
          "[small]") {
  need_gpu();
  for (auto const& s : {shape(1, 1), shape(40, 3), shape(2, 5000)}) {
    INFO(to_string(s));
    auto const x = some_tensor<float>(s);
    auto const factors = plain_tensor<float>(s) * 1e-3f + 1.f;
    check_expression(0, [&] { return cummax(x, axis<1>); });
    check_expression(0, [&] { return cumprod(some_tensor<int>(s)); });
    check_expression(1, [&] { return cumprod(factors, axis<1>); });
  }
}

TEST_CASE("quantiles, topk and searchsorted on a GPU have the bits of the CPU's", "[small]") {
  need_gpu();
  for (auto const& s : {shape(7, 30), shape(3, 1), shape(1, 4000)}) {
    INFO(to_string(s));
    auto const x = plain_tensor<float>(s);
    check_expression(0, [&] { return quantile(x, 0.37, axis<1>); });
    check_expression(0, [&] { return median(x, 0); });
    check_expression(0, [&] { return topk(x, s.n[1] < 5 ? s.n[1] : 5); });
    check_expression(0, [&] { return searchsorted(sort(flatten(x)), x, side::right); });
  }
}
