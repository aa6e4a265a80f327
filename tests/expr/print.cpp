// Tensors as text.
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

using namespace placement;

TEST_CASE("tensors print as NumPy prints them") {
  CHECK(to_string(tensor{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}) == "[[1 2 3]\n [4 5 6]]");
  CHECK(to_string(tensor{1, -2, 3}) == "[1 -2 3]");
  CHECK(to_string(tensor{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}) ==
        "[[[1 2]\n  [3 4]]\n\n [[5 6]\n  [7 8]]]");
  CHECK(to_string(tensor{true, false}) == "[True False]");
  CHECK(to_string(tensor<float, extents<>>(2.5f)) == "2.5");
}

TEST_CASE("expressions, references, shapes and devices are written to a stream") {
  auto const text = [](auto const& x) {
    std::ostringstream out;
    out << x;
    return out.str();
  };
  tensor a{{1.f, 2.f}, {3.f, 4.f}};
  CHECK(text(a * 2.f) == "[[2 4]\n [6 8]]");
  CHECK(text(sum(a)) == "10");
  CHECK(text(a == a) == "[[True True]\n [True True]]");
  CHECK(text(on("/cpu:0", a + 1.f)) == "[[2 3]\n [4 5]]");
  CHECK(text(view(a)) == "[[1 2]\n [3 4]]");
  CHECK(to_string(iota(10, 0), 2) == "[0 1 2 3 4 5 6 7 8 9]");
  CHECK(text(shape(2, 3)) == "[2, 3]");
  CHECK(text(extents<4, dyn>{{4, 5}}) == "[4, 5]");
  CHECK(text(shape()) == "[]");
  CHECK(text(device{kind::gpu, 1}) == "/GPU:1");
  CHECK(text(copy_to("/cpu:0", a).where()) == "/CPU:0");
}

TEST_CASE("a tensor without elements prints as empty brackets") {
  CHECK(to_string(tensor<float, dextents<1>>()) == "[]");
  tensor const x{{1.f, 2.f}, {3.f, 4.f}};
  CHECK(to_string(tensor(slice(x, range{0, 0}))) == "[]");
  CHECK(to_string(tensor(slice(x, range{}, range{0, 0}))) == "[]");
}

TEST_CASE("a number prints as the shortest text that reads back") {
  struct row {
    double value;
    std::string_view text;
  };
  constexpr row table[] = {{0, "0"},
                           {-0.0, "-0"},
                           {10, "10"},
                           {20, "20"},
                           {100, "100"},
                           {0.1, "0.1"},
                           {12345.678, "12345.678"},
                           {20000000, "20000000"},
                           {1e8, "1e+08"},
                           {1.5e9, "1.5e+09"},
                           {0.0001, "0.0001"},
                           {0.00001, "1e-05"},
                           {-2.5, "-2.5"},
                           {1.0 / 3, "0.3333333333333333"},
                           {5e-324, "5e-324"}};
  for (row const& r : table) CHECK(detail::number_text(r.value) == r.text);
  CHECK(detail::number_text(0.1f) == "0.1");
  CHECK(detail::number_text(1.f / 3) == "0.33333334");
  CHECK(detail::number_text(16777216.f) == "16777216");
  CHECK(detail::number_text(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
}

TEST_CASE("values that are not numbers print as nan and inf") {
  constexpr float inf = std::numeric_limits<float>::infinity(),
                  nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(to_string(tensor{nan, inf, -inf}) == "[nan inf -inf]");
}

TEST_CASE("the smallest and largest integers print completely") {
  CHECK(to_string(tensor{std::numeric_limits<std::int64_t>::min()}) == "[-9223372036854775808]");
  CHECK(to_string(tensor{static_cast<signed char>(-128), static_cast<signed char>(127)}) ==
        "[-128 127]");
  CHECK(to_string(tensor{static_cast<unsigned char>(255)}) == "[255]");
}

TEST_CASE("a long tensor prints its edges") {
  CHECK(to_string(tensor(iota(1001, 0))) == "[0 1 2 ... 998 999 1000]");
  CHECK(to_string(tensor(iota(1001, 0)), 1) == "[0 ... 1000]");
  CHECK(to_string(tensor(iota(1001, 0)), 0) == "[0 ... 1000]");
  CHECK(to_string(tensor(iota(1000, 0))).size() > 3000);
  CHECK(to_string(tensor(reshape(iota(2000, 0), shape(1000, 2)))) ==
        "[[0 1]\n [2 3]\n [4 5]\n ...\n [1994 1995]\n [1996 1997]\n [1998 1999]]");
}

TEST_CASE("a tensor is written to a stream as its text") {
  std::ostringstream out;
  out << tensor{1, 2};
  CHECK(out.str() == "[1 2]");
}

TEST_CASE("a tensor on a GPU prints like one on the CPU") {
  tensor const x = copy_to("/gpu:1", tensor{{1, 2}, {3, 4}});
  REQUIRE(x.where() == device{kind::gpu, 1});
  CHECK(to_string(x) == "[[1 2]\n [3 4]]");
}
