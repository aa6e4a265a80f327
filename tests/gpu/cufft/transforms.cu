// gpus: 0
// Fourier transforms by cuFFT on a GPU, against FFTW on the CPU.
#include <placement/fft.hpp>
#include <placement/placement.hpp>

#include <placement/cuda/cufft.cuh>

#include <support/both_devices.hpp>
#include <support/linear_algebra.hpp>

#include <catch2/catch_test_macros.hpp>

#include <complex>

using namespace placement;
using test::distance;
using test::few_roundings;
using test::random_tensor;

namespace {

template <class F> auto on_device(device d, F const& compute) {
  with_device const scope(d);
  return tensor(compute());
}
/// Checks that compute() runs on the GPU without a fallback, with the CPU's values.
template <class T, class F> void check_same(F const& compute) {
  auto const expected = on_device(cpu0, compute);
  auto const before = fallback_count();
  auto const got = on_device(gpu0, compute);
  CHECK(fallback_count() == before);
  CHECK(got.where() == gpu0);
  with_device const on_host(cpu0);
  CHECK(distance(copy_to(cpu0, got), expected) <= few_roundings<T>());
}
using real_types = types<float, double>;

}  // namespace

TEST_CASE("transforms by cuFFT match FFTW, of even and odd lengths, along each axis") {
  need_hardware();
  each<test::lapack_types>([&]<class T>() {
    INFO("element type " << element_name<T>());
    with_device const on_host(cpu0);
    for (index_t n : {1, 2, 7, 8}) {
      INFO("length " << n);
      auto const x = random_tensor<T>(shape(3, n));
      auto const y = random_tensor<T>(shape(n, 3));
      check_same<T>([&] { return fft(x); });
      check_same<T>([&] { return ifft(x); });
      check_same<T>([&] { return fft(y, axis<0>); });
      check_same<T>([&] { return ifft(y, 0); });
    }
    auto const x = random_tensor<T>(shape(2, 5, 3));
    check_same<T>([&] { return fft(x, axis<1>); });
  });
}
TEST_CASE("rfft and irfft by cuFFT match FFTW, and leave their operand as it was") {
  need_hardware();
  each<real_types>([&]<class R>() {
    INFO("element type " << element_name<R>());
    with_device const on_host(cpu0);
    for (index_t n : {1, 2, 7, 8}) {
      INFO("length " << n);
      auto const x = random_tensor<R>(shape(3, n));
      check_same<R>([&] { return rfft(x); });
      check_same<R>([&] { return rfft(x, axis<0>); });
      auto const z = random_tensor<std::complex<R>>(shape(3, n / 2 + 1));
      auto const on_gpu = on_device(gpu0, [&] { return copy_to(gpu0, z); });
      check_same<R>([&] { return irfft(z, axis<-1>, fft_length{n}); });
      {
        with_device const scope(gpu0);
        tensor const back = irfft(on_gpu, axis<-1>, fft_length{n});
      }
      CHECK(distance(copy_to(cpu0, on_gpu), z) == 0);
    }
    auto const z = random_tensor<std::complex<R>>(shape(4, 3, 2));
    check_same<R>([&] { return irfft(z, axis<1>); });
  });
}
TEST_CASE("lengths cut the operand, or follow it with zeros, by cuFFT as by FFTW") {
  need_hardware();
  with_device const on_host(cpu0);
  auto const x = random_tensor<float>(shape(3, 6));
  auto const z = random_tensor<std::complex<double>>(shape(6, 2));
  for (index_t n : {3, 4, 9}) {
    INFO("length " << n);
    check_same<float>([&] { return fft(x, axis<-1>, fft_length{n}); });
    check_same<float>([&] { return rfft(x, axis<-1>, fft_length{n}); });
    check_same<float>([&] { return rfft(x, axis<0>, fft_length{n}); });
    check_same<double>([&] { return fft(z, axis<0>, fft_length{n}); });
    check_same<double>([&] { return irfft(z, axis<0>, fft_length{n}); });
  }
}
TEST_CASE("fft2 and ifft2 by cuFFT match FFTW") {
  need_hardware();
  each<test::lapack_types>([&]<class T>() {
    INFO("element type " << element_name<T>());
    with_device const on_host(cpu0);
    auto const x = random_tensor<T>(shape(2, 3, 4));
    check_same<T>([&] { return fft2(x); });
    check_same<T>([&] { return ifft2(x); });
    check_same<T>([&] { return fft2(x, fft_norm::ortho); });
  });
}
TEST_CASE("norms scale transforms by cuFFT as by FFTW") {
  need_hardware();
  with_device const on_host(cpu0);
  auto const x = random_tensor<double>(shape(2, 6));
  auto const z = random_tensor<std::complex<double>>(shape(2, 6));
  for (fft_norm const norm : {fft_norm::backward, fft_norm::ortho, fft_norm::forward}) {
    check_same<double>([&] { return fft(z, axis<-1>, norm); });
    check_same<double>([&] { return ifft(x, axis<-1>, norm); });
    check_same<double>([&] { return rfft(x, axis<-1>, norm); });
    check_same<double>([&] { return irfft(z, axis<-1>, norm); });
  }
}
TEST_CASE("the process keeps at most 64 plans of cuFFT") {
  need_hardware();
  with_device const scope(gpu0);
  for (index_t n = 1; n != 70; ++n) {
    tensor const z = fft(random_tensor<std::complex<float>>(shape(n)));
    CHECK(item(real(slice(ifft(z), 0))) == item(real(slice(ifft(z), 0))));
  }
  CHECK(cuda::cufft_of_process().plans_kept() == 64);
}
TEST_CASE("without an engine, transforms in a GPU scope run on the CPU") {
  need_hardware();
  set_gpu_transforms(nullptr);
  with_device const scope(gpu0);
  auto const x = random_tensor<double>(shape(8));
  auto const before = fallback_count();
  tensor const y = rfft(x);
  CHECK(fallback_count() == before + 1);
}
