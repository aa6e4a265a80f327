// Casts of packs give, bit for bit, what casts of numbers give: from each type to each other.
#include <placement/config.hpp>

#if PLACEMENT_HAS_PACKS  // not with clang before 19

#  include <placement/placement.hpp>

#  include <support/packs.hpp>

using namespace placement;

namespace {
template <class... T> struct type_list {};
template <class To, class From> void check_cast() {
  INFO("from " << element_name<From>() << " to " << element_name<To>());
  check_packs<simd::lanes_for<To, From>>(cast_op<To>{}, pack_values<From>(0, 1, {}));
}
template <class From> void check_casts() {
  [&]<class... To>(type_list<To...>) {
    (check_cast<To, From>(), ...);
  }(type_list<bool, signed char, unsigned char, short, unsigned short, int, unsigned, long,
              unsigned long, long long, float, double, float16, bfloat16>{});
}
}  // namespace
TEST_CASE("casts of packs are those of numbers: integers and bool") {
  check_casts<bool>();
  check_casts<signed char>();
  check_casts<unsigned char>();
  check_casts<int>();
  check_casts<unsigned>();
  check_casts<long>();
  check_casts<long long>();
  check_casts<short>();
  check_casts<unsigned short>();
  check_casts<unsigned long>();
}
TEST_CASE("casts of packs are those of numbers: floating point") {
  check_casts<float>();
  check_casts<double>();
  check_casts<float16>();
  check_casts<bfloat16>();
}

#endif
