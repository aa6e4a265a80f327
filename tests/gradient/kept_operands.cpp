/// The kernels of a gradient read the copies of operands that the forward kernels made.

#include <placement/gradient.hpp>
#include <placement/nets.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace placement;

namespace {

using reals = tensor<float, dextents<1>>;
using number_of = tensor<float, extents<>>;
device const first{kind::gpu, 0}, second{kind::gpu, 1};

/// The copies from host memory to GPUs so far.
std::size_t copies_to_gpus() {
  return copies_between(cpu0, first).copies + copies_between(cpu0, second).copies;
}
/// Numbers in host memory, from 0.5 in steps of 0.01.
template <class... N> auto on_host(N... n) {
  with_device const host("/cpu:0");
  return tensor(iota(shape(n...), 0.5f, 0.01f));
}

}  // namespace

TEST_CASE("A product's gradient sends neither operand again", "[gradient]") {
  auto const x = on_host(8, 4), w = on_host(4, 3);
  with_device const scope("/gpu:0");
  gradient_tape tape(x, w);
  std::size_t const before = copies_to_gpus();
  number_of const loss = sum(square(matmul(x, w)));
  CHECK(copies_to_gpus() - before == 2);
  auto const [dx, dw] = tape.gradient(loss, x, w);
  CHECK(copies_to_gpus() - before == 2);

  with_device const host("/cpu:0");
  gradient_tape there(x, w);
  number_of const same = sum(square(matmul(x, w)));
  auto const [hx, hw] = there.gradient(same, x, w);
  CHECK(to_vector(dx) == to_vector(hx));
  CHECK(to_vector(dw) == to_vector(hw));
}
TEST_CASE("Gradients of convolutions, element-wise ops and parts under on() send no operand again",
          "[gradient]") {
  auto const images = on_host(2, 6, 6, 2), filter = on_host(3, 3, 2, 4);
  auto const a = on_host(5), b = on_host(5);
  with_device const scope("/gpu:0");
  gradient_tape tape(images, filter, a, b);
  std::size_t const before = copies_to_gpus();
  number_of const of_images = mean(relu(conv2d(images, filter)));
  number_of const loss = of_images + sum(exp(a * b) * on("/gpu:1", tanh(a * 2.f)));
  std::size_t const forward = copies_to_gpus() - before;
  CHECK(forward == 5);
  auto const gradients = tape.gradient(loss, images, filter, a, b);
  CHECK(copies_to_gpus() - before == forward);
}
TEST_CASE("The gradient of an op without a GPU kernel reads the copy on the CPU", "[gradient]") {
  reals a;
  {
    with_device const scope("/gpu:0");
    a = reals(on_host(4) + 0.f);
  }
  with_device const host("/cpu:0");
  gradient_tape tape(a);
  copy_count const before = copies_between(first, cpu0);
  number_of const loss = sum(square(a));
  CHECK(copies_between(first, cpu0).copies == before.copies + 1);
  reals const g = tape.gradient(loss, a);
  CHECK(copies_between(first, cpu0).copies == before.copies + 1);
  CHECK(to_string(g) == "[1 1.02 1.04 1.06]");
}
TEST_CASE("Copies of operands that no pullback reads are not kept", "[gradient]") {
  constexpr index_t n = 1 << 16;
  constexpr std::size_t bytes = n * sizeof(float);
  auto const a = on_host(n), b = on_host(n);
  with_device const scope("/gpu:0");
  std::size_t const before = memory_stats_of(first).in_use;
  gradient_tape tape(a, b);
  reals const sums = a + b;
  CHECK(memory_stats_of(first).in_use - before == bytes);
  reals const products = a * b;
  CHECK(memory_stats_of(first).in_use - before == 4 * bytes);
  reals const factors = sums * a;  // the gradient of a reads the sums alone
  CHECK(memory_stats_of(first).in_use - before == 6 * bytes);
  number_of const loss = sum(products + factors);
  static_cast<void>(tape.gradient(loss, a));
  CHECK(memory_stats_of(first).in_use - before < 4 * bytes);
}
TEST_CASE("Kept copies have the elements that the statement read", "[gradient]") {
  float borrowed[3] = {1, 2, 3};
  reals w = on_host(3);
  reals const old = w;  // the same elements
  with_device const scope("/gpu:0");
  gradient_tape tape(w);
  reals const x = borrow(borrowed, shape(3)) * 1.f;
  number_of const loss = sum(borrow(borrowed, shape(3)) * w * w) + sum(x);
  borrowed[0] = 100;
  {
    no_gradient const pause;
    w = w * 0.f;
  }
  std::size_t const before = copies_to_gpus();
  reals const g = tape.gradient(loss, old);
  CHECK(copies_to_gpus() == before);
  CHECK(to_string(g) == "[1 2.04 3.12]");  // 2 w times 1, 2, 3
}
TEST_CASE("A persistent tape and nested tapes read the same copies", "[gradient]") {
  auto const x = on_host(8, 4), w = on_host(4, 3);
  with_device const scope("/gpu:0");
  gradient_tape outer(persistent, w);
  number_of loss = sum(x);
  std::size_t const before = copies_to_gpus();
  {
    gradient_tape inner(w);
    loss = sum(matmul(x, w));
    CHECK(copies_to_gpus() - before == 2);
    static_cast<void>(inner.gradient(loss, w));
  }
  static_cast<void>(outer.gradient(loss, w));
  static_cast<void>(outer.gradient(loss, w));
  CHECK(copies_to_gpus() - before == 2);
}
TEST_CASE("A slice's copied part serves its gradient", "[gradient]") {
  auto const x = on_host(100, 4), w = on_host(4, 3);
  with_device const scope("/gpu:0");
  gradient_tape tape(w);
  copy_count const before = copies_between(cpu0, first);
  number_of const loss = sum(matmul(slice(x, range{10, 20}), w));
  static_cast<void>(tape.gradient(loss, w));
  copy_count const after = copies_between(cpu0, first);
  CHECK(after.copies - before.copies == 2);
  CHECK(after.bytes - before.bytes == (10 * 4 + 4 * 3) * sizeof(float));
}
TEST_CASE("Two copied parts of one tensor serve their own gradients", "[gradient]") {
  auto const x = on_host(20, 4), w = on_host(4, 3), v = on_host(4, 3);
  auto const step = [&] {
    gradient_tape tape(w, v);
    number_of const loss =
        sum(matmul(slice(x, range{0, 8}), w) + matmul(slice(x, range{12, 20}), v));
    return tape.gradient(loss, w, v);
  };
  auto const [dw, dv] = [&] {
    with_device const scope("/gpu:0");
    return step();
  }();
  with_device const host("/cpu:0");
  auto const [hw, hv] = step();
  CHECK(to_vector(dw) == to_vector(hw));
  CHECK(to_vector(dv) == to_vector(hv));
}
TEST_CASE("With explicit transfers a gradient needs no transfer that its forward op did not need",
          "[gradient]") {
  auto const x = on_host(8, 4), w = on_host(4, 3);
  with_device const scope("/gpu:0");
  gradient_tape tape(w);
  number_of const loss = sum(matmul(x, w));
  with_device const strictly("/gpu:0", transfers::refuse);
  CHECK(tape.gradient(loss, w).shape() == w.shape());
}

TEST_CASE("explain, plans and observers name the forward op of a gradient's op", "[gradient]") {
  auto const x = on_host(8, 4), w = on_host(4, 3);
  auto const e = gradient<0>(sum(square(tanh(matmul(x, leaf<0>(w))))));
  std::string const text = explain(e);
  CHECK(text.find("; gradient of MatMul\n") != std::string::npos);
  CHECK(text.find("; gradient of Tanh\n") != std::string::npos);
  auto const p = plan_of(e, this_machine());
  CHECK(p.node("TanhGrad").gradient_of == "Tanh");
  CHECK(p.node("MatMul", 0).gradient_of.empty());  // of the forward pass
  CHECK(to_json(p).find("\"gradient_of\": \"Tanh\"") != std::string::npos);
  CHECK(explain(tanh(x)).find("gradient of") == std::string::npos);

  std::vector<std::pair<std::string, std::string>> seen;
  gradient_tape tape(w);
  matrix<float> const h = tanh(matmul(x, w) + 1.f);
  number_of const loss = sum(h);
  auto const note = [](op_event const& event, void* all) noexcept {
    if (event.kind == op_event_kind::op)
      static_cast<decltype(seen)*>(all)->emplace_back(event.op, event.gradient_of);
  };
  set_op_observer(note, &seen);
  matrix<float> const g = tape.gradient(loss, w);
  matrix<float> const plain = g + 1.f;
  set_op_observer(nullptr);
  auto const forward_of = [&](std::string const& op) {
    for (auto const& [name, of] : seen)
      if (name == op) return of;
    return std::string("no such op");
  };
  CHECK(forward_of("TanhGrad") == "Tanh");
  CHECK(forward_of("MatMul") == "MatMul");
  CHECK(seen.back() == std::pair<std::string, std::string>("Add", ""));
}
