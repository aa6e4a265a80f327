// Shapes and layouts: extents, broadcasting, rows and coordinates.
#include <support/log_lines.hpp>

#include <placement/shape/layout.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <type_traits>
#include <vector>

using namespace placement;

TEST_CASE("static extents take no memory, and mixed ones keep their static part in the type") {
  CHECK(std::is_empty_v<extents<2, 3>>);
  CHECK(extents<2, 3>::count() == 6);
  CHECK(extents<>::count() == 1);
  extents<2, dyn> const x = detail::converted<extents<2, dyn>>(shape(2, 5));
  CHECK(x.at(1) == 5);
  CHECK(x == shape(2, 5));
  CHECK(x == extents<2, 5>{});
  CHECK_FALSE(x == shape(5, 2));
  CHECK_FALSE(x == shape(2, 5, 1));
}

TEST_CASE("shapes print in brackets") {
  CHECK(to_string(shape()) == "[]");
  CHECK(to_string(shape(0)) == "[0]");
  CHECK(to_string(shape(12, 345)) == "[12, 345]");
  CHECK(to_string(shape(-1, 10)) == "[-1, 10]");
}

TEST_CASE("an element count is checked for overflow") {
  index_t const big = index_t{1} << 31;
  CHECK(detail::checked_count(shape(3, 4), 8) == 12);
  CHECK(detail::checked_count(shape(big, 0, big, big), 8) == 0);
  CHECK(detail::checked_count(shape(big, big - 1), 2) > 0);
  CHECK(error_message([&] { detail::checked_count(shape(big, big), 2); }) ==
        "placement: a tensor of shape [2147483648, 2147483648] has more bytes than can be "
        "addressed. Split it.");
  CHECK(error_message([] { detail::checked_count(shape(2, -3), 4); }) ==
        "placement: extent 1 is -3. Extents are zero or more.");
}

TEST_CASE("shapes broadcast as NumPy's do") {
  struct row {
    std::vector<index_t> a, b, result;  ///< an empty result: the shapes do not broadcast
  };
  row const table[] = {
      {{2, 3}, {2, 3}, {2, 3}}, {{2, 3}, {1, 3}, {2, 3}}, {{2, 1}, {1, 3}, {2, 3}},
      {{0, 3}, {1, 3}, {0, 3}}, {{1, 1}, {1, 1}, {1, 1}}, {{2, 3}, {3, 2}, {}},
      {{2, 3}, {2, 2}, {}},     {{0, 3}, {2, 3}, {}},     {{1, 0}, {2, 1}, {2, 0}}};
  for (row const& r : table) {
    dextents<2> const a = shape(r.a[0], r.a[1]), b = shape(r.b[0], r.b[1]);
    INFO(to_string(a) << " and " << to_string(b));
    if (r.result.empty()) {
      CHECK(error_message<shape_error>([&] { broadcast(a, b); }) != "");
      CHECK(error_message<shape_error>([&] { broadcast(b, a); }) != "");
    } else {
      CHECK(broadcast(a, b) == shape(r.result[0], r.result[1]));
      CHECK(broadcast(b, a) == shape(r.result[0], r.result[1]));
    }
  }
  CHECK(broadcast(shape(4, 2, 3), shape(3)) == shape(4, 2, 3));
  CHECK(broadcast(shape(), shape(4, 2)) == shape(4, 2));
  CHECK(broadcast(shape(2, 1), shape(3), shape(5, 1, 1)) == shape(5, 2, 3));
}

TEST_CASE("the statically known extents of a broadcast are in its type") {
  using both = decltype(broadcast(extents<2, 1>{}, extents<3>{}));
  CHECK(std::is_same_v<both, extents<2, 3>>);
  using half = decltype(broadcast(dextents<2>{}, extents<3>{}));
  CHECK(std::is_same_v<half, extents<dyn, 3>>);
  // a static extent of 1 broadcasts to the extent of the other value
  using open = decltype(broadcast(extents<dyn, 1>{}, dextents<2>{}));
  CHECK(std::is_same_v<open, dextents<2>>);
}

TEST_CASE("the last dimension has stride 1") {
  auto const l = row_major(shape(2, 3, 4));
  CHECK(l.stride[0] == 12);
  CHECK(l.stride[1] == 4);
  CHECK(l.stride[2] == 1);
  CHECK(l.step() == 1);
  CHECK(l.row({{1, 2, 3}}) == 20);
  CHECK(row_major(shape()).row({}) == 0);
}

TEST_CASE("a broadcast dimension has stride 0, and one of extent 1 that stays does not") {
  auto const l = broadcast_layout(row_major(shape(2, 1)), shape(2, 1), shape(5, 2, 4));
  CHECK(l.stride[0] == 0);
  CHECK(l.stride[1] == 1);
  CHECK(l.stride[2] == 0);
  auto const same = broadcast_layout(row_major(shape(2, 1)), shape(2, 1), shape(2, 1));
  CHECK(same.stride[1] == 1);
}

TEST_CASE("every row is visited once, in order, and none of a shape without elements") {
  std::vector<std::vector<index_t>> seen;
  for_each_row(shape(2, 3, 4),
               [&](coordinates<3> const& c) { seen.push_back({c.at[0], c.at[1], c.at[2]}); });
  CHECK(seen == std::vector<std::vector<index_t>>{
                    {0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}});
  int rows = 0;
  for_each_row(shape(3, 0), [&](auto const&) { ++rows; });
  for_each_row(shape(0, 3), [&](auto const&) { ++rows; });
  CHECK(rows == 0);
  for_each_row(shape(), [&](auto const&) { ++rows; });
  for_each_row(shape(5), [&](auto const&) { ++rows; });
  CHECK(rows == 2);
}

TEST_CASE("element numbers convert to coordinates and back") {
  auto const x = shape(2, 3, 4);
  for (index_t i = 0; i != 24; ++i) {
    auto const c = coordinates_of(i, x);
    CHECK(row_major(x).row(c) + c.at[2] == i);
  }
}
