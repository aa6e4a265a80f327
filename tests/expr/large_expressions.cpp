// Expressions of many ops, whose nodes keep operands on the heap: values, copies, moves, lifetime,
// errors and the number of allocations.
#include <support/heap_count.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

using namespace placement;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr char const* devices[] = {"/cpu:0", "/gpu:1"};

/// Two elements in the object itself.
using inline_pair = tensor<float, extents<2>, dev<kind::cpu, 0>>;

/// x0 - x1 - x2 - ...: not commutative, so that a lost or swapped operand shows.
template <class A> auto alternating(A const& a) { return a; }
template <class A, class B> auto alternating(A const& a, B const& b) { return a - b; }
template <class A, class B, class... X> auto alternating(A const& a, B const& b, X const&... x) {
  return alternating(a - b, x...);
}
/// ((x * 2 + 1) * 2 + 1) ...: n times.
template <int N, class X> auto nested(X x) {
  if constexpr (N == 0) return x;
  else return nested<N - 1>(std::move(x) * 2.f + 1.f);
}

/// 12 powers of two.
struct powers {
  tensor<float, dextents<1>> x[12];
  powers() {
    for (int i = 0; i != 12; ++i)
      x[i] = constant(static_cast<float>(1 << i), shape(3)) * tensor{1.f, 2.f, 0.f};
  }
  auto operator()() const {
    return alternating(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11]);
  }
};
/// 1 - 2 - 4 ... - 2^11.
constexpr float difference = 2.f - 4095.f;

}  // namespace

TEST_CASE("each operand of an expression of many ops has its place") {
  for (char const* name : devices) {
    with_device const scope(name);
    powers const p;
    CHECK(to_vector(tensor(p())) == std::vector{difference, 2 * difference, 0.f});
    tensor x{1.f, 0.f};
    CHECK(to_vector(tensor(where(nested<5>(x) > 40.f, nested<5>(-x), x))) ==
          std::vector{-1.f, 0.f});
    x = nested<8>(x);
    CHECK(to_vector(x) == std::vector{511.f, 255.f});
  }
}

TEST_CASE("an expression of many ops is copied and moved, and owns its operands") {
  auto const make = [] {
    powers const p;  // its tensors end here
    return p();
  };
  auto e = make();
  auto const copy = e;
  auto const moved = std::move(e);
  CHECK(to_vector(tensor(copy)) == std::vector{difference, 2 * difference, 0.f});
  CHECK(to_vector(tensor(moved)) == std::vector{difference, 2 * difference, 0.f});

  tensor x{1.f, 0.f};
  auto const old = nested<8>(x);
  x = x + 5.f;
  CHECK(to_vector(tensor(old)) == std::vector{511.f, 255.f});
  STATIC_CHECK(std::is_nothrow_move_constructible_v<decltype(make())>);
}

TEST_CASE("a node of an expression of many ops is small") {
  tensor const x{1.f, 0.f};
  CHECK(sizeof(nested<40>(x)) <= sizeof(nested<3>(x)));
  // Static extents need no heap: their loops are inlined.
  inline_pair const t{1.f, 0.f};
  CHECK(std::is_trivially_destructible_v<decltype(nested<10>(t * 1.f))>);
  CHECK(heap_allocations([&] {
          inline_pair const y = nested<10>(t * 1.f);
          CHECK(y(0) == 2047.f);
        }) == 0);
}

TEST_CASE("an expression of n ops takes at most n / 4 blocks of the heap") {
  with_device const scope("/cpu:0");
  tensor x{1.f, 0.f};
  tensor y = nested<8>(x);
  CHECK(heap_allocations([&] { y = nested<8>(x); }) <= 4);
}

TEST_CASE("an error in an expression of many ops names the op, and leaves the result as it was") {
  powers const p;
  tensor y{1.f, 2.f, 3.f};
  tensor const four{1.f, 2.f, 3.f, 4.f};
  CHECK_THROWS_WITH(
      y = p() * four + 1.f,
      ContainsSubstring("shapes [3] and [4] do not broadcast") && ContainsSubstring("In Mul"));
  CHECK(to_vector(y) == std::vector{1.f, 2.f, 3.f});
}
