// Plans as pages: the diagram of the SVG and the table of explain(), in one file of HTML.
#include <placement/placement.hpp>

#include <placement/plan/html.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <string_view>

using namespace placement;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

using two_by_three = tensor<float, extents<2, 3>>;
using pictured = decltype(relu(on(gpu<1>, std::declval<two_by_three const&>()) +
                               std::declval<two_by_three const&>()));
constexpr auto plan_of_two = plan_of<pictured>(machine{.gpus = 2});

struct odd_name_op {
  static constexpr std::string_view name = "a<b>&";
  using pattern = map;
  template <class T> constexpr T operator()(T x) const noexcept { return x; }
};

}  // namespace

TEST_CASE("a plan as a page has its counts, its diagram and its table") {
  std::string const page = to_html(plan_of_two, "One step");
  CHECK_THAT(page, StartsWith("<!DOCTYPE html>\n"));
  CHECK_THAT(page, EndsWith("</body>\n</html>\n"));
  CHECK_THAT(page, ContainsSubstring("<title>One step</title>") &&
                       ContainsSubstring("<h1>One step</h1>\n<p>1 kernel, 0 fallbacks, "));
  CHECK_THAT(page, ContainsSubstring(to_svg(plan_of_two)));
  CHECK_THAT(page, ContainsSubstring("<tr><th>op</th><th>shape</th><th>device</th>"));
  CHECK_THAT(page, ContainsSubstring("<tr><td>Relu&lt;float&gt;</td><td>[2, 3]</td>"));
}

TEST_CASE("a page of a plan needs no other file") {
  CHECK_THAT(to_html(plan_of_two), !ContainsSubstring("<script") && !ContainsSubstring("<link") &&
                                       !ContainsSubstring("src=") && !ContainsSubstring("url("));
}

TEST_CASE("a page of a plan escapes names, and leaves out bytes that depend on open extents") {
  using oddly_named = expr<odd_name_op, kernels_here, matrix<float>>;
  std::string const page = to_html(plan_of<oddly_named>(machine{.gpus = 1}), "<&>");
  CHECK_THAT(page, ContainsSubstring("<title>&lt;&amp;&gt;</title>"));
  CHECK_THAT(page, ContainsSubstring("a&lt;b&gt;&amp;&lt;float&gt;"));
  CHECK_THAT(page, !ContainsSubstring("a<b>"));
}
