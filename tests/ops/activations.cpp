// Activations of nets, against their formulas in long double.
#include <placement/ops/elu.hpp>
#include <placement/ops/gelu.hpp>
#include <placement/ops/leaky_relu.hpp>
#include <placement/ops/silu.hpp>
#include <placement/ops/softplus.hpp>
#include <placement/placement.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

using namespace placement;

namespace {

constexpr long double root_of_half = 0.707106781186547524400844362104849039L;
constexpr long double root_of_2_by_pi = 0.797884560802865355879892119868763737L;

/// Ordinary numbers and edges, of both signs.
template <class T> std::vector<T> arguments() {
  std::vector<T> all = edge_values<T>();
  for (int i = -400; i <= 400; ++i) all.push_back(static_cast<T>(i) / 16);
  return all;
}
/// Checks op(x) within `ulps`, or within `roundings` of x.
template <class T, class Op, class Exact>
void check_activation(Op op, Exact exact, double ulps, double roundings = 0) {
  auto const values = arguments<T>();
  INFO("element type " << element_name<T>());
  on_each_device([&](device d) {
    tensor const y = op(from(values));
    CHECK(y.where() == d);
    auto const h = y.read();
    for (std::size_t i = 0; i != values.size(); ++i) {
      long double const expected = exact(static_cast<long double>(values[i]));
      long double const away = std::fabs(static_cast<long double>(h[i]) - expected);
      bool const is_close = away <= static_cast<long double>(roundings) *
                                        std::fabs(static_cast<long double>(values[i])) *
                                        std::numeric_limits<T>::epsilon();
      INFO("of " << values[i] << " it is " << h[i] << ", not " << expected);
      CHECK((is_close || ulps_apart(h[i], expected) <= ulps));
    }
    CHECK(tensor(op(tensor_of(std::vector<T>{}, shape(0, 3)))).shape() == shape(0, 3));
    CHECK(tensor(op(tensor_of(std::vector<T>{T(1)}, shape()))).shape() == shape());
  });
}

}  // namespace

TEST_CASE("leaky_relu multiplies negative numbers by alpha, and keeps -0 and NaN") {
  each<floats>([]<class T>() {
    check_unary<T>([](auto const& x) { return leaky_relu(x); },
                   [](T x) { return x < T(0) ? static_cast<T>(0.2) * x : x; });
    check_unary<T>([](auto const& x) { return leaky_relu(x, -1.5); },
                   [](T x) { return x < T(0) ? T(-1.5) * x : x; });
  });
}

TEST_CASE("elu is alpha (exp(x) - 1) below 0, and x from there on") {
  each<evaluated_floats>([]<class T>() {
    check_activation<T>([](auto const& x) { return elu(x); },
                        [](long double x) { return x < 0 ? std::expm1(x) : x; }, 2);
    check_activation<T>([](auto const& x) { return elu(x, 0.5); },
                        [](long double x) { return x < 0 ? std::expm1(x) / 2 : x; }, 2);
  });
}

TEST_CASE("silu is x sigmoid(x), and 0 of minus infinity") {
  each<evaluated_floats>([]<class T>() {
    T const smallest = std::numeric_limits<T>::min();
    check_activation<T>([](auto const& x) { return silu(x); },
                        [&](long double x) {
                          if (x < -1e4L) return 0.0L;
                          long double const y = x / (1 + std::exp(-x));
                          return y < 0 && -y < smallest && x < -1 ? 0.0L : y;
                        },
                        3);
  });
}

TEST_CASE("softplus is log(1 + exp(x)) without overflow") {
  each<evaluated_floats>([]<class T>() {
    check_activation<T>([](auto const& x) { return softplus(x); },
                        [](long double x) {
                          return x == x ? std::fmax(x, 0.0L) + std::log1p(std::exp(-std::fabs(x)))
                                        : x;
                        },
                        3);
  });
}

TEST_CASE("gelu is x times the normal distribution function, to some roundings of x") {
  auto const limited = [](long double x, long double y) { return x < -1e4L ? 0.0L : y; };
  each<evaluated_floats>([&]<class T>() {
    check_activation<T>(
        [](auto const& x) { return gelu(x); },
        [&](long double x) { return limited(x, x * (0.5L + 0.5L * std::erf(x * root_of_half))); },
        4, 2);
    check_activation<T>(
        [](auto const& x) { return gelu<gelu_form::tanh>(x); },
        [&](long double x) {
          return limited(
              x, x * (0.5L + 0.5L * std::tanh(root_of_2_by_pi * (x + 0.044715L * x * x * x))));
        },
        4, 2);
  });
}

TEST_CASE("activations of 16-bit numbers are computed in float and rounded once") {
  auto const check = [](auto const& op) {
    std::vector<float> values;
    for (int i = -64; i != 64; ++i) values.push_back(static_cast<float>(i) / 8);
    tensor const wide = from(values);
    tensor const half = op(cast<float16>(wide));
    tensor const expected = cast<float16>(op(wide));
    auto const a = half.read(), b = expected.read();
    for (std::size_t i = 0; i != values.size(); ++i) CHECK(a[i].bits == b[i].bits);
  };
  check([](auto const& x) { return leaky_relu(x, 0.3); });
  check([](auto const& x) { return elu(x); });
  check([](auto const& x) { return silu(x); });
  check([](auto const& x) { return softplus(x); });
  check([](auto const& x) { return gelu(x); });
}

TEST_CASE("activations fuse with their neighbours into one kernel, and are logged by name") {
  tensor const x{-1.f, 2.f};
  with_device const scope("/gpu:1");
  set_log_device_placement(true);
  log_lines lines;
  tensor const y = leaky_relu(silu(x), 0.5) + softplus(x) * elu(gelu(x));
  CHECK(y.where() == device{kind::gpu, 1});
  std::string all;
  for (std::string const& line : lines.take_all()) all += line + '\n';
  for (char const* name : {"LeakyRelu", "Silu", "Softplus", "Elu", "Gelu"})
    CHECK(all.find(name) != all.npos);
}
