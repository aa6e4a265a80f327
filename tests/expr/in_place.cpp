// Which expressions can be written to memory that they read.
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <stdexcept>
#include <string>
#include <vector>

using namespace placement;
using vec = tensor<float, dextents<1>>;

TEST_CASE("a tensor is not overwritten while on() of its own device reads it transposed") {
  with_device const here("/gpu:0");
  tensor a{{1.f, 2.f}, {3.f, 4.f}};
  a = a + transpose(on("/gpu:0", a));
  CHECK(to_string(a) == "[[2 5]\n [5 8]]");

  tensor b{{1.f, 2.f}, {3.f, 4.f}};
  b = b + transpose(on("/gpu:0", on("/gpu:0", view(b))));
  CHECK(to_string(b) == "[[2 5]\n [5 8]]");
}

TEST_CASE("a tensor that is read transposed is not overwritten, through a handle or a view") {
  for (char const* where : {"/cpu:0", "/gpu:0"}) {
    with_device const scope(where);
    for (index_t const n : {2, 40}) {
      tensor const numbers = iota(shape(n, n), 0);
      tensor const expected = numbers + transpose(numbers);
      tensor a = numbers + 0, b = numbers + 0;
      a = a + transpose(a);
      b = b + transpose(view(b));
      CHECK(item(sum(abs(a - expected))) == 0);
      CHECK(item(sum(abs(b - expected))) == 0);
    }
  }
}

TEST_CASE("borrowed memory is read before it is written through a view") {
  float memory[] = {1, 2, 3, 4};
  tensor a = borrow(memory, shape(4));
  slice(view(a), range{.step = -1}) = a;
  CHECK(to_string(a) == "[4 3 2 1]");
}

namespace {

/// x. Throws an exception for 7.
struct not_seven_op {
  static constexpr std::string_view name = "NotSeven";
  using pattern = map;
  template <class T> T operator()(T x) const {
    if (x == T{7}) throw std::runtime_error("seven");
    return x;
  }
};
template <operand X> auto not_seven(X&& x, site at = site::here()) -> unary<not_seven_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}  // namespace

TEST_CASE("an exception halfway through an element-wise kernel leaves the target unchanged") {
  for (char const* where : {"/cpu:0", "/gpu:0"}) {
    with_device const scope(where);
    tensor x{1.f, 2.f, 7.f};
    CHECK_THROWS_AS((x = not_seven(x + 0.f) * 2.f), std::runtime_error);
    CHECK(to_string(x) == "[1 2 7]");
    tensor const row{1.f, 1.f, 1.f};
    tensor y{{1.f, 2.f, 3.f}, {4.f, 5.f, 7.f}};
    CHECK_THROWS_AS((y = not_seven(y * row) + 1.f), std::runtime_error);
    CHECK(to_string(y) == "[[1 2 3]\n [4 5 7]]");
  }
}

TEST_CASE("an exception halfway through a reduction leaves the target unchanged") {
  tensor const x{{1.f, 2.f}, {3.f, 7.f}};
  tensor y{5.f, 6.f};
  CHECK_THROWS_AS((y = sum(not_seven(x), axis<1>)), std::runtime_error);
  CHECK(to_string(y) == "[5 6]");
  CHECK_THROWS_AS((y = relu(sum(not_seven(x), axis<1>))), std::runtime_error);
  CHECK(to_string(y) == "[5 6]");
}

namespace {

/// A member of ops. Its copies can be made to throw.
struct counted {
  static inline int alive = 0;
  static inline int copies_left = -1;  // none: a copy throws; negative: no copy throws

  counted() { ++alive; }
  counted(counted const&) {
    if (copies_left == 0) throw std::runtime_error("no copy");
    if (copies_left > 0) --copies_left;
    ++alive;
  }
  ~counted() { --alive; }
};
struct negated_op {
  static constexpr std::string_view name = "Negated";
  using pattern = map;
  counted one;
  template <class T> T operator()(T x) const noexcept { return -x; }
};
struct counted_sum_op : sum_op<> {
  counted one;
};

}  // namespace

TEST_CASE("ops whose copies throw are destroyed, in element-wise kernels and in reductions") {
  using negated = unary<negated_op, vec>;
  for (char const* where : {"/cpu:0", "/gpu:0"}) {
    vec const x{1.f, 2.f, 3.f};
    with_device const scope(where);
    for (int copies = 0; copies != 30; ++copies) {
      counted::copies_left = -1;
      {
        auto const e =
            node<counted_sum_op, negated>{{}, site::here(), negated{{}, site::here(), x}};
        int const before = counted::alive;
        counted::copies_left = copies;
        try {
          float const total = item(e);
          CHECK(total == -6);
          vec const y = e.template arg<0>();
          CHECK(to_string(y) == "[-1 -2 -3]");
        } catch (std::runtime_error const&) {}
        counted::copies_left = -1;
        synchronize();
        CHECK(counted::alive == before);
      }
      CHECK(counted::alive == 0);
    }
  }
}

TEST_CASE("a copy into borrowed memory on another device is logged like any other") {
  std::vector<std::string> lines;
  set_log_sink(
      [](std::string_view line, void* all) {
        if (line.starts_with("placement: copy"))
          static_cast<std::vector<std::string>*>(all)->emplace_back(line);
      },
      &lines);
  set_log_level(log_level::copies);
  float memory[] = {1, 2};
  tensor a = borrow(memory, shape(2));
  {
    with_device const scope("/gpu:1");
    a = constant(3.f, shape(2)) + 1.f;
  }
  a = copy_to("/gpu:1", a);
  set_log_sink(nullptr);
  CHECK(memory[1] == 4);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("placement: copy of 8 B from /GPU:1 to /CPU:0 for Add"));
  CHECK(lines[1].starts_with("placement: copy of 8 B from /CPU:0 to /GPU:1"));
  CHECK(lines[2].starts_with("placement: copy of 8 B from /GPU:1 to /CPU:0"));
}

TEST_CASE("a product is written in place, also of factors whose ops may throw") {
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  matrix<float> c = matmul(a, a);
  float const* const before = std::as_const(c).data();
  c = matmul(a + 1.f, transpose(a));
  CHECK(std::as_const(c).data() == before);
  c = matmul(not_seven(a), a);
  CHECK(std::as_const(c).data() == before);
  CHECK(to_string(c) == "[[7 10]\n [15 22]]");
  c = matmul(c, a);
  CHECK(to_string(c) == "[[37 54]\n [81 118]]");
}

TEST_CASE("an epilogue does not overwrite what its product or reduction reads") {
  for (char const* where : {"/cpu:0", "/gpu:0"}) {
    with_device const scope(where);
    for (index_t const n : {5, 40}) {
      matrix<float> const w = cast<float>(iota(shape(n, n), 0) % 7) - 3.f;
      matrix<float> const x = cast<float>(iota(shape(n, n), 0) % 5) - 1.f;
      matrix<float> const expected = relu(matmul(w, x) + 1.f);
      matrix<float> a = x + 0.f, b = x + 0.f;
      a = relu(matmul(w, a) + 1.f);
      b = relu(matmul(w, view(b)) + 1.f);
      CHECK(item(sum(abs(a - expected))) == 0);
      CHECK(item(sum(abs(b - expected))) == 0);
      tensor<float, dextents<1>> s = sum(x, axis<0>) + 0.f;
      tensor<float, dextents<1>> const sums = sum(reshape(s, shape(1, n)) * x, axis<1>) + 1.f;
      s = sum(reshape(s, shape(1, n)) * x, axis<1>) + 1.f;
      CHECK(item(sum(abs(s - sums))) == 0);
    }
  }
}
