// Plans at run time. Plans of types use the same code as the compiler's constant evaluation.
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <utility>

using namespace placement;

namespace {

/// A product with an epilogue, and a sum of another product.
using several = decltype(relu(
    matmul(std::declval<matrix<float> const&>(), std::declval<matrix<float> const&>()) +
    sum(std::declval<matrix<float> const&>(), axis<0>)));

template <class Plan> void check_same(Plan const& a, Plan const& b) {
  REQUIRE(a.size == b.size);
  CHECK(a.kernels == b.kernels);
  for (std::size_t i = 0; i != a.size; ++i) {
    CHECK(a.nodes[i].op == b.nodes[i].op);
    CHECK(a.nodes[i].device == b.nodes[i].device);
    CHECK(a.nodes[i].why == b.nodes[i].why);
    CHECK(a.nodes[i].kernel == b.nodes[i].kernel);
  }
  CHECK(a.fallbacks() == b.fallbacks());
}

}  // namespace

TEST_CASE(
    "a type has the same plan for the machine at run time as for an equal machine in the source") {
  constexpr auto nowhere = plan_of<several>(machine{});
  constexpr auto anywhere = plan_of<several>(machine{.gpus = 2});
  constexpr auto scoped = plan_of<several>(machine{.gpus = 2}, {}, gpu1);
  static_assert(nowhere.node("MatMul").device == cpu0);
  static_assert(anywhere.node("MatMul").device == gpu0);
  static_assert(scoped.node("MatMul").device == gpu1);

  machine const found = this_machine();
  REQUIRE(found == machine{.gpus = 2});
  machine none = found;
  none.gpus = 0;
  check_same(plan_of<several>(none), nowhere);
  check_same(plan_of<several>(found), anywhere);
  check_same(plan_of<several>(found, {}, device_spec::of(parse_name("/gpu:1"))), scoped);
}

TEST_CASE("a plan without the named op, or with fewer of them, throws an error") {
  matrix<float> const a{{1.f, 2.f}, {3.f, 4.f}};
  auto const plan = plan_of(relu(a));
  CHECK(plan.node("Relu").op == "Relu");
  for (auto [op, nth] : {std::pair("MatMul", 0), std::pair("Relu", 1), std::pair("relu", 0)}) {
    std::string said;
    try {
      plan.node(op, static_cast<std::size_t>(nth));
    } catch (invalid_argument const& e) { said = e.what(); }
    CHECK(said ==
          "placement: there is no such op in this plan. Print it with to_string to see the ops.");
  }
}
