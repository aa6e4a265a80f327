// gpus: 0 1 2 4
// Budgets at run time: a limit of operand copies for a scope or an evaluation, and forbidden
// fallbacks. A rejected evaluation has no effect.
#include <support/gpus.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <thread>

using namespace placement;

namespace {

using vec = tensor<float, dextents<1>>;

vec on_host(float x, float y) { return copy_to(cpu0, vec{x, y}); }

std::string all_devices() {
  std::string text = "/CPU:0";
  for (int i = 0; i != gpus_of_test(); ++i) text += ", " + to_string(device{kind::gpu, i});
  return text;
}

/// The error for one copy too many, for an op at user.cpp:5.
std::string beyond(std::string const& max, std::string const& op, std::string const& to) {
  return "placement: at most " + max + " allowed here, and an operand of " + op +
         " on /CPU:0 would be another, to " + to +
         " at user.cpp:5. Move it with copy_to, run the op where its operands are, or allow more.";
}
/// The error for Relu at user.cpp:5, which cannot run on a device.
std::string not_on(std::string const& name, std::string const& what, std::string const& remedy) {
  return "Cannot assign a device to node 'Relu': Could not satisfy explicit device specification '" +
         name + "' for Relu<float> [2]: " + what + " at user.cpp:5; available: " + all_devices() +
         ". " + remedy;
}
constexpr site here{"user.cpp", 5};

template <class Call> std::string refused(Call call) {
  return error_message<placement_error>(call);
}

/// Without a GPU everything runs on the CPU, and there are no copies to count.
bool has_gpu() { return gpus_of_test() != 0; }

}  // namespace

TEST_CASE("the no_copies error names the source, the destination and the op of the copy") {
  vec const a = on_host(-1, 2);
  with_device const scope("/gpu:0", no_copies);
  std::string const said = refused([&] { vec const b = relu(a, here); });
  CHECK(said == (has_gpu() ? beyond("0 copies are", "Relu", "/GPU:0") : ""));
}

TEST_CASE("no_copies allows expressions that need no copy") {
  vec const a = copy_to(has_gpu() ? gpu0 : cpu0, on_host(-1, 2));
  with_device const scope("/gpu:0", no_copies);
  vec const b = relu(a) + a;
  CHECK(to_string(b) == "[-1 4]");
}

TEST_CASE("a budget counts the copies of all evaluations in its scope") {
  vec const a = on_host(-1, 2), b = on_host(3, 4);
  std::size_t const before = all_copies().copies;
  with_device const scope("/gpu:0", at_most<copies, 2>{});
  vec const c = relu(a), d = relu(b);
  std::string const said = refused([&] { vec const e = relu(b, here); });
  CHECK(said == (has_gpu() ? beyond("2 copies are", "Relu", "/GPU:0") : ""));
  CHECK(all_copies().copies - before == (has_gpu() ? 2 : 0));
  CHECK(to_string(c) == "[0 2]");
}

TEST_CASE(
    "the error for a budget of one is in the singular, and a twice-read operand is one copy") {
  vec const a = on_host(-1, 2), b = on_host(3, 4);
  with_device const scope("/gpu:0", at_most<copies, 1>{});
  vec const twice = relu(a) * a;
  std::string const said = refused([&] { vec const c = maximum(twice, b, here); });
  CHECK(said == (has_gpu() ? beyond("1 copy is", "Maximum", "/GPU:0") : ""));
}

TEST_CASE("the innermost budget applies, and its copies also count in the outer one") {
  vec const a = on_host(-1, 2);
  with_device const outer("/gpu:0", at_most<copies, 3>{});
  {
    with_device const inner("", at_most<copies, 1>{});
    with_device const again("/gpu:0");  // sets no budget
    vec const b = relu(a);
    CHECK(refused([&] { vec const c = relu(a, here); }) ==
          (has_gpu() ? beyond("1 copy is", "Relu", "/GPU:0") : ""));
  }
  vec const d = relu(a), e = relu(a);
  CHECK(refused([&] { vec const f = relu(a, here); }) ==
        (has_gpu() ? beyond("3 copies are", "Relu", "/GPU:0") : ""));
}

TEST_CASE("an inner budget can allow more than the outer one") {
  vec const a = on_host(-1, 2);
  with_device const outer("/gpu:0", no_copies);
  {
    with_device const inner("/gpu:0", at_most<copies, 1>{});
    CHECK(to_string(vec(relu(a))) == "[0 2]");
  }
  CHECK(refused([&] { vec const c = relu(a); }).empty() == !has_gpu());
}

TEST_CASE("a budget for one evaluation starts anew with each, and ends with it") {
  vec const a = on_host(-1, 2), b = on_host(3, 4);
  with_device const scope("/gpu:0");
  for (int i = 0; i != 3; ++i) CHECK(to_string(evaluate(relu(a), at_most<copies, 1>{})) == "[0 2]");
  CHECK(refused([&] { evaluate(add(a, b, here), at_most<copies, 1>{}); }) ==
        (has_gpu() ? beyond("1 copy is", "Add", "/GPU:0") : ""));
  CHECK(refused([&] { evaluate(relu(a, here), no_copies); }) ==
        (has_gpu() ? beyond("0 copies are", "Relu", "/GPU:0") : ""));
  CHECK(to_string(evaluate(a + b)) == "[2 6]");
}

TEST_CASE("copies of results, and of tensors that on() moves, count like copies of operands") {
  vec const a = on_host(-1, 2);
  auto const e = on("/cpu:0", on("/gpu:0", relu(on("/gpu:1", a))) + 1.f);
  std::size_t const needed = plan_of(e).copies();
  std::size_t const expected[] = {0, 2, 3, 3, 3};
  REQUIRE(needed == expected[gpus_of_test()]);
  with_device const scope("");
  CHECK(to_string(evaluate(e, at_most<copies, 3>{})) == "[1 3]");
  CHECK(refused([&] { evaluate(e, at_most<copies, 2>{}); }).empty() == (needed <= 2));
  CHECK(refused([&] { evaluate(e, at_most<copies, 1>{}); }).empty() == (needed <= 1));
}

TEST_CASE("copy_to is explicit and counts in no budget") {
  vec const a = on_host(-1, 2);
  with_device const scope("/gpu:0", no_copies);
  vec const there = copy_to(has_gpu() ? gpu0 : cpu0, a);
  CHECK(to_string(vec(relu(there))) == "[0 2]");
}

TEST_CASE("a tensor without elements needs no copy, in kernels and in on()") {
  vec const none = copy_to(cpu0, evaluate(zeros<float>(shape(0))));
  with_device const scope("/gpu:0", no_copies);
  CHECK(vec(relu(none)).size() == 0);
  vec const moved = on("/gpu:0", none);
  CHECK(moved.where() == (has_gpu() ? gpu0 : cpu0));
}

TEST_CASE("budgets apply to the thread that set them") {
  vec const a = on_host(-1, 2);
  with_device const scope("/gpu:0", no_copies);
  std::string other = "not run";
  std::thread([&] { other = to_string(evaluate(on("/gpu:0", relu(a)))); }).join();
  CHECK(other == "[0 2]");
}

TEST_CASE("no_fallback rejects a device that does not exist, also under soft placement") {
  vec const a = on_host(-1, 2);
  std::string const remedy = "Leave no_fallback out to let it run elsewhere.";
  std::size_t const before = fallback_count();
  with_device const scope("/gpu:7", no_fallback, soft_placement{});
  CHECK(refused([&] { vec const b = relu(a, here); }) ==
        not_on("/gpu:7", "no such device", remedy));
  CHECK(fallback_count() == before);
}

TEST_CASE("no_fallback rejects an op without a GPU kernel that would have run on a GPU") {
  vec const a = on_host(-1, 2);
  with_device const scope("", no_fallback);
  std::string const said = refused([&] { vec const b = next(a, here); });
  CHECK(said ==
        (has_gpu()
             ? "Cannot assign a device to node 'Next': Could not satisfy explicit device "
               "specification '' for Next<float> [2]: no GPU kernel for this op and element type "
               "at user.cpp:5; available: " +
                   all_devices() + ". Leave no_fallback out to let it run elsewhere."
             : ""));
  with_device const on_cpu("/cpu:0");
  CHECK(to_string(vec(next(a))) == "[0 3]");
}

TEST_CASE("no_fallback for one evaluation ends with it") {
  vec const a = on_host(-1, 2);
  with_device const scope("/gpu:7");
  CHECK(!refused([&] { evaluate(relu(a), no_fallback); }).empty());
  CHECK(to_string(evaluate(relu(a))) == "[0 2]");
}

TEST_CASE("a strict scope of a run-time device has the effect of hard placement") {
  vec const a = on_host(-1, 2);
  with_device const scope("/gpu:7", strict);
  CHECK(refused([&] { vec const b = relu(a, here); }) ==
        not_on("/gpu:7", "no such device", "Allow soft placement to run it elsewhere."));
  with_device const existing(has_gpu() ? "/gpu:0" : "/cpu:0");
  CHECK(to_string(vec(relu(a))) == "[0 2]");
}

TEST_CASE("constraints of a scope apply to expressions pinned to it, and the error names them") {
  vec const a = on_host(-1, 2);
  auto const strictly = [&] {
    with_device const scope(gpu<7>, strict);
    return scope(relu(a, here));
  }();
  auto const without_fallback = [&] {
    with_device const scope(gpu<7>, no_fallback);
    return scope(relu(a, here));
  }();
  auto const without_copies = [&] {
    with_device const scope(gpu<0>, no_copies);
    return scope(relu(a, here));
  }();
  CHECK(refused([&] { vec const b = strictly; }) ==
        not_on("/gpu:7", "no such device", "Leave strict out to let it run elsewhere."));
  CHECK(refused([&] { vec const b = without_fallback; }) ==
        not_on("/gpu:7", "no such device", "Leave no_fallback out to let it run elsewhere."));
  CHECK(refused([&] { vec const b = without_copies; }) ==
        (has_gpu() ? beyond("0 copies are", "Relu", "/GPU:0") : ""));
}

TEST_CASE("a rejected evaluation changes nothing") {
  if (gpus_of_test() < 2) return;
  vec const a = on_host(-1, 2), b = on_host(3, 4), c = on_host(5, 6);
  vec target = copy_to(gpu1, on_host(7, 8));
  float const* const elements = target.data();
  std::size_t in_use[] = {memory_stats_of(gpu0).in_use, memory_stats_of(gpu1).in_use};
  {
    with_device const scope("/gpu:1", at_most<copies, 2>{});
    CHECK(!refused([&] { target = add_n(a, b, c); }).empty());  // after two copies
  }
  CHECK(target.where() == gpu1);
  CHECK(to_string(target.requested()) == "/GPU:1");
  CHECK(target.data() == elements);
  CHECK(to_string(target) == "[7 8]");
  CHECK(to_string(a) == "[-1 2]");
  CHECK(a.where() == cpu0);
  CHECK(memory_stats_of(gpu0).in_use == in_use[0]);
  CHECK(memory_stats_of(gpu1).in_use == in_use[1]);
  with_device const scope("/gpu:1");  // a scope without a budget
  target = add_n(a, b, c);
  CHECK(to_string(target) == "[7 12]");
}
