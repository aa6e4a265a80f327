// Small tensors with CPU:0 in their type: they store their elements inline, and need no placement
// at run time.
#include <support/heap_count.hpp>
#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <type_traits>
#include <utility>

using namespace placement;

namespace {

template <index_t... N> using here = tensor<float, extents<N...>, dev<kind::cpu, 0>>;
using m23 = here<2, 3>;
m23 const counted{{1, 2, 3}, {4, 5, 6}};

}  // namespace

TEST_CASE("an inline tensor stores its elements, and works in constant expressions") {
  constexpr m23 a{{1, 2, 3}, {4, 5, 6}};
  static_assert(a.data()[4] == 5);
  static_assert(m23{}.data()[5] == 0);
  static_assert(here<>(7.f).data()[0] == 7);
  static_assert(here<3>{1.f, 2.f, 3.f}.data()[2] == 3);
  static_assert(here<2, 1, 2>{{{1, 2}}, {{3, 4}}}.data()[3] == 4);
  static_assert(sizeof(m23) == 6 * sizeof(float));
  static_assert(std::is_trivially_copyable_v<m23>);
  static_assert(a.where() == cpu0 && a.requested() == device_spec{cpu0} && a.extent(1) == 3);
  CHECK(to_string(a) == "[[1 2 3]\n [4 5 6]]");
  CHECK(a.read()(1, 0) == 4);
  CHECK(m23(counted).read()(1, 2) == 6);  // a view of a temporary keeps the elements
  CHECK(here<0, 3>{}.size() == 0);
}

TEST_CASE("the plan of an inline tensor that on() moves includes the copy") {
  here<2> const a{1.f, 2.f};
  tensor<float, extents<2>> const b = evaluate(ones<float>(extents<2>{}));
  auto planned = [](auto const& p) { return std::pair(p.copies(), p.bytes_moved()); };
  CHECK(planned(plan_of(on(gpu<1>, a) + b)) == std::pair<std::size_t, std::size_t>(2, 16));
  CHECK(planned(plan_of(on(cpu<0>, a) + b)) == std::pair<std::size_t, std::size_t>(1, 8));
  copy_count const before = all_copies();
  tensor const c = on(gpu<1>, a) + b;
  CHECK(all_copies().copies - before.copies == 2);
  CHECK(all_copies().bytes - before.bytes == 16);
  CHECK(to_string(c) == "[2 3]");
}

TEST_CASE("64 elements are stored inline and 65 behind a handle") {
  CHECK(sizeof(here<64>) == 64 * sizeof(float));
  CHECK(sizeof(here<65>) == 2 * sizeof(void*));
  here<65> const many = ones<float>(extents<65>{}) * 2.f;
  CHECK(many.where() == cpu0);
  tensor const total = sum(many);
  CHECK(std::is_same_v<decltype(total), here<> const>);
  CHECK(total.read()() == 130);
}

TEST_CASE("expressions of inline tensors allocate nothing and log nothing") {
  log_lines log;
  with_device const scope("/gpu:1", log_level::all);
  m23 const a = counted, b = counted;
  m23 out;
  here<2, 2> square;
  here<2> row;
  here<> total;
  CHECK(heap_allocations([&] {
          out = a * b + 1.f;
          square = relu(matmul(a, transpose(b)) - 20.f);
          row = sum(a * a, axis<-1>);
          total = sum(a);
          out = softmax(a + out);
          out = where(a > 3.f, a, exp(b));
        }) == 0);
  CHECK(to_string(square) == "[[0 12]\n [12 57]]");
  CHECK(to_string(row) == "[14 77]");
  CHECK(total.read()() == 21);
  CHECK(out.read()(1, 2) == 6);
  CHECK(log.take_all().empty());
}

TEST_CASE("an expression assigned to an inline tensor can read it at any index") {
  m23 a = counted;
  a = reverse(a, 0);
  CHECK(to_string(a) == "[[4 5 6]\n [1 2 3]]");
  a = a + reverse(a, 1);
  CHECK(to_string(a) == "[[10 10 10]\n [4 4 4]]");
  here<2, 2> s{{1, 1}, {1, 0}};
  s = matmul(s, s);
  CHECK(to_string(s) == "[[2 1]\n [1 1]]");
  s = transpose(s) + matmul(s, s) * 10.f;
  CHECK(to_string(s) == "[[52 31]\n [31 21]]");
  s += s;
  s -= 1.f;
  s *= s / s;
  CHECK(to_string(s) == "[[103 61]\n [61 41]]");
}

TEST_CASE("an expression of inline tensors has an inline result, and a handle beyond 64 elements") {
  m23 const a = counted;
  tensor const b = a + 1.f;
  CHECK(std::is_same_v<decltype(b), m23 const>);
  CHECK(std::is_same_v<decltype(evaluate(a * a)), m23>);
  tensor const wide = broadcast_to(a, extents<30, 2, 3>{}) * 1.f;
  CHECK(std::is_same_v<decltype(wide), here<30, 2, 3> const>);
  CHECK(wide.where() == cpu0);
  CHECK(wide.read()(29, 1, 2) == 6);
  tensor const folded = max(wide, 0) - a;  // a large kernel below a small one
  CHECK(std::is_same_v<decltype(folded), m23 const>);
  CHECK(to_string(folded) == "[[0 0 0]\n [0 0 0]]");
}

TEST_CASE("inline operands of a GPU kernel are copied once each, and the copies are counted") {
  m23 const a = counted;
  tensor<float, dextents<2>> const open = copy_to("/gpu:1", tensor<float, dextents<2>>(a));
  with_device const scope("/gpu:1", log_level::all);
  log_lines log;
  tensor const b = a * open + a;
  CHECK(b.where() == device{kind::gpu, 1});
  CHECK(to_string(b) == "[[2 6 12]\n [20 30 42]]");
  auto const lines = log.take_all();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].find("/CPU:0 to /GPU:1") != std::string::npos);
  CHECK(lines[2].find("copied 1 operand, 24 B") != std::string::npos);
  auto const plan = plan_of(a * open + a);
  CHECK(plan.copies() == 1);
  CHECK(plan.bytes_moved() == 24);
}

TEST_CASE("an inline tensor takes values computed on another device, and values of open tensors") {
  tensor<float, dextents<2>> const open = copy_to("/gpu:1", tensor<float, dextents<2>>(counted));
  m23 a = open;
  CHECK(to_string(a) == to_string(counted));
  a = on("/gpu:1", open * 2.f);
  CHECK(to_string(a) == "[[2 4 6]\n [8 10 12]]");
  a = open + a;
  CHECK(to_string(a) == "[[3 6 9]\n [12 15 18]]");
  tensor<float, dextents<2>> const wrong{{1, 2}};
  CHECK_THROWS_AS(a = wrong, shape_error);
  CHECK(to_string(a) == "[[3 6 9]\n [12 15 18]]");
}

TEST_CASE("an open tensor made of an inline one is a handle on CPU:0, until it is moved") {
  with_device const scope("/gpu:1");
  tensor<float, dextents<2>> const x = counted;
  CHECK(x.where() == cpu0);
  CHECK(to_string(x) == to_string(counted));
  tensor const y = on("/gpu:0", counted);
  CHECK(y.where() == gpu0);
  CHECK(to_string(y) == to_string(counted));
}

TEST_CASE("a static scope and its call compute inline tensors in place") {
  with_device const scope(cpu<0>);
  m23 const a = counted;
  tensor const b = scope(a + a);
  CHECK(std::is_same_v<decltype(b), m23 const>);
  CHECK(to_string(b) == "[[2 4 6]\n [8 10 12]]");
  CHECK(heap_allocations([&] {
          m23 const c = scope(a * a);
          static_cast<void>(c);
        }) == 0);
}
