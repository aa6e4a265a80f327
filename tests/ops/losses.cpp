// Losses and the gradient of softmax cross entropy, against their formulas in double.
#include <placement/ops/huber.hpp>
#include <placement/ops/l2_loss.hpp>
#include <placement/ops/mse.hpp>
#include <placement/ops/softmax_cross_entropy.hpp>
#include <placement/placement.hpp>

#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <vector>

using namespace placement;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

/// Logits, labels of both kinds, and the gradients of the losses.
struct rows_of_classes {
  index_t rows, n;
  std::vector<double> logits, labels, g;
  std::vector<int> classes;

  rows_of_classes(index_t m, index_t columns) : rows(m), n(columns) {
    for (index_t r = 0; r != m; ++r) {
      classes.push_back(static_cast<int>((r * 5 + 3) % n));
      g.push_back(0.25 * static_cast<double>(r % 7) - 0.5);
      for (index_t j = 0; j != n; ++j) {
        logits.push_back(static_cast<double>((r * 31 + j * 17) % 61) / 8 - 3);
        labels.push_back(j == classes.back() ? 1 : 0);
      }
    }
  }
  double log_p(index_t r, index_t j) const {
    double total = 0;
    for (index_t k = 0; k != n; ++k) total += std::exp(logits[at(r * n + k)]);
    return logits[at(r * n + j)] - std::log(total);
  }
  double loss(index_t r) const {
    double sum = 0;
    for (index_t j = 0; j != n; ++j) sum -= labels[at(r * n + j)] * log_p(r, j);
    return sum;
  }
  double gradient(index_t r, index_t j) const {
    return (std::exp(log_p(r, j)) - labels[at(r * n + j)]) * g[at(r)];
  }
  template <class T> auto as(std::vector<double> const& v) const {
    return std::vector<T>(v.begin(), v.end());
  }
};

template <class T, class Y, class Expected>
void check_close(Y const& y, index_t rows, index_t n, Expected const& expected) {
  double const tolerance = std::is_same_v<T, float> ? 2e-6 : 1e-14;
  auto const h = y.read();
  REQUIRE(h.size() == at(rows * n));
  for (index_t r = 0; r != rows; ++r)
    for (index_t j = 0; j != n; ++j) {
      double const wanted = expected(r, j);
      INFO("row " << r << ", class " << j << " of " << n);
      CHECK(std::fabs(static_cast<double>(h[at(r * n + j)]) - wanted) <=
            tolerance * (1 + std::fabs(wanted)));
    }
}
template <class T> void check_cross_entropy(rows_of_classes const& c) {
  tensor const x = from(c.as<T>(c.logits), shape(c.rows, c.n));
  tensor const p = from(c.as<T>(c.labels), shape(c.rows, c.n));
  tensor const classes = from(c.classes);
  tensor const of_loss = from(c.as<T>(c.g));
  auto const loss = [&](index_t r, index_t) { return c.loss(r); };
  auto const gradient = [&](index_t r, index_t j) { return c.gradient(r, j); };
  on_each_device([&](device d) {
    tensor const dense = softmax_cross_entropy(x, p), sparse = softmax_cross_entropy(x, classes);
    CHECK(dense.where() == d);
    CHECK(sparse.where() == d);
    check_close<T>(dense, c.rows, 1, loss);
    check_close<T>(sparse, c.rows, 1, loss);
    tensor const dense_gradient = softmax_cross_entropy_gradient(x, p, of_loss);
    tensor const sparse_gradient = softmax_cross_entropy_gradient(x, classes, of_loss);
    CHECK(dense_gradient.where() == d);
    check_close<T>(dense_gradient, c.rows, c.n, gradient);
    check_close<T>(sparse_gradient, c.rows, c.n, gradient);
  });
}

template <class E> std::string text(E const& e) { return to_string(tensor(e)); }

}  // namespace

TEST_CASE("softmax cross entropy and its gradient match the formula for any number of classes") {
  each<evaluated_floats>([]<class T>() {
    for (index_t n : {1, 2, 10, 31, 32, 33, 48, 64, 65, 100, 1000})
      for (index_t m : {1, 4, 17}) check_cross_entropy<T>(rows_of_classes(m, n));
  });
}

TEST_CASE("labels may be any probabilities, and the rest of a row has label 0") {
  tensor const x{{1., 2., 3.}, {0., 0., 0.}};
  tensor const labels{{0.25, 0.5, 0.25}, {0., 0., 0.}};
  auto const h = tensor(softmax_cross_entropy(x, labels)).read();
  double const log_of_sum = std::log(std::exp(1.) + std::exp(2.) + std::exp(3.));
  CHECK(std::fabs(h[0] - (log_of_sum - 2)) < 1e-14);
  CHECK(h[1] == 0);
}

TEST_CASE("large logits do not overflow, and a logit of minus infinity has probability 0") {
  tensor const x{{1000.f, 0.f, -1000.f}};
  CHECK(text(softmax_cross_entropy(x, tensor{0})) == "[0]");
  CHECK(text(softmax_cross_entropy(x, tensor{2})) == "[2000]");
  tensor const masked{{0., -infinity, 0.}};
  for (bool wide : {false, true}) {
    tensor<double, dextents<2>> row = masked, label{{0.5, 0., 0.5}};
    if (wide) {  // 40 classes more, which are masked, too
      row = concat(1, masked, broadcast_to(tensor{{-infinity}}, shape(1, 40)));
      label = concat(1, label, zeros<double>(1, 40));
    }
    CHECK(std::fabs(item(sum(softmax_cross_entropy(row, label))) - std::log(2.)) < 1e-14);
    CHECK(item(sum(softmax_cross_entropy(row, tensor{1}))) == infinity);
    tensor const g = softmax_cross_entropy_gradient(row, label, tensor{1.});
    for (double v : g.read()) CHECK(v == 0);
  }
}

TEST_CASE("NaN affects the loss and the gradient of its own row only") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (index_t n : {3, 50}) {
    tensor<double, dextents<2>> x = zeros<double>(2, n);
    view(x)(0, 1) = nan;
    auto const h = tensor(softmax_cross_entropy(x, tensor{0, 0})).read();
    CHECK(std::isnan(h[0]));
    CHECK(std::fabs(h[1] - std::log(static_cast<double>(n))) < 1e-14);
    tensor<double, extents<>> const one(1.);
    auto const g = tensor(softmax_cross_entropy_gradient(x, tensor{0, 0}, one)).read();
    for (index_t j = 0; j != n; ++j) CHECK(std::isnan(g[at(j)]));
    CHECK(std::fabs(g[at(n)] - (1 / static_cast<double>(n) - 1)) < 1e-14);
  }
}

TEST_CASE("cross entropy of any rank keeps static extents; a gradient of one number is for all") {
  tensor<float, extents<2, 1, 2>> const x{{{0.f, 0.f}}, {{1.f, 1.f}}};
  tensor<int, extents<2, 1>> const labels{{0}, {1}};
  auto const loss = softmax_cross_entropy(x, labels);
  STATIC_CHECK(std::is_same_v<decltype(loss)::extents_type, extents<2, 1>>);
  CHECK(text(loss) == "[[0.6931472]\n [0.6931472]]");
  tensor<float, extents<>> const g(2.f);
  CHECK(text(softmax_cross_entropy_gradient(x, labels, g)) == "[[[-1 1]]\n\n [[1 -1]]]");
  tensor const one_row{0.f, 0.f};
  tensor<std::int64_t, extents<>> const one_label(1);
  CHECK(text(softmax_cross_entropy(one_row, one_label)) == "0.6931472");
  CHECK(text(softmax_cross_entropy_gradient(one_row, one_label, g)) == "[1 -1]");
  CHECK(text(softmax_cross_entropy(transpose(tensor{{0.f, 5.f}, {0.f, 5.f}}), tensor{0, 1})) ==
        "[0.6931472 0.6931472]");
}

TEST_CASE("no rows have no losses, and rows without classes a loss of 0") {
  tensor<float, dextents<2>> const none = zeros<float>(0, 3), empty = zeros<float>(2, 0);
  tensor<int, dextents<1>> const labels = zeros<int>(0);
  CHECK(tensor(softmax_cross_entropy(none, none)).shape() == shape(0));
  CHECK(tensor(softmax_cross_entropy(none, labels)).shape() == shape(0));
  CHECK(text(softmax_cross_entropy(empty, empty)) == "[0 0]");
  CHECK(tensor(softmax_cross_entropy_gradient(empty, empty, tensor{1.f, 1.f})).shape() ==
        shape(2, 0));
  CHECK(error_of("SparseSoftmaxCrossEntropyWithLogits",
                 [&] { (void)tensor(softmax_cross_entropy(empty, tensor{0, 0})); }) ==
        "placement: label 0 of row 0 is no class: the logits have 0. Labels are at least 0 and "
        "below the number of classes.");
}

TEST_CASE("a label out of range is an error with its row and the number of classes") {
  auto const message = [](std::string const& label) {
    return "placement: label " + label +
           " of row 1 is no class: the logits have 3. Labels are at least 0 and below the number "
           "of classes.";
  };
  tensor const x{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  on_each_device([&](device) {
    tensor<float, dextents<1>> target{7.f, 8.f};
    for (int bad : {-1, 3, 100})
      CHECK(error_of("SparseSoftmaxCrossEntropyWithLogits", [&] {
              target = softmax_cross_entropy(x, tensor{0, bad});
            }) == message(std::to_string(bad)));
    CHECK(text(target) == "[7 8]");
    tensor<std::uint32_t, dextents<1>> const huge{0u, 4294967295u};
    CHECK(error_of("SparseSoftmaxCrossEntropyWithLogitsGrad", [&] {
            (void)tensor(softmax_cross_entropy_gradient(x, huge, target));
          }) == message("4294967295"));
  });
}

TEST_CASE("labels and gradients of another shape are errors that name both shapes") {
  tensor const x{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  CHECK(error_of("SoftmaxCrossEntropyWithLogits",
                 [&] { (void)softmax_cross_entropy(x, tensor{{1.f, 2.f}}); }) ==
        "placement: softmax_cross_entropy of logits of shape [2, 3] with labels of shape [1, 2]. "
        "Give labels of shape [2, 3].");
  CHECK(error_of("SparseSoftmaxCrossEntropyWithLogits",
                 [&] { (void)softmax_cross_entropy(x, tensor{1, 2, 0}); }) ==
        "placement: softmax_cross_entropy of logits of shape [2, 3] with labels of shape [3]. "
        "Give labels of shape [2].");
  CHECK(error_of("SparseSoftmaxCrossEntropyWithLogitsGrad",
                 [&] { (void)softmax_cross_entropy_gradient(x, tensor{1, 2}, tensor{1.f}); }) ==
        "placement: softmax_cross_entropy_gradient with a gradient of shape [1] for losses of "
        "shape [2]. Give one per loss, or a scalar.");
}

TEST_CASE("16-bit losses are computed in float and rounded once") {
  for (index_t n : {10, 100}) {
    rows_of_classes const c(5, n);
    tensor const x = cast<float16>(from(c.as<float>(c.logits), shape(5, n)));
    tensor const g = cast<float16>(from(c.as<float>(c.g)));
    tensor const labels = from(c.classes);
    tensor const y = softmax_cross_entropy(x, labels);
    tensor const expected = cast<float16>(softmax_cross_entropy(cast<float>(x), labels));
    tensor const d = softmax_cross_entropy_gradient(x, labels, g);
    tensor const expected_d =
        cast<float16>(softmax_cross_entropy_gradient(cast<float>(x), labels, cast<float>(g)));
    CHECK(text(y) == text(expected));
    CHECK(text(d) == text(expected_d));
  }
}

TEST_CASE("the loss of many rows is the same on one thread and on several") {
  tensor<float, dextents<2>> const x = uniform<float>(shape(20'000, 10), -4.f, 4.f);
  tensor<int, dextents<1>> const labels = uniform<int>(shape(20'000), 0, 10);
  tensor const all = softmax_cross_entropy(x, labels);
  auto const h = all.read();
  for (index_t first : {0, 7, 16, 9'999}) {
    range const part{first, first + 1'000};
    tensor const y = softmax_cross_entropy(slice(x, part), slice(labels, part));
    auto const some = y.read();
    for (index_t i = 0; i != 1'000; ++i) CHECK(some[at(i)] == h[at(first + i)]);
  }
}

TEST_CASE("mse, l2_loss and huber match their formulas") {
  each<evaluated_floats>([]<class T>() {
    std::vector<T> a, b;
    double squares = 0, own = 0, robust = 0;
    for (int i = 0; i != 1003; ++i) {
      a.push_back(static_cast<T>(i % 17) / 4 - 2);
      b.push_back(static_cast<T>(i % 5) / 2 - 1);
      double const d = static_cast<double>(a.back() - b.back()), size = std::fabs(d);
      squares += d * d;
      own += static_cast<double>(a.back()) * static_cast<double>(a.back());
      robust += size <= 1.5 ? d * d / 2 : 1.5 * (size - 0.75);
    }
    on_each_device([&](device d) {
      tensor const x = from(a), y = from(b);
      tensor const loss = mse(x, y);
      CHECK(loss.where() == d);
      CHECK(std::fabs(static_cast<double>(item(loss)) - squares / 1003) < 1e-5);
      CHECK(std::fabs(static_cast<double>(item(l2_loss(x))) - own / 2) < 1e-4);
      CHECK(std::fabs(static_cast<double>(item(huber(x, y, 1.5))) - robust / 1003) < 1e-6);
    });
  });
  CHECK(item(mse(tensor{{1.f, 2.f}}, tensor{{1.f}, {4.f}})) == 3.5f);
  CHECK(item(mse(tensor{1.f, 3.f}, 1.f)) == 2);
  CHECK(item(l2_loss(tensor{3.f, 4.f})) == 12.5f);
  CHECK(item(l2_loss(zeros<float>(0))) == 0);
  CHECK(std::isnan(item(mse(zeros<float>(0), zeros<float>(0)))));
  CHECK(item(huber(tensor{3.f}, tensor{0.f})) == 2.5f);
  CHECK(item(huber(tensor{0.5f}, tensor{0.f})) == 0.125f);
  CHECK(item(huber(tensor{infinity}, tensor{0.})) == infinity);
}

TEST_CASE("huber needs a delta above 0") {
  for (auto const& [delta, text_of_delta] :
       {std::pair{0., "0"}, std::pair{-1., "-1"}, std::pair{infinity, "inf"}})
    CHECK(error_message([&] { (void)huber(tensor{1.f}, tensor{2.f}, delta); }) ==
          "placement: huber with a delta of " + std::string(text_of_delta) +
              ". Give a number above 0.");
}
