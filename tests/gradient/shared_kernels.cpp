/// Kernels that occur several times in a static gradient run once.

#include <placement/gradient.hpp>
#include <placement/nets.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace placement;

namespace {

using number_of = tensor<float, extents<>>;

/// Numbers in host memory, from `from` in steps of 0.01.
template <class... N> auto on_host(float from, N... n) {
  with_device const host("/cpu:0");
  return tensor(iota(shape(n...), from, 0.01f));
}
/// The names of the ops that run while the object lives.
class observed_ops {
 public:
  observed_ops() {
    set_op_observer(
        [](op_event const& e, void* names) noexcept {
          if (e.kind == op_event_kind::op)
            static_cast<std::vector<std::string_view>*>(names)->push_back(e.op);
        },
        &names_);
  }
  ~observed_ops() { set_op_observer(nullptr); }
  observed_ops(observed_ops const&) = delete;
  observed_ops& operator=(observed_ops const&) = delete;

  std::size_t count(std::string_view op) const {
    std::size_t n = 0;
    for (auto const name : names_) n += name == op;
    return n;
  }

 private:
  std::vector<std::string_view> names_;
};
template <class A, class B> bool close(A const& a, B const& b, double relative = 1e-5) {
  auto const x = to_vector(a), y = to_vector(b);
  bool all = x.size() == y.size();
  for (std::size_t i = 0; all && i != x.size(); ++i)
    all = std::abs(x[i] - y[i]) <= relative * (std::abs(y[i]) + 0.1);
  return all;
}
template <class Plan> std::size_t nodes_of(Plan const& p, std::string_view op) {
  std::size_t n = 0;
  for (plan_node const& node : p) n += node.op == op;
  return n;
}
/// Checks that the plan of e has `products` products, as its evaluation has, and the same copies.
template <class E> auto check_products(E const& e, std::size_t products) {
  auto const plan = plan_of(e);
  CHECK(nodes_of(plan, "MatMul") == products);
  std::size_t const before = all_copies().copies;
  observed_ops const seen;
  auto const value = evaluate(e);
  CHECK(seen.count("MatMul") == products);
  CHECK(all_copies().copies - before == plan.copies());
  return value;
}

}  // namespace

TEST_CASE("A product that several derivatives read is computed once", "[gradient]") {
  auto const x = on_host(0.1f, 8, 4), w = on_host(0.2f, 4, 3), v = on_host(0.3f, 3, 2);
  auto const h = tanh(matmul(x, leaf<0>(w)));
  auto const g = check_products(gradient<0>(sum(square(h))), 2);
  auto const of_two = sum(square(tanh(matmul(h, leaf<1>(v)))));
  auto const gw = check_products(gradient<0>(of_two), 4);
  auto const gv = check_products(gradient<1>(of_two), 3);

  gradient_tape tape(persistent, w, v);
  matrix<float> const th = tanh(matmul(x, w));
  number_of const one = sum(square(th)), two = sum(square(tanh(matmul(th, v))));
  CHECK(close(g, tape.gradient(one, w)));
  CHECK(close(gw, tape.gradient(two, w)));
  CHECK(close(gv, tape.gradient(two, v)));
}
TEST_CASE("A plan by type counts shared products once", "[gradient]") {
  using x_type = tensor<float, extents<8, 4>>;
  using w_type = tensor<float, extents<4, 3>>;
  auto const loss = [](auto const& x, auto const& w) {
    return gradient<0>(sum(square(tanh(matmul(x, leaf<0>(w))))));
  };
  using E = decltype(loss(std::declval<x_type const&>(), std::declval<w_type const&>()));
  constexpr auto plan = plan_of<E>(machine{.gpus = 1});
  static_assert(plan.kernels == 3);
  x_type const x = on_host(0.1f, 8, 4);
  w_type const w = on_host(0.2f, 4, 3);
  CHECK(plan_of(loss(x, w)).kernels == 3);
}
TEST_CASE("Products of other tensors are not shared", "[gradient]") {
  auto const x = on_host(0.1f, 5, 4), y = on_host(-0.7f, 5, 4), w = on_host(0.2f, 4, 3);
  auto const e = sum(square(matmul(x, leaf<0>(w)))) + sum(square(matmul(y, leaf<0>(w))));
  auto const g = check_products(gradient<0>(e), 4);
  gradient_tape tape(w);
  number_of const loss = sum(square(matmul(x, w))) + sum(square(matmul(y, w)));
  CHECK(close(g, tape.gradient(loss, w)));
}
TEST_CASE("A value and its gradients in one evaluation share products", "[gradient]") {
  auto const x = on_host(0.1f, 8, 4), w = on_host(0.2f, 4, 3);
  auto const b = on_host(0.f, 3);
  auto const f = [&](auto const& weights, auto const& offset) {
    return mean(square(tanh(matmul(x, weights) + offset)));
  };
  auto const [loss, dw, db] = value_and_gradient(f, w, b);
  number_of l(0.f);
  matrix<float> gw;
  vector<float> gb;
  {
    observed_ops const seen;
    evaluate(into(l) = loss, into(gw) = dw, into(gb) = db);
    CHECK(seen.count("MatMul") == 2);
  }
  CHECK(item(l) == item(loss));
  CHECK(to_vector(gw) == to_vector(evaluate(dw)));
  CHECK(to_vector(gb) == to_vector(evaluate(db)));
  observed_ops const seen;
  CHECK(item(gradient<0>(square(sum(matmul(x, w) * leaf<0>(number_of(2.f)))))) != 0.f);
  CHECK(seen.count("MatMul") == 1);
}
TEST_CASE("Kernels below a sum that the evaluation chooses are shared with later results",
          "[gradient]") {
  auto const x = on_host(0.1f, 8, 4), w = on_host(0.2f, 4, 3), row = on_host(0.f, 1, 3);
  auto const f = [&](auto const& r, auto const& weights) {
    return mean(square(tanh(matmul(x, weights) + r)));
  };
  auto const [dr, dw] = gradient_of(f, row, w);
  matrix<float> gr, gw;
  observed_ops const seen;
  evaluate(into(gr) = dr, into(gw) = dw);
  CHECK(seen.count("MatMul") == 2);
  CHECK(to_vector(gr) == to_vector(evaluate(dr)));
  CHECK(to_vector(gw) == to_vector(evaluate(dw)));
}
TEST_CASE("Results are shared below one on() and one device", "[gradient]") {
  auto const x = on_host(0.1f, 8, 4), w = on_host(0.2f, 4, 3);
  auto const loss = sum(square(tanh(on("/gpu:1", matmul(x, leaf<0>(w))))));
  auto const there = gradient<0>(loss);
  check_products(gradient<0>(sum(square(on("/gpu:1", tanh(matmul(x, leaf<0>(w))))))), 2);
  with_device const scope("/gpu:0");
  auto const g = check_products(there, 2);
  auto const moved = check_products(gradient<0>(sum(square(tanh(matmul(x, leaf<0>(w)))))), 2);
  CHECK(to_vector(g) == to_vector(moved));
}
TEST_CASE("A shared result is copied once for each kernel that reads it elsewhere", "[gradient]") {
  auto const x = on_host(0.1f, 64);
  with_device const scope("/gpu:0");
  // Sort has no GPU kernel; its result is read twice by the kernel of the gradient.
  auto const s = sort(x);
  auto const e = gradient<0>(sum(square(tanh(s * leaf<0>(x)))));
  auto const plan = plan_of(e);
  CHECK(nodes_of(plan, "Sort") == 1);
  std::size_t const before = all_copies().copies;
  auto const g = evaluate(e);
  CHECK(all_copies().copies - before == plan.copies());
  with_device const host("/cpu:0");
  CHECK(to_vector(g) == to_vector(evaluate(gradient<0>(sum(square(tanh(sort(x) * leaf<0>(x))))))));
}
TEST_CASE("Convolutions of a static gradient run once", "[gradient]") {
  auto const x = on_host(0.1f, 1, 8, 8, 2), w = on_host(-0.2f, 3, 3, 2, 3);
  auto const b = on_host(0.f, 3);
  auto const e = gradient<0>(sum(square(max_pool2d(relu(conv2d(x, leaf<0>(w)) + leaf<1>(b))))));
  auto const plan = plan_of(e);
  CHECK(nodes_of(plan, "Conv2D") == 1);
  observed_ops const seen;
  auto const g = evaluate(e);
  CHECK(seen.count("Conv2D") == 1);
  gradient_tape tape(w);
  number_of const loss = sum(square(max_pool2d(relu(conv2d(x, w) + b))));
  CHECK(close(g, tape.gradient(loss, w), 1e-4));
}
