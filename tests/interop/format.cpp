// std::format of arrays. Its specification is parsed in the same way without the standard library's
// <format>, so those tests run with any compiler.
#include <placement/interop/format.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

using namespace placement;

namespace {

constexpr auto parsed(std::string_view text) {
  return detail::parse_array_format(text.begin(), text.end());
}
std::string as(std::string_view specification, auto const& x) {
  return detail::formatted(x, parsed(specification).format);
}

}  // namespace

TEST_CASE("a format has a line width and a precision, both optional") {
  STATIC_CHECK(parsed("").is_valid);
  STATIC_CHECK(!parsed("").format.as_numpy);
  STATIC_CHECK(parsed("} and more").is_valid);
  STATIC_CHECK(*parsed(".3} and more").end == '}');
  STATIC_CHECK(parsed(".3").format.options.precision == 3);
  STATIC_CHECK(parsed(".0").format.options.precision == 0);
  STATIC_CHECK(parsed(".3").format.options.linewidth == print_options{}.linewidth);
  STATIC_CHECK(parsed("60").format.options.linewidth == 60);
  STATIC_CHECK(parsed("60").format.options.precision == print_options{}.precision);
  STATIC_CHECK(parsed("120.15").format.options.linewidth == 120);
  STATIC_CHECK(parsed("120.15").format.options.precision == 15);
}

TEST_CASE("any other format is invalid") {
  for (std::string_view const wrong : {".", "60.", ".3f", "x", "-3", "0", "06", ".03", "1234",
                                       ".1234", "99999999999999999999", ">10", "60.3 ", " ", ":"})
    CHECK(!parsed(wrong).is_valid);
}

TEST_CASE("an array without a format prints as <<, with one as by array2string") {
  tensor const x{{1.f, 2.5f}, {-3.f, 40.f}};
  CHECK(as("", x) == to_string(x));
  CHECK(as(".1", x / 3.f) == array2string(x / 3.f, {.precision = 1}));
  CHECK(as("8", tensor{1, 2, 3, 4}) == "[1 2 3\n 4]");
}

#if defined(__cpp_lib_format)

TEST_CASE("std::format takes tensors, expressions, views, shapes and devices") {
  tensor x{{1.f, 2.5f}, {-3.f, 40.f}};
  CHECK(std::format("{}", x) == "[[1 2.5]\n [-3 40]]");
  CHECK(std::format("x =\n{:.1}.", x) == "x =\n[[ 1.   2.5]\n [-3.  40. ]].");
  CHECK(std::format("{} {:.2}", x * 2.f, sum(x) / 3.f) == "[[2 5]\n [-6 80]] 13.5");
  CHECK(std::format("{}", view(x)) == to_string(x));
  CHECK(std::format("{} {:>8}|", x.shape(), gpu1) == "[2, 2]   /GPU:1|");
  CHECK_THROWS_AS(std::vformat("{:q}", std::make_format_args(x)), std::format_error);
}

#endif
