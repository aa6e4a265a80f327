/// All kernels of a static gradient read one copy of each operand.

#include <placement/gradient.hpp>
#include <placement/nets.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <utility>

using namespace placement;

namespace {

using number_of = tensor<float, extents<>>;
device const first{kind::gpu, 0}, second{kind::gpu, 1};

/// Numbers in host memory, from `from` in steps of 0.01.
template <class... N> auto on_host(float from, N... n) {
  with_device const host("/cpu:0");
  return tensor(iota(shape(n...), from, 0.01f));
}
/// Evaluates e, and checks that it makes `copies` copies, as its plan says.
template <class E> auto check_copies(E const& e, std::size_t copies) {
  auto const plan = plan_of(e);
  CHECK(plan.copies() == copies);
  std::size_t bytes = 0;
  for (plan_node const& n : plan) bytes += n.bytes;
  copy_count const before = all_copies();
  auto value = evaluate(e);
  CHECK(all_copies().copies - before.copies == copies);
  CHECK(all_copies().bytes - before.bytes == bytes);
  return value;
}

}  // namespace

TEST_CASE("Products of a gradient send no operand twice", "[gradient]") {
  auto const x = on_host(0.1f, 8, 4), w = on_host(0.2f, 4, 3), v = on_host(0.3f, 3, 2);
  auto const derivative = [&] {
    return gradient<0>(sum(square(tanh(matmul(tanh(matmul(x, leaf<0>(w))), leaf<1>(v))))));
  };
  auto const expected = evaluate(derivative());
  with_device const scope("/gpu:0");
  CHECK(to_vector(check_copies(derivative(), 3)) == to_vector(expected));
}
TEST_CASE("Element-wise kernels and reductions of a gradient read the copies of products",
          "[gradient]") {
  auto const x = on_host(0.1f, 8, 4), w = on_host(0.2f, 4, 3);
  auto const b = on_host(0.f, 3);
  auto const derivative = [&] {
    auto const e = mean(square(tanh(matmul(x, leaf<0>(w)) + leaf<1>(b)) * 2.f));
    return gradient<1>(e + mean(leaf<0>(w) * leaf<0>(w)) * mean(leaf<1>(b)));
  };
  auto const expected = evaluate(derivative());
  with_device const scope("/gpu:1");
  CHECK(to_vector(check_copies(derivative(), 3)) == to_vector(expected));
}
TEST_CASE("A value and its gradients in one evaluation copy each operand once", "[gradient]") {
  auto const x = on_host(0.1f, 8, 4), w = on_host(0.2f, 4, 3);
  auto const b = on_host(0.f, 3);
  auto const f = [&](auto const& weights, auto const& offset) {
    return mean(square(tanh(matmul(x, weights) + offset)));
  };
  auto const results = [&] {
    auto const [loss, dw, db] = value_and_gradient(f, w, b);
    number_of l(0.f);
    matrix<float> gw;
    vector<float> gb;
    evaluate(into(l) = loss, into(gw) = dw, into(gb) = db);
    return std::pair(to_vector(gw), to_vector(gb));
  };
  auto const expected = results();
  with_device const scope("/gpu:0", at_most<copies, 3>{});
  CHECK(results() == expected);
}
TEST_CASE("Operands of equal types are copied each", "[gradient]") {
  auto const x = on_host(0.1f, 5, 4), y = on_host(-0.7f, 5, 4), w = on_host(0.2f, 4, 3);
  auto const derivative = [&] {
    return gradient<0>(sum(square(matmul(x, leaf<0>(w)))) + sum(square(matmul(y, leaf<0>(w)))));
  };
  auto const expected = evaluate(derivative());
  with_device const scope("/gpu:0");
  CHECK(to_vector(check_copies(derivative(), 3)) == to_vector(expected));
}
TEST_CASE("A gradient of a part reads the copy of the whole, and else its own", "[gradient]") {
  auto const x = on_host(0.1f, 8, 4), w = on_host(0.2f, 4, 3);
  auto const rows = [](auto const& t, int begin, int end) { return slice(t, range(begin, end)); };
  auto const derivative = [&] {
    auto const h = tanh(matmul(x, leaf<0>(w)));
    return gradient<0>(sum(square(matmul(rows(x, 2, 5), leaf<0>(w)))) + sum(square(h)));
  };
  auto const of_other_rows = [&] {
    return gradient<0>(sum(square(matmul(rows(x, 0, 3), leaf<0>(w)))) +
                       sum(square(matmul(rows(x, 5, 8), leaf<0>(w)))));
  };
  auto const expected = evaluate(derivative());
  auto const of_others = evaluate(of_other_rows());
  with_device const scope("/gpu:0");
  CHECK(to_vector(check_copies(derivative(), 2)) == to_vector(expected));
  CHECK(to_vector(check_copies(of_other_rows(), 3)) == to_vector(of_others));
}
TEST_CASE("Each device gets a copy of its own", "[gradient]") {
  auto const x = on_host(0.1f, 8, 4), w = on_host(0.2f, 4, 3);
  auto const derivative = [&] {
    auto const there = on("/gpu:1", tanh(matmul(x, leaf<0>(w))));
    return gradient<0>(sum(square(there)) + sum(square(matmul(x, leaf<0>(w)))));
  };
  auto const expected = evaluate(derivative());
  with_device const scope("/gpu:0");
  copy_count const to_first = copies_between(cpu0, first);
  copy_count const to_second = copies_between(cpu0, second);
  std::size_t const planned = plan_of(derivative()).copies();
  CHECK(to_vector(check_copies(derivative(), planned)) == to_vector(expected));
  CHECK(copies_between(cpu0, first).copies - to_first.copies == 2);
  CHECK(copies_between(cpu0, second).copies - to_second.copies == 2);
}
TEST_CASE("A result of another device that several kernels read is copied once", "[gradient]") {
  auto const x = on_host(0.1f, 64);
  auto const w = on_host(0.3f, 64);
  auto const derivative = [&] {
    auto const s = on("/cpu:0", sqrt(x));
    return gradient<0>(sum(square(s * leaf<0>(w))) * sum(exp(s * leaf<0>(w))));
  };
  auto const expected = evaluate(derivative());
  with_device const scope("/gpu:0");
  copy_count const before = copies_between(cpu0, first);
  CHECK(to_vector(check_copies(derivative(), 2)) == to_vector(expected));
  CHECK(copies_between(cpu0, first).copies - before.copies == 2);
}
TEST_CASE("Copies end with the evaluation", "[gradient]") {
  auto const x = on_host(0.1f, 256, 64), w = on_host(0.2f, 64, 32);
  with_device const scope("/gpu:0");
  auto const step = [&] { return evaluate(gradient<0>(sum(square(tanh(matmul(x, leaf<0>(w))))))); };
  auto const kept = step();
  std::size_t const before = memory_stats_of(first).in_use;
  copy_count const copies = all_copies();
  static_cast<void>(step());
  CHECK(memory_stats_of(first).in_use == before);
  static_cast<void>(step());
  CHECK(all_copies().copies - copies.copies == 4);
}
TEST_CASE("A gradient assigned to its own variable reads the old elements", "[gradient]") {
  auto const x = on_host(0.1f, 8, 4);
  auto w = on_host(0.2f, 4, 3), v = w;
  auto const step = [&](auto& to) {
    to = to - gradient<0>(sum(square(tanh(matmul(x, leaf<0>(to)))))) * 0.1f;
  };
  for (int i = 0; i != 3; ++i) step(v);
  with_device const scope("/gpu:0");
  for (int i = 0; i != 3; ++i) step(w);
  CHECK(to_vector(w) == to_vector(v));
}
TEST_CASE("Several element-wise results copy each operand once", "[gradient]") {
  auto const a = on_host(0.1f, 16), b = on_host(0.2f, 16);
  tensor s{0.f}, d{0.f};
  with_device const scope("/gpu:0", at_most<copies, 2>{});
  evaluate(into(s) = a + b, into(d) = a - b);
  with_device const host("/cpu:0");
  CHECK(to_vector(s) == to_vector(evaluate(a + b)));
  CHECK(to_vector(d) == to_vector(evaluate(a - b)));
}
