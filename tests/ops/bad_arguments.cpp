// Axes that do not exist or are named twice, negative extents, no elements, and sizes near 2^31 and
// 2^63: an error with the op, the argument and its value.
#include <placement/ops/arange.hpp>
#include <placement/ops/compress.hpp>
#include <placement/ops/cumulative.hpp>
#include <placement/ops/diff.hpp>
#include <placement/ops/eye.hpp>
#include <placement/ops/flip.hpp>
#include <placement/ops/full.hpp>
#include <placement/ops/histogram.hpp>
#include <placement/ops/linspace.hpp>
#include <placement/ops/logsumexp.hpp>
#include <placement/ops/moveaxis.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/nan_variance.hpp>
#include <placement/ops/norm.hpp>
#include <placement/ops/pad.hpp>
#include <placement/ops/quantile.hpp>
#include <placement/ops/repeat.hpp>
#include <placement/ops/repeat_each.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/scatter.hpp>
#include <placement/ops/take.hpp>
#include <placement/ops/tensordot.hpp>
#include <placement/ops/tile.hpp>
#include <placement/ops/topk.hpp>
#include <placement/placement.hpp>

#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace placement;

namespace {

using matrix_of_floats = tensor<float, dextents<2>>;

/// An op with an axis: its name in messages, and a call.
struct op_with_axis {
  char const* name;
  std::function<void(matrix_of_floats const&, int)> call;
};
// The error is thrown as the op is written, so that nothing is evaluated.
#define OP_ALONG(name, ...) {name, [](matrix_of_floats const& x, int a) { (void)(__VA_ARGS__); }}

std::vector<op_with_axis> const reductions{
    OP_ALONG("Sum", sum(x, a)),           OP_ALONG("Mean", mean(x, a)),
    OP_ALONG("Prod", prod(x, a)),         OP_ALONG("Max", max(x, a)),
    OP_ALONG("Min", min(x, a)),           OP_ALONG("ArgMax", argmax(x, a)),
    OP_ALONG("ArgMin", argmin(x, a)),     OP_ALONG("All", all(x > 0.f, a)),
    OP_ALONG("Any", any(x > 0.f, a)),     OP_ALONG("CountNonzero", count_nonzero(x, a)),
    OP_ALONG("Variance", variance(x, a)), OP_ALONG("", std_dev(x, a)),
    OP_ALONG("", nansum(x, a)),           OP_ALONG("", nanprod(x, a)),
    OP_ALONG("", nanmean(x, a)),          OP_ALONG("", nanmax(x, a)),
    OP_ALONG("", nanmin(x, a)),           OP_ALONG("", nanvar(x, a)),
    OP_ALONG("", nanstd(x, a)),           OP_ALONG("", norm(x, a)),
    OP_ALONG("", logsumexp(x, a)),        OP_ALONG("", median(x, a)),
    OP_ALONG("", quantile(x, 0.5, a)),
};
std::vector<op_with_axis> const others{
    OP_ALONG("Cumsum", cumsum(x, a)),
    OP_ALONG("Cumprod", cumprod(x, a)),
    OP_ALONG("", cummax(x, a)),
    OP_ALONG("", cummin(x, a)),
    OP_ALONG("", diff(x, a)),
    OP_ALONG("Sort", sort(x, a)),
    OP_ALONG("ArgSort", argsort(x, a)),
    OP_ALONG("TopKV2", topk(x, 1, a)),
    OP_ALONG("", argtopk(x, 1, a)),
    OP_ALONG("", take(x, tensor{0}, a)),
    OP_ALONG("", take_along_axis(x, tensor{{0}, {0}}, a)),
    OP_ALONG("", scatter(x, tensor{0}, x, a)),
    OP_ALONG("", index_add(x, tensor{0}, x, a)),
    OP_ALONG("", compress(tensor{true, false}, x, a)),
    OP_ALONG("", repeat(x, 2, a)),
    OP_ALONG("", repeat_each(x, tensor{1, 2}, a)),
    OP_ALONG("Roll", roll(x, 1, a)),
    OP_ALONG("", flip(x, a)),
    OP_ALONG("", reverse(x, a)),
    OP_ALONG("", moveaxis(x, 0, a)),
    OP_ALONG("", swapaxes(x, a, 0)),
    OP_ALONG("", concat(a, x, x)),
    OP_ALONG("", split(x, 1, a)[0]),
    OP_ALONG("", squeeze(x, a)),
    OP_ALONG("", tensordot(x, x, {a}, {1})),
};

/// Empty if the message has each of the words.
std::string without(std::string const& message, std::vector<std::string> const& words) {
  for (std::string const& word : words)
    if (message.find(word) == std::string::npos) return "no '" + word + "' in: " + message;
  return "";
}

constexpr index_t most = std::numeric_limits<index_t>::max();

}  // namespace

TEST_CASE("each op with an axis reports one that does not exist, with its number and the rank") {
  matrix_of_floats const x = ones<float>(2, 2);
  for (auto const* ops : {&reductions, &others})
    for (op_with_axis const& op : *ops)
      for (int const axis : {7, -5, std::numeric_limits<int>::max()}) {
        auto const message = error_message<shape_error>([&] { op.call(x, axis); });
        CHECK(without(message, {"axis " + std::to_string(axis), "rank 2", op.name}) == "");
      }
  CHECK(without(error_message<shape_error>([&] { (void)permute(x, 0, 7); }), {"7", "rank 2"}) ==
        "");
  for (int const axis : {4, -5})  // the new dimension counts
    CHECK(without(error_message<shape_error>([&] { (void)stack(axis, x, x); }),
                  {"axis " + std::to_string(axis)}) == "");
}

TEST_CASE("each reduction reports an axis that is named twice") {
  matrix_of_floats const x = ones<float>(2, 2);
  auto const twice = [](auto const& f) {
    return without(error_message<shape_error>(f), {"axis -1", "twice", "rank 2"});
  };
  CHECK(twice([&] { (void)sum(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)mean(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)prod(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)max(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)min(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)variance(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)std_dev(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)all(x > 0.f, 1, -1); }) == "");
  CHECK(twice([&] { (void)any(x > 0.f, 1, -1); }) == "");
  CHECK(twice([&] { (void)count_nonzero(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)nansum(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)nanvar(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)norm(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)logsumexp(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)median(x, 1, -1); }) == "");
  CHECK(twice([&] { (void)quantile(x, 0.5, 1, -1); }) == "");
  CHECK(twice([&] { (void)flip(x, 1, -1); }) == "");
}

TEST_CASE("a negative extent is an error with its value, of each maker") {
  auto const negative = [](auto const& f) {
    return without(error_message<shape_error>(f), {"-3"});
  };
  CHECK(negative([] { (void)zeros<float>(2, -3); }) == "");
  CHECK(negative([] { (void)ones<float>(-3); }) == "");
  CHECK(negative([] { (void)full(shape(-3, 2), 1); }) == "");
  CHECK(negative([] { (void)iota(-3, 0); }) == "");
  CHECK(negative([] { (void)linspace(0., 1., -3); }) == "");
  CHECK(negative([] { (void)eye<float>(-3); }) == "");
  CHECK(negative([] { (void)uniform<float>(shape(-3)); }) == "");
  CHECK(negative([] { (void)normal<float>(shape(-3)); }) == "");
  CHECK(negative([] { (void)one_hot<float>(tensor{1}, -3); }) == "");
  CHECK(negative([] { (void)reshape(ones<float>(6), shape(-3, -2)); }) == "");
  CHECK(negative([] { (void)tile(ones<float>(6), shape(-3)); }) == "");
  CHECK(negative([] { (void)repeat(ones<float>(6), -3, 0); }) == "");
  CHECK(negative([] { (void)pad(ones<float>(6), -3); }) == "");
  CHECK(negative([] { (void)topk(tensor{1, 2}, -3); }) == "");
  CHECK(tensor(arange(5, 2)).size() == 0);  // as NumPy's
}

TEST_CASE("reductions that have no result for no elements name the shape") {
  auto const none = zeros<float>(shape(2, 0));
  auto const empty = [](auto const& f) {
    return without(error_message<shape_error>(f), {"no elements", "[2, 0]"});
  };
  CHECK(empty([&] { (void)max(none); }) == "");
  CHECK(empty([&] { (void)min(none, 1); }) == "");
  CHECK(empty([&] { (void)argmax(none, 1); }) == "");
  CHECK(empty([&] { (void)argmin(none); }) == "");
  CHECK(empty([&] { (void)nanmax(none, 1); }) == "");
  CHECK(empty([&] { (void)nanmin(none); }) == "");
  CHECK(empty([&] { (void)median(none, 1); }) == "");
  CHECK(empty([&] { (void)logsumexp(none, 1); }) == "");
  CHECK(empty([&] { (void)norm<norm_inf>(none, 1); }) == "");
}

TEST_CASE("NaN among sort keys comes last, and is one element of unique") {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  tensor const x{nan, 2.f, -nan, 1.f};
  CHECK(to_string(tensor(sort(x))).starts_with("[1 2 "));
  CHECK(to_string(tensor(sort(x, descending))).starts_with("[2 1 "));
  CHECK(to_string(tensor(argsort(x))) == "[3 1 0 2]");
  CHECK(to_string(tensor(topk(x, 2))) == "[2 1]");
}

TEST_CASE("sizes near 2^31 are counted in 64 bits") {
  index_t const near = (index_t{1} << 31) + 5;
  auto const many = broadcast_to(tensor{std::uint8_t{1}}, shape(near));  // without memory
  CHECK(many.shape() == shape(near));
  CHECK(slice(many, range{near - 3, near}).shape() == shape(3));
  CHECK(error_message<shape_error>([&] { (void)many(near); }).find(std::to_string(near)) !=
        std::string::npos);
  CHECK(broadcast_to(tensor{1.f}, shape(1 << 16, 1 << 16)).shape().count() == index_t{1} << 32);
  CHECK(iota(near, index_t{0}).shape() == shape(near));
  CHECK(item(slice(iota(near, index_t{0}), -1)) == near - 1);
  CHECK(linspace(0., 1., near).shape() == shape(near));
  CHECK(eye<bool>(near, 0).shape() == shape(near, 0));
}

TEST_CASE("sizes near 2^63 are an error with the shape, before memory is allocated") {
  auto const too_large = [](auto const& f) {
    auto const message = error_message([&] { f(); });
    return message.find("placement: ") == 0 ? without(message, {"3037000500"}) : "none: " + message;
  };
  index_t const root = 3037000500;  // its square is beyond 2^63
  CHECK(too_large([&] { (void)tensor(zeros<float>(root, root)); }) == "");
  CHECK(too_large([&] { (void)tensor(full(shape(root, root), 1)); }) == "");
  CHECK(too_large([&] { (void)tensor(eye<bool>(root)); }) == "");
  CHECK(too_large([&] { (void)tensor(iota(shape(root, root), 0)); }) == "");
  CHECK(too_large([&] { (void)tensor(uniform<float>(shape(root, root))); }) == "");
  CHECK(too_large([&] { (void)tensor(repeat(ones<bool>(root, 1), root, 1)); }) == "");
  CHECK(too_large([&] { (void)tensor(tile(ones<bool>(1, 1), shape(root, root))); }) == "");
  CHECK_THROWS_AS(tensor(pad(tensor{1.f}, most)), shape_error);
  CHECK_THROWS_AS(tensor(zeros<double>(most)), placement::error);
  CHECK_THROWS_AS(bincount(tensor{most}), placement::error);
}
