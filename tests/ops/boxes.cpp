// pad, tile, repeat and roll: copies of boxes, against a function of each index.
#include <placement/expr/print.hpp>
#include <placement/expr/to_vector.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/cast.hpp>
#include <placement/ops/iota.hpp>
#include <placement/ops/pad.hpp>
#include <placement/ops/repeat.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/tile.hpp>
#include <placement/ops/transpose.hpp>
#include <placement/ops/zeros.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <algorithm>
#include <limits>
#include <type_traits>

using namespace placement;

namespace {

constexpr index_t most = std::numeric_limits<index_t>::max();

/// The elements x[source(d, index)] for each index of a shape; `outside` where source is -1.
template <class T, class X, class Y, class Source>
std::vector<T> mapped(tensor<T, X> const& x, Y const& y, Source source, T outside = T{}) {
  auto const h = x.read();
  std::vector<T> all;
  for (index_t i = 0; i != static_cast<index_t>(y.count()); ++i) {
    auto const c = coordinates_of(i, y);
    index_t from = 0;
    bool inside = true;
    for (std::size_t d = 0; d != X::rank; ++d) {
      index_t const s = source(d, c.at[d + Y::rank - X::rank]);
      inside = inside && s >= 0;
      from = from * x.extent(d) + s;
    }
    all.push_back(inside ? h[static_cast<std::size_t>(from)] : outside);
  }
  return all;
}

using sizes = types<bool, std::int8_t, int, double>;

/// Calls f(x) for tensors of several element sizes, ranks and shapes.
template <class F> void each_operand(F const& f) {
  on_each_device([&](device) {
    // Each day each rank with one of the types.
    each<types_of_run<sizes, types<std::int8_t>>>(
        [&]<class T>() { f(tensor<T, dextents<1>>(cast<T>(iota(5, 1) + 0))); });
    each<types_of_run<sizes, types<double>>>([&]<class T>() {
      f(tensor<T, dextents<2>>(cast<T>(iota(shape(3, 1), 1))));
      f(tensor<T, dextents<2>>(cast<T>(iota(shape(40, 3), 1))));
    });
    each<types_of_run<sizes, types<int>>>(
        [&]<class T>() { f(tensor<T, dextents<3>>(cast<T>(iota(shape(2, 3, 17), 1)))); });
    each<types_of_run<sizes, types<bool>>>(
        [&]<class T>() { f(tensor<T, dextents<4>>(cast<T>(iota(shape(2, 1, 3, 2), 1)))); });
  });
}

/// Whether each index of y, by its source, has the element of x.
template <class T, class X, class Y, class Source>
std::string wrong(tensor<T, X> const& x, tensor<T, Y> const& y, Source source, T outside = T{}) {
  return differences(y, mapped(x, y.shape(), source, outside));
}

/// The source of an index beyond an extent under reflection.
index_t reflected(index_t i, index_t n) {
  if (n == 1) return 0;
  index_t const period = 2 * (n - 1), p = ((i % period) + period) % period;
  return p < n ? p : period - p;
}

}  // namespace

TEST_CASE("pad puts a constant, the edge or the reflection around a tensor") {
  each_operand([]<class T, class X>(tensor<T, X> const& x) {
    INFO(to_string(x.shape()));
    auto const inside = [&](std::size_t d, index_t i) {
      return i < 3 || i >= 3 + x.extent(d) ? -1 : i - 3;
    };
    tensor const constant = pad(x, 3);
    CHECK(constant.where() == x.where());
    CHECK(wrong(x, constant, inside) == no_differences);
    CHECK(wrong(x, tensor(pad(x, 3, 1)), inside, T(1)) == no_differences);
    CHECK(wrong(x, tensor(pad(x, 3, pad_mode::edge)), [&](std::size_t d, index_t i) {
            return std::clamp(i - 3, index_t{0}, x.extent(d) - 1);
          }) == no_differences);
    CHECK(wrong(x, tensor(pad(x, 7, pad_mode::reflect)), [&](std::size_t d, index_t i) {
            return reflected(i - 7, x.extent(d));
          }) == no_differences);
    CHECK(wrong(x, tensor(pad(x, 0)), [](std::size_t, index_t i) { return i; }) == no_differences);
  });
}

TEST_CASE("pad takes the widths of each dimension") {
  on_each_device([](device) {
    tensor const x = iota(shape(2, 2), 1);
    tensor const y = pad(x, {{0, 1}, {2, 0}}, 9);
    CHECK(y.shape() == shape(3, 4));
    CHECK(to_vector(y) == std::vector{9, 9, 1, 2, 9, 9, 3, 4, 9, 9, 9, 9});
    CHECK(to_vector(pad(transpose(x) + 1, {{0, 0}, {0, 1}}, pad_mode::edge)) ==
          std::vector{2, 4, 4, 3, 5, 5});
    CHECK(to_vector(pad(zeros<int>(0), 1, 5)) == std::vector{5, 5});
    CHECK(tensor(pad(zeros<int>(0, 2), {{0, 0}, {1, 1}}, pad_mode::edge)).shape() == shape(0, 4));
  });
}

TEST_CASE("pad reports widths that are negative, too large, or around nothing") {
  tensor const x = iota(shape(2, 3), 0);
  CHECK(error_message<shape_error>([&] { (void)pad(x, {{0, 0}, {-1, 2}}); })
            .starts_with("placement: pad of dimension 1 by -1 and 2. Widths are zero or more. In "
                         "PadV2 at "));
  for (pad_mode const mode : {pad_mode::edge, pad_mode::reflect})
    CHECK(error_message<shape_error>([&] { (void)pad(zeros<int>(0, 2), 1, mode); })
              .starts_with("placement: pad of dimension 0 of a tensor of shape [0, 2], which is "
                           "empty."));
  for (index_t const n : {most, most / 2, index_t{1} << 31, index_t{1} << 62})
    CHECK(error_message<shape_error>([&] { (void)pad(x, n); }).find("more bytes than can be") !=
          std::string::npos);
  CHECK(pad(iota(1, 0), index_t{1} << 31).shape() == shape((index_t{1} << 32) + 1));
}

TEST_CASE("tile repeats the whole tensor") {
  each_operand([]<class T, class X>(tensor<T, X> const& x) {
    INFO(to_string(x.shape()));
    auto const source = [&](std::size_t d, index_t i) { return i % x.extent(d); };
    CHECK(wrong(x, tensor(tile(x, 3)), source) == no_differences);
    CHECK(wrong(x, tensor(tile(x, shape(2, 5))), source) == no_differences);
    tensor const more = tile(x, shape(2, 1, 3, 1, 2));
    CHECK(more.where() == x.where());
    CHECK(wrong(x, more, source) == no_differences);
    CHECK(tensor(tile(x, 0)).size() == 0);
  });
  on_each_device(
      [](device) { CHECK(to_vector(tile(tensor<int, extents<>>(7), 3)) == std::vector{7, 7, 7}); });
  using matrix = tensor<float, extents<2, 3>>;
  STATIC_CHECK(
      std::is_same_v<decltype(tile(std::declval<matrix>(), extents<4, 1, 2>{}))::extents_type,
                     extents<4, 2, 6>>);
  CHECK(error_message<shape_error>([] { (void)tile(iota(3, 0), shape(2, -1)); })
            .starts_with("placement: tile of dimension 1 -1 times. A number of times is zero or "
                         "more. In Tile at "));
  CHECK(error_message<shape_error>([] {
          (void)tile(iota(shape(2, 3), 0), most);
        }).find("more bytes than can be") != std::string::npos);
}

TEST_CASE("repeat repeats each slice of an axis") {
  each_operand([]<class T, class X>(tensor<T, X> const& x) {
    INFO(to_string(x.shape()));
    for (int a = 0; a != static_cast<int>(X::rank); ++a)
      for (index_t const n : {1, 2, 20}) {
        tensor const y = repeat(x, n, a - static_cast<int>(X::rank));
        CHECK(y.extent(static_cast<std::size_t>(a)) == n * x.extent(static_cast<std::size_t>(a)));
        CHECK(wrong(x, y, [&](std::size_t d, index_t i) {
                return d == static_cast<std::size_t>(a) ? i / n : i;
              }) == no_differences);
      }
    CHECK(tensor(repeat(x, 0, 0)).size() == 0);
  });
  on_each_device([](device) {
    CHECK(to_vector(repeat(iota(shape(2, 2), 1), 2)) == std::vector{1, 1, 2, 2, 3, 3, 4, 4});
  });
  using matrix = tensor<float, extents<2, 3>>;
  STATIC_CHECK(
      std::is_same_v<decltype(repeat(std::declval<matrix>(), extents<2>{}, axis<1>))::extents_type,
                     extents<2, 6>>);
  CHECK(error_message<shape_error>([] { (void)repeat(iota(3, 0), -1, 0); })
            .starts_with("placement: repeat of dimension 0 -1 times. A number of times is zero or "
                         "more. In Repeat at "));
  CHECK(error_message<shape_error>([] {
          (void)repeat(iota(3, 0), 2, 1);
        }).starts_with("placement: there is no axis 1 in a tensor of rank 1."));
}

TEST_CASE("roll shifts elements along an axis, and the last ones come first") {
  each_operand([]<class T, class X>(tensor<T, X> const& x) {
    INFO(to_string(x.shape()));
    for (int a = 0; a != static_cast<int>(X::rank); ++a)
      for (index_t const by : {index_t{0}, index_t{1}, index_t{-2}, index_t{7}, most, -most - 1})
        CHECK(wrong(x, tensor(roll(x, by, a)), [&](std::size_t d, index_t i) {
                index_t const n = x.extent(d), moved = (i - by % n + n) % n;
                return d == static_cast<std::size_t>(a) ? moved : i;
              }) == no_differences);
  });
  on_each_device([](device) {
    tensor x = iota(shape(2, 3), 0);
    CHECK(to_vector(roll(x, 1)) == std::vector{5, 0, 1, 2, 3, 4});
    CHECK(roll(x, 1).shape() == shape(2, 3));
    x = roll(x, 1, axis<0>);
    CHECK(to_vector(x) == std::vector{3, 4, 5, 0, 1, 2});
    CHECK(tensor(roll(zeros<int>(0, 3), 2, 0)).shape() == shape(0, 3));
  });
  CHECK(error_message<shape_error>([] {
          (void)roll(iota(3, 0), 1, 1);
        }).starts_with("placement: there is no axis 1 in a tensor of rank 1."));
}
