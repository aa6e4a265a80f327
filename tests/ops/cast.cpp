// cast between all element types, and its results for values out of range.
#include <placement/expr/evaluate.hpp>
#include <placement/expr/typed_tensor.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/cast.hpp>
#include <support/casts.hpp>

using namespace placement;

namespace {

/// The documented result of cast, computed another way: a long double holds every 64-bit integer.
template <class To, class From> To expected(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(x)) return To(0);
    long double const whole = std::trunc(static_cast<long double>(x));
    if (whole < static_cast<long double>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (whole > static_cast<long double>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    return static_cast<To>(whole);
  } else {
    return static_cast<To>(x);
  }
}

template <class To> void check_casts_to() {
  INFO("to " << element_name<To>());
  each<elements>([]<class From>() { check_cast<To, From>(&expected<To, From>); });
}

}  // namespace

TEST_CASE("cast to integers drops the fraction, saturates at the limits and turns NaN into zero") {
  each<integers>([]<class To>() { check_casts_to<To>(); });
}

TEST_CASE("cast to floating point rounds; a double out of range becomes an infinite float") {
  each<floats>([]<class To>() { check_casts_to<To>(); });
  tensor const x{1e300, -1e300};
  float const inf = std::numeric_limits<float>::infinity();
  CHECK(differences(tensor(cast<float>(x)), {inf, -inf}) == no_differences);
}

TEST_CASE("cast to bool is true for values other than zero") { check_casts_to<bool>(); }

TEST_CASE(
    "cast saturates at both limits of an integer type, one step inside, on and outside of them") {
  tensor const x{-129., -128.99, -128., 127., 127.99, 128., 255.99, 256., -0.99};
  using std::int8_t, std::uint8_t;
  CHECK(differences(tensor(cast<int8_t>(x)),
                    {int8_t(-128), int8_t(-128), int8_t(-128), int8_t(127), int8_t(127),
                     int8_t(127), int8_t(127), int8_t(127), int8_t(0)}) == no_differences);
  CHECK(differences(tensor(cast<uint8_t>(x)),
                    {uint8_t(0), uint8_t(0), uint8_t(0), uint8_t(127), uint8_t(127), uint8_t(128),
                     uint8_t(255), uint8_t(255), uint8_t(0)}) == no_differences);
}

TEST_CASE("a cast and ops of different element types are computed in one kernel") {
  on_each_device([](device) {
    tensor const x{1, 2, 3};
    tensor const y{.5f, .25f, .125f};
    CHECK(differences(tensor(cast<float>(x) + y), {1.5f, 2.25f, 3.125f}) == no_differences);
  });
}
