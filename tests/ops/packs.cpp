// Element-wise ops on packs give, bit for bit, what they give on numbers. Compiled with fused
// multiply-add, compilers fuse packs and numbers in different places: then some ops are not held.
#include <placement/config.hpp>

#if PLACEMENT_HAS_PACKS  // not with clang before 19

#  include <placement/ops/heaviside.hpp>
#  include <placement/ops/nan_to_num.hpp>
#  include <placement/placement.hpp>

#  include <support/packs.hpp>

using namespace placement;

namespace {

/// Does the compiler fuse a product and a sum?
bool fuses() {
  float const volatile given = 1 + 0x1p-20f;
  float const x = given, again = given;  // else the compiler may compute one product for both
  float const volatile product = x * x;
  float const rounded = product;
  return again * again - rounded != 0;
}

template <class... T> struct type_list {};
#  ifdef PLACEMENT_EVERY_COMBINATION
using integers = type_list<signed char, unsigned char, short, unsigned short, int, unsigned, long,
                           unsigned long, long long>;
using reals = type_list<float, double, float16, bfloat16>;
#  else  // each width, and both signs
using integers = type_list<signed char, unsigned short, int, unsigned long>;
using reals = type_list<float, double, float16>;
#  endif
using bools = type_list<bool>;

/// Two registers of the narrower types, so that loops over registers are tested.
template <class... T> constexpr int lanes_of = 2 * simd::lanes_for<T...>;

template <class Op, class T> void unary() {
  INFO(Op::name << " of " << element_name<T>());
  static_assert(simd::takes_packs<Op, T>);
  check_packs<lanes_of<T>>(Op{}, pack_values<T>(0, 1, {}));
}
template <class Op, class T> void binary() {
  INFO(Op::name << " of " << element_name<T>());
  static_assert(simd::takes_packs<Op, T, T>);
  check_packs<lanes_of<T>>(Op{}, pack_values<T>(0, 1, {1}), pack_values<T>(1, 80, {2}));
}
template <class Op, class... T> void unary_of(type_list<T...>) { (unary<Op, T>(), ...); }
template <class Op, class... T> void binary_of(type_list<T...>) { (binary<Op, T>(), ...); }

}  // namespace

TEST_CASE("arithmetic on packs is that on numbers") {
  binary_of<add_op>(integers{});
  binary_of<add_op>(reals{});
  binary_of<subtract_op>(integers{});
  binary_of<subtract_op>(reals{});
  binary_of<multiply_op>(integers{});
  binary_of<multiply_op>(reals{});
  unary_of<negative_op>(integers{});
  unary_of<negative_op>(reals{});
  unary_of<square_op>(integers{});
  unary_of<square_op>(reals{});
  unary_of<abs_op>(integers{});
  unary_of<abs_op>(reals{});
  unary_of<sign_op>(integers{});
  unary_of<sign_op>(reals{});
  unary_of<reciprocal_op>(reals{});
  unary_of<nan_to_num_op>(reals{});
  binary_of<copysign_op>(reals{});
  binary_of<heaviside_op>(reals{});
}
TEST_CASE("division and remainders of packs are those of numbers") {
  binary_of<divide_op>(integers{});
  binary_of<divide_op>(reals{});
  binary_of<modulo_op>(integers{});
  binary_of<modulo_op>(reals{});
  binary_of<floor_divide_op>(integers{});
  binary_of<floor_divide_op>(reals{});
  binary_of<floor_modulo_op>(integers{});
  binary_of<floor_modulo_op>(reals{});
}
TEST_CASE("comparisons of packs are those of numbers") {
  auto const each = []<class Op>(Op) {
    binary_of<Op>(integers{});
    binary_of<Op>(reals{});
    binary_of<Op>(bools{});
  };
  each(equal_op{});
  each(not_equal_op{});
  each(less_op{});
  each(less_equal_op{});
  each(greater_op{});
  each(greater_equal_op{});
  unary_of<is_nan_op>(reals{});
  unary_of<is_finite_op>(reals{});
  unary_of<is_inf_op>(reals{});
  unary_of<signbit_op>(reals{});
}
TEST_CASE("logical ops on masks are those on bools") {
  binary_of<logical_and_op>(bools{});
  binary_of<logical_or_op>(bools{});
  binary_of<logical_xor_op>(bools{});
  unary_of<logical_not_op>(bools{});
}

namespace {
template <class T> void check_choices() {
  INFO(element_name<T>());
  auto const x = pack_values<T>(0, 1, {1}), y = pack_values<T>(1, 80, {2});
  auto const c = pack_values<bool>(0, 1, {3});
  check_packs<simd::lanes_for<T, bool>>(where_op{}, c, x, y);
  check_packs<lanes_of<T>>(identity_op{}, x);
  if constexpr (!std::is_same_v<T, bool>) {
    check_packs<lanes_of<T>>(maximum_op{}, x, y);
    check_packs<lanes_of<T>>(minimum_op{}, x, y);
    check_packs<lanes_of<T>>(clamp_op{}, x, y, pack_values<T>(1, 7, {4}));
    check_packs<lanes_of<T>>(relu_op{}, x);
    check_packs<lanes_of<T>>(add_n_op{}, x, y, x);
  }
}
}  // namespace
TEST_CASE("choices on packs are those on numbers") {
  auto const each = []<class... T>(type_list<T...>) { (check_choices<T>(), ...); };
  each(bools{});
  each(integers{});
  each(reals{});
}

TEST_CASE("whole numbers and roots of packs are those of numbers") {
  unary_of<floor_op>(reals{});
  unary_of<ceil_op>(reals{});
  unary_of<trunc_op>(reals{});
  unary_of<round_op>(reals{});
  unary_of<sqrt_op>(reals{});
}
TEST_CASE("functions of packs are those of numbers") {
  if (fuses()) SKIP("packs and numbers are fused in different places");
  unary_of<exp_op>(reals{});
  unary_of<expm1_op>(reals{});
  unary_of<log_op>(reals{});
  unary_of<log1p_op>(reals{});
  unary_of<tanh_op>(reals{});
  unary_of<sigmoid_op>(reals{});
  unary_of<erf_op>(reals{});
  unary_of<rsqrt_op>(reals{});
  unary_of<sin_op>(reals{});
  unary_of<cos_op>(reals{});
  unary_of<exp2_op>(reals{});
  unary_of<log2_op>(reals{});
  unary_of<log10_op>(reals{});
  unary_of<cbrt_op>(reals{});
  unary_of<erfc_op>(reals{});
  unary_of<tan_op>(reals{});
  unary_of<asin_op>(reals{});
  unary_of<acos_op>(reals{});
  unary_of<atan_op>(reals{});
  unary_of<asinh_op>(reals{});
  unary_of<acosh_op>(reals{});
  unary_of<atanh_op>(reals{});
  unary_of<sinh_op>(reals{});
  unary_of<cosh_op>(reals{});
  binary_of<pow_op>(reals{});
  binary_of<atan2_op>(reals{});
  binary_of<hypot_op>(reals{});
  binary_of<logaddexp_op>(reals{});
}
TEST_CASE("powers of integers in packs are those of numbers") { binary_of<pow_op>(integers{}); }

TEST_CASE("next numbers in packs are those of numbers") { binary_of<next_after_op>(reals{}); }

namespace {
struct difference_op {
  template <class T> T operator()(T x, T y) const noexcept { return x < y ? y - x : x - y; }
};
}  // namespace
TEST_CASE("an op that takes numbers alone is called for each lane") {
  static_assert(!simd::takes_packs<difference_op, float, float>);
  check_packs<8>(difference_op{}, pack_values<float>(0, 1, {1}), pack_values<float>(1, 80, {2}));
  check_packs<8>(difference_op{}, pack_values<float16>(0, 1, {1}),
                 pack_values<float16>(1, 80, {2}));
}

namespace {
template <class T> void check_numbers() {
  INFO(element_name<T>());
  for (index_t first : {index_t{0}, index_t{1} << 31, index_t{1} << 40}) {
    iota_op<T, extents<4>> const op{{}, T(3), T(2)};
    T got[16];
    simd::store(got, simd::apply(op, simd::iota<16>(first - 7)));
    for (index_t i = 0; i != 16; ++i) CHECK(same_bits(got[i], op(first - 7 + i)));
    constant_op<T, extents<4>> const same{{}, T(5)};
    simd::store(got, simd::apply(same, simd::iota<16>(first)));
    for (T x : got) CHECK(same_bits(x, T(5)));
  }
}
}  // namespace
TEST_CASE("elements from their numbers are the same in packs") {
  auto const each = []<class... T>(type_list<T...>) { (check_numbers<T>(), ...); };
  each(integers{});
  each(reals{});
}

namespace {
/// The elements of an op from `first` on: as numbers, as a pack of their numbers, and together.
template <class T, class Op> void check_random(Op const& op) {
  for (index_t first :
       {index_t{0}, index_t{1}, index_t{2}, index_t{7}, (index_t{1} << 34) - 8, index_t{1} << 40}) {
    INFO(Op::name << " of " << element_name<T>() << " from " << first);
    T by_number[16], together[16];
    simd::store(by_number, simd::apply(op, simd::iota<16>(first)));
    simd::store(together, op.template consecutive<16>(first));
    for (index_t i = 0; i != 16; ++i) {
      CHECK(same_bits(by_number[i], op(first + i)));
      CHECK(same_bits(together[i], op(first + i)));
    }
  }
}
}  // namespace
TEST_CASE("random numbers are the same in packs") {
  [&]<class... T>(type_list<T...>) {
    auto const check = []<class E>(E) {
      random_stream const from{0x123456789abcdef, 77};
      check_random<E>(uniform_op<E, extents<4>>{{}, E(-3.f), E(5.f), E(4.9f), from});
      check_random<E>(normal_op<E, extents<4>>{{}, E(-3.f), E(1.7f), from});
      check_random<E>(truncated_normal_op<E, extents<4>>{{}, E(-3.f), E(1.7f), from});
    };
    (check(T{}), ...);
  }(reals{});
}

namespace {
template <class T> void check_positions() {
  INFO(element_name<T>());
  constexpr index_t most = 67;
  tensor const n = iota(most, 0.);
  tensor const a = cast<T>(n * 0.37 - 9.), b = cast<T>(n * 0.011 + 1.);
  auto const values = [](auto const& x, auto const& y) {
    tensor<T, dextents<1>> const all =
        sin(x) * y + tanh(x) * pow(y, x) - log(y) * sigmoid(x) * erf(x);
    return all;
  };
  auto const whole = values(a, b);
  index_t wrong = 0;
  for (index_t length = 1; length != most; ++length)
    for (index_t first = 0; first + length <= most; first += 5) {
      tensor const x = slice(a, range{first, first + length}),
                   y = slice(b, range{first, first + length});
      auto const part = values(x, y);
      for (index_t i = 0; i != length; ++i)
        wrong += same_bits<T>(part.data()[i], whole.data()[first + i]) ? 0 : 1;
    }
  CHECK(wrong == 0);
}
}  // namespace
TEST_CASE("an element has the same bits at each position of a result") {
  check_positions<float>();
  check_positions<double>();
  check_positions<float16>();
}

#endif
