// Borrowed tensors with overlapping memory: as in NumPy, an assignment reads all elements before it
// writes any, on every device.
#include <support/heap_count.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace placement;

namespace {

using floats = tensor<float, dextents<1>>;

/// The elements 0, 1, 2, ... in memory on a device.
template <class T = float> struct memory_on {
  tensor<T, dextents<1>> owner;
  device where;

  memory_on(device d, index_t n) : owner(copy_to(d, evaluate(iota(n, T{})))), where(d) {}

  /// The elements from `first` on as a borrowed tensor of a shape.
  template <index_t... N> auto part(index_t first, extents<N...> s) {
    return borrow(owner.data() + first, s, where);
  }
  std::string text() {
    synchronize(where);
    return to_string(copy_to(cpu0, part(0, owner.shape())), 10);
  }
};

template <class F> void on_cpu_and_gpu(F f) {
  for (device const d : {cpu0, device{kind::gpu, 1}}) {
    with_device const scope(d);
    CAPTURE(to_string(d));
    f(d);
  }
}

}  // namespace

TEST_CASE("an element-wise value of memory before or behind is read before it is written") {
  on_cpu_and_gpu([](device d) {
    memory_on forward(d, 6), backward(d, 6), twice(d, 6), itself(d, 6);
    auto a = forward.part(0, shape(5)), b = forward.part(1, shape(5));
    b = a * 1.f;
    CHECK(forward.text() == "[0 0 1 2 3 4]");
    auto c = backward.part(0, shape(5)), e = backward.part(1, shape(5));
    c = e + c;
    CHECK(backward.text() == "[1 3 5 7 9 5]");
    auto f = twice.part(0, shape(5)), g = twice.part(1, shape(5));
    g += f;
    CHECK(twice.text() == "[0 1 3 5 7 9]");
    auto h = itself.part(0, shape(6)), i = itself.part(0, shape(6));
    i = h + i;
    CHECK(itself.text() == "[0 2 4 6 8 10]");
  });
}

TEST_CASE("overlapping memory is copied as if through a temporary, in both directions") {
  on_cpu_and_gpu([](device d) {
    memory_on forward(d, 6), backward(d, 6), same(d, 4);
    auto a = forward.part(0, shape(5)), b = forward.part(1, shape(5));
    b = a;
    CHECK(forward.text() == "[0 0 1 2 3 4]");
    auto c = backward.part(0, shape(5)), e = backward.part(1, shape(5));
    c = std::move(e);
    CHECK(backward.text() == "[1 2 3 4 5 5]");
    auto f = same.part(0, shape(4)), g = same.part(0, shape(4));
    f = g;
    CHECK(same.text() == "[0 1 2 3]");
  });
}

TEST_CASE("reversed, transposed, broadcast or reduced memory is read before it is written") {
  on_cpu_and_gpu([](device d) {
    memory_on turned(d, 5), square(d, 4), first(d, 4), summed(d, 4), product(d, 8);
    auto a = turned.part(0, shape(5)), b = turned.part(0, shape(5));
    b = reverse(a, 0) + 0.f;
    CHECK(turned.text() == "[4 3 2 1 0]");
    auto m = square.part(0, shape(2, 2)), n = square.part(0, shape(2, 2));
    n = transpose(m);
    CHECK(square.text() == "[0 2 1 3]");
    auto one = first.part(0, shape(1)), all = first.part(0, shape(4));
    one = one + 1.f;
    all = all + one;
    CHECK(first.text() == "[2 2 3 4]");
    auto row = summed.part(0, shape(2, 2));
    auto total = summed.part(1, shape(2));
    total = sum(row, axis<1>) * 2.f;
    CHECK(summed.text() == "[0 2 10 3]");
    auto p = product.part(0, shape(2, 2)), q = product.part(2, shape(2, 2)),
         r = product.part(1, shape(2, 2));
    r = matmul(p, q) + 1.f;
    CHECK(product.text() == "[0 5 6 17 22 5 6 7]");
  });
}

TEST_CASE("writes to overlapping memory through views are also correct") {
  on_cpu_and_gpu([](device d) {
    memory_on direct(d, 6), part(d, 6), read(d, 6), owned(d, 6);
    auto a = direct.part(0, shape(5)), b = direct.part(1, shape(5));
    view(b) = a;
    CHECK(direct.text() == "[0 0 1 2 3 4]");
    auto c = part.part(0, shape(4)), e = part.part(0, shape(6));
    slice(view(e), range{1, 5}) = c;
    CHECK(part.text() == "[0 0 1 2 3 5]");
    auto f = read.part(0, shape(5)), g = read.part(1, shape(5));
    g = view(f) + 0.f;
    CHECK(read.text() == "[0 0 1 2 3 4]");
    auto h = owned.part(1, shape(5));  // borrowed memory over a tensor of the library
    view(h) = slice(owned.owner, range{0, 5});
    CHECK(owned.text() == "[0 0 1 2 3 4]");
  });
}

TEST_CASE("a tensor is not overwritten while a borrowed tensor that overlaps it is read") {
  with_device const scope(cpu<0>);
  constexpr index_t n = 300;  // several iterations of the vector loops
  auto const counted = [] { return evaluate(iota(n, 0.f)); };
  auto const ends = [](floats const& x) {
    auto const h = x.read();
    return std::pair(h[0], h[static_cast<std::size_t>(n - 1)]);
  };
  floats x = counted(), y = counted(), z = counted();
  auto const whole = borrow(x.data(), shape(n));
  x = x * 0.f + reverse(whole, 0);
  CHECK(ends(x) == std::pair(299.f, 0.f));
  auto const one = borrow(y.data() + 100, shape(1));
  y = y + one;
  CHECK(ends(y) == std::pair(100.f, 399.f));
  float total = 0.f;
  auto const last = borrow(z.data() + n - 1, shape(1));
  z = z * last;
  total = item(sum(z));
  CHECK(total == 299.f * 299.f * 300.f / 2.f);
}

TEST_CASE("overlapping elements of another type are read before they are overwritten") {
  with_device const scope(cpu<0>);
  alignas(8) unsigned char bytes[16] = {1, 2, 3, 4};
  auto const small = borrow(bytes, shape(4));
  auto large = borrow(reinterpret_cast<float*>(bytes), shape(4));
  large = cast<float>(small);
  CHECK(to_string(large) == "[1 2 3 4]");
}

TEST_CASE("results in overlapping memory are written one after another, the last one completely") {
  on_cpu_and_gpu([](device d) {
    memory_on both(d, 6), handles(d, 4), crossed(d, 8);
    floats const x = iota(5, 10.f), y = iota(5, 20.f);
    auto a = both.part(0, shape(5)), b = both.part(1, shape(5));
    evaluate(into(a) = x + 0.f, into(b) = y + 0.f);
    CHECK(both.text() == "[10 20 21 22 23 24]");
    auto c = handles.part(0, shape(4)), same = c;
    evaluate(into(c) = c + 1.f, into(same) = c * 2.f);
    CHECK(handles.text() == "[0 2 4 6]");
    auto e = crossed.part(0, shape(4)), f = crossed.part(4, shape(4)),
         g = crossed.part(1, shape(4));
    evaluate(into(e) = f + 0.f, into(f) = g * 2.f);
    CHECK(crossed.text() == "[4 5 6 7 2 4 6 8]");
  });
}

TEST_CASE("memory written through one borrowed tensor can be read through another") {
  index_t const n = index_t{1} << 20;
  device const d{kind::gpu, 1};
  memory_on memory(d, n + 1);
  auto a = memory.part(0, shape(n)), b = memory.part(1, shape(n));
  with_device const scope(d);
  for (int i = 0; i != 4; ++i) b = exp(tanh(b) * 0.f) + 1.f;
  CHECK(a.read()[static_cast<std::size_t>(n - 1)] == 2.f);
  for (int i = 0; i != 4; ++i) b = exp(tanh(b) * 0.f) + 2.f;
  CHECK(memory.owner.read()[static_cast<std::size_t>(n)] == 3.f);
}

TEST_CASE(
    "a borrowed tensor is not written while another GPU reads its memory through another one") {
  index_t const n = index_t{1} << 20;
  device const d{kind::gpu, 1};
  memory_on memory(d, n);
  auto a = memory.part(0, shape(n)), b = memory.part(0, shape(n));
  with_device const scope(d);
  floats late = zeros<float>(n);
  for (int round = 0; round != 3; ++round) {
    b = zeros<float>(n);
    floats seen;
    {
      with_device const other("/gpu:0");
      for (int i = 0; i != 3; ++i) late = exp(tanh(late));
      seen = a + 0.f;
    }
    b = ones<float>(n);
    CHECK(item(sum(seen)) == 0.f);
  }
}

TEST_CASE("results in disjoint borrowed memory are written directly, without temporaries") {
  with_device const scope(cpu<0>);
  floats const x = iota(100, 0.f), y = iota(100, 1.f);
  std::vector<float> memory(200);
  auto a = borrow(memory.data(), shape(100)), b = borrow(memory.data() + 100, shape(100));
  CHECK(heap_allocations([&] { evaluate(into(a) = x + y, into(b) = x - y); }) == 0);
  CHECK(heap_allocations([&] { evaluate(into(a) = a + b, into(b) = a - b); }) == 0);
  CHECK(memory[99] == 198.f);
  CHECK(memory[199] == 200.f);
  CHECK(heap_allocations([&] { a = b * 2.f; }) == 0);
  CHECK(heap_allocations([&] { view(a) = b; }) == 0);
  CHECK(memory[99] == 200.f);
  auto c = borrow(memory.data() + 1, shape(100));
  CHECK(heap_allocations([&] { evaluate(into(a) = x + y, into(c) = x - y); }) == 2);
}
