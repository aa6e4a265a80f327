// Operands of different integer types are promoted as in NumPy, to the smallest type that holds all
// values.
#include <placement/placement.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

using namespace placement;

namespace {

template <class A, class B>
using sum_of = typename decltype(std::declval<tensor<A, dextents<1>>>() +
                                 std::declval<tensor<B, dextents<1>>>())::value_type;
template <class A, class B, class To>
inline constexpr bool promotes_to =
    std::is_same_v<sum_of<A, B>, To> && std::is_same_v<sum_of<B, A>, To>;

using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;

static_assert(promotes_to<i8, i32, i32> && promotes_to<i8, i64, i64> && promotes_to<i32, i64, i64>);
static_assert(promotes_to<u8, u32, u32> && promotes_to<u8, i32, i32> && promotes_to<u8, i64, i64>);
static_assert(promotes_to<u8, i8, i16> && promotes_to<u8, i16, i16> && promotes_to<i8, i16, i16>);
static_assert(promotes_to<u16, i8, i32> && promotes_to<u16, i16, i32> && promotes_to<u8, u16, u16>);
static_assert(promotes_to<u64, u8, u64> && promotes_to<u64, u16, u64> &&
              promotes_to<u64, u32, u64>);
static_assert(promotes_to<unsigned long, unsigned long long, u64>);
static_assert(promotes_to<u32, i8, i64> && promotes_to<u32, i32, i64> &&
              promotes_to<u32, i64, i64>);
static_assert(promotes_to<long, long long, i64> && promotes_to<u8, u8, u8>);

template <class T> constexpr T lowest = std::numeric_limits<T>::min();
template <class T> constexpr T highest = std::numeric_limits<T>::max();

}  // namespace

TEST_CASE("argmax results and labels of any integer type compare without a cast") {
  on_each_device([](device) {
    tensor const p{{0.f, 1.f, 0.f}, {0.f, 0.f, 2.f}, {3.f, 0.f, 0.f}};
    tensor<u8, dextents<1>> const bytes{u8{1}, u8{2}, u8{2}};
    tensor<i32, dextents<1>> const ints{1, 0, 0};
    CHECK(to_string(tensor(argmax(p, axis<1>) == bytes)) == "[True True False]");
    CHECK(to_string(tensor(ints == argmax(p, axis<1>))) == "[True False True]");
    CHECK(item(mean(cast<float>(argmax(p, axis<1>) == ints))) > 0.6f);
    CHECK(to_string(tensor(argmax(p, axis<1>) == iota(3, 1))) == "[True True False]");
    CHECK(to_string(tensor(equal(bytes, ints))) == "[True False False]");
  });
}

TEST_CASE("arithmetic and comparisons of different integer types lose no value") {
  on_each_device([](device) {
    tensor<u32, dextents<1>> const large{highest<u32>, 1u};
    tensor<i32, dextents<1>> const small{-1, -1};
    CHECK(to_string(tensor(large > small)) == "[True True]");
    CHECK(to_string(tensor(large + small)) == "[4294967294 0]");
    CHECK(to_string(tensor(small * large)) == "[-4294967295 -1]");
    CHECK(to_string(tensor(maximum(small, large))) == "[4294967295 1]");
    CHECK(to_string(tensor(large % small)) == "[0 0]");
    tensor<i8, dextents<1>> const low{lowest<i8>, i8{1}};
    tensor<u8, dextents<1>> const high{highest<u8>, u8{1}};
    CHECK(to_string(tensor(low - high)) == "[-383 0]");
    CHECK(to_string(tensor(where(low < high, low, high))) == "[-128 1]");
    CHECK(to_string(tensor(low / 2 + high)) == "[191 1]");
  });
}

TEST_CASE("an update keeps the element type of its target") {
  tensor<i64, dextents<1>> total{1, 2};
  total += tensor<u8, dextents<1>>{u8{1}, u8{1}};
  CHECK(to_string(total) == "[2 3]");
}

TEST_CASE("the plan and the log of mixed integers show the cast in the kernel of the op") {
  using small = tensor<i32, dextents<1>>;
  using wide = tensor<i64, dextents<1>>;
  using compared = decltype(std::declval<small const&>() == std::declval<wide const&>());
  constexpr auto plan = plan_of<compared>(machine{.gpus = 1});
  static_assert(plan.node("Cast", 0).kernel == plan.node("Equal", 0).kernel);
  static_assert(plan.kernels == 1 && plan.copies() == 0);
  CHECK(explain(small{1} == wide{1}).find("Cast") != std::string::npos);
  CHECK(plan_of(small{1} == wide{1}).kernels == 1);
}

TEST_CASE("inline and typed tensors are promoted alike") {
  tensor<i32, extents<2>, dev<kind::cpu, 0>> const a{1, -2};
  tensor<u8, extents<2>, dev<kind::cpu, 0>> const b{u8{1}, u8{2}};
  tensor<i64, extents<2>, dev<kind::cpu, 0>> const c{1, 2};
  tensor const s = a + b;
  static_assert(std::is_same_v<decltype(s)::value_type, i32>);
  CHECK(to_string(s) == "[2 0]");
  CHECK(to_string(tensor(b == c)) == "[True True]");
  tensor<i32, dextents<1>, dev<kind::gpu, 1>> const g{3, 4};
  CHECK(to_string(tensor(g * tensor<i64, dextents<1>>{2, 2})) == "[6 8]");
}
