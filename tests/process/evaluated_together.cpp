// gpus: 0 2
// evaluate(into(x) = ..., into(y) = ...): one pass, common subexpressions computed once, all
// results or none.
#include <support/gpus.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <atomic>
#include <stdexcept>
#include <string>

using namespace placement;

namespace {

/// An identity op that counts its calls.
std::atomic<int> counted_calls{0};
struct counted_op {
  static constexpr std::string_view name = "Counted";
  using pattern = placement::map;
  float operator()(float x) const noexcept {
    ++counted_calls;
    return x;
  }
};
template <operand X> auto counted(X&& x) -> unary<counted_op, X> {
  return {{}, site::here(), std::forward<X>(x)};
}
/// The number of calls of counted_op that f() makes.
template <class F> int calls(F f) {
  counted_calls = 0;
  f();
  synchronize();
  return counted_calls;
}

template <class A, class B> void check_equal(A const& a, B const& b) {
  REQUIRE(a.shape() == b.shape());
  auto const x = a.read(), y = b.read();
  for (std::size_t i = 0; i != a.size(); ++i)
    if (!(x.data()[i] == y.data()[i])) FAIL(i);
}

matrix<float> numbers(index_t m, index_t n, float first) { return iota(shape(m, n), first); }

}  // namespace

TEST_CASE("joint evaluation gives the same results as separate evaluation") {
  for (index_t n : {1, 3, 64, 65, 300}) {
    matrix<float> const a = numbers(70, n, 1.f), b = numbers(70, n, 5.f);
    vector<float> const row = iota(n, 2.f);
    matrix<float> s = a, d = a, p = a;
    evaluate(into(s) = a + b, into(d) = a - b);
    check_equal(s, evaluate(a + b));
    check_equal(d, evaluate(a - b));
    evaluate(into(s) = (a + row) * 2.f, into(d) = b - row, into(p) = a * b);
    check_equal(s, evaluate((a + row) * 2.f));
    check_equal(d, evaluate(b - row));
    check_equal(p, evaluate(a * b));
    matrix<float> const t = transpose(b);
    evaluate(into(s) = transpose(t) + a, into(d) = a * reverse(a, 1));
    check_equal(s, evaluate(b + a));
    check_equal(d, evaluate(a * reverse(a, 1)));
    tensor<bool, dextents<2>> less = a < b;
    evaluate(into(less) = a > row, into(d) = relu(a - row));
    check_equal(less, evaluate(a > row));
    check_equal(d, evaluate(relu(a - row)));
  }
}

TEST_CASE("one result, or a tensor with a device in its type, is evaluated as an assignment is") {
  vector<float> a = iota(100, 0.f), b = a;
  evaluate(into(b) = a + 1.f);
  check_equal(b, evaluate(a + 1.f));
  evaluate(into(b) = b * b);
  check_equal(b, evaluate((a + 1.f) * (a + 1.f)));
  tensor<float, dextents<1>, dev<kind::cpu, 0>> typed = a;
  evaluate(into(typed) = a + 2.f);
  check_equal(typed, evaluate(a + 2.f));
  evaluate(into(typed) = a + 3.f, into(b) = a - 3.f);
  check_equal(typed, evaluate(a + 3.f));
  check_equal(b, evaluate(a - 3.f));
}

TEST_CASE("a common subexpression is computed once for each element") {
  vector<float> const a = iota(100, 0.f), b = iota(100, 7.f);
  vector<float> s = a, d = a;
  auto const q = counted(a + b);
  CHECK(calls([&] { evaluate(into(s) = q * a, into(d) = q - b); }) == 100);
  check_equal(s, evaluate((a + b) * a));
  check_equal(d, evaluate((a + b) - b));
  // two equal subexpressions count as one named subexpression
  CHECK(calls([&] { evaluate(into(s) = counted(a) * a, into(d) = counted(a) - b); }) == 100);
  matrix<float> m = numbers(10, 100, 0.f), n = m;
  CHECK(calls([&] { evaluate(into(m) = counted(n + a) * 2.f, into(n) = counted(n + a) - b); }) ==
        1000);
}

TEST_CASE("subexpressions of one type with different operands are computed separately") {
  vector<float> const a = iota(100, 0.f), b = iota(100, 7.f);
  vector<float> s = a, d = a;
  CHECK(calls([&] { evaluate(into(s) = counted(a) * a, into(d) = counted(b) - b); }) == 200);
  check_equal(s, evaluate(a * a));
  check_equal(d, evaluate(b - b));
  evaluate(into(s) = sin(a * 2.f), into(d) = sin(a * 3.f));
  check_equal(s, evaluate(sin(a * 2.f)));
  check_equal(d, evaluate(sin(a * 3.f)));
}

TEST_CASE("each expression reads the values before the evaluation") {
  vector<float> a = iota(100, 0.f), b = iota(100, 1000.f);
  evaluate(into(a) = b + 0.f, into(b) = a + 0.f);
  CHECK(a.read()(3) == 1003);
  CHECK(b.read()(3) == 3);
  evaluate(into(a) = a + b, into(b) = a - b);
  CHECK(a.read()(3) == 1006);
  CHECK(b.read()(3) == 1000);
  evaluate(into(a) = reverse(b, 0), into(b) = reverse(a, 0));
  CHECK(a.read()(0) == 1000);
  CHECK(b.read()(0) == 1198);
  auto const total = sum(a);
  tensor<float, dextents<0>> t = sum(b);
  evaluate(into(t) = sum(b), into(b) = b * 0.f);
  CHECK(t.read()() > 0);
  CHECK(evaluate(sum(b)).read()() == 0);
}

TEST_CASE("results are written in place if no other tensor shares the elements") {
  with_device const scope(cpu<0>);
  vector<float> a = iota(100, 0.f), b = iota(100, 1.f);
  float const* const before[]{std::as_const(a).data(), std::as_const(b).data()};
  evaluate(into(a) = a + b, into(b) = a - b);
  CHECK(std::as_const(a).data() == before[0]);
  CHECK(std::as_const(b).data() == before[1]);
  vector<float> const seen = a;
  evaluate(into(a) = a + b, into(b) = a - b);
  CHECK(std::as_const(a).data() != before[0]);
  CHECK(seen.read()(3) == 7);
}

TEST_CASE("results that exceed the caches are correct, in place too") {
  constexpr index_t large = 4'000'001;  // 64 MB with the operands
  vector<float> a = iota(large, 0.f), b = evaluate(ones<float>(large));
  vector<float> s = a, d = a;
  evaluate(into(s) = a + b, into(d) = a - b);
  check_equal(s, evaluate(a + b));
  check_equal(d, evaluate(a - b));
  evaluate(into(a) = a + b, into(b) = a - b);
  check_equal(a, s);
  check_equal(b, d);
}

TEST_CASE("if one of them throws, none is changed") {
  vector<float> a = iota(3, 0.f), b = iota(3, 10.f);
  CHECK_THROWS_AS(evaluate(into(a) = a + 1.f, into(b) = at_most_two(b)), std::runtime_error);
  CHECK(a.read()(2) == 2);
  CHECK(b.read()(2) == 12);
  CHECK_THROWS_MATCHES(
      evaluate(into(a) = a + 1.f, into(a) = a + 2.f), invalid_argument,
      Catch::Matchers::Message(
          "placement: evaluate(into(x) = ..., into(x) = ...) names the same tensor twice. Give each "
          "result a tensor of its own."));
  CHECK(a.read()(2) == 2);
}

TEST_CASE("tensors without elements work, and a result of the wrong shape is an error") {
  vector<float> a = evaluate(zeros<float>(0)), b = a;
  evaluate(into(a) = b + 1.f, into(b) = a * 2.f);
  CHECK(a.size() == 0);
  CHECK(b.size() == 0);
  vector<float> c = iota(3, 5.f);
  tensor<float, extents<2>> two = evaluate(zeros<float>(shape(2)));
  CHECK(error_of("Add", [&] { evaluate(into(c) = c * 2.f, into(two) = c + 1.f); }) ==
        "placement: a tensor of shape [3] does not fit a type that says extent 0 is 2.");
  CHECK(c.read()(0) == 5);
}

TEST_CASE("expressions of different shapes or devices, products and reductions are computed too") {
  matrix<float> const a = numbers(4, 5, 0.f);
  vector<float> s = iota(1, 0.f);
  matrix<float> p = a, q = a;
  evaluate(into(s) = sum(a, 0), into(p) = matmul(a, transpose(a)), into(q) = a + 1.f);
  check_equal(s, evaluate(sum(a, 0)));
  check_equal(p, evaluate(matmul(a, transpose(a))));
  check_equal(q, evaluate(a + 1.f));
  vector<float> t = s;
  evaluate(into(s) = iota(3, 0.f) * 2.f, into(t) = iota(4, 0.f) + 1.f);
  CHECK(s.size() == 3);
  CHECK(t.size() == 4);
  evaluate(into(s) = on(cpu0, t + 1.f), into(t) = t * 2.f);
  CHECK(s.where() == cpu0);
  CHECK(s.read()(3) == 5);
  CHECK(t.read()(3) == 8);
}

TEST_CASE("each op is placed, logged and falls back as in a separate evaluation") {
  vector<float> a = iota(3, 0.f), b = iota(3, 10.f);
  set_log_level(log_level::all);
  log_lines lines;
  evaluate(into(a) = a + b, into(b) = next(a - b));
  int adds = 0, nexts = 0;
  for (auto const& line : lines.take_all()) {
    adds += line.find("Add") != std::string::npos;
    nexts += line.find("Next") != std::string::npos;
  }
  CHECK(adds == 1);
  CHECK(nexts >= 1);
  CHECK(a.where() == (gpus_of_test() > 0 ? gpu0 : cpu0));
  CHECK(b.where() == cpu0);
}

TEST_CASE("a common reduction or product is computed once") {
  vector<float> const a = iota(100, 1.f);
  vector<float> centred = a, squares = a;
  auto const m = mean(counted(a));
  CHECK(calls([&] { evaluate(into(centred) = a - m, into(squares) = square(a - m)); }) == 100);
  check_equal(centred, evaluate(a - mean(a)));
  check_equal(squares, evaluate(square(a - mean(a))));

  matrix<float> const x = numbers(5, 7, 1.f), w = numbers(7, 3, -4.f);
  vector<float> const bias = iota(3, -9.f);
  matrix<float> kept = matmul(x, w), cut = kept;
  auto const product = matmul(counted(x), w);
  CHECK(calls([&] { evaluate(into(kept) = product + bias, into(cut) = relu(product + bias)); }) ==
        35);
  check_equal(kept, evaluate(matmul(x, w) + bias));
  check_equal(cut, evaluate(relu(matmul(x, w) + bias)));
}

TEST_CASE(
    "reductions and products with different operands, ops or numbers are computed separately") {
  vector<float> const a = iota(100, 1.f), b = iota(100, 3.f);
  vector<float> x = a, y = a;
  CHECK(calls([&] { evaluate(into(x) = a - mean(counted(a)), into(y) = a - mean(counted(b))); }) ==
        200);
  check_equal(x, evaluate(a - mean(a)));
  check_equal(y, evaluate(a - mean(b)));
  evaluate(into(x) = a - mean(a * 2.f), into(y) = a - mean(a * 3.f));
  check_equal(x, evaluate(a - mean(a * 2.f)));
  check_equal(y, evaluate(a - mean(a * 3.f)));

  matrix<float> const l = numbers(4, 4, 1.f), r = numbers(4, 4, 2.f);
  matrix<float> p = l, q = l;
  evaluate(into(p) = matmul(l, r) + 1.f, into(q) = matmul(r, l) + 1.f);
  check_equal(p, evaluate(matmul(l, r) + 1.f));
  check_equal(q, evaluate(matmul(r, l) + 1.f));
  evaluate(into(p) = matmul(l, r) + 1.f, into(q) = l + 1.f);
  check_equal(p, evaluate(matmul(l, r) + 1.f));
  check_equal(q, evaluate(l + 1.f));
}

TEST_CASE("two random nodes of one generator draw different numbers") {
  set_seed(7);
  vector<float> x = iota(100, 0.f), y = x;
  vector<float> const base = iota(100, 0.f);
  evaluate(into(x) = base - sum(uniform<float>(shape(100))),
           into(y) = base - sum(uniform<float>(shape(100))));
  CHECK(x.read()(0) != y.read()(0));
}
