// Value semantics of tensors: copies, moves, conversions, and tensors with no element or one.
#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace placement;

namespace {

/// The address of a tensor's elements, without making them unshared.
template <class T, class X> T const* elements(tensor<T, X> const& x) { return x.data(); }

std::string const moved_from =
    "placement: this tensor has no elements: it was moved from. Assign to it before it is read.";

}  // namespace

TEST_CASE("vector and matrix are tensors of rank 1 and 2 with open extents") {
  static_assert(std::is_same_v<placement::vector<int>, tensor<int, dextents<1>>>);
  static_assert(std::is_same_v<placement::matrix<double>, tensor<double, dextents<2>>>);
  placement::matrix<float> const m{{1.f, 2.f}, {3.f, 4.f}};
  placement::vector<float> const rows = sum(m, 1);
  CHECK(to_string(rows) == "[3 7]");
}

TEST_CASE("a copy shares its elements until one of the two is written to") {
  vector<float> a{1.f, 2.f, 3.f};
  vector<float> b = a;
  CHECK(elements(b) == elements(a));
  a = a + 1.f;
  CHECK(to_string(a) == "[2 3 4]");
  CHECK(to_string(b) == "[1 2 3]");
  vector<float> const c = b;
  b = b * 2.f;
  CHECK(to_string(b) == "[2 4 6]");
  CHECK(to_string(c) == "[1 2 3]");
}

TEST_CASE("data() of a shared tensor copies the elements, and the other tensor keeps its own") {
  vector<float> a = copy_to("/cpu:0", vector<float>{1.f, 2.f, 3.f});
  vector<float> const b = a;
  a.data()[0] = 9;
  CHECK(elements(a) != elements(b));
  CHECK(to_string(a) == "[9 2 3]");
  CHECK(to_string(b) == "[1 2 3]");
  float const* const alone = elements(a);
  a.data()[1] = 8;
  CHECK(elements(a) == alone);
}

TEST_CASE("a write through a view leaves copies unchanged") {
  vector<float> a{1.f, 2.f, 3.f};
  vector<float> const b = a;
  slice(view(a), range{0, 1}) = 7.f;
  CHECK(to_string(a) == "[7 2 3]");
  CHECK(to_string(b) == "[1 2 3]");
}

TEST_CASE("an expression keeps the operand values at the time it was written") {
  vector<float> a{1.f, 2.f};
  auto const e = a + 1.f;
  a = a * 10.f;
  CHECK(to_string(vector<float>(e)) == "[2 3]");
  CHECK(to_string(a) == "[10 20]");
}

TEST_CASE("a host view is a snapshot") {
  vector<float> a{1.f, 2.f};
  auto const h = a.read();
  a = a + 1.f;
  CHECK(h(0) == 1);
  CHECK(a.read()(0) == 2);
}

TEST_CASE("tensors can be kept in containers, copied and assigned to themselves") {
  std::vector<vector<float>> many(3, vector<float>{1.f, 2.f});
  CHECK(elements(many[0]) == elements(many[2]));
  many[1] = many[1] + 1.f;
  CHECK(to_string(many[0]) == "[1 2]");
  vector<float> a{1.f};
  vector<float>& same = a;
  a = same;
  CHECK(to_string(a) == "[1]");
  a = std::move(same);
  CHECK(to_string(a) == "[1]");
}

/// The error for the use of a moved-from tensor, by an op without a source line.
std::string moved_from_by(std::string const& op) {
  return "placement: " + op +
         " uses a tensor that has no elements: it was moved from. Assign to it before it is read.";
}

TEST_CASE("a move transfers the elements and leaves the shape") {
  vector<float> a{1.f, 2.f};
  float const* const at = elements(a);
  vector<float> b = std::move(a);
  CHECK(elements(b) == at);
  CHECK(a.size() == 2);  // NOLINT(bugprone-use-after-move): what is left is the test
  CHECK(a.where() == cpu0);
  CHECK_FALSE(a.requested().has_value());
  a = b;
  CHECK(to_string(a) == "[1 2]");
}

TEST_CASE("a moved-from tensor can be destroyed, moved, swapped, assigned to and used again") {
  vector<float> a{1.f, 2.f}, b = std::move(a), c{3.f};
  vector<float> d = std::move(a);  // NOLINT(bugprone-use-after-move): that is the test
  std::swap(c, d);
  CHECK(to_string(d) == "[3]");
  CHECK(error_message<shape_error>([&] { static_cast<void>(c.read()); }) == moved_from);
  std::vector<vector<float>> many(1);
  many.push_back(std::move(c));
  many.reserve(100);
  a = b * 2.f;
  CHECK(to_string(a) == "[2 4]");
  many[1] = a;
  CHECK(to_string(many[1]) == "[2 4]");
  c = std::move(a);
  CHECK(to_string(c) == "[2 4]");
  a = vector<float>{5.f, 6.f, 7.f};
  CHECK(to_string(a) == "[5 6 7]");
  auto& itself = d;
  d = std::move(itself);
  CHECK(to_string(d) == "[3]");
}

TEST_CASE("each use of a moved-from tensor is an error with the op and its line") {
  vector<float> a{1.f, 2.f, 3.f};
  vector<float> const b = std::move(a);
  matrix<float> m{{1.f, 2.f}, {3.f, 4.f}};
  matrix<float> const n = std::move(m);
  vector<float> out{9.f};
  // NOLINTBEGIN(bugprone-use-after-move): that is the test
  auto const says = [](auto use) { return error_message<shape_error>(use); };
  CHECK(says([&] { out = relu(a, {"user.cpp", 7}); }) == moved_from_by("Relu at user.cpp:7"));
  CHECK(says([&] { evaluate(a * 2.f, {"user.cpp", 8}); }) == moved_from_by("Mul at user.cpp:8"));
  CHECK(says([&] { item(sum(a, {"user.cpp", 9})); }) == moved_from_by("Sum at user.cpp:9"));
  CHECK(says([&] { evaluate(matmul(m, n, {"user.cpp", 10})); }) ==
        moved_from_by("MatMul at user.cpp:10"));
  CHECK(says([&] { evaluate(cumsum(a, 0, {"user.cpp", 11})); }) ==
        moved_from_by("Cumsum at user.cpp:11"));
  auto const e = exp(a, {"user.cpp", 12});
  CHECK(says([&] { evaluate(e + 1.f, {"user.cpp", 13}); }) == moved_from_by("Add at user.cpp:13"));
  CHECK(says([&] { static_cast<void>(explain(log(a, {"user.cpp", 14}))); }) ==
        moved_from_by("Log at user.cpp:14"));
  CHECK(says([&] { copy_to(device_request("/gpu:0", {"user.cpp", 15}), a); }) ==
        moved_from_by("Copy at user.cpp:15"));
  CHECK(says([&] { a += 1.f; }) == moved_from_by("Add"));
  CHECK(says([&] { slice(view(a), range{0, 2}) = 1.f; }) == moved_from_by("Assign"));
  CHECK(says([&] { vector<float> const c = a; }) == moved_from);
  CHECK(says([&] { out = a; }) == moved_from);
  CHECK(says([&] { static_cast<void>(a.read()); }) == moved_from);
  CHECK(says([&] { static_cast<void>(elements(a)); }) == moved_from);
  CHECK(says([&] { static_cast<void>(a.data()); }) == moved_from);
  CHECK(says([&] { static_cast<void>(to_string(a)); }) == moved_from);
  CHECK(says([&] { static_cast<void>(add_n(std::vector<vector<float>>{b, a})); }) == moved_from);
  // NOLINTEND(bugprone-use-after-move)
  CHECK(to_string(out) == "[9]");
  out = b;
  CHECK(to_string(out) == "[1 2 3]");
}

TEST_CASE("an empty tensor that was moved from is still an empty tensor") {
  vector<float> a;
  vector<float> const b = std::move(a);
  CHECK(to_string(vector<float>(a + a)) ==
        "[]");  // NOLINT(bugprone-use-after-move): that is the test
}

TEST_CASE("using a moved-from tensor of static shape is an error") {
  tensor<float, extents<2>> a{1.f, 2.f};
  auto const b = std::move(a);
  // NOLINTBEGIN(bugprone-use-after-move): that is the test
  CHECK(error_message<shape_error>([&] { static_cast<void>(a.read()); }) == moved_from);
  CHECK(error_message<shape_error>([&] { static_cast<void>(to_string(a)); }) == moved_from);
  CHECK(error_message<shape_error>([&] { evaluate(a + a, site{}); }) == moved_from_by("Add"));
  CHECK(error_message<shape_error>([&] { evaluate(relu(reshape(a, shape(2)), site{}), site{}); }) ==
        moved_from_by("Relu"));
  CHECK(error_message<shape_error>([&] {
          auto const x = sum(a, site{});
          evaluate(x, site{});
        }) == moved_from_by("Sum"));
  CHECK(error_message<shape_error>([&] { view(a) = 1.f; }) == moved_from_by("Assign"));
  CHECK(error_message<shape_error>([&] { slice(view(a), range{0, 1}) = b; }) != "");
  CHECK(error_message<shape_error>([&] { view(a) = b; }) == moved_from_by("Assign"));
  // NOLINTEND(bugprone-use-after-move)
  a = b + b;
  CHECK(to_string(a) == "[2 4]");
  tensor<float, extents<>> s(3.f);
  auto const t = std::move(s);
  CHECK(error_message<shape_error>([&] { static_cast<void>(s.read()); }) ==
        moved_from);  // NOLINT(bugprone-use-after-move)
  s = t * 2.f;
  CHECK(to_string(s) == "6");
}

TEST_CASE("a tensor without elements has every extent 0") {
  matrix<float> const x;
  CHECK(x.shape() == shape(0, 0));
  CHECK(x.size() == 0);
  CHECK(x.where() == cpu0);
  CHECK(to_string(x) == "[]");
  CHECK(x.read().size() == 0);
  CHECK(elements(x) == nullptr);
}

TEST_CASE("tensors without elements pass through every kind of kernel") {
  matrix<float> const x(zeros<float>(0, 3)), y(zeros<float>(3, 0));
  CHECK(matrix<float>(relu(x) + 1.f).shape() == shape(0, 3));
  CHECK(matrix<float>(x + transpose(y)).shape() == shape(0, 3));
  CHECK(matrix<float>(matmul(x, y)).shape() == shape(0, 0));
  CHECK(to_string(matrix<float>(matmul(y, x))) == "[[0 0 0]\n [0 0 0]\n [0 0 0]]");
  CHECK(to_string(evaluate(sum(x))) == "0");
  CHECK(to_string(evaluate(sum(x, axis<0>))) == "[0 0 0]");
  CHECK(evaluate(sum(x, axis<1>)).shape() == shape(0));
  CHECK(matrix<float>(softmax(x)).shape() == shape(0, 3));
  CHECK(matrix<float>(softmax(y)).shape() == shape(3, 0));
  matrix<float> z(zeros<float>(2, 3));
  slice(view(z), range{0, 0}) = x;
  view(z) = z;
  CHECK(to_string(z) == "[[0 0 0]\n [0 0 0]]");
  CHECK(copy_to("/gpu:1", x).shape() == shape(0, 3));
}

TEST_CASE("an extent of 1 broadcasts to 0, as to any other extent") {
  matrix<float> const x(zeros<float>(0, 3)), row{{1.f, 2.f, 3.f}};
  CHECK(matrix<float>(x + row).shape() == shape(0, 3));
}

TEST_CASE("a scalar is a tensor of rank 0") {
  tensor<float, extents<>> const s(2.f);
  CHECK(s.size() == 1);
  CHECK(s.read()() == 2);
  CHECK(s.read()[0] == 2);
  CHECK(to_string(s) == "2");
  vector<float> const v{1.f, 2.f};
  CHECK(to_string(vector<float>(v + s)) == "[3 4]");
  CHECK(to_string(vector<float>(s * v)) == "[2 4]");
  tensor<float, extents<>> const t = s + s;
  CHECK(to_string(t) == "4");
  CHECK(to_string(evaluate(relu(sum(v) * s))) == "6");
  CHECK(to_string(evaluate(sum(t))) == "4");
  tensor<float, extents<>> u(0.f);
  view(u) = s;
  CHECK(to_string(u) == "2");
}

TEST_CASE("static and dynamic extents convert both ways, sharing the elements") {
  tensor<float, extents<2, 2>> const fixed{{1, 2}, {3, 4}};
  matrix<float> const free = fixed;
  CHECK(elements(free) == elements(fixed));
  tensor<float, extents<2, 2>> const again = free;
  CHECK(elements(again) == elements(fixed));
  tensor<float, extents<2, dyn>> const half = free;
  CHECK(half.shape() == shape(2, 2));
  CHECK(to_string(evaluate(half + fixed)) == "[[2 4]\n [6 8]]");
}

TEST_CASE("a shape that the type does not allow is an error at run time, and nothing changes") {
  matrix<float> const wide{{1.f, 2.f, 3.f}};
  using fixed = tensor<float, extents<2, 2>>;
  CHECK(error_of("", [&] { fixed const x = wide; }) ==
        "placement: a tensor of shape [1, 3] does not fit a type that says extent 0 is 2.");
  fixed x{{1, 2}, {3, 4}};
  float const* const at = elements(x);
  CHECK(error_message<shape_error>([&] { x = wide + 1.f; }) ==
        "placement: a tensor of shape [1, 3] does not fit a type that says extent 0 is 2. In Add.");
  CHECK(error_message<shape_error>(
            [&] { tensor<float, extents<1, dyn>> const y = matrix<float>(x); }) != "");
  CHECK(elements(x) == at);
  CHECK(to_string(x) == "[[1 2]\n [3 4]]");
}

TEST_CASE("static extents cost no memory in the tensor") {
  CHECK(sizeof(tensor<float, extents<2, 2>>) == 2 * sizeof(void*));
  CHECK(sizeof(matrix<float>) == 2 * sizeof(void*) + 2 * sizeof(index_t));
}

TEST_CASE("a tensor takes a new shape with a new value") {
  vector<float> a{1.f, 2.f, 3.f};
  a = slice(a, range{0, 2});
  CHECK(a.shape() == shape(2));
  a = vector<float>{7.f};
  CHECK(to_string(a) == "[7]");
}

TEST_CASE("an index out of range is an error that gives the index and the shape") {
  matrix<float> const x{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  site const here = site::here();
  auto const h = x.read();
  std::string const inside =
      " is outside of a tensor of shape [2, 3]. Each index is at least 0 and below its extent.";
  CHECK(error_of(
            "read()", [&] { static_cast<void>(h(2, 0)); }, here) ==
        "placement: index [2, 0]" + inside);
  CHECK(error_of(
            "read()", [&] { static_cast<void>(h(0, 3)); }, here) ==
        "placement: index [0, 3]" + inside);
  CHECK(error_of(
            "read()", [&] { static_cast<void>(h(0, -1)); }, here) ==
        "placement: index [0, -1]" + inside);
  CHECK(
      error_of("read()", [&] { static_cast<void>(h[6]); }, here) == "placement: index 6" + inside);
  CHECK(h(1, 2) == 6);
  CHECK(h[5] == 6);
  CHECK(h.shape() == shape(2, 3));
}
