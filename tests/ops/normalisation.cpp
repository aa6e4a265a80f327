// Batch normalisation, dropout and embeddings, against plain loops in double.
#include <placement/ops/batch_norm.hpp>
#include <placement/ops/dropout.hpp>
#include <placement/ops/embedding.hpp>
#include <placement/ops/update_moving.hpp>
#include <placement/placement.hpp>

#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <vector>

using namespace placement;

namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
template <class E> std::string text(E const& e) { return to_string(tensor(e)); }

/// A batch of n elements in each of c channels, its gradient, scale and offset; the formulas.
struct batch {
  index_t n, c;
  std::vector<double> x, g, scale, offset;
  double epsilon = 0.01;

  batch(index_t count, index_t channels, double center = 0) : n(count), c(channels) {
    for (index_t i = 0; i != n * c; ++i) {
      x.push_back(center + static_cast<double>((i * 37 + i / 7) % 101) / 16 - 3);
      g.push_back(static_cast<double>((i * 53 + 11) % 89) / 32 - 1);
    }
    for (index_t k = 0; k != c; ++k) {
      scale.push_back(0.5 + static_cast<double>(k) / 8);
      offset.push_back(static_cast<double>(k % 5) / 4 - 0.5);
    }
  }
  double mean_of(index_t k) const {
    double sum = 0;
    for (index_t i = 0; i != n; ++i) sum += x[at(i * c + k)];
    return sum / static_cast<double>(n);
  }
  double variance_of(index_t k) const {
    double sum = 0;
    double const m = mean_of(k);
    for (index_t i = 0; i != n; ++i) sum += (x[at(i * c + k)] - m) * (x[at(i * c + k)] - m);
    return sum / static_cast<double>(n);
  }
  template <class T> std::vector<T> as(std::vector<double> const& v) const {
    return {v.begin(), v.end()};
  }
};

template <class Y, class Expected>
void check_all(Y const& y, double tolerance, Expected const& expected) {
  auto const h = y.read();
  for (std::size_t i = 0; i != h.size(); ++i) {
    double const wanted = expected(static_cast<index_t>(i));
    INFO("element " << i << " is " << static_cast<double>(h[i]) << ", not " << wanted);
    CHECK(std::fabs(static_cast<double>(h[i]) - wanted) <= tolerance * (1 + std::fabs(wanted)));
  }
}

/// x, normalised by the moments of the batch.
std::vector<double> normalised(batch const& b) {
  std::vector<double> y(b.x.size());
  for (index_t k = 0; k != b.c; ++k) {
    double const m = b.mean_of(k), root = std::sqrt(b.variance_of(k) + b.epsilon);
    for (index_t i = 0; i != b.n; ++i) y[at(i * b.c + k)] = (b.x[at(i * b.c + k)] - m) / root;
  }
  return y;
}

template <class T, class X> void check_batch(batch const& b, X shape_of_x) {
  double const tolerance = std::is_same_v<T, float> ? 2e-5 : 1e-12;
  tensor const x = from(b.as<T>(b.x), shape_of_x), g = from(b.as<T>(b.g), shape_of_x);
  tensor const scale = from(b.as<T>(b.scale)), offset = from(b.as<T>(b.offset));
  auto const wanted = normalised(b);
  on_each_device([&](device d) {
    auto const m = batch_moments(x);
    CHECK(m.mean.where() == d);
    CHECK(m.count == b.n);
    check_all(m.mean, tolerance, [&](index_t k) { return b.mean_of(k); });
    check_all(m.variance, tolerance, [&](index_t k) { return b.variance_of(k); });
    tensor const y = batch_norm(x, m, scale, offset, b.epsilon);
    CHECK(y.where() == d);
    check_all(y, tolerance, [&](index_t i) {
      return wanted[at(i)] * b.scale[at(i % b.c)] + b.offset[at(i % b.c)];
    });
    check_all(tensor(batch_norm(x, m, 2, 1, b.epsilon)), tolerance,
              [&](index_t i) { return wanted[at(i)] * 2 + 1; });
    auto const gradients = batch_norm_gradient(g, x, m, scale, b.epsilon);
    CHECK(gradients.input.where() == d);
    std::vector<double> of_scale(b.scale.size()), of_offset(b.scale.size());
    for (index_t i = 0; i != b.n * b.c; ++i) {
      of_scale[at(i % b.c)] += b.g[at(i)] * wanted[at(i)];
      of_offset[at(i % b.c)] += b.g[at(i)];
    }
    check_all(gradients.scale, tolerance * 10, [&](index_t k) { return of_scale[at(k)]; });
    check_all(gradients.offset, tolerance * 10, [&](index_t k) { return of_offset[at(k)]; });
    auto const n = static_cast<double>(b.n);
    check_all(gradients.input, tolerance, [&](index_t i) {
      std::size_t const k = at(i % b.c);
      double const root = std::sqrt(b.variance_of(i % b.c) + b.epsilon);
      return b.scale[k] / root * (b.g[at(i)] - of_offset[k] / n - wanted[at(i)] * of_scale[k] / n);
    });
  });
}

}  // namespace

TEST_CASE("batch normalisation and its gradients match the formulas, of rows and of images") {
  each<evaluated_floats>([]<class T>() {
    for (index_t c : {1, 3, 6, 12, 17}) {
      check_batch<T>(batch(2, c), shape(2, c));
      check_batch<T>(batch(37, c), shape(37, c));
      check_batch<T>(batch(60, c), shape(2, 5, 6, c));
    }
    check_batch<T>(batch(24, 6), extents<4, 6, 6>{});
  });
}

TEST_CASE("the gradient of batch normalisation is the difference quotient of its result") {
  batch const b(5, 2);
  tensor const g = from(b.g, shape(5, 2)), x = from(b.x, shape(5, 2));
  tensor const scale = from(b.scale);
  auto const loss = [&](auto const& input, auto const& factor) {
    return item(sum(g * batch_norm(input, batch_moments(input), factor, 0, b.epsilon)));
  };
  auto const gradients = batch_norm_gradient(g, x, batch_moments(x), scale, b.epsilon);
  double const step = 1e-6;
  for (index_t i = 0; i != 10; ++i) {
    tensor above = x + 0., below = x + 0.;
    view(above)(i / 2, i % 2) = b.x[at(i)] + step;
    view(below)(i / 2, i % 2) = b.x[at(i)] - step;
    double const quotient = (loss(above, scale) - loss(below, scale)) / (2 * step);
    CHECK(std::fabs(gradients.input.read()[at(i)] - quotient) < 1e-7);
  }
}

TEST_CASE("the variance of numbers far from 0 keeps its digits") {
  batch const b(1000, 3, 16'384);  // of float the elements are exact
  tensor const x = from(b.as<float>(b.x), shape(1000, 3));
  check_all(batch_moments(x).variance, 1e-5, [&](index_t k) { return b.variance_of(k); });
  auto const same = batch_moments(constant(0.1f, shape(1000, 3)));
  CHECK(item(max(same.variance)) < 1e-15f);  // the mean is rounded once
}

TEST_CASE("16-bit numbers are normalised in float, with moments of float") {
  batch const b(40, 3);
  tensor const x = cast<float16>(from(b.as<float>(b.x), shape(40, 3)));
  tensor const g = cast<float16>(from(b.as<float>(b.g), shape(40, 3)));
  tensor const scale = from(b.as<float>(b.scale));
  auto const m = batch_moments(x), wide = batch_moments(cast<float>(x));
  STATIC_CHECK(std::is_same_v<decltype(m.mean)::value_type, float>);
  CHECK(text(m.mean) == text(wide.mean));
  CHECK(text(batch_norm(x, m, scale, 0)) ==
        text(cast<float16>(batch_norm(cast<float>(x), m, scale, 0))));
  CHECK(text(batch_norm_gradient(g, x, m, scale).input) ==
        text(cast<float16>(batch_norm_gradient(cast<float>(g), cast<float>(x), m, scale).input)));
}

TEST_CASE("moments of an expression and of a view are those of its elements") {
  batch const b(30, 4);
  tensor const x = from(b.x, shape(30, 4));
  tensor const padded = concat(1, x, x);
  CHECK(text(batch_moments(slice(padded, everything, range{0, 4})).variance) ==
        text(batch_moments(x).variance));
  CHECK(text(batch_moments(x * 1.).mean) == text(batch_moments(x).mean));
}

TEST_CASE("moving moments take the unbiased variance, in place") {
  each<evaluated_floats>([]<class T>() {
    on_each_device([](device) {
      tensor const x{{T(1), T(10)}, {T(3), T(10)}};
      channel_moments<T> moving{zeros<T>(2), ones<T>(2)};
      auto const m = batch_moments(x);
      T const* const before = std::as_const(moving.mean).data();
      update_moving(moving, m, 0.75);
      CHECK(text(moving.mean) == "[0.5 2.5]");        // a quarter of 2 and 10
      CHECK(text(moving.variance) == "[1.25 0.75]");  // 0.75 and a quarter of 2 and 0
      CHECK(std::as_const(moving.mean).data() == before);
      CHECK(text(batch_norm(x, moving, 1, 0, 0.)) ==
            text((x - tensor{T(0.5), T(2.5)}) * rsqrt(tensor{T(1.25), T(0.75)})));
    });
  });
}

TEST_CASE("fewer than two elements per channel have no moments") {
  auto const message = [](std::string const& shape, std::string const& count) {
    return "placement: batch_moments of shape " + shape + ": a channel has " + count +
           ", whose variance is undefined. Give at least 2, or normalise by moving moments.";
  };
  CHECK(error_of("FusedBatchNormV3", [] { (void)batch_moments(ones<float>(1, 3)); }) ==
        message("[1, 3]", "1 element"));
  CHECK(error_of("FusedBatchNormV3", [] { (void)batch_moments(ones<float>(0, 3)); }) ==
        message("[0, 3]", "0 elements"));
  CHECK(batch_moments(ones<float>(2, 0)).mean.shape() == shape(0));
  channel_moments<float> moving{zeros<float>(2), ones<float>(2)};
  channel_moments<float> const one{ones<float>(2), ones<float>(2), 1};
  CHECK(error_of("FusedBatchNormV3", [&] { update_moving(moving, one, 0.9); }) ==
        message("[2]", "1 element"));
  CHECK(text(moving.mean) == "[0 0]");
}

TEST_CASE("parameters of another number of channels are errors that name them") {
  tensor const x = ones<float>(4, 3);
  auto const m = batch_moments(x);
  CHECK(error_of("FusedBatchNormV3", [&] { (void)batch_norm(x, m, tensor{1.f, 2.f}, 0); }) ==
        "placement: batch_norm of 3 channels with a scale of shape [2]. Give one number per "
        "channel.");
  CHECK(error_of("FusedBatchNormV3", [&] { (void)batch_norm(x, m, 1, tensor{1.f}); }) ==
        "placement: batch_norm of 3 channels with an offset of shape [1]. Give one number per "
        "channel.");
  CHECK(error_of("FusedBatchNormV3", [&] { (void)batch_norm(ones<float>(4, 1), m, 1, 0); }) ==
        "placement: batch_norm of 1 channels with a mean of shape [3]. Give one number per "
        "channel.");
  CHECK(error_of("FusedBatchNormGradV3",
                 [&] { (void)batch_norm_gradient(ones<float>(3, 3), x, m, 1); }) ==
        "placement: batch_norm_gradient with a gradient of shape [3, 3] for x of shape [4, 3]. "
        "Give the gradient of batch_norm's result.");
  channel_moments<float> moving{zeros<float>(3), ones<float>(3)};
  CHECK(error_message<invalid_argument>([&] { update_moving(moving, m, 1.5); })
            .starts_with("placement: update_moving with a decay of 1.5. Give a number from 0 "
                         "to 1: the part that stays."));
}

TEST_CASE("batch_norm fuses with relu into one kernel of that name") {
  tensor const x = ones<float>(4, 3);
  auto const m = batch_moments(x);
  auto const e = relu(batch_norm(x, m, 1, 0));
  CHECK(explain(e).find("FusedBatchNormV3") != std::string::npos);
  CHECK(plan_of(e).kernels == 1);
}

TEST_CASE("dropout keeps elements where the uniform numbers of its stream are at least the rate") {
  each<evaluated_floats>([]<class T>() {
    std::vector<T> v(1003);
    for (std::size_t i = 0; i != v.size(); ++i) v[i] = static_cast<T>(i + 1);
    set_seed(7);
    tensor const u = uniform<float>(shape(17, 59));
    auto const h = u.read();
    on_each_device([&](device d) {
      tensor const x = from(v, shape(17, 59));
      tensor const y = dropout(x, 0.75, random_stream{7, 0});
      CHECK(y.where() == d);
      auto const kept = y.read();
      for (std::size_t i = 0; i != v.size(); ++i)
        CHECK(kept[i] == (h[i] >= 0.75f ? 4 * v[i] : T(0)));
      CHECK(differences(tensor(flatten(dropout(x, 0, random_stream{7, 0}))), v) == no_differences);
    });
  });
}

TEST_CASE("dropout of equal streams has equal masks, and the mean stays") {
  set_seed(3);
  random_stream const key = next_random_stream();
  tensor const x = ones<double>(100'000);
  tensor const y = dropout(x, 0.3, key), dx = dropout(x * 2., 0.3, key);
  CHECK(item(max(abs(dx - y * 2.))) == 0);
  CHECK(std::fabs(item(mean(y)) - 1) < 0.01);
  tensor const other = dropout(x, 0.3), another = dropout(x, 0.3);
  CHECK(item(max(abs(other - another))) > 1);
  CHECK(tensor(dropout(zeros<float>(0, 3), 0.5)).shape() == shape(0, 3));
  double const infinity = std::numeric_limits<double>::infinity();
  for (double v : tensor(dropout(constant(infinity, shape(50)), 0.5, key)).read())
    CHECK((v == 0 || v == infinity));
}

TEST_CASE("a rate of dropout is at least 0 and below 1") {
  for (auto const& [rate, given] : {std::pair{1., "1"}, std::pair{-0.5, "-0.5"}})
    CHECK(error_message<invalid_argument>([&] { (void)dropout(ones<float>(3), rate); }) ==
          "placement: dropout with a rate of " + std::string(given) +
              ". Give a number of at least 0 and below 1: the part that becomes 0.");
  CHECK_THROWS_AS(dropout(ones<float>(3), std::nan("")), invalid_argument);
}

TEST_CASE("embedding_lookup takes rows, and its gradient adds up the slices of each row") {
  on_each_device([](device d) {
    tensor const table{{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}};
    tensor const ids{{2, 0}, {2, 2}};
    tensor const rows = embedding_lookup(table, ids);
    CHECK(rows.where() == d);
    CHECK(text(rows) == "[[[5 6]\n  [1 2]]\n\n [[5 6]\n  [5 6]]]");
    tensor const g{{{1.f, 10.f}, {2.f, 20.f}}, {{4.f, 40.f}, {8.f, 80.f}}};
    tensor const of_table = embedding_gradient(g, ids, 3);
    CHECK(of_table.where() == d);
    CHECK(text(of_table) == "[[2 20]\n [0 0]\n [13 130]]");
    CHECK(text(embedding_gradient(tensor{1.f, 2.f, 3.f}, tensor{1, 0, 1}, 2)) == "[2 4]");
    CHECK(tensor(embedding_gradient(zeros<float>(0, 2), zeros<int>(0), 3)).shape() == shape(3, 2));
  });
}

TEST_CASE("the gradient of a table is added in the order of the ids, with any number of columns") {
  index_t const n = 5'000, columns = 300, rows = 50;
  tensor<float, dextents<2>> const g = uniform<float>(shape(n, columns));
  tensor<int, dextents<1>> const ids = uniform<int>(shape(n), 0, 50);
  tensor<float, dextents<2>> const y = embedding_gradient(g, ids, rows);
  std::vector<float> expected(at(rows * columns));
  auto const from_g = g.read();
  auto const of_id = ids.read();
  for (index_t i = 0; i != n; ++i)
    for (index_t j = 0; j != columns; ++j)
      expected[at(of_id[at(i)] * columns + j)] += from_g[at(i * columns + j)];
  CHECK(differences(y, expected) == no_differences);
}

TEST_CASE("ids that are no rows and gradients of other shapes are errors") {
  tensor const table{{1.f, 2.f}, {3.f, 4.f}};
  CHECK(error_of("GatherV2", [&] { (void)tensor(embedding_lookup(table, tensor{0, 2})); }) ==
        "placement: gather of index 2 in a dimension of extent 2. Each index is at least 0 and "
        "below the extent.");
  for (int bad : {-1, 2})
    CHECK(error_of("UnsortedSegmentSum",
                   [&] { (void)tensor(embedding_gradient(table, tensor{0, bad}, 2)); }) ==
          "placement: embedding_gradient of id " + std::to_string(bad) +
              " at index 1 for a table of 2 rows. Ids are at least 0 and below the number "
              "of rows.");
  CHECK(error_of("UnsortedSegmentSum",
                 [&] { (void)embedding_gradient(table, tensor{0, 1, 1}, 2); }) ==
        "placement: embedding_gradient of shape [2, 2] for ids of shape [3]. Give the gradient of "
        "embedding_lookup: the shape of the ids, then that of a row.");
  CHECK(
      error_of("UnsortedSegmentSum", [&] { (void)embedding_gradient(table, tensor{0, 1}, -1); }) ==
      "placement: embedding_gradient for a table of -1 rows. Give the number of rows, which is "
      "zero or more.");
}
