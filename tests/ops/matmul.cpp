// Matrix products: batches, transposed operands, element types.
#include <placement/placement.hpp>

#include <support/log_lines.hpp>
#include <support/reductions.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace placement;

namespace {

/// The product of m x k and k x n matrices by plain loops. Integers wrap.
template <class T>
std::vector<T> plain_product(std::vector<T> const& a, std::vector<T> const& b, std::size_t m,
                             std::size_t k, std::size_t n) {
  std::vector<T> c(m * n);
  for (std::size_t i = 0; i != m; ++i)
    for (std::size_t j = 0; j != n; ++j) {
      std::conditional_t<std::is_integral_v<T>, std::uint64_t, T> sum{};
      for (std::size_t l = 0; l != k; ++l)
        sum += static_cast<decltype(sum)>(a[i * k + l]) * static_cast<decltype(sum)>(b[l * n + j]);
      c[i * n + j] = static_cast<T>(sum);
    }
  return c;
}
template <class T>
std::vector<T> part_of(std::vector<T> const& v, std::size_t first, std::size_t n) {
  auto const at = v.begin() + static_cast<std::ptrdiff_t>(first);
  return {at, at + static_cast<std::ptrdiff_t>(n)};
}

}  // namespace

TEST_CASE("matmul matches a plain loop for every element type and many sizes") {
  log_lines const fallbacks_of_integers;
  each<types_of_run<numbers, types<std::int8_t, float, double>>>([]<class T>() {
    INFO("element type " << element_name<T>());
    struct sizes {
      std::size_t m, k, n;
    };
    for (auto const [m, k, n] : {sizes{2, 3, 2}, sizes{1, 1, 1}, sizes{7, 5, 3}, sizes{3, 40, 300},
                                 sizes{1, 9, 257}, sizes{65, 1, 2}}) {
      INFO(m << " x " << k << " x " << n);
      auto const a = small_values<T>(m * k), b = small_values<T>(k * n);
      auto const rows = static_cast<index_t>(m), depth = static_cast<index_t>(k),
                 columns = static_cast<index_t>(n);
      on_each_device([&](device d) {
        auto const x = tensor_of(a, shape(rows, depth)), y = tensor_of(b, shape(depth, columns));
        tensor const c = matmul(x, y);
        CHECK(differences(c, plain_product(a, b, m, k, n)) == "");
        CHECK(c.where() == (std::is_floating_point_v<T> ? d : cpu0));
      });
    }
  });
}

TEST_CASE("integer products wrap") {
  tensor const x{{std::int8_t{100}, std::int8_t{100}}};
  CHECK(to_string(tensor(matmul(x, transpose(x)))) == "[[32]]");  // 20,000 modulo 256
  tensor const y{{2'000'000'000}};
  CHECK(to_string(tensor(matmul(y, y))) ==
        "[[" + std::to_string(static_cast<int>(4'000'000'000'000'000'000)) + "]]");
}

TEST_CASE("a batch of products broadcasts as NumPy does") {
  auto const a = small_values<float>(2 * 3 * 4 * 5), b = small_values<float>(3 * 5 * 2);
  std::vector<float> expected;
  for (std::size_t i = 0; i != 2; ++i)
    for (std::size_t j = 0; j != 3; ++j)
      for (float v :
           plain_product(part_of(a, (i * 3 + j) * 20, 20), part_of(b, j * 10, 10), 4, 5, 2))
        expected.push_back(v);
  std::vector<float> with_one, with_column;
  for (std::size_t i = 0; i != 6; ++i)
    for (float v : plain_product(part_of(a, i * 20, 20), part_of(b, 0, 10), 4, 5, 2))
      with_one.push_back(v);
  for (std::size_t i = 0; i != 2; ++i)
    for (std::size_t j = 0; j != 3; ++j)
      for (float v : plain_product(part_of(a, i * 20, 20), part_of(b, j * 10, 10), 4, 5, 2))
        with_column.push_back(v);
  on_each_device([&](device d) {
    auto const x = from(a, shape(2, 3, 4, 5));
    auto const y = from(b, shape(3, 5, 2));
    tensor const c = matmul(x, y);
    CHECK(c.shape() == shape(2, 3, 4, 2));
    CHECK(c.where() == d);
    CHECK(differences(c, expected) == "");
    tensor const first = slice(y, range{0, 1});  // (1, 5, 2)
    CHECK(differences(tensor(matmul(x, first)), with_one) == "");
    CHECK(differences(tensor(matmul(x, reshape(first, shape(5, 2)))), with_one) == "");
    tensor const column = reshape(from(part_of(a, 0, 40), shape(2, 4, 5)), shape(2, 1, 4, 5));
    CHECK(differences(tensor(matmul(column, y)), with_column) == "");
  });
}

TEST_CASE("products of static shapes have static shapes, with broadcast batches too") {
  tensor<float, extents<2, 1, 4, 5>> const x = zeros<float>(extents<2, 1, 4, 5>{});
  tensor<float, extents<3, 5, 6>> const y = zeros<float>(extents<3, 5, 6>{});
  STATIC_CHECK(std::is_same_v<decltype(matmul(x, y))::extents_type, extents<2, 3, 4, 6>>);
  STATIC_CHECK(
      std::is_same_v<decltype(matmul(transpose(x), x))::extents_type, extents<2, 1, 5, 5>>);
  STATIC_CHECK(std::is_same_v<decltype(matmul(tensor<float, dextents<2>>(), y))::extents_type,
                              extents<3, dyn, 6>>);
}

TEST_CASE("transposed and sliced operands are read in place") {
  auto const a = small_values<double>(4 * 3), b = small_values<double>(4 * 5);
  std::vector<double> at, bt;
  for (std::size_t j = 0; j != 3; ++j)
    for (std::size_t i = 0; i != 4; ++i) at.push_back(a[i * 3 + j]);
  for (std::size_t j = 0; j != 5; ++j)
    for (std::size_t i = 0; i != 4; ++i) bt.push_back(b[i * 5 + j]);
  on_each_device([&](device d) {
    auto const x = from(a, shape(4, 3)), y = from(b, shape(4, 5));
    std::size_t const copies = all_copies().copies;
    tensor const c = matmul(transpose(x), y);
    tensor const back = matmul(transpose(y), x);
    tensor const square = matmul(x, transpose(x));
    CHECK(all_copies().copies == copies);
    CHECK(c.where() == d);
    CHECK(differences(c, plain_product(at, b, 3, 4, 5)) == "");
    CHECK(differences(back, plain_product(bt, a, 5, 4, 3)) == "");
    CHECK(differences(square, plain_product(a, at, 4, 3, 4)) == "");
    tensor const both = matmul(transpose(x), transpose(transpose(y)));
    CHECK(differences(both, plain_product(at, b, 3, 4, 5)) == "");
    tensor const reversed =
        matmul(slice(x, range{.step = -1}), slice(transpose(x), range{}, range{.step = -1}));
    tensor const flipped = slice(square, range{.step = -1}, range{.step = -1});
    CHECK(to_string(reversed) == to_string(flipped));
  });
}

TEST_CASE("a product of integers falls back to the CPU, logged once per source line") {
  log_lines log;
  with_device const scope("/gpu:1");
  tensor const x{{1, 2}, {3, 4}};
  for (int times = 0; times != 3; ++times) {
    tensor const y = matmul(x, x);
    CHECK(to_string(y) == "[[7 10]\n [15 22]]");
    CHECK(y.where() == cpu0);
    CHECK(to_string(y.requested()) == "/GPU:1");
  }
  auto const lines = log.take_all();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with(
      "placement: fallback: MatMul<int32> [2, 2] asked for /GPU:1, runs on /CPU:0: "
      "no GPU kernel for this op and element type at "));
}

TEST_CASE("products with no rows or columns are empty, and with no depth zero") {
  on_each_device([](device) {
    auto none = [](index_t m, index_t n) { return tensor_of(std::vector<float>{}, shape(m, n)); };
    CHECK(tensor(matmul(none(0, 3), ones<float>(3, 2))).shape() == shape(0, 2));
    CHECK(tensor(matmul(ones<float>(2, 3), none(3, 0))).shape() == shape(2, 0));
    CHECK(to_string(tensor(matmul(none(2, 0), none(0, 2)))) == "[[0 0]\n [0 0]]");
    CHECK(to_string(tensor(matmul(none(2, 0), none(0, 2)) + 1.f)) == "[[1 1]\n [1 1]]");
    auto const no_batch = tensor_of(std::vector<float>{}, shape(0, 2, 3));
    CHECK(tensor(matmul(no_batch, ones<float>(3, 4))).shape() == shape(0, 2, 4));
  });
}

TEST_CASE("matmul fuses the element-wise ops after it, and takes expressions as operands") {
  on_each_device([](device) {
    tensor const x{{1.f, 2.f}, {3.f, 4.f}};
    tensor const bias{10.f, -20.f};
    CHECK(to_string(tensor(relu(matmul(x, x) + bias))) == "[[17 0]\n [25 2]]");
    CHECK(to_string(tensor(matmul(x * 2.f, x - 1.f))) == "[[8 14]\n [16 30]]");
    tensor y = x;
    y = matmul(y, y);
    CHECK(to_string(y) == "[[7 10]\n [15 22]]");
    y = y + matmul(transpose(y), x) * 0.f;
    CHECK(to_string(y) == "[[7 10]\n [15 22]]");
  });
}

TEST_CASE("shapes that do not multiply are an error that names both") {
  tensor const x{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  CHECK(error_of("MatMul", [&] { (void)matmul(x, x); }) ==
        "placement: matmul of shapes [2, 3] and [2, 3]: the columns of the left side must be as "
        "many as the rows of the "
        "right. Transpose one side, or check the shapes.");
  auto const batch = [](index_t n) { return tensor(zeros<float>(n, 2, 2)); };
  CHECK_THROWS_AS(matmul(batch(2), batch(3)), shape_error);
}
