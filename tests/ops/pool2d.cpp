// Pools and their gradients, against plain loops.
#include <placement/ops/pool2d.hpp>
#include <placement/placement.hpp>

#include <support/elementwise.hpp>
#include <support/image_loops.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

using namespace placement;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

template <class E> std::string text(E const& e) { return to_string(tensor(e)); }

struct pool_loops {
  pool2d_options o;
  dextents<4> x;
  slid rows, columns;

  pool_loops(dextents<4> const& images, pool2d_options const& options)
      : o(options), x(images), rows(x.n[1], o.window.height, 1, 1, false, 0, 0), columns(rows) {
    if (o.strides.height == 0) o.strides.height = o.window.height;
    if (o.strides.width == 0) o.strides.width = o.window.width;
    rows = {x.n[1],        o.window.height, o.strides.height, 1, o.padding.is_same,
            o.padding.top, o.padding.bottom};
    columns = {x.n[2],         o.window.width, o.strides.width, 1, o.padding.is_same,
               o.padding.left, o.padding.right};
  }
  dextents<4> y() const { return {{x.n[0], rows.out, columns.out, x.n[3]}}; }

  /// Calls f(n, i, j, c, pixels) for each result, with the pixels of its window.
  template <class F> void each_window(F const& f) const {
    struct pixel {
      index_t row, column;
    };
    for (index_t n = 0; n != x.n[0]; ++n)
      for (index_t i = 0; i != rows.out; ++i)
        for (index_t j = 0; j != columns.out; ++j)
          for (index_t c = 0; c != x.n[3]; ++c) {
            std::vector<pixel> all;
            for (index_t ky = 0; ky != o.window.height; ++ky)
              for (index_t kx = 0; kx != o.window.width; ++kx) {
                pixel const p{i * o.strides.height + ky - rows.before,
                              j * o.strides.width + kx - columns.before};
                if (p.row >= 0 && p.row < x.n[1] && p.column >= 0 && p.column < x.n[2])
                  all.push_back(p);
              }
            f(n, i, j, c, all);
          }
  }
};

pool_loops random_pool(test_numbers& r) {
  pool2d_options o{.window = {r.next(1, 4), r.next(1, 4)}, .strides = {r.next(0, 4), r.next(0, 4)}};
  if (r.next(0, 1) == 0) o.padding = same_padding;
  else if (r.next(0, 1) == 0)
    o.padding = {r.next(0, o.window.height - 1), r.next(0, o.window.height - 1),
                 r.next(0, o.window.width - 1), r.next(0, o.window.width - 1)};
  index_t const h = o.padding.is_same ? r.next(0, 9) : r.next(o.window.height, 9);
  index_t const w = o.padding.is_same ? r.next(0, 9) : r.next(o.window.width, 9);
  return {{{r.next(0, 3), h, w, r.next(0, 20)}}, o};
}

template <class T> void check_pool(pool_loops const& p, test_numbers& r) {
  image_array x = image_array(p.x).fill(r), g = image_array(p.y()).fill(r);
  image_array largest(p.y()), mean(p.y()), to_largest(p.x), to_mean(p.x);
  p.each_window([&](index_t n, index_t i, index_t j, index_t c, auto const& pixels) {
    auto best = pixels.front();
    for (auto const& q : pixels) {
      if (x.at(n, q.row, q.column, c) > x.at(n, best.row, best.column, c)) best = q;
      mean.at(n, i, j, c) += x.at(n, q.row, q.column, c);
    }
    auto const count = static_cast<double>(pixels.size());
    largest.at(n, i, j, c) = x.at(n, best.row, best.column, c);
    to_largest.at(n, best.row, best.column, c) += g.at(n, i, j, c);
    mean.at(n, i, j, c) =
        static_cast<double>(static_cast<T>(static_cast<float>(mean.at(n, i, j, c) / count)));
    for (auto const& q : pixels) to_mean.at(n, q.row, q.column, c) += g.at(n, i, j, c) / count;
  });
  INFO(element_name<T>() << " images " << to_string(p.x) << ", window " << p.o.window.height << ' '
                         << p.o.window.width << ", strides " << p.o.strides.height << ' '
                         << p.o.strides.width << ", same " << p.o.padding.is_same);
  tensor const y = max_pool2d(x.as<T>(), p.o);
  CHECK(image_difference(y, largest) == "");
  CHECK(image_difference(max_pool2d_gradient(x.as<T>(), y, g.as<T>(), p.o), to_largest) == "");
  if constexpr (std::is_same_v<T, float>) {
    CHECK(image_difference(avg_pool2d(x.as<T>(), p.o), mean) == "");
    auto const got = tensor(avg_pool2d_gradient(g.as<T>(), p.x, p.o));
    auto const h = got.read();
    REQUIRE(h.size() == to_mean.v.size());
    for (std::size_t i = 0; i != h.size(); ++i)
      CHECK(std::abs(static_cast<double>(h[i]) - to_mean.v[i]) < 1e-5);
  }
}

}  // namespace

TEST_CASE("pools and their gradients equal plain loops for random shapes") {
  for (unsigned seed = 0; seed != 100; ++seed) {
    test_numbers r(seed);
    pool_loops const p = random_pool(r);
    check_pool<float>(p, r);
    if (seed % 4 == 0) {
      check_pool<double>(p, r);
      check_pool<float16>(p, r);
      check_pool<bfloat16>(p, r);
    }
  }
  CHECK(to_string(
            max_pool2d(zeros<float>(2, 0, 4, 1), {.window = {2, 2}, .padding = {1, 1}}).shape()) ==
        "[2, 0, 2, 1]");
  test_numbers r(1);
  check_pool<float>({{{9, 24, 24, 12}}, {}}, r);
  check_pool<float>({{{2, 13, 13, 35}}, {.window = {3, 3}, .strides = {2, 2}}}, r);
}

TEST_CASE("of equal maxima the first one takes the gradient, and of NaN the first NaN") {
  auto const row = [](auto... v) {
    return reshape(tensor{v...}, shape(1, 1, static_cast<int>(sizeof...(v)), 1));
  };
  pool2d_options const o{.window = {1, 3}};
  tensor const g = row(7.f, 8.f);
  auto const check = [&](auto const& images, std::string const& y, std::string const& dx) {
    tensor const x(images);
    tensor const largest = max_pool2d(x, o);
    CHECK(text(flatten(largest)) == y);
    CHECK(text(flatten(max_pool2d_gradient(x, largest, g, o))) == dx);
  };
  check(row(1.f, 5.f, 5.f, 4.f, 4.f, 4.f), "[5 4]", "[0 7 0 8 0 0]");
  check(row(-0.f, 0.f, 0.f, 1.f, not_a_number, not_a_number), "[-0 nan]", "[7 0 0 0 8 0]");
  check(row(not_a_number, 1.f, 2.f, -1.f, -2.f, -3.f), "[nan -1]", "[7 0 0 8 0 0]");
  float const down = -std::numeric_limits<float>::infinity();
  check(row(down, down, down, down, -3.f, down), "[-inf -3]", "[7 0 0 0 8 0]");
}

TEST_CASE("padding is never the largest element, nor part of a mean") {
  tensor const x = reshape(tensor{-1.f, -2.f, -3.f}, shape(1, 3, 1, 1));
  CHECK(text(flatten(max_pool2d(x, {.window = {2, 2}, .padding = same_padding}))) == "[-1 -3]");
  CHECK(text(flatten(avg_pool2d(x, {.window = {2, 2}, .padding = same_padding}))) == "[-1.5 -3]");
  CHECK(text(flatten(avg_pool2d(x, {.window = {2, 1}, .strides = {1, 1}, .padding = {1, 1}}))) ==
        "[-1 -1.5 -2.5 -3]");
  CHECK(text(flatten(avg_pool2d_gradient(ones<float>(1, 2, 1, 1), x.shape(),
                                         {.window = {2, 2}, .padding = same_padding}))) ==
        "[0.5 0.5 1]");
}

TEST_CASE("shapes of pools stay static where the options are in the type") {
  tensor const x = zeros<float>(extents<2, 8, 9, 3>{});
  auto const y = max_pool2d(x);
  CHECK(std::is_same_v<decltype(y)::extents_type, extents<2, 4, 4, 3>>);
  auto const z =
      avg_pool2d<pool2d_options{.window = {3, 3}, .strides = {2, 1}, .padding = same_padding}>(x);
  CHECK(std::is_same_v<decltype(z)::extents_type, extents<2, 4, 9, 3>>);
  CHECK(std::is_same_v<decltype(max_pool2d(x, {.window = {2, 2}}))::extents_type,
                       extents<2, dyn, dyn, 3>>);
  auto const dx = max_pool2d_gradient(x, y, y);
  CHECK(std::is_same_v<decltype(dx)::extents_type, extents<2, 8, 9, 3>>);
  CHECK(std::is_same_v<decltype(global_avg_pool2d(x))::extents_type, extents<2, 3>>);
  tensor const w = reshape(tensor{1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 9.f}, shape(1, 2, 2, 2));
  CHECK(text(global_max_pool2d(w)) == "[[7 9]]");
  CHECK(text(global_avg_pool2d(w)) == "[[4 5.25]]");
}

TEST_CASE("pools are reported by TensorFlow's names, and run on a GPU") {
  tensor const x = ones<float>(1, 2, 2, 1);
  log_lines log;
  with_device const scope("/GPU:0", log_level::all);
  tensor const y = max_pool2d(x);
  tensor const dx = max_pool2d_gradient(x, y, y);
  tensor const a = avg_pool2d(x);
  tensor const da = avg_pool2d_gradient(a, x.shape());
  auto const lines = log.take_all();
  CHECK(text(flatten(dx)) == "[1 0 0 0]");
  CHECK(text(flatten(da)) == "[0.25 0.25 0.25 0.25]");
  CHECK(da.where() == gpu0);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].starts_with("placement: MaxPool<float> [1, 1, 1, 1] on /GPU:0"));
  CHECK(lines[1].starts_with("placement: MaxPoolGrad<float> [1, 2, 2, 1] on /GPU:0"));
  CHECK(lines[2].starts_with("placement: AvgPool<float> [1, 1, 1, 1] on /GPU:0"));
  CHECK(lines[3].starts_with("placement: AvgPoolGrad<float> [1, 2, 2, 1] on /GPU:0"));
}

TEST_CASE("wrong windows and shapes of pools are errors") {
  tensor const x = zeros<float>(1, 3, 3, 2);
  auto const pool = [&](pool2d_options const& o) {
    return error_of("MaxPool", [&] { (void)max_pool2d(x, o); });
  };
  std::string const images = "placement: a pool of images of shape [1, 3, 3, 2] with a window of ";
  CHECK(
      pool({.window = {4, 2}}) ==
      images +
          "4 x 2: the window is larger than the images with their padding. Use a smaller one, or padding = same_padding.");
  std::string const range =
      "windows are 1 to 2^31 - 1, and larger than each padding; strides are 0, for the window's, to 2^31 - 1.";
  CHECK(pool({.window = {0, 2}}) == images + "0 x 2: " + range);
  CHECK(pool({.window = {2, 2}, .padding = {2, 0}}) == images + "2 x 2: " + range);
  CHECK(pool({.window = {2, 2}, .strides = {-1, 0}}) == images + "2 x 2: " + range);
  CHECK(
      error_of("MaxPoolGrad",
               [&] {
                 (void)max_pool2d_gradient(x, zeros<float>(1, 1, 1, 2), zeros<float>(1, 2, 1, 2),
                                           pool2d_options{});
               }) ==
      "placement: a gradient of shape [1, 2, 1, 2], where pools of images of shape [1, 3, 3, 2] give a result of shape [1, 1, 1, 2]. Check the shapes and the options.");
  CHECK(
      error_of("AvgPoolGrad",
               [&] {
                 (void)avg_pool2d_gradient(zeros<float>(1, 1, 1, 3), x.shape(), pool2d_options{});
               }) ==
      "placement: a gradient of shape [1, 1, 1, 3], where pools of images of shape [1, 3, 3, 2] give a result of shape [1, 1, 1, 2]. Check the shapes and the options.");
}
