/// A gradient_tape across statements: loops, updates, views, nesting, errors.

#include <placement/gradient.hpp>

#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace placement;

namespace {

using reals = tensor<float, dextents<1>>;
using number_of = tensor<float, extents<>>;

TEST_CASE("A tape records loops, branches and shared results", "[gradient]") {
  reals const a{1, 2}, b{3, 5};
  gradient_tape tape(a, b);
  reals h = a;
  for (int i = 0; i != 3; ++i) {
    if (i == 1) h = h * b;
    else h = h + a;
  }
  number_of const loss = sum(h * h);  // h = 2 a b + a
  auto const [of_a, of_b] = tape.gradient(loss, a, b);
  CHECK(to_string(of_a) == "[98 484]");  // 2 (2 a b + a) (2 b + 1)
  CHECK(to_string(of_b) == "[28 176]");  // 2 (2 a b + a) 2 a
}
TEST_CASE("A tape adds the gradients of a tensor that is an operand twice", "[gradient]") {
  reals const a{1, 2};
  gradient_tape tape(a);
  reals const h = a + a;
  number_of const loss = sum(h + h);
  CHECK(to_string(tape.gradient(loss, a)) == "[4 4]");
}
TEST_CASE("A tape keeps the values that an update replaces", "[gradient]") {
  reals const a{1, 2};
  gradient_tape tape(a);
  reals h = a * 1.f;
  number_of loss = sum(h * h);
  h += a;        // 2 a
  h *= h * 3.f;  // 12 a^2
  loss += sum(h);
  CHECK(to_string(tape.gradient(loss, a)) == "[26 52]");
}
/// x, whose pullback notes the memory in use.
struct probe_op {
  static constexpr std::string_view name = "Probe";
  using pattern = map;
  static inline std::size_t in_use = 0;
  template <std::floating_point T> PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    return x;
  }
  using pullback_reads = reads_nothing;
  template <std::size_t, class> static auto pullback(auto const& g, auto const&, auto const&) {
    in_use = memory_stats_of(cpu0).in_use;
    return g;
  }
};
TEST_CASE("A tape frees each result when its record is passed", "[gradient]") {
  with_device const cpu("/cpu:0");
  constexpr index_t n = 1 << 19;
  std::size_t const before = memory_stats_of(cpu0).in_use;
  reals const a = ones<float>(n);
  gradient_tape tape(a);
  number_of loss = sum(a);
  {
    reals h = unary<probe_op, reals const&>{{}, site::here(), a};
    for (int i = 0; i != 8; ++i) h = tanh(h);
    loss = sum(h);
  }
  std::size_t const bytes = n * sizeof(float);
  CHECK(memory_stats_of(cpu0).in_use - before >= 10 * bytes);
  static_cast<void>(tape.gradient(loss, a));
  CHECK(probe_op::in_use - before < 6 * bytes);
}
TEST_CASE("A tape records assignments through views", "[gradient]") {
  reals const a{1, 2, 3}, b{5};
  gradient_tape tape(a, b);
  reals h = a * 2.f;
  slice(view(h), range{0, 2}) = b * 3.f;
  slice(view(h), range{2, 3}) *= b;
  number_of const loss = sum(h * h);  // [15 15 30]
  auto const [of_a, of_b] = tape.gradient(loss, a, b);
  CHECK(to_string(h) == "[15 15 30]");
  CHECK(to_string(of_a) == "[0 0 600]");
  CHECK(to_string(of_b) == "[540]");  // 2 * 30 * 3 + 60 * 6
}
TEST_CASE("A tape records a number assigned through a view, and of a whole tensor", "[gradient]") {
  reals const a{1, 2, 3};
  gradient_tape tape(a);
  reals h = a * 2.f;
  slice(view(h), range{1, 2}) = 7.f;
  reals k = a;
  view(k) = h * a;
  number_of const loss = sum(k);
  CHECK(to_string(tape.gradient(loss, a)) == "[4 7 12]");
}
TEST_CASE("A record of a view keeps the elements that it read", "[gradient]") {
  reals const a{1, 2}, b{3, 4};
  gradient_tape tape(a, b);
  reals y;
  {
    reals h = a * 2.f;
    y = view(h) * b;
    h += 100.f;
  }
  number_of const loss = sum(y);
  auto const [of_a, of_b] = tape.gradient(loss, a, b);
  CHECK(to_string(of_a) == "[6 8]");
  CHECK(to_string(of_b) == "[2 4]");
}
TEST_CASE("stop_gradient, no_gradient, integers and bool stop gradients", "[gradient]") {
  reals const a{1, -2, 3};
  gradient_tape tape(a);
  reals constant_part = a;
  {
    no_gradient const pause;
    constant_part = a * a;
  }
  number_of const loss = sum(stop_gradient(a) * a + constant_part * a + cast<float>(a > 0.f) * a +
                             cast<float>(cast<int>(a)));
  CHECK(to_string(tape.gradient(loss, a)) == "[3 2 13]");
}
TEST_CASE("A statement that throws leaves the tape as it was", "[gradient]") {
  matrix<float> const a = ones<float>(2, 3);
  gradient_tape tape(a);
  matrix<float> y = a * 2.f;
  CHECK_THROWS_AS(y = matmul(y, a), shape_error);
  number_of const loss = sum(y);
  CHECK(to_vector(tape.gradient(loss, a)) == std::vector<float>(6, 2.f));
}
TEST_CASE("Nested tapes record both", "[gradient]") {
  reals const a{1, 2};
  gradient_tape outer(a);
  reals const h = a * 3.f;
  number_of loss(0.f);
  {
    gradient_tape inner(h);
    loss = sum(h * h);
    CHECK(to_string(inner.gradient(loss, h)) == "[6 12]");
  }
  CHECK(to_string(outer.gradient(loss, a)) == "[18 36]");
}
TEST_CASE("A persistent tape gives several gradients", "[gradient]") {
  reals const a{1, 2};
  gradient_tape tape(persistent, a);
  reals const h = a * a;
  number_of const first = sum(h), second = sum(h * a);
  CHECK(to_string(tape.gradient(first, a)) == "[2 4]");
  CHECK(to_string(tape.gradient(second, a)) == "[3 12]");
  CHECK(to_string(tape.gradient(first, a)) == "[2 4]");
}
TEST_CASE("The gradient by a result, and the loss itself", "[gradient]") {
  reals const a{1, 2};
  gradient_tape tape(a);
  reals const h = a * a;
  tape.watch(h);  // as a result it is watched already
  number_of const loss = sum(h * h);
  auto const [of_h, of_a, of_loss] = tape.gradient(loss, h, a, loss);
  CHECK(to_string(of_h) == "[2 8]");
  CHECK(to_string(of_a) == "[4 32]");
  CHECK(item(of_loss) == 1.f);
}
TEST_CASE("A tape refuses gradients of gradients", "[gradient]") {
  reals const a{1, 2};
  gradient_tape outer(a);
  gradient_tape inner(a);
  number_of const loss = sum(a * a);
  reals const g = inner.gradient(loss, a);
  std::string const refused =
      " reads a gradient under a gradient_tape, which is of first order. Write no_gradient around "
      "an update, or gradient<0>(e), an expression that can be differentiated again.";
  CHECK(error_message([&] { number_of const again = sum(g * a); }).find(refused) !=
        std::string::npos);
  reals const copied = copy_to("/gpu:1", g);
  CHECK(error_message([&] { number_of const again = sum(copied * copied); }).find(refused) !=
        std::string::npos);
}
TEST_CASE("Each thread has a tape of its own", "[gradient]") {
  std::array<std::string, 4> found;
  reals const shared{1, 2};
  gradient_tape tape(shared);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i != found.size(); ++i)
    threads.emplace_back([&found, &shared, i] {
      reals const a = shared * static_cast<float>(i + 1);
      gradient_tape mine(a);
      number_of const loss = sum(a * a);
      found[i] = to_string(mine.gradient(loss, a));
    });
  for (std::thread& t : threads) t.join();
  CHECK(found == std::array<std::string, 4>{"[2 4]", "[4 8]", "[6 12]", "[8 16]"});
  number_of const loss = sum(shared * 5.f);
  CHECK(to_string(tape.gradient(loss, shared)) == "[5 5]");
}
TEST_CASE("Tapes end in any order", "[gradient]") {
  reals const a{1, 2};
  auto first = std::make_unique<gradient_tape>(a);
  gradient_tape second(a);
  first.reset();
  number_of const loss = sum(a * 5.f);
  CHECK(to_string(second.gradient(loss, a)) == "[5 5]");
  auto third = std::make_unique<gradient_tape>(a);
  {
    no_gradient const pause;
    no_gradient const again;
    third.reset();
  }
  CHECK(to_string(a * 5.f) == "[5 10]");  // read without a tape
  gradient_tape fourth(a);
  CHECK(to_string(fourth.gradient(number_of(sum(a * 2.f)), a)) == "[2 2]");
}
TEST_CASE("After gradient() an update is in place, and no memory is kept", "[gradient]") {
  with_device const cpu("/cpu:0");
  reals a{1, 2, 3};
  void const* const address = a.read().data();
  gradient_tape tape(a);
  std::size_t const before = memory_stats_of(cpu0).in_use;
  {
    reals g;
    {
      number_of const loss = sum(tanh(a * 2.f) * a);
      g = tape.gradient(loss, a);
    }
    a -= g * 0.1f;
  }
  CHECK(a.read().data() == address);
  CHECK(memory_stats_of(cpu0).in_use == before);
}
TEST_CASE("evaluate() of several results is recorded, and reads before it writes", "[gradient]") {
  reals const a{1, 2}, b{3, 4};
  gradient_tape tape(a, b);
  reals p = a * 1.f, q = b * 1.f;
  evaluate(into(p) = p + q, into(q) = p * q);
  CHECK(to_string(p) == "[4 6]");
  CHECK(to_string(q) == "[3 8]");
  number_of const loss = sum(p * q);  // (a + b) a b
  auto const [of_a, of_b] = tape.gradient(loss, a, b);
  CHECK(to_string(of_a) == "[15 32]");  // 2 a b + b^2
  CHECK(to_string(of_b) == "[7 20]");
}

// ---- errors

TEST_CASE("Errors of gradient() and watch()", "[gradient]") {
  reals const a{1, 2}, other{1, 2}, same = a;
  gradient_tape tape(a);
  CHECK(error_message([&] { tape.watch(same); }) ==
        "placement: a tensor of shape [2] shares its elements with another tensor that the "
        "gradient_tape watches. Watch each tensor once. Where two are meant, copy one before: "
        "tensor b = a + 0.f.");
  std::vector<float> memory{1, 2};
  tensor const lent = borrow(memory.data(), shape(2));
  CHECK(error_message([&] { tape.watch(lent); }) ==
        "placement: a gradient_tape cannot watch a tensor of shape [2] in borrowed memory, whose "
        "elements others may change. Use a tensor with memory of its own.");
  number_of const constant_loss = sum(other);
  CHECK(error_message([&] { static_cast<void>(tape.gradient(constant_loss, a)); }) ==
        "placement: the loss was not recorded by this gradient_tape. Compute it after the tape is "
        "made, from a watched tensor, in a file that includes placement/gradient.hpp. An "
        "expression that was kept as `auto` reads the tensors it was made of.");
  number_of const loss = sum(a);
  CHECK(error_message([&] { static_cast<void>(tape.gradient(loss, a, other)); }) ==
        "placement: the loss does not depend on a tensor of shape [2] whose gradient was asked "
        "for. Watch it before it is used, ask before it is assigned a new value, or write "
        "tape.gradient(unconnected_zeros, loss, w).");
  CHECK(error_message([&] { static_cast<void>(tape.gradient(loss, a)); }) ==
        "placement: this gradient_tape gave up its records with its first gradient(). Write "
        "gradient_tape tape(persistent, w) to ask for several.");
}
TEST_CASE("unconnected_zeros gives zeros", "[gradient]") {
  reals const a{1, 2}, other{1, 2};
  {
    gradient_tape tape(a, other);
    number_of const loss = sum(a);
    auto const [of_a, of_other] = tape.gradient(unconnected_zeros, loss, a, other);
    CHECK(to_string(of_a) == "[1 1]");
    CHECK(to_string(of_other) == "[0 0]");
  }
  gradient_tape tape(a);
  number_of const loss = sum(other);
  CHECK(to_string(tape.gradient(unconnected_zeros, loss, a)) == "[0 0]");
}
TEST_CASE("Borrowed memory is copied for the record, and is no result of one", "[gradient]") {
  std::vector<float> memory{1, 2};
  tensor lent = borrow(memory.data(), shape(2));
  reals const a{3, 4};
  gradient_tape tape(a);
  number_of const loss = sum(a * lent);
  memory = {100, 100};
  CHECK(to_string(tape.gradient(loss, a)) == "[1 2]");
  tape.watch(a);
  CHECK(error_message([&] { lent = a * 2.f; })
            .starts_with("placement: a recorded value cannot be written to a tensor of shape [2] "
                         "in borrowed memory"));
}
TEST_CASE("An op without a derivative throws if a gradient flows through it", "[gradient]") {
  reals const a{3, 1, 2}, constants{3, 1, 2};
  gradient_tape tape(a);
  reals const sorted = sort(constants);
  std::string const message = error_message([&] { reals const y = exp(sort(a * 2.f)); });
  CHECK(message.starts_with("placement: Sort"));
  CHECK(
      message.ends_with(" has no derivative. Write stop_gradient(x) around its operand, or give "
                        "the op a pullback."));
  reals const stopped = sort(stop_gradient(a));
  number_of const loss = sum(a * sorted * stopped);
  CHECK(to_string(tape.gradient(loss, a)) == "[1 4 9]");
}
TEST_CASE("Inline tensors refuse watched tensors", "[gradient]") {
  tensor<float, extents<2>> const a{1, 2};
  tensor<float, extents<2>, dev<kind::cpu, 0>> y;
  gradient_tape tape(a);
  CHECK(error_message([&] { y = a * 2.f; })
            .find(" reads a tensor that a gradient_tape watches, and its result is a small static "
                  "tensor on CPU:0, which no tape records. Leave the device out of its type.") !=
        std::string::npos);
}
TEST_CASE("Gradients of lists of tensors", "[gradient]") {
  reals const a{1, 2}, b{3, 4};
  gradient_tape tape(a, b);
  std::vector<reals> const both{a, b};
  reals const weights{1, 10, 100, 1000};
  number_of const loss =
      sum(concat(0, both) * weights) + sum(stack(0, both) * reshape(weights, shape(2, 2)));
  number_of const all = loss + sum(add_n(both) * b);
  auto const [of_a, of_b] = tape.gradient(all, a, b);
  CHECK(to_string(of_a) == "[5 24]");
  CHECK(to_string(of_b) == "[207 2010]");  // 200 + b + a + b
}

}  // namespace
