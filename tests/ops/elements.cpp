// Elements, rows, and slices with indices, newaxis and ellipsis.
#include <placement/expr/print.hpp>
#include <placement/expr/to_vector.hpp>
#include <placement/expr/typed_tensor.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/compare.hpp>
#include <placement/ops/iota.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/rows.hpp>
#include <placement/ops/slice.hpp>
#include <placement/ops/sum.hpp>
#include <placement/ops/transpose.hpp>
#include <placement/ops/zeros.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <iterator>
#include <limits>
#include <type_traits>
#include <vector>

using namespace placement;

namespace {

template <class X> tensor<int, X> counting(X x) { return iota(x, 0); }
template <class E> std::vector<int> elements_of(E const& e) { return to_vector(e); }
template <class A, class B>
inline constexpr bool has_extents =
    std::is_same_v<typename std::remove_cvref_t<A>::extents_type, B>;

}  // namespace

TEST_CASE("x(i, j) reads one element, and negative indices count from the end") {
  on_each_device([](device d) {
    tensor const x = counting(shape(3, 4));
    auto const before = copies_between(d, cpu0);
    for (int i = -3; i != 3; ++i)
      for (int j = -4; j != 4; ++j) CHECK(x(i, j) == (i + 3) % 3 * 4 + (j + 4) % 4);
    CHECK(x(std::size_t{1}, std::uint8_t{2}) == 6);
    tensor const v = counting(shape(3));
    CHECK(v(2) == 2);
    CHECK(v[-1] == 2);
    if (d.is_gpu()) {
      CHECK(copies_between(d, cpu0).copies == before.copies + 51);
      CHECK(copies_between(d, cpu0).bytes == before.bytes + 51 * sizeof(int));
    }
  });
  STATIC_CHECK(std::is_same_v<decltype(std::declval<tensor<bool, dextents<1>> const&>()[0]), bool>);
}

TEST_CASE("an index outside of its dimension is an error that names it") {
  tensor x = counting(shape(3, 4));
  // The read is outside of CHECK: Compilers differ in the line of an argument of a macro.
  auto const line = std::to_string(__LINE__ + 1);
  auto const message = error_message<shape_error>([&] { (void)x(3, 0); });
  CHECK(message ==
        "placement: index 3 is outside of dimension 0 of a tensor of shape [3, 4]. Indices are at "
        "least -3 and below 3. In element access at " __FILE__ ":" +
            line + ".");
  CHECK(error_message<shape_error>([&] { (void)x(0, -5); })
            .starts_with("placement: index -5 is outside of dimension 1 of a tensor of shape [3, "
                         "4]. Indices are at least -4 and below 4. In element access at "));
  auto const outside = "placement: index 3 is outside of dimension 0 of a tensor of shape [3, 4].";
  CHECK(error_message<shape_error>([&] { (void)x[3]; }).starts_with(outside));
  CHECK(error_message<shape_error>([&] { (void)view(x)(3, 0); }).starts_with(outside));
  CHECK(error_message<shape_error>([&] { (void)(x + x)[3]; }).find("In StridedSlice at ") !=
        std::string::npos);
  CHECK(error_message<shape_error>([&] { (void)slice(x, 3, everything); }).starts_with(outside));
  index_t const most = std::numeric_limits<index_t>::max();
  for (index_t const i : {most, -most - 1}) {
    CHECK(error_message<shape_error>([&] { (void)x(i, 0); }).starts_with("placement: index "));
    CHECK(error_message<shape_error>([&] { (void)x[i]; }).starts_with("placement: index "));
  }
  CHECK(error_message<shape_error>([&] {
          (void)x[std::numeric_limits<std::uint64_t>::max()];
        }).starts_with("placement: index 9223372036854775807 is outside"));
  tensor const empty = zeros<int>(0, 2);
  CHECK(
      error_message<shape_error>([&] { (void)empty(0, 0); }).starts_with("placement: index 0 is"));
  tensor const moved = std::move(x);
  CHECK(error_message<shape_error>([&] { (void)x(0, 0); }).find("moved from") != std::string::npos);
}

TEST_CASE("the second element that is read from a GPU writes a line to the log, once") {
  log_lines log;
  with_device const scope("/gpu:1");
  tensor const x = counting(shape(3));
  CHECK(x(0) == 0);
  CHECK(log.take_all().empty());
  std::string const line = std::to_string(__LINE__ + 1);
  CHECK(x(1) == 1);
  CHECK(
      log.take_all() ==
      lines_of{"placement: warning: elements of a tensor on /GPU:1 are read one by one at " __FILE__
               ":" +
               line +
               ": each read waits for the GPU. Write read() or to_vector(x) to copy all at once."});
  CHECK(x(2) == 2);
  CHECK(log.take_all().empty());
}

TEST_CASE("an index in brackets gives a row, without the first dimension") {
  on_each_device([](device d) {
    tensor const x = counting(shape(2, 3, 4));
    tensor const plane = x[1];
    CHECK(plane.where() == d);
    CHECK(plane.shape() == shape(3, 4));
    CHECK(differences(plane, elements_of(iota(12, 12))) == no_differences);
    CHECK(elements_of(x[-1][2]) == std::vector{20, 21, 22, 23});
    CHECK(item(x[1][2][3]) == 23);
    CHECK(elements_of((x * 2)[0][1]) == std::vector{8, 10, 12, 14});
    CHECK(elements_of(transpose(x[0])[1]) == std::vector{1, 5, 9});
    CHECK(item((x + 1)(1, 2, 3)) == 24);
  });
  using cube = tensor<int, extents<2, 3, 4>>;
  STATIC_CHECK(has_extents<decltype(std::declval<cube>()[0]), extents<3, 4>>);
  STATIC_CHECK(has_extents<decltype(std::declval<cube>()[0][0]), extents<4>>);
}

TEST_CASE("rows and elements of a view are assigned to") {
  on_each_device([](device) {
    tensor x = counting(shape(2, 3));
    view(x)[0] = tensor{7, 8, 9};
    CHECK(differences(x, {7, 8, 9, 3, 4, 5}) == no_differences);
    view(x)(1, 2) = 50;
    view(x)(-1, -3) += 27;
    view(x)[1][1] = 40;
    CHECK(differences(x, {7, 8, 9, 30, 40, 50}) == no_differences);
    view(x)[-1] = view(x)[0] + 1;
    CHECK(differences(x, {7, 8, 9, 8, 9, 10}) == no_differences);
    transpose(view(x))[0] = 0;
    CHECK(differences(x, {0, 8, 9, 0, 9, 10}) == no_differences);
    transpose(view(x))(2, 1) = 1;
    CHECK(differences(x, {0, 8, 9, 0, 9, 1}) == no_differences);
    tensor v{1, 2};
    view(v)[1] = 5;
    CHECK(differences(v, {1, 5}) == no_differences);
    tensor const kept = x;
    view(x)[0] = 3;
    CHECK(differences(kept, {0, 8, 9, 0, 9, 1}) == no_differences);
  });
}

TEST_CASE("slice takes indices, new axes and an ellipsis") {
  on_each_device([](device) {
    tensor x = counting(shape(2, 3, 4));
    auto const at = [](int i, int j, int k) { return (i * 3 + j) * 4 + k; };
    CHECK(elements_of(slice(x, 1, 2)) ==
          std::vector{at(1, 2, 0), at(1, 2, 1), at(1, 2, 2), at(1, 2, 3)});
    CHECK(elements_of(slice(x, ellipsis, -1, 0)) == std::vector{at(0, 2, 0), at(1, 2, 0)});
    CHECK(elements_of(slice(x, 0, ellipsis, 3)) ==
          std::vector{at(0, 0, 3), at(0, 1, 3), at(0, 2, 3)});
    CHECK(elements_of(slice(x, -1, range{.step = -2}, 1)) == std::vector{at(1, 2, 1), at(1, 0, 1)});
    CHECK(slice(x, newaxis).shape() == shape(1, 2, 3, 4));
    CHECK(slice(x, ellipsis, newaxis).shape() == shape(2, 3, 4, 1));
    CHECK(slice(x, newaxis, 0, newaxis, range{1, 3}).shape() == shape(1, 1, 2, 4));
    CHECK(slice(x, everything, ellipsis, everything, everything).shape() == shape(2, 3, 4));
    CHECK(item(slice(x, 1, 1, 1)) == at(1, 1, 1));
    slice(view(x), ellipsis, range{1, 3}, 0, newaxis) = 0;
    CHECK(elements_of(x[1][1]) == std::vector{0, at(1, 1, 1), at(1, 1, 2), at(1, 1, 3)});
    slice(view(x), everything, 1, newaxis, range{1, 3}) = tensor{-1, -2};
    CHECK(elements_of(x[1][1]) == std::vector{0, -1, -2, at(1, 1, 3)});
  });
  using cube = tensor<int, extents<2, 3, 4>>;
  using part = decltype(slice(std::declval<cube>(), 0, newaxis, range{}));
  STATIC_CHECK(has_extents<part, extents<1, dyn, 4>>);
  STATIC_CHECK(
      has_extents<decltype(slice(std::declval<cube>(), everything, ellipsis, 1)), extents<2, 3>>);
}

TEST_CASE("rows iterates over the first dimension") {
  on_each_device([](device) {
    tensor x = counting(shape(3, 2));
    std::vector<std::int64_t> sums;
    for (auto row : rows(x)) sums.push_back(item(sum(row)));
    CHECK(sums == std::vector<std::int64_t>{1, 5, 9});
    int value = 0;
    for (auto row : rows(view(x))) row = value++;
    CHECK(differences(x, {0, 0, 1, 1, 2, 2}) == no_differences);
    std::vector<int> all;
    for (int const e : rows(tensor{4, 5, 6})) all.push_back(e);
    CHECK(all == std::vector{4, 5, 6});
    for (auto row : rows(x * 2)) all.push_back(static_cast<int>(item(sum(row))));
    CHECK(all == std::vector{4, 5, 6, 0, 4, 8});
    CHECK(rows(zeros<int>(0, 3)).begin() == rows(zeros<int>(0, 3)).end());
    CHECK(rows(x).size() == 3);
  });
  using range_of_rows = decltype(rows(std::declval<tensor<int, dextents<2>>&>()));
  STATIC_CHECK(std::input_iterator<range_of_rows::iterator>);
}

TEST_CASE("to_vector copies all elements to a vector") {
  on_each_device([](device) {
    tensor x = counting(shape(2, 2));
    CHECK(to_vector(x) == std::vector{0, 1, 2, 3});
    CHECK(to_vector(transpose(x)) == std::vector{0, 2, 1, 3});
    CHECK(to_vector(view(x)[1]) == std::vector{2, 3});
    CHECK(to_vector(view(x)) == std::vector{0, 1, 2, 3});
    CHECK(to_vector(x > 1) == std::vector{false, false, true, true});
    CHECK(to_vector(zeros<float>(0, 2)).empty());
  });
}

TEST_CASE("tensors with a device in their type have elements and rows, too") {
  tensor<int, dextents<2>, dev<kind::gpu, 1>> const x = iota(shape(2, 3), 0);
  CHECK(x(1, 0) == 3);
  tensor const row = x[1];
  CHECK(row.where() == device{kind::gpu, 1});
  CHECK(to_vector(row) == std::vector{3, 4, 5});
  vector<int> const v{1, 2};
  CHECK(v[0] == 1);
}

TEST_CASE("inline tensors have elements and rows, also at compile time") {
  using matrix22 = tensor<int, extents<2, 2>, dev<kind::cpu, 0>>;
  static constexpr matrix22 m{{1, 2}, {3, 4}};
  STATIC_CHECK(m(1, -2) == 3);
  static constexpr tensor<int, extents<2>, dev<kind::cpu, 0>> v{5, 6};
  STATIC_CHECK(v[1] == 6);
  matrix22 const x = m;
  tensor<int, extents<2>, dev<kind::cpu, 0>> const row = x[1];
  CHECK(row(0) == 3);
  CHECK(row(1) == 4);
  CHECK(item(sum(matrix22{{1, 2}, {3, 4}}[1])) == 7);
  CHECK(error_message<shape_error>([&] { (void)x(2, 0); }).starts_with("placement: index 2 is"));
}
