// Where a result is written: in place if that is safe, otherwise into a new buffer. Also the number
// of allocations.
#include <support/counted_new.hpp>
#include <support/heap_count.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <stdexcept>
#include <string>
#include <utility>

using namespace placement;

namespace {

template <class T, class X> T const* elements(tensor<T, X> const& x) { return x.data(); }

/// Whether f(x) leaves x at its address. All operands are on one device.
template <class F> bool in_place(matrix<float> x, F f) {
  x.data();  // makes the memory unshared
  float const* const at = elements(x);
  f(x);
  return elements(x) == at;
}
matrix<float> square() { return {{1.f, 2.f}, {3.f, 4.f}}; }

constexpr char const* devices[] = {"/cpu:0", "/gpu:1"};

}  // namespace

TEST_CASE("an element-wise expression is written into the tensor that it reads") {
  for (char const* name : devices) {
    with_device const scope(name);
    matrix<float> const other = square();
    CHECK(in_place(square(), [&](auto& x) { x = relu(x); }));
    CHECK(in_place(square(), [&](auto& x) { x = x + x * 2.f; }));
    CHECK(in_place(square(), [&](auto& x) { x = relu(other * x + x) * x; }));
    CHECK(in_place(square(), [&](auto& x) { x = other * 2.f; }));
    CHECK(in_place(square(), [&](auto& x) { x = view(x) + 1.f; }));
    CHECK(
        in_place(square(), [&](auto& x) { x = x + sum(x); }));  // sum() runs before the first write
    CHECK(in_place(square(), [&](auto& x) { x = x + matmul(other, other); }) == false);
  }
}

TEST_CASE("elements that are read at another position than they are written are not overwritten") {
  for (char const* name : devices) {
    with_device const scope(name);
    matrix<float> x = square();
    x = transpose(x);
    CHECK(to_string(x) == "[[1 3]\n [2 4]]");
    x = x + transpose(x);
    CHECK(to_string(x) == "[[2 5]\n [5 8]]");
    x = matmul(x, x);
    CHECK(to_string(x) == "[[29 50]\n [50 89]]");
    x = relu(matmul(x, square()) + x);
    CHECK(to_string(x) == "[[208 308]\n [367 545]]");
    x = slice(x, range{.step = -1}, range{.step = -1}) + x * 0.f;
    CHECK(to_string(x) == "[[545 367]\n [308 208]]");
    x = transpose(view(x)) + view(x);
    CHECK(to_string(x) == "[[1090 675]\n [675 416]]");
    x = softmax(x) * 0.f + reshape(x, shape(2, 2));
    CHECK(to_string(x) == "[[1090 675]\n [675 416]]");
    x = reversed(x * 0.f + 1.f) + x;
    CHECK(to_string(x) == "[[1091 676]\n [676 417]]");
  }
}

TEST_CASE("a product or a reduction is written into a tensor that it does not read") {
  for (char const* name : devices) {
    with_device const scope(name);
    matrix<float> const a = square(), b = square();
    CHECK(in_place(square(), [&](auto& x) { x = matmul(a, b); }));
    CHECK(in_place(square(), [&](auto& x) { x = relu(matmul(a, b) + 1.f); }));
    CHECK_FALSE(in_place(square(), [&](auto& x) { x = matmul(x, b); }));
    CHECK_FALSE(in_place(square(), [&](auto& x) { x = matmul(a, transpose(view(x))); }));
    CHECK_FALSE(in_place(square(), [&](auto& x) { x = matmul(a, b) + x; }));
  }
}

TEST_CASE(
    "shared elements, and elements on another device or of another size are not overwritten") {
  with_device const scope("/gpu:0");
  matrix<float> x = square();
  matrix<float> const shared = x;
  x = x + 1.f;
  CHECK(to_string(shared) == "[[1 2]\n [3 4]]");
  auto const e = x * 2.f;  // a named expression holds the elements
  x = e;
  CHECK(to_string(matrix<float>(e)) == "[[4 6]\n [8 10]]");
  CHECK(to_string(x) == "[[4 6]\n [8 10]]");
  {
    with_device const other("/gpu:1");
    x = x + 1.f;
    CHECK(x.where() == device{kind::gpu, 1});
  }
  x = slice(x, range{0, 1});
  CHECK(x.shape() == shape(1, 2));
}

TEST_CASE("an assignment that broadcasts its own target gives the larger result") {
  matrix<float> x{{1.f, 2.f}};
  x = x + matrix<float>{{10.f}, {20.f}};
  CHECK(to_string(x) == "[[11 12]\n [21 22]]");
}

TEST_CASE("an op that throws halfway leaves the tensor unchanged") {
  for (char const* name : devices) {
    with_device const scope(name);
    vector<float> x{1.f, 2.f, 3.f, 0.f};
    vector<float> const y{1.f, 2.f};
    float const* const at = elements(x);
    CHECK_THROWS_AS(x = at_most_two(x), std::runtime_error);
    CHECK_THROWS_AS(x = relu(at_most_two(x) + 1.f), std::runtime_error);
    CHECK_THROWS_AS(x = reversed(x), std::runtime_error);
    CHECK_THROWS_AS(x = sum(at_most_two(x)) + x, std::runtime_error);
    CHECK_THROWS_AS(slice(view(x), range{0, 2}) = slice(at_most_two(x), range{1, 3}),
                    std::runtime_error);
    CHECK_THROWS_AS(vector<float>(at_most_two(x)), std::runtime_error);
    CHECK(elements(x) == at);
    CHECK(to_string(x) == "[1 2 3 0]");
    x = at_most_two(y);
    CHECK(to_string(x) == "[1 2]");
  }
}

TEST_CASE("an op that throws halfway leaves borrowed memory unchanged") {
  float memory[] = {1, 2, 3, 0};
  vector<float> x = borrow(memory, shape(4));
  CHECK_THROWS_AS(x = at_most_two(x), std::runtime_error);
  CHECK_THROWS_AS(x = reversed(x), std::runtime_error);
  CHECK(memory[0] == 1);
  CHECK(memory[3] == 0);
}

// ---- number of heap allocations

TEST_CASE("one kernel allocates nothing for a tensor of its shape, and once for a new one") {
  with_device const scope("/cpu:0");
  matrix<float> const a = square(), b = square();
  matrix<float> x = square();
  x.data();
  CHECK(heap_allocations([&] { x = relu(a * b + 1.f); }) == 0);
  CHECK(heap_allocations([&] { x = matmul(a, transpose(b)); }) == 0);
  CHECK(heap_allocations([&] { x = relu(matmul(a, b) + 1.f); }) == 0);
  CHECK(heap_allocations([&] { matrix<float> const y = relu(a * b + 1.f); }) == 1);
  CHECK(heap_allocations([&] { matrix<float> const y = matmul(a, b); }) == 1);
  CHECK(heap_allocations([&] { auto const y = evaluate(sum(a * b)); }) == 1);
  CHECK(heap_allocations([&] { auto const y = evaluate(softmax(a)); }) == 1);
  CHECK(heap_allocations([&] { matrix<float> const y{{1.f, 2.f}, {3.f, 4.f}}; }) == 1);
}

TEST_CASE("each part with a kernel of its own is one more allocation") {
  with_device const scope("/cpu:0");
  matrix<float> const a = square(), b = square();
  matrix<float> x = square();
  x.data();
  CHECK(heap_allocations([&] { x = a + sum(b); }) == 1);
  CHECK(heap_allocations([&] { x = matmul(a + b, b); }) == 1);
  CHECK(heap_allocations([&] { x = matmul(a + b, a * b); }) == 2);
  CHECK(heap_allocations([&] { x = softmax(a) + softmax(b); }) == 2);
  CHECK(heap_allocations([&] { x = a + on("/cpu:0", b + b); }) == 1);
}

TEST_CASE("copies, moves, views and expressions allocate nothing") {
  with_device const scope("/cpu:0");
  matrix<float> a = square();
  CHECK(heap_allocations([&] {
          matrix<float> b = a;
          matrix<float> const c = std::move(b);
          auto const e = relu(transpose(c) + slice(view(a), range{0, 1})) * 2.f;
          auto const h = a.read();
          static_cast<void>(e.shape());
          static_cast<void>(h(0, 0));
          tensor<float, extents<2, 2>> const fixed = a;
        }) == 0);
}

TEST_CASE("a tensor on a GPU is one block of GPU memory and one header") {
  with_device const scope("/gpu:1");
  device const gpu{kind::gpu, 1};
  matrix<float> const a = square();
  matrix<float> const warm = relu(a);
  auto const before = memory_stats_of(gpu);
  matrix<float> const y = relu(a);
  auto const after = memory_stats_of(gpu);
  CHECK(after.allocations == before.allocations + 1);
  CHECK(after.in_use == before.in_use + 256);
}

TEST_CASE("temporaries and copies of operands are freed when the kernel is done") {
  device const gpu{kind::gpu, 1};
  matrix<float> const a = copy_to("/cpu:0", square());
  auto const before = memory_stats_of(gpu);
  {
    with_device const scope("/gpu:1");
    matrix<float> const y = matmul(relu(a) + sum(a), a + a);
    CHECK(memory_stats_of(gpu).allocations == before.allocations + 1);
  }
  CHECK(memory_stats_of(gpu).allocations == before.allocations);
  CHECK(memory_stats_of(gpu).in_use == before.in_use);
}

TEST_CASE("an operand that a kernel reads twice is copied once, and the copy is not kept") {
  matrix<float> const a = copy_to("/cpu:0", square());
  device const gpu{kind::gpu, 1};
  auto const before = copies_between(cpu0, gpu).copies;
  with_device const scope("/gpu:1");
  matrix<float> const x = a * a + transpose(a);
  CHECK(copies_between(cpu0, gpu).copies == before + 1);
  matrix<float> const y = a + 1.f;
  CHECK(copies_between(cpu0, gpu).copies == before + 2);
  CHECK(a.where() == cpu0);
}
