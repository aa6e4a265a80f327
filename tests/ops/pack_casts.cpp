// Casts of packs give, bit for bit, what casts of numbers give: from each type to each other.
#include <placement/config.hpp>

#if PLACEMENT_HAS_PACKS  // not with clang before 19

#  include <placement/placement.hpp>

#  include <support/element_types.hpp>
#  include <support/packs.hpp>

using namespace placement;

namespace {
template <class To, class From> void check_cast() {
  INFO("from " << element_name<From>() << " to " << element_name<To>());
  check_packs<simd::lanes_for<To, From>>(cast_op<To>{}, pack_values<From>(0, 1, {}));
}
using all_integers = types<bool, signed char, unsigned char, int, unsigned, long, long long, short,
                           unsigned short, unsigned long>;
/// Each day each width, and both signs.
using cast_integers =
    types_of_run<all_integers, types<bool, signed char, unsigned short, int, unsigned long>>;
using cast_floats =
    types_of_run<types<float, double, float16, bfloat16>, types<float, double, bfloat16>>;
template <class From> void check_casts() {
  each<cast_integers>([]<class To>() { check_cast<To, From>(); });
  each<cast_floats>([]<class To>() { check_cast<To, From>(); });
}
}  // namespace
TEST_CASE("casts of packs are those of numbers: integers and bool") {
  each<cast_integers>([]<class From>() { check_casts<From>(); });
}
TEST_CASE("casts of packs are those of numbers: floating point") {
  each<cast_floats>([]<class From>() { check_casts<From>(); });
}

#endif
