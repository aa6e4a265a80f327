/// Gradients on two simulated GPUs: each op of the backward pass runs on the device of its forward
/// op.

#include <placement/gradient.hpp>

#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace placement;

namespace {

using reals = tensor<float, dextents<1>>;
using number_of = tensor<float, extents<>>;
device const first{kind::gpu, 0}, second{kind::gpu, 1};

/// The ops that ran during its lifetime, with their devices.
class observed_ops {
 public:
  observed_ops() { set_op_observer(&observed_ops::note, this); }
  ~observed_ops() { set_op_observer(nullptr); }
  observed_ops(observed_ops const&) = delete;
  observed_ops& operator=(observed_ops const&) = delete;

  /// The devices on which this op ran.
  std::vector<std::string> devices_of(std::string_view op) const {
    std::vector<std::string> found;
    for (auto const& [name, where] : seen_)
      if (name == op) found.push_back(where);
    return found;
  }
  std::size_t on(device d) const {
    return static_cast<std::size_t>(std::count_if(
        seen_.begin(), seen_.end(), [&](auto const& e) { return e.second == to_string(d); }));
  }
  std::size_t size() const { return seen_.size(); }

 private:
  static void note(op_event const& e, void* self) noexcept {
    if (e.kind == op_event_kind::op && !e.is_constant)
      static_cast<observed_ops*>(self)->seen_.emplace_back(e.op, to_string(e.actual));
  }
  std::vector<std::pair<std::string, std::string>> seen_;
};

/// x^3, on the CPU only.
struct cube_op {
  static constexpr std::string_view name = "Cube";
  using pattern = map;
  using kernels = cpu_only;
  template <std::floating_point T> constexpr T operator()(T x) const noexcept { return x * x * x; }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return g * square(x) * 3.f;
  }
};
template <operand X> auto cube(X&& x, site at = site::here()) -> unary<cube_op, X> {
  return {{}, at, std::forward<X>(x)};
}

/// The copies between all devices so far.
std::size_t all_copies() {
  std::size_t n = 0;
  for (device const from : {cpu0, first, second})
    for (device const to : {cpu0, first, second}) n += copies_between(from, to).copies;
  return n;
}

TEST_CASE("The backward pass runs on the devices of the forward pass", "[gradient]") {
  reals const a{1, 2};
  gradient_tape tape(a);
  reals h, y;
  {
    with_device const scope("/gpu:0");
    h = exp(a * 2.f);
  }
  {
    with_device const scope("/gpu:1");
    y = tanh(h * 0.1f);
  }
  number_of const loss = on("/gpu:1", sum(y));
  observed_ops const ops;
  reals const g = tape.gradient(loss, a);
  CHECK(ops.devices_of("TanhGrad") == std::vector{to_string(second)});
  CHECK(ops.on(first) != 0);
  CHECK(ops.on(first) + ops.on(second) == ops.size());
  CHECK(g.where() == first);
}
TEST_CASE("The part of a statement under on() is pulled back on its device", "[gradient]") {
  with_device const scope("/gpu:0");
  reals const a{1, 2};
  gradient_tape tape(a);
  number_of const loss = sum(on("/gpu:1", tanh(a)) * a);
  observed_ops const ops;
  CHECK(to_vector(tape.gradient(loss, a)).size() == 2);
  CHECK(ops.devices_of("TanhGrad") == std::vector{to_string(second)});
}
TEST_CASE("The static form runs gradients below on() on its device, and those above elsewhere",
          "[gradient]") {
  with_device const scope("/gpu:0");
  reals const a{1, 2};
  auto const e = sum(sigmoid(on("/gpu:1", tanh(leaf<0>(a) * 0.5f))));
  observed_ops const ops;
  reals const g = gradient<0>(e);
  CHECK(ops.devices_of("TanhGrad") == std::vector{to_string(second)});
  CHECK(ops.devices_of("SigmoidGrad") == std::vector{to_string(first)});
  gradient_tape tape(a);
  number_of const loss = sum(sigmoid(on("/gpu:1", tanh(a * 0.5f))));
  CHECK(item(max(abs(g - tape.gradient(loss, a)))) < 1e-6f);
}
TEST_CASE("The static form of a loss under on(), and of a leaf there", "[gradient]") {
  reals const a{1, 2};
  auto const e = on("/gpu:0", sum(exp(leaf<0>(a)) * on("/gpu:1", leaf<0>(a))));
  observed_ops const ops;
  reals const g = gradient<0>(e);
  CHECK(ops.on(first) + ops.on(second) == ops.size());
  CHECK(item(max(abs(g - exp(a) * (a + 1.f)))) < 1e-4f);
}
TEST_CASE("Copies between devices pass gradients on", "[gradient]") {
  reals const a{1, 2};
  gradient_tape tape(a);
  reals const there = copy_to("/gpu:1", a);
  reals const by_on = on("/gpu:0", a);
  number_of const loss = sum(there * there * by_on);
  CHECK(to_string(tape.gradient(loss, a)) == "[3 12]");
}
TEST_CASE("A tensor under on() within a statement passes gradients on", "[gradient]") {
  with_device const scope("/cpu:0");
  reals const a{1, 2};
  gradient_tape tape(a);
  number_of const loss = sum(on("/gpu:1", a) * a);
  CHECK(to_string(tape.gradient(loss, a)) == "[2 4]");
}
TEST_CASE("copy_to of an expression passes gradients on", "[gradient]") {
  reals const a{1, 2};
  gradient_tape tape(a);
  reals const there = copy_to("/gpu:1", a * a);
  number_of const loss = sum(there);
  CHECK(to_string(tape.gradient(loss, a)) == "[2 4]");
}
TEST_CASE("Tensors with a device in the type are recorded", "[gradient]") {
  tensor<float, dextents<1>, dev<kind::gpu, 1>> a{1, 2};
  gradient_tape tape;
  reals const w{3, 4};
  tape.watch(w);
  tensor<float, dextents<1>, dev<kind::gpu, 1>> const y = a * w * w;
  number_of const loss = sum(y);
  CHECK(to_string(tape.gradient(loss, w)) == "[6 16]");
}
TEST_CASE("Averaged gradients of two towers are the gradient of the joined batch", "[gradient]") {
  matrix<float> const x{{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  reals const w{0.5f, -0.25f};
  auto const mean_square = [&](auto const& rows) { return mean(square(matmul(rows, w))); };
  std::vector<reals> towers;
  for (int i = 0; i != 2; ++i) {
    with_device const gpu(device{kind::gpu, i});
    gradient_tape tape(w);
    number_of const loss = mean_square(slice(x, range{2 * i, 2 * i + 2}));
    towers.push_back(tape.gradient(loss, w));
    CHECK(towers.back().where() == device{kind::gpu, i});
  }
  gradient_tape tape(w);
  number_of const loss = mean_square(x);
  reals const whole = tape.gradient(loss, w);
  reals const averaged = (towers[0] + towers[1]) * 0.5f;
  CHECK(item(max(abs(whole - averaged))) < 1e-5f);
}
TEST_CASE("A static form's gradient of a slice stays on the GPU", "[gradient]") {
  with_device const scope("/gpu:0");
  reals const a{1, 2, 3};
  observed_ops const ops;
  reals const g = gradient<0>(sum(square(slice(leaf<0>(a), range{1, 3}))));
  CHECK(to_string(g) == "[0 4 6]");
  CHECK(ops.on(first) == ops.size());
}
TEST_CASE("A tape's gradient of a slice stays on the GPU", "[gradient]") {
  with_device const scope("/gpu:0");
  reals const a{1, 2, 3};
  gradient_tape tape(a);
  number_of const loss = sum(square(slice(a, range{1, 3})));
  observed_ops const ops;
  reals const g = tape.gradient(loss, a);
  CHECK(to_string(g) == "[0 4 6]");
  CHECK(ops.on(first) == ops.size());
}

TEST_CASE("The gradient of an op that fell back runs where the op ran", "[gradient]") {
  with_device const scope("/gpu:0");
  reals const a{1, 2};
  gradient_tape tape(a);
  reals const h = tanh(a);
  std::vector<std::string> forward;
  reals c;
  {
    observed_ops const ops;
    c = cube(h);
    forward = ops.devices_of("Cube");
  }
  REQUIRE(forward == std::vector{to_string(cpu0)});
  number_of const loss = sum(c);
  observed_ops const ops;
  reals const g = tape.gradient(loss, a);
  // The two products of Cube, fused, on the CPU, and tanh's gradient on the GPU again.
  CHECK(ops.devices_of("Square") == std::vector{to_string(cpu0)});
  CHECK(ops.devices_of("Mul") == std::vector<std::string>(2, to_string(cpu0)));
  CHECK(ops.devices_of("TanhGrad") == std::vector{to_string(first)});
  CHECK(g.where() == first);
  CHECK(item(max(abs(g - 3.f * square(tanh(a)) * (1.f - square(tanh(a)))))) < 1e-6f);
}
TEST_CASE("A step whose tensors are on one GPU copies nothing", "[gradient]") {
  reals const a = copy_to("/gpu:1", reals{1, 2}), w = copy_to("/gpu:1", reals{3, 4});
  std::size_t const before = all_copies();
  with_device const scope("/gpu:1", no_copies);
  gradient_tape tape(a, w);
  reals const h = tanh(a * w);
  number_of const loss = sum(square(h) * w);
  auto const [ga, gw] = tape.gradient(loss, a, w);
  CHECK(ga.where() == second);
  CHECK(gw.where() == second);
  CHECK(all_copies() == before);
}
TEST_CASE("A budget counts the copies of a step, forward and backward", "[gradient]") {
  reals const a = copy_to("/cpu:0", reals{1, 2}), w = copy_to("/cpu:0", reals{3, 4});
  struct counts {
    std::size_t forward, backward;
  };
  auto const step = [&]() -> counts {
    gradient_tape tape(a, w);
    std::size_t const start = all_copies();
    reals const h = tanh(a * w);
    number_of const loss = sum(square(h) * w);
    std::size_t const middle = all_copies();
    auto const gradients = tape.gradient(loss, a, w);
    return {middle - start, all_copies() - middle};
  };
  {
    // Forward a and w, and w again. The kernels of the backward pass read the same copies.
    with_device const scope("/gpu:0", at_most<copies, 3>{});
    counts const c = step();
    CHECK(c.forward == 3);
    CHECK(c.backward == 0);
  }
  with_device const scope("/gpu:0", at_most<copies, 2>{});
  std::string const message = error_message<placement_error>(step);
  CHECK(message.starts_with("placement: at most 2 copies are allowed here"));
}

}  // namespace
