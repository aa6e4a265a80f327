// Parts of an expression with kernels of their own: products, reductions, on(), and ops without a
// GPU kernel.
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace placement;

namespace {

/// x + 1, on CPUs only.
struct host_next_op {
  static constexpr std::string_view name = "HostNext";
  using pattern = map;
  using kernels = cpu_only;
  template <class T> constexpr T operator()(T x) const noexcept { return x + T{1}; }
};
template <operand X> auto host_next(X&& x, site at = site::here()) -> unary<host_next_op, X> {
  return {{}, at, std::forward<X>(x)};
}

tensor<float, dextents<2>> a() { return {{1.f, 2.f}, {3.f, 4.f}}; }
tensor<float, dextents<2>> b() { return {{1.f, 0.f}, {0.f, 2.f}}; }

}  // namespace

TEST_CASE("the epilogue of a reduction also applies to a reduction of a product") {
  CHECK(to_string(tensor(sum(matmul(a(), b())) * 2.f)) == "32");
  CHECK(to_string(tensor(sum(matmul(a(), b()), axis<0>) + 1.f)) == "[5 13]");
  CHECK(to_string(tensor(relu(sum(relu(matmul(a(), b())), axis<1>)))) == "[5 11]");
  CHECK(to_string(tensor(relu(sum(sum(a(), axis<0>))))) == "10");
}

TEST_CASE(
    "an op without a GPU kernel stays on the CPU below a reduction with an epilogue on a GPU") {
  std::size_t const before = fallback_count();
  with_device const scope("/gpu:1");
  tensor const c = relu(sum(host_next(a()), axis<0>));
  CHECK(to_string(c) == "[6 8]");
  CHECK(c.where() == device{kind::gpu, 1});
  CHECK(fallback_count() == before + 1);
}

TEST_CASE("a single element reshaped to a scalar broadcasts over the other operand") {
  tensor const x{1.f, 2.f, 3.f};
  float const seven = 7;
  CHECK(to_string(tensor(x + reshape(from(&seven, shape(1)), shape()))) == "[8 9 10]");
}

TEST_CASE("a tensor and on() of its own device are the same operand") {
  with_device const scope("/gpu:1");
  tensor<float, dextents<2>> const x = copy_to("/cpu:0", a());
  copy_count const before = all_copies();
  CHECK(plan_of(x + on("/cpu:0", x)).copies() == 1);
  CHECK(plan_of(on("/cpu:0", x) + x).copies() == 1);
  tensor const y = x + on("/cpu:0", x);
  CHECK(all_copies().copies == before.copies + 1);
  tensor const z = on("/cpu:0", x) + x;
  CHECK(all_copies().copies == before.copies + 2);
  CHECK(to_string(z) == "[[2 4]\n [6 8]]");
}

TEST_CASE(
    "an empty tensor is copied without a transfer, and on() with an empty name changes nothing") {
  with_device const scope("/gpu:1");
  tensor<float, dextents<2>> const none = copy_to("/cpu:0", tensor(slice(a(), range{0, 0})));
  std::size_t const before = all_copies().copies;
  CHECK(copy_to("/gpu:1", none).where() == device{kind::gpu, 1});
  CHECK(all_copies().copies == before);

  auto const e = on("", relu(a() + 1.f));
  CHECK_FALSE(plan_of(e).node("Add").moved);
  CHECK(tensor(e).where() == gpu1);
}

TEST_CASE("ops on a product or reduction of another shape are no epilogue") {
  for (char const* where : {"/cpu:0", "/gpu:0"}) {
    with_device const scope(where);
    matrix<float> const row{{1.f, 2.f}}, w{{1.f, 0.f}, {0.f, 2.f}};
    matrix<float> const x{{1.f, 1.f}, {2.f, 2.f}, {3.f, 3.f}};
    matrix<float> const all = matmul(row, w) + x;
    CHECK(to_string(all) == "[[2 5]\n [3 6]\n [4 7]]");
    matrix<float> const less = x - sum(x, keep_dim(0));
    CHECK(to_string(less) == "[[-5 -5]\n [-4 -4]\n [-3 -3]]");
    matrix<float> const same = matmul(x, w) + x;
    CHECK(to_string(same) == "[[2 3]\n [4 6]\n [6 9]]");
  }
}
