// Plans as JSON and as SVG, compared exactly: one with a copy, a fallback and a fused kernel.
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

using namespace placement;

namespace {

using two_by_three = tensor<float, extents<2, 3>>;

/// A tensor copied to GPU:1, an op without a GPU kernel, and two ops in one kernel on GPU:0.
auto pictured(two_by_three const& x, two_by_three const& y) {
  return relu(next(on(gpu<1>, x)) + y);
}
auto pictured_plan() {
  two_by_three const x = copy_to(gpu0, evaluate(zeros<float>(extents<2, 3>{})));
  return plan_of(pictured(x, x), machine{.gpus = 2});
}

/// x, with a name that contains all characters which JSON and XML escape.
struct odd_name_op {
  static constexpr std::string_view name = "a\"b\\c<d>&\t\x01";
  using pattern = map;
  template <class T> constexpr T operator()(T x) const noexcept { return x; }
};
using oddly_named = expr<odd_name_op, kernels_here, matrix<float>>;

/// The output of a Python program for a text. The test is skipped if there is no Python.
std::string python_says(std::string const& program, std::string const& text) {
  if (std::system("python3 -c pass 2> /dev/null") != 0) SKIP("there is no python3 to read it");
  std::string name = "placement_plan_XXXXXX";
  int const file = mkstemp(name.data());
  REQUIRE(file >= 0);
  FILE* const to = fdopen(file, "w");
  REQUIRE(to != nullptr);
  REQUIRE(std::fwrite(text.data(), 1, text.size(), to) == text.size());
  REQUIRE(std::fclose(to) == 0);
  FILE* const from = popen(("python3 -c '" + program + "' < " + name).c_str(), "r");
  REQUIRE(from != nullptr);
  std::string said;
  char part[256];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, from)) > 0;) said.append(part, n);
  int const status = pclose(from);
  std::remove(name.c_str());
  CHECK(status == 0);
  return said;
}

}  // namespace

TEST_CASE("a plan as JSON has each op with all its properties") {
  CHECK(to_json(pictured_plan()) ==
        R"text({"kernels": 2, "fallbacks": 1, "copies": 3, "bytes": 72, "temporaries": 1, "ops": [
  {"op": "Copy", "type": "float", "shape": [2, 3], "device": "/GPU:1", "why": "pinned by on()", "asked": "/GPU:1", "written": "/GPU:1", "fell_back": false, "refused": false, "moved": false, "kernel": null, "root": false, "into": 0, "copies": 1, "bytes": 24, "result_bytes": 24},
  {"op": "Next", "type": "float", "shape": [2, 3], "device": "/CPU:0", "why": "no GPU kernel for this op and element type", "asked": "", "written": "", "fell_back": true, "refused": false, "moved": false, "kernel": 0, "root": true, "into": 1, "copies": 1, "bytes": 24, "result_bytes": 24},
  {"op": "Add", "type": "float", "shape": [2, 3], "device": "/GPU:0", "why": "a GPU goes before the CPU", "asked": "", "written": "", "fell_back": false, "refused": false, "moved": false, "kernel": 1, "root": false, "into": null, "copies": 0, "bytes": 0, "result_bytes": 0},
  {"op": "Relu", "type": "float", "shape": [2, 3], "device": "/GPU:0", "why": "a GPU goes before the CPU", "asked": "", "written": "", "fell_back": false, "refused": false, "moved": false, "kernel": 1, "root": true, "into": null, "copies": 1, "bytes": 24, "result_bytes": 24}
]}
)text");
}

TEST_CASE("values that depend on open extents are null in the JSON of a type's plan") {
  using typed = decltype(on(cpu<0>, on(gpu<0>, relu(std::declval<matrix<float>>())) + 1.f));
  CHECK(to_json(plan_of<typed>(machine{.gpus = 1})) ==
        R"text({"kernels": 2, "fallbacks": 0, "copies": 1, "bytes": null, "temporaries": 1, "ops": [
  {"op": "Relu", "type": "float", "shape": [null, null], "device": "/GPU:0", "why": "pinned by on()", "asked": "/GPU:0", "written": "", "fell_back": false, "refused": false, "moved": false, "kernel": 0, "root": true, "into": 1, "copies": 0, "bytes": 0, "result_bytes": null},
  {"op": "Add", "type": "float", "shape": [null, null], "device": "/CPU:0", "why": "pinned by on()", "asked": "/CPU:0", "written": "", "fell_back": false, "refused": false, "moved": false, "kernel": 1, "root": true, "into": null, "copies": 1, "bytes": null, "result_bytes": null}
]}
)text");
}

TEST_CASE("the JSON lists the ops that hard placement rejects, and the bytes that fusion moves") {
  matrix<float> const a = copy_to(cpu0, evaluate(zeros<float>(shape(2, 3))));
  auto const e = [&] {
    auto const inner = [&] {
      with_device const scope("/gpu:1");
      return relu(a);
    }();
    with_device const scope("/gpu:0");
    return inner + a;
  }();
  std::string const json = to_json(plan_of(e, machine{.gpus = 2}, policy{false}));
  CHECK(
      json.find(
          R"text("asked": "/GPU:0", "written": "/GPU:1", "fell_back": false, "refused": true, "moved": true, "kernel": 0, "root": false)text") !=
      std::string::npos);
}

TEST_CASE("JSON and SVG escape the names of ops") {
  auto const p = plan_of<oddly_named>(machine{});
  CHECK(to_json(p).find(R"text({"op": "a\"b\\c<d>&\u0009\u0001", )text") != std::string::npos);
  CHECK(to_svg(p).find("a&quot;b\\c&lt;d&gt;&amp;") != std::string::npos);
}

TEST_CASE("an empty plan is valid JSON and SVG, too") {
  CHECK(to_json(plan<0>{}) ==
        "{\"kernels\": 0, \"fallbacks\": 0, \"copies\": 0, \"bytes\": 0, \"temporaries\": 0, "
        "\"ops\": []}\n");
  std::string const svg = to_svg(plan<0>{});
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("Python reads the JSON of a plan") {
  std::string const said = python_says(
      "import json, sys; p = json.load(sys.stdin); "
      "print(p[\"kernels\"], p[\"bytes\"], [o[\"op\"] for o in p[\"ops\"]], "
      "p[\"ops\"][0][\"kernel\"], p[\"ops\"][1][\"fell_back\"], p[\"ops\"][3][\"shape\"])",
      to_json(pictured_plan()));
  CHECK(said == "2 72 ['Copy', 'Next', 'Add', 'Relu'] None True [2, 3]\n");
  std::string const name =
      python_says("import json, sys; print(ascii(json.load(sys.stdin)[\"ops\"][0][\"op\"]))",
                  to_json(plan_of<oddly_named>(machine{})));
  CHECK(name == "'a\"b\\\\c<d>&\\t\\x01'\n");
}

TEST_CASE("Python reads the SVG of a plan as XML") {
  std::string const said = python_says(
      "import sys, xml.dom.minidom as x; d = x.parse(sys.stdin); "
      "print(*(len(d.getElementsByTagName(t)) for t in (\"rect\", \"path\", \"text\")))",
      to_svg(pictured_plan()));
  CHECK(said == "6 2 13\n");
}

// A column per device, in order of first use. A box per kernel, below the kernels that it reads.
TEST_CASE("a plan as SVG: copies dashed, fallbacks red, fused ops in one box") {
  CHECK(
      to_svg(pictured_plan()) ==
      R"text(<svg xmlns="http://www.w3.org/2000/svg" width="1350" height="326" font-family="ui-monospace, monospace" font-size="12">
<rect x="4" y="4" width="442" height="318" rx="8" fill="#eef7ee"/>
<text x="225" y="26" text-anchor="middle" font-weight="bold" fill="#222">/GPU:1</text>
<rect x="454" y="4" width="442" height="318" rx="8" fill="#f3f3f8"/>
<text x="675" y="26" text-anchor="middle" font-weight="bold" fill="#222">/CPU:0</text>
<rect x="904" y="4" width="442" height="318" rx="8" fill="#eef7ee"/>
<text x="1125" y="26" text-anchor="middle" font-weight="bold" fill="#222">/GPU:0</text>
<path d="M 225 92 C 225 109 675 109 675 126" fill="none" stroke="#c60" stroke-width="2"/>
<path d="M 675 192 C 675 209 1125 209 1125 226" fill="none" stroke="#c60" stroke-width="2"/>
<rect x="20" y="44" width="410" height="48" rx="4" fill="#fff" stroke="#456" stroke-dasharray="4 3"/>
<text x="30" y="62" fill="#222">Copy&lt;float&gt; [2, 3]</text>
<text x="30" y="80" fill="#222">1 copy, 24 B</text>
<rect x="470" y="126" width="410" height="66" rx="4" fill="#fff" stroke="#c22" stroke-dasharray="none"/>
<text x="872" y="144" text-anchor="end" fill="#89a">0</text>
<text x="480" y="144" fill="#222">Next&lt;float&gt; [2, 3]</text>
<text x="480" y="162" fill="#222">fallback: no GPU kernel for this op and element type</text>
<text x="480" y="180" fill="#222">1 copy, 24 B</text>
<rect x="920" y="226" width="410" height="66" rx="4" fill="#fff" stroke="#456" stroke-dasharray="none"/>
<text x="1322" y="244" text-anchor="end" fill="#89a">1</text>
<text x="930" y="244" fill="#222">Add&lt;float&gt; [2, 3]</text>
<text x="930" y="262" fill="#222">Relu&lt;float&gt; [2, 3]</text>
<text x="930" y="280" fill="#222">1 copy, 24 B</text>
</svg>
)text");
}
