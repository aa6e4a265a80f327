// Fourier transforms: against the defining sums, round trips, lengths, scales, views, plans and
// errors.
#include <placement/fft.hpp>
#include <placement/placement.hpp>
#include <support/any_threads.hpp>
#include <support/linear_algebra.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <complex>
#include <numbers>
#include <thread>
#include <vector>

using namespace placement;
using test::distance;
using test::few_roundings;
using test::random_tensor;
using test::real_of;

namespace {

using fft_types = types<float, double, std::complex<float>, std::complex<double>>;

/// The transform of the rows of x by its definition.
template <class T> auto by_definition(tensor<T, dextents<2>> const& x, double sign) {
  using C = std::complex<real_of<T>>;
  index_t const m = x.shape().at(0), n = x.shape().at(1);
  auto const values = x.read();
  std::vector<C> out;
  for (index_t i = 0; i != m; ++i)
    for (index_t k = 0; k != n; ++k) {
      std::complex<double> sum = 0;
      for (index_t j = 0; j != n; ++j) {
        double const angle =
            sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
        sum += std::complex<double>(values[static_cast<std::size_t>(i * n + j)]) *
               std::polar(1.0, angle);
      }
      out.emplace_back(C(sum));
    }
  return tensor_of(out, shape(m, n));
}

}  // namespace

TEST_CASE("fft and ifft are the sums of their definition, for each length up to 20") {
  log_lines const fallbacks;
  each<fft_types>([]<class T>() {
    INFO(element_name<T>());
    for (index_t n = 1; n != 21; ++n) {
      INFO(n << " elements");
      auto const x = random_tensor<T>(shape(3, n));
      CHECK(distance(fft(x), by_definition(x, -1)) < few_roundings<T>());
      using R = real_of<T>;
      auto const sums = by_definition(x, 1);
      CHECK(distance(ifft(x), sums / std::complex<R>(static_cast<R>(n))) < few_roundings<T>());
    }
  });
}
TEST_CASE("the transform of one wave is one element") {
  log_lines const fallbacks;
  index_t const n = 16;
  tensor<double, dextents<1>> wave = zeros<double>(n);
  for (index_t i = 0; i != n; ++i)
    wave.data()[i] = std::cos(2 * std::numbers::pi * 3 * static_cast<double>(i) / 16);
  tensor<std::complex<double>, dextents<1>> expected = zeros<std::complex<double>>(9);
  expected.data()[3] = 8;
  CHECK(distance(rfft(wave), expected) < 1e-14);
}
TEST_CASE("inverse transforms give the operand back, along each axis") {
  log_lines const fallbacks;
  each<fft_types>([]<class T>() {
    INFO(element_name<T>());
    using C = std::complex<real_of<T>>;
    auto const x = random_tensor<T>(shape(4, 5, 6));
    tensor const z = cast<C>(x);
    for (int a : {0, 1, 2, -1, -2}) {
      CHECK(distance(ifft(fft(x, a), a), z) < few_roundings<T>());
      CHECK(distance(fft(ifft(x, a), a), z) < few_roundings<T>());
    }
    CHECK(distance(ifft2(fft2(x)), z) < few_roundings<T>());
    CHECK(distance(fft(fft(x, axis<1>), axis<2>), fft2(x)) < few_roundings<T>());
  });
}
TEST_CASE("rfft is the first half of fft, and irfft its inverse, for even and odd lengths") {
  log_lines const fallbacks;
  each<floats>([]<class R>() {
    INFO(element_name<R>());
    for (index_t n : {1, 2, 3, 8, 9}) {
      auto const x = random_tensor<R>(shape(3, n, 2));
      tensor const half = rfft(x, axis<1>);
      CHECK(half.shape() == shape(3, n / 2 + 1, 2));
      CHECK(distance(half, slice(tensor(fft(x, axis<1>)), everything,
                                 range{.first = 0, .last = n / 2 + 1})) < few_roundings<R>());
      CHECK(distance(irfft(half, axis<1>, fft_length{n}), x) < few_roundings<R>());
      if (n % 2 == 0) CHECK(distance(irfft(half, axis<1>), x) < few_roundings<R>());
    }
  });
}
TEST_CASE("a length cuts the operand, or follows it with zeros") {
  log_lines const fallbacks;
  auto const x = random_tensor<double>(shape(3, 4, 2));
  tensor<double, dextents<3>> longer = zeros<double>(3, 7, 2);
  slice(view(longer), everything, range{.first = 0, .last = 4}) = x;
  tensor const shorter = slice(x, everything, range{.first = 0, .last = 3});
  CHECK(distance(fft(x, 1, fft_length{7}), fft(longer, 1)) < 1e-14);
  CHECK(distance(fft(x, 1, fft_length{3}), fft(shorter, 1)) < 1e-14);
  CHECK(distance(rfft(x, 1, fft_length{7}), rfft(longer, 1)) < 1e-14);
  CHECK(distance(rfft(x, 1, fft_length{3}), rfft(shorter, 1)) < 1e-14);
  tensor const z = fft(x, 1);
  tensor<std::complex<double>, dextents<3>> longer_z = zeros<std::complex<double>>(3, 5, 2);
  slice(view(longer_z), everything, range{.first = 0, .last = 4}) = z;
  CHECK(distance(irfft(z, 1, fft_length{8}), irfft(longer_z, 1)) < 1e-14);
  CHECK(distance(irfft(z, 1, fft_length{2}),
                 irfft(tensor(slice(z, everything, range{.first = 0, .last = 2})), 1)) < 1e-14);
}
TEST_CASE("norms scale the transform, its inverse, or both") {
  log_lines const fallbacks;
  auto const x = random_tensor<double>(shape(4, 9));
  tensor const z = fft(x);
  using c = std::complex<double>;
  CHECK(distance(fft(x, axis<-1>, fft_norm::ortho), z / c(3)) < 1e-14);
  CHECK(distance(fft(x, axis<-1>, fft_norm::forward), z / c(9)) < 1e-14);
  CHECK(distance(ifft(z, axis<-1>, fft_norm::forward), cast<c>(x) * c(9)) < 1e-13);
  CHECK(
      distance(irfft(rfft(x, axis<-1>, fft_norm::ortho), axis<-1>, fft_length{9}, fft_norm::ortho),
               x) < 1e-14);
  CHECK(distance(ifft2(fft2(x, fft_norm::ortho), fft_norm::ortho), cast<c>(x)) < 1e-14);
}
TEST_CASE("operands of transforms may be views or expressions, and static extents stay static") {
  log_lines const fallbacks;
  auto const x = random_tensor<double>(shape(6, 5));
  tensor const turned = transpose(x);
  CHECK(distance(fft(transpose(x)), fft(turned)) == 0);
  tensor const part = slice(x, range{.first = 1, .last = 6, .step = 2}, range{.step = -1});
  CHECK(distance(rfft(slice(x, range{.first = 1, .last = 6, .step = 2}, range{.step = -1})),
                 rfft(part)) == 0);
  CHECK(distance(fft2(x + 1.), fft2(tensor(x + 1.))) == 0);
  // Elements that begin one behind FFTW's alignment.
  auto const line = random_tensor<float>(shape(33));
  tensor const behind = slice(line, range{.first = 1});
  CHECK(distance(rfft(slice(line, range{.first = 1})), rfft(behind)) < 1e-5);
  tensor<float, extents<2, 6>> const s = zeros<float>(2, 6);
  static_assert(std::is_same_v<decltype(rfft(s))::extents_type, extents<2, 4>>);
  static_assert(std::is_same_v<decltype(irfft(rfft(s)))::extents_type, extents<2, 6>>);
  static_assert(std::is_same_v<decltype(fft2(s))::value_type, std::complex<float>>);
  CHECK(tensor(rfft(s, axis<0>)).shape() == shape(2, 6));
}
TEST_CASE("batches without rows have transforms without rows, and no element is an error") {
  log_lines const fallbacks;
  tensor<double, dextents<2>> const no_rows = zeros<double>(0, 4), no_columns = zeros<double>(3, 0);
  CHECK(tensor(fft(no_rows)).shape() == shape(0, 4));
  CHECK(tensor(rfft(no_rows)).shape() == shape(0, 3));
  CHECK(
      error_of("FFT", [&] { tensor const y = fft(no_columns); }) ==
      "placement: FFT of 0 elements, of a tensor of shape [3, 0]. A transform takes at least one element "
      "along its axis.");
  CHECK(
      error_of("FFT2D", [&] { tensor const y = fft2(no_columns); }) ==
      "placement: FFT2D of 0 elements, of a tensor of shape [3, 0]. A transform takes at least one element "
      "along its axis.");
  auto const one = random_tensor<std::complex<double>>(shape(3, 1));
  CHECK(
      error_of("IRFFT", [&] { tensor const y = irfft(one); }) ==
      "placement: IRFFT of 0 elements, of a tensor of shape [3, 1]. A transform takes at least one element "
      "along its axis.");
  CHECK(
      error_of("RFFT", [&] { tensor const y = rfft(zeros<float>(3, 4), 1, fft_length{-2}); }) ==
      "placement: RFFT of -2 elements, of a tensor of shape [3, 4]. A transform takes at least one element "
      "along its axis.");
}
TEST_CASE("the process keeps a bounded number of plans") {
  log_lines const fallbacks;
  using plans = placement::detail::fft_plans<double, std::complex<double>>;
  auto& kept = placement::detail::fft_plans_of_process<double, std::complex<double>>();
  for (int round = 0; round != 2; ++round)
    for (index_t n = 1; n != 2 * static_cast<index_t>(plans::most); ++n) {
      auto const x = random_tensor<double>(shape(n));
      tensor const back = irfft(rfft(x), axis<0>, fft_length{n});
      REQUIRE(distance(back, x) < 1e-13);
    }
  CHECK(kept.kept() == plans::most);
  std::size_t const before = kept.kept();
  tensor const again = rfft(random_tensor<double>(shape(7)));
  CHECK(kept.kept() == before);
  CHECK(again.shape() == shape(4));
}
TEST_CASE("threads transform at the same time, while plans are made and destroyed") {
  log_lines const fallbacks;
  std::vector<double> worst(4);
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t != 4; ++t)
      threads.emplace_back([t, &worst] {
        for (index_t n = 1; n != 100; ++n) {
          auto const x = random_tensor<double>(shape(2, n + static_cast<index_t>(t)));
          tensor const back = real(ifft(fft(x)));
          worst[t] = std::max(worst[t], distance(back, x));
        }
      });
  }
  for (double w : worst) CHECK(w < 1e-13);
}
TEST_CASE("transforms of many fibers have the same bits on any number of threads") {
  log_lines const fallbacks;
  auto const on_threads = [](int n, auto const& transform) {
    any_threads threads(n);
    set_executor(&threads);
    tensor result = transform();
    set_executor(nullptr);
    return result;
  };
  auto const x = random_tensor<float>(shape(2003, 100));
  auto const planes = random_tensor<double>(shape(7, 300, 100));
  auto const same = [&](auto const& transform) {
    return distance(on_threads(1, transform), on_threads(3, transform));
  };
  CHECK(same([&] { return fft(x); }) == 0);
  CHECK(same([&] { return rfft(x, -1, fft_length{120}); }) == 0);
  CHECK(same([&] { return rfft(planes, axis<1>); }) == 0);
  CHECK(same([&] { return irfft(rfft(x)); }) == 0);
  CHECK(distance(irfft(rfft(x)), x) < few_roundings<float>());
  CHECK(distance(slice(tensor(rfft(x)), 2002), rfft(tensor(slice(x, 2002)))) < 1e-4);
}
TEST_CASE("in a GPU scope transforms run on the CPU and say so") {
  auto const x = random_tensor<float>(shape(2, 8));
  tensor const expected = irfft(rfft(x));
  log_lines log;
  with_device scope("/gpu:0");
  tensor const y = irfft(rfft(x)) + 0.f;
  CHECK(y.where() == device{kind::gpu, 0});
  CHECK(distance(y, expected) == 0);
  auto const lines = log.take_all();
  REQUIRE(lines.size() == 2);
  std::string const why =
      " asked for /GPU:0, runs on /CPU:0: no GPU kernel for this op and element type at ";
  CHECK(lines[1].find("RFFT<float> [2, 5]" + why) != lines[1].npos);
  CHECK(lines[0].find("IRFFT<complex64> [2, 8]" + why) != lines[0].npos);
}
