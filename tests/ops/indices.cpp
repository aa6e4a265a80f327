// Masks and indices: nonzero, extract, compress, unique, take, scatter, searchsorted, topk,
// histogram.
#include <placement/ops/assign_where.hpp>
#include <placement/ops/compress.hpp>
#include <placement/ops/histogram.hpp>
#include <placement/ops/nan_variance.hpp>
#include <placement/ops/nonzero.hpp>
#include <placement/ops/repeat_each.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/scatter.hpp>
#include <placement/ops/searchsorted.hpp>
#include <placement/ops/take.hpp>
#include <placement/ops/topk.hpp>
#include <placement/ops/unique.hpp>
#include <placement/ops/unique_all.hpp>
#include <placement/placement.hpp>

#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace placement;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class E> std::string text(E const& e) { return to_string(tensor(e)); }
tensor<float, dextents<1>> none() { return tensor_of(std::vector<float>{}, shape(0)); }

}  // namespace

TEST_CASE("nonzero gives the indices of elements that are not zero") {
  on_each_device([](device d) {
    tensor const x{{0., 3., 0.}, {not_a_number, 0., -1.}};
    tensor const places = flatnonzero(x);
    CHECK(text(places) == "[1 3 5]");
    CHECK(places.where() == d);
    auto const [rows, columns] = nonzero(x);
    CHECK(text(rows) == "[0 1 1]");
    CHECK(text(columns) == "[1 0 2]");
    CHECK(text(flatnonzero(x > 0.)) == "[1]");
    CHECK(flatnonzero(x > 5.).shape() == shape(0));
    CHECK(nonzero(none())[0].shape() == shape(0));
  });
}

TEST_CASE("extract and compress keep what a mask selects") {
  on_each_device([](device d) {
    tensor const x{{1, 5}, {2, 6}, {3, 7}};
    tensor const some = extract(x % 2 == 1, x);
    CHECK(text(some) == "[1 5 3 7]");
    CHECK(some.where() == d);
    CHECK(text(extract(x > 2, x * 10)) == "[50 60 30 70]");
    tensor const rows{true, false, true};
    CHECK(text(compress(rows, x)) == "[[1 5]\n [3 7]]");
    CHECK(text(compress(tensor{false, true}, x, 1)) == "[[5]\n [6]\n [7]]");
    CHECK(compress(tensor{false, false}, x, axis<1>).shape() == shape(3, 0));
    CHECK(error_of("Extract", [&] { (void)extract(rows, x); }) ==
          "placement: Extract by a mask of shape [3] of a tensor of shape [3, 2]. The mask of "
          "extract has the tensor's shape, that of compress one element for each of the axis.");
    CHECK_THROWS_AS(compress(rows, x, 1), shape_error);
  });
}

TEST_CASE("assign_where writes where a mask is true") {
  on_each_device([](device) {
    tensor x{{1.f, -2.f}, {-3.f, 4.f}};
    assign_where(x, x < 0.f, 0.f);
    CHECK(text(x) == "[[1 0]\n [0 4]]");
    assign_where(slice(view(x), range{0, 1}), tensor{true, false}, tensor{7.f, 8.f});
    CHECK(text(x) == "[[7 0]\n [0 4]]");
    assign_where(view(x), x > 5.f, x * 2.f);
    CHECK(text(x) == "[[14 0]\n [0 4]]");
    CHECK_THROWS_AS(assign_where(x, tensor{true, false, true}, 0.f), shape_error);
    CHECK(text(x) == "[[14 0]\n [0 4]]");
  });
}

TEST_CASE("unique sorts the different elements") {
  on_each_device([](device) {
    CHECK(text(unique(tensor{{3, -1}, {3, 7}})) == "[-1 3 7]");
    auto const [values, counts] =
        unique_counts(tensor{2., not_a_number, -infinity, 0., -0., 2., not_a_number});
    CHECK(text(values + 0.) == "[-inf 0 2 nan]");
    CHECK(text(counts) == "[1 2 2 2]");
    CHECK(unique(none()).shape() == shape(0));
    CHECK(text(unique(tensor{true, false, true})) == "[False True]");
  });
}

TEST_CASE("unique orders each element type as std::sort does") {
  each<ordered_elements>([]<class T>() {
    INFO("element type " << element_name<T>());
    std::vector<T> v;
    std::uint64_t bits = 88172645463325252u;
    for (int i = 0; i != 3000; ++i) {
      bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
      if constexpr (std::is_integral_v<T>) v.push_back(static_cast<T>(bits));
      else
        v.push_back(static_cast<T>((static_cast<double>(bits >> 40) - 8388608.) /
                                   (i % 2 == 0 ? 1 : 65536)));
    }
    auto sorted = v;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    auto const found = unique_counts(tensor_of(v, shape(3000)));
    CHECK(differences(found.values, sorted) == no_differences);
    CHECK(item(sum(found.counts)) == 3000);
  });
}

TEST_CASE("take reads at indices, and negative ones count from the end") {
  on_each_device([](device d) {
    tensor const x{{1, 2, 3}, {4, 5, 6}};
    CHECK(text(take(x, tensor{-1, 0, 3})) == "[6 1 4]");
    tensor const columns = take(x, tensor{{2, -3}}, 1);
    CHECK(columns.where() == d);
    CHECK(text(columns) == "[[[3 1]]\n\n [[6 4]]]");
    CHECK(text(take(x * 2, tensor{std::uint8_t{1}}, axis<0>)) == "[[8 10 12]]");
    CHECK(error_of("GatherV2", [&] { tensor const y = take(x, tensor{0, -3}, 0); }) ==
          "placement: gather of index -3 in a dimension of extent 2. Each index is at least 0 and "
          "below the extent.");
  });
}

TEST_CASE("take_along_axis reads what argsort names") {
  tensor const x{{3., 1., 2.}, {0., 5., 4.}};
  on_each_device([&](device) {
    CHECK(text(take_along_axis(x, argsort(x), -1)) == text(sort(x)));
    CHECK(text(take_along_axis(x, argsort(x, 0), axis<0>)) == text(sort(x, 0)));
    CHECK(text(take_along_axis(x, tensor{{-1}, {0}}, 1)) == "[[2]\n [0]]");
    CHECK(error_of("TakeAlongAxis",
                   [&] { tensor const y = take_along_axis(x, tensor{{3}, {0}}, 1); }) ==
          "placement: TakeAlongAxis of index 3 in a dimension of extent 3. Indices are -extent to "
          "extent - 1; negative ones count from the end.");
    CHECK_THROWS_AS(take_along_axis(x, tensor{{1}}, 1), shape_error);
  });
}

TEST_CASE("scatter, index_add and put write at indices, equal ones in order") {
  on_each_device([](device) {
    tensor const x{{1, 2}, {3, 4}, {5, 6}};
    tensor const rows{{10, 20}, {30, 40}};
    CHECK(text(scatter(x, tensor{2, 0}, rows)) == "[[30 40]\n [3 4]\n [10 20]]");
    CHECK(text(scatter(x, tensor{1, -2}, rows)) == "[[1 2]\n [30 40]\n [5 6]]");
    CHECK(text(index_add(x, tensor{1, 1}, rows)) == "[[1 2]\n [43 64]\n [5 6]]");
    CHECK(text(index_add(x, tensor{-1}, tensor{{1}, {1}, {1}}, 1)) == "[[1 3]\n [3 5]\n [5 7]]");
    tensor y = x;
    put(y, tensor{-1, 0}, tensor{9, 8});
    CHECK(text(y) == "[[8 2]\n [3 4]\n [5 9]]");
    CHECK(text(x) == "[[1 2]\n [3 4]\n [5 6]]");
    CHECK_THROWS_AS(put(y, tensor{6}, tensor{1}), shape_error);
    CHECK(text(y) == "[[8 2]\n [3 4]\n [5 9]]");
    y = index_add(y, tensor{0}, tensor{{1, 1}});
    CHECK(text(y) == "[[9 3]\n [3 4]\n [5 9]]");
    CHECK_THROWS_AS(scatter(x, tensor{0}, rows), shape_error);
  });
  tensor const most{std::numeric_limits<std::int64_t>::max()};
  CHECK(text(index_add(most, tensor{0}, tensor{std::int64_t{1}})) == "[-9223372036854775808]");
}

TEST_CASE("the first index that is outside is an error, wherever it is") {
  tensor const x{1.f, 2.f, 3.f};
  for (index_t n : {1, 2, 3, 8}) {
    tensor<std::int64_t, dextents<1>> at = constant(std::int64_t{-3}, shape(n));
    tensor<float, dextents<1>> const values = constant(7.f, shape(n));
    CHECK(text(scatter(x, at, values)) == "[7 2 3]");
    for (index_t i = 0; i != n; ++i)
      for (std::int64_t const wrong :
           {std::int64_t{3}, std::int64_t{-4}, std::numeric_limits<std::int64_t>::max(),
            std::numeric_limits<std::int64_t>::min()}) {
        tensor<std::int64_t, dextents<1>> some = at;
        some.data()[i] = wrong;
        CHECK_THROWS_AS(tensor(scatter(x, some, values)), shape_error);
      }
    tensor<std::uint64_t, dextents<1>> large = zeros<std::uint64_t>(shape(n));
    CHECK(text(scatter(x, large, values)) == "[7 2 3]");
    large.data()[n - 1] = std::numeric_limits<std::uint64_t>::max();  // not -1
    CHECK_THROWS_AS(tensor(scatter(x, large, values)), shape_error);
  }
}

TEST_CASE("searchsorted counts the smaller elements") {
  on_each_device([](device) {
    tensor const sorted{1., 2., 2., 4., not_a_number};
    tensor const values{{0., 2., 3.}, {9., not_a_number, -infinity}};
    CHECK(text(searchsorted(sorted, values)) == "[[0 1 3]\n [4 4 0]]");
    CHECK(text(searchsorted(sorted, values, side::right)) == "[[0 3 3]\n [4 5 0]]");
    CHECK(text(searchsorted(none(), tensor{1.f})) == "[0]");
  });
}

namespace {
/// Numbers, zeros of both signs and NaN of several bits.
template <class T, class I> void check_bits_of_topk() {
  I const nan = std::bit_cast<I>(static_cast<T>(std::numeric_limits<float>::quiet_NaN()));
  std::vector<T> x;
  for (unsigned i = 0; i != 96; ++i)
    x.push_back(i % 4 == 0   ? static_cast<T>(-0.f)
                : i % 4 == 1 ? static_cast<T>(0.f)
                : i % 4 == 2 ? std::bit_cast<T>(static_cast<I>(nan ^ (i & 31)))
                             : static_cast<T>(static_cast<float>(i % 5) - 2.f));
  tensor<T, dextents<1>> const all = from(x, shape(96));
  for (index_t const k : {5, 20, 70, 96}) {
    tensor<T, dextents<1>> const best = topk(all, k);
    tensor<std::int64_t, dextents<1>> const places = argtopk(all, k);
    index_t same = 0;
    for (index_t i = 0; i != k; ++i)
      same += std::bit_cast<I>(best(i)) == std::bit_cast<I>(x[static_cast<std::size_t>(places(i))]);
    CHECK(same == k);
  }
}
}  // namespace

TEST_CASE("topk has the bits of the elements that argtopk names") {
  check_bits_of_topk<float, std::uint32_t>();
  check_bits_of_topk<double, std::uint64_t>();
  check_bits_of_topk<bfloat16, std::uint16_t>();
}

TEST_CASE("topk gives the largest elements, the first of equal ones first") {
  on_each_device([](device) {
    tensor const x{{3., 9., 9., 1.}, {not_a_number, 2., 5., 0.}};
    CHECK(text(topk(x, 3)) == "[[9 9 3]\n [5 2 0]]");
    CHECK(text(argtopk(x, 3)) == "[[1 2 0]\n [2 1 3]]");
    CHECK(text(topk(slice(x, everything, range{1, 4}), 1, 0)) == "[[9 9 1]]");
    CHECK(text(argtopk(x, 1, axis<0>)) == "[[0 0 0 0]]");
    CHECK(text(topk(x, 4)) == text(sort(x, descending)));
    CHECK(tensor(topk(x, 0)).shape() == shape(2, 0));
    tensor const many = iota(300, 0) * 7 % 100;  // each three times
    CHECK(text(topk(many, 30)) == text(slice(sort(many, descending), range{0, 30})));
    CHECK(text(argtopk(many, 30)) == text(slice(argsort(many, descending), range{0, 30})));
    CHECK(error_of("TopKV2", [&] { (void)topk(x, 5); }) ==
          "placement: TopKV2 of 5 elements of an axis of extent 4. Ask for 0 to as many.");
    CHECK_THROWS_AS(topk(x, -1), shape_error);
  });
}

TEST_CASE("unique_all gives first places, the inverse and counts") {
  on_each_device([](device d) {
    auto const all = unique_all(tensor{{3., not_a_number, 0.}, {-0., 3., not_a_number}});
    CHECK(text(all.values) == "[0 3 nan]");
    CHECK(text(all.indices) == "[2 0 1]");
    CHECK(text(all.inverse) == "[[1 2 0]\n [0 1 2]]");
    CHECK(text(all.counts) == "[2 2 2]");
    CHECK(all.inverse.where() == d);
    CHECK(unique_all(none()).values.shape() == shape(0));
    tensor const many = iota(4000, 0) * 7 % 2000;  // more than the table of unique has room for
    CHECK(text(unique_counts(many).counts - 2) == text(iota(2000, 0) * 0));
    CHECK(text(unique_all(many).values) == text(unique(many)));
  });
}

TEST_CASE("repeat_each repeats slices, roll shifts several axes, and nanvar skips NaN") {
  on_each_device([](device d) {
    tensor const x{{1., 2.}, {3., 4.}};
    tensor const rows = repeat_each(x, tensor{2, 1}, 0);
    CHECK(text(rows) == "[[1 2]\n [1 2]\n [3 4]]");
    CHECK(rows.where() == d);
    CHECK(text(repeat_each(x, tensor{0, 1, 0, 2})) == "[2 4 4]");
    CHECK(text(repeat_each(x, tensor{0, 7, 4, 5})) == "[2 2 2 2 2 2 2 3 3 3 3 4 4 4 4 4]");
    CHECK(error_of("Repeat", [&] { (void)repeat_each(x, tensor{1, -1}, 1); }) ==
          "placement: repeat_each with a count of -1 for an axis of extent 2. Give one count of "
          "zero or more for each slice.");
    CHECK_THROWS_AS(repeat_each(x, tensor{1, 2, 3}, 1), shape_error);
    std::int64_t const most = std::numeric_limits<std::int64_t>::max();
    CHECK_THROWS_AS(repeat_each(x, tensor{most, most}, 1), shape_error);
    CHECK(text(roll(x, {1, -1}, {0, 1})) == "[[4 3]\n [2 1]]");
    tensor const holes{{1., not_a_number, 3.}, {not_a_number, not_a_number, not_a_number}};
    CHECK(text(nanvar(holes, 1)) == "[1 nan]");
    CHECK(text(nanstd(holes)) == "1");
  });
}

TEST_CASE("bincount and histogram count") {
  on_each_device([](device) {
    CHECK(text(bincount(tensor{1, 3, 1})) == "[0 2 0 1]");
    CHECK(text(bincount(tensor{1}, 3)) == "[0 1 0]");
    CHECK(bincount(cast<int>(none())).shape() == shape(0));
    CHECK(error_message([] {
            (void)bincount(tensor{0, -2});
          }).starts_with("placement: bincount of -2. It counts integers from 0 on. In Bincount"));
    CHECK_THROWS_AS(bincount(tensor{std::numeric_limits<std::int64_t>::max()}), invalid_argument);
    CHECK_THROWS(bincount(tensor{std::numeric_limits<std::int64_t>::max() - 1}));
    auto const h = histogram(tensor{1., 2., 1., 4., 3.}, 3);
    CHECK(text(h.counts) == "[2 1 2]");
    CHECK(text(h.edges) == "[1 2 3 4]");
    auto const part = histogram(tensor{-1., 0., 0.5, 1., 2., not_a_number}, 2, 0., 1.);
    CHECK(text(part.counts) == "[1 2]");
    CHECK(text(histogram(tensor{5., 5.}, 2).edges) == "[4.5 5 5.5]");
    CHECK_THROWS_AS(histogram(tensor{1., not_a_number}, 2), invalid_argument);
    CHECK_THROWS_AS(histogram(tensor{1.}, 0), invalid_argument);
    CHECK_THROWS_AS(histogram(tensor{1.}, 2, 1., 0.), invalid_argument);
  });
}

TEST_CASE("histogram compares with its edges, whatever the rounding of bins") {
  for (index_t const bins : {3, 10, 49, 100}) {
    auto const edges = histogram(none(), bins, -1., 2.5).edges.read();
    std::vector<double> x;
    std::vector<std::int64_t> expected(static_cast<std::size_t>(bins));
    for (double const edge : edges)
      for (double const v : {edge, std::nextafter(edge, -9.), std::nextafter(edge, 9.)}) {
        x.push_back(v);
        if (v < -1. || v > 2.5) continue;
        auto const above = std::upper_bound(edges.begin(), edges.end(), v) - edges.begin();
        ++expected[static_cast<std::size_t>(std::min(above, bins) - 1)];
      }
    on_each_device([&](device) {
      auto const n = static_cast<index_t>(x.size());
      CHECK(differences(histogram(tensor_of(x, shape(n)), bins, -1., 2.5).counts, expected) ==
            no_differences);
    });
  }
  // 0 as a bound has no sign
  CHECK(to_string(1. / histogram(tensor{-1., -0.}, 2).edges) == "[-1 -2 inf]");
}

TEST_CASE("compress selects slices of bytes along each axis") {
  on_each_device([](device d) {
    auto const x = tensor(reshape(cast<std::int8_t>(iota(24, 0)), shape(2, 3, 4)));
    tensor const some = compress(tensor{true, false, true}, x, 1);
    CHECK(some.where() == d);
    CHECK(some.shape() == shape(2, 2, 4));
    CHECK(text(some) ==
          text(concat(1, slice(x, everything, range{0, 1}), slice(x, everything, range{2, 3}))));
    CHECK(text(compress(tensor{false, true, false, true}, x, -1)) ==
          text(slice(x, everything, everything, range{.first = 1, .step = 2})));
  });
}
