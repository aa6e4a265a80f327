// gpus: 0
// Linear algebra by cuSOLVER on a GPU, against LAPACK on the CPU.
#include <placement/lapack.hpp>
#include <placement/placement.hpp>

#include <placement/cuda/cusolver.cuh>

#include <support/both_devices.hpp>
#include <support/linear_algebra.hpp>

#include <catch2/catch_test_macros.hpp>

#include <complex>
#include <string>
#include <utility>
#include <vector>

using namespace placement;
using test::distance;
using test::few_roundings;
using test::lapack_types;
using test::random_tensor;

namespace {

/// The value of compute() on a device.
template <class F> auto on_device(device d, F const& compute) {
  with_device const scope(d);
  return tensor(compute());
}
/// Checks that compute() runs on the GPU without a fallback, with the CPU's values.
template <class T, class F> void check_same(F const& compute) {
  INFO("element type " << element_name<T>());
  auto const expected = on_device(cpu0, compute);
  auto const before = fallback_count();
  auto const got = on_device(gpu0, compute);
  CHECK(fallback_count() == before);
  CHECK(got.where() == gpu0);
  with_device const on_host(cpu0);
  CHECK(distance(copy_to(cpu0, got), expected) <= 100 * few_roundings<T>());
}
/// A batch of matrices on the host, well conditioned and not symmetric.
template <class T> auto matrices(index_t count, index_t n, unsigned seed = 1) {
  with_device const on_host(cpu0);
  tensor<T, dextents<3>> x = random_tensor<T>(shape(count, n, n), seed);
  for (index_t i = 0; i != count; ++i)
    for (index_t d = 0; d != n; ++d) x.data()[(i * n + d) * n + d] += T(3);
  return x;
}
/// The same, Hermitian and positive definite.
template <class T> auto definite_matrices(index_t count, index_t n) {
  with_device const on_host(cpu0);
  auto const x = matrices<T>(count, n);
  return tensor<T, dextents<3>>(matmul(x, test::adjoint(x)));
}

}  // namespace

TEST_CASE("solve by cuSOLVER matches LAPACK, with broadcast batches and vectors") {
  need_hardware();
  each<lapack_types>([&]<class T>() {
    auto const a = matrices<T>(3, 5);
    with_device const on_host(cpu0);
    auto const b = random_tensor<T>(shape(3, 5, 2), 2);
    auto const one = random_tensor<T>(shape(5, 5), 3);
    auto const many = random_tensor<T>(shape(4, 1, 5, 2), 4);
    auto const v = random_tensor<T>(shape(5), 5);
    check_same<T>([&] { return solve(a, b); });
    check_same<T>([&] { return solve(a, many); });
    check_same<T>([&] { return solve(one, b); });
    // GPUs have no kernels for the views of complex numbers around this one
    if constexpr (!is_complex<T>) check_same<T>([&] { return solve(a, v); });
  });
}
TEST_CASE("inverse, det and cholesky by cuSOLVER match LAPACK") {
  need_hardware();
  each<lapack_types>([&]<class T>() {
    auto const a = matrices<T>(3, 6);
    with_device const on_host(cpu0);
    tensor<T, dextents<3>> const part = slice(a, range(0, 2), range(0, 3), range(0, 3));
    auto const d = definite_matrices<T>(2, 5);
    check_same<T>([&] { return inverse(a); });
    check_same<T>([&] { return det(part); });
    check_same<T>([&] { return cholesky(d); });
  });
}
TEST_CASE("det by cuSOLVER has the sign of row exchanges, is 0 if singular, and 1 without rows") {
  need_hardware();
  with_device const on_host(cpu0);
  tensor<double, dextents<3>> const x = {{{0., 1.}, {1., 0.}}, {{1., 2.}, {2., 4.}}};
  tensor<double, dextents<2>> const none = zeros<double>(0, 0);
  auto const got = on_device(gpu0, [&] { return det(x); });
  CHECK(got.where() == gpu0);
  CHECK(to_vector(got) == std::vector<double>{-1, 0});
  CHECK(item(on_device(gpu0, [&] { return det(none); })) == 1);
}
TEST_CASE("q and r by cuSOLVER: orthonormal columns, a triangle, and their product is the matrix") {
  need_hardware();
  each<lapack_types>([&]<class T>() {
    INFO("element type " << element_name<T>());
    for (auto const& [m, n] : {std::pair<index_t, index_t>{6, 4}, {4, 6}, {5, 5}, {1, 1}}) {
      INFO("shape " << m << " x " << n);
      with_device const on_host(cpu0);
      auto const x = random_tensor<T>(shape(2, m, n));
      auto const check = [&](auto const factors) {
        auto const before = fallback_count();
        auto const [q, r] = [&] {
          with_device const scope(gpu0);
          return qr(x, factors);
        }();
        if constexpr (!is_complex<T>) CHECK(fallback_count() == before);
        tensor<T, dextents<3>> const hq = copy_to(cpu0, q), hr = copy_to(cpu0, r);
        auto const k = hq.shape().at(2);
        CHECK(distance(matmul(hq, hr), x) <= few_roundings<T>());
        CHECK(distance(slice(matmul(test::adjoint(hq), hq), 1), test::identity_of<T>(k)) <=
              few_roundings<T>());
        for (index_t i = 0; i != k; ++i)
          for (index_t j = 0; j < i && j != n; ++j) CHECK(hr.data()[i * n + j] == T{});
      };
      check(reduced_factors);
      check(complete_factors);
    }
  });
}
TEST_CASE("u, s and vh by cuSOLVER: orthonormal, descending, and their product is the matrix") {
  need_hardware();
  each<lapack_types>([&]<class T>() {
    INFO("element type " << element_name<T>());
    for (auto const& [m, n] : {std::pair<index_t, index_t>{6, 4}, {4, 6}, {5, 5}, {1, 3}}) {
      INFO("shape " << m << " x " << n);
      with_device const on_host(cpu0);
      auto const x = random_tensor<T>(shape(2, m, n));
      index_t const k = m < n ? m : n;
      auto const check = [&](auto const factors) {
        auto const [u, s, vh] = [&] {
          with_device const scope(gpu0);
          return svd(x, factors);
        }();
        tensor<T, dextents<3>> const hu = copy_to(cpu0, u), hv = copy_to(cpu0, vh);
        tensor<test::real_of<T>, dextents<2>> const hs = copy_to(cpu0, s);
        CHECK(distance(hs, svdvals(x)) <= few_roundings<T>());
        tensor<T, dextents<3>> const scaled =
            slice(hu, everything, everything, range(0, k)) * expand_dims(cast<T>(hs), axis<1>);
        CHECK(distance(matmul(scaled, slice(hv, everything, range(0, k), everything)), x) <=
              few_roundings<T>());
        CHECK(distance(slice(matmul(test::adjoint(hu), hu), 1),
                       test::identity_of<T>(hu.shape().at(2))) <= few_roundings<T>());
        CHECK(distance(slice(matmul(hv, test::adjoint(hv)), 0),
                       test::identity_of<T>(hv.shape().at(1))) <= few_roundings<T>());
      };
      check(reduced_factors);
      check(complete_factors);
      check_same<T>([&] { return svdvals(x); });
    }
  });
}
TEST_CASE("complete factors of matrices without elements are identities on a GPU, too") {
  need_hardware();
  with_device const on_host(cpu0);
  tensor<double, dextents<2>> const x = zeros<double>(3, 0);
  auto const identity = test::identity_of<double>(3);
  with_device const scope(gpu0);
  auto const u = svd(x, complete_factors).u;
  auto const q = qr(x, complete_factors).q;
  CHECK(u.where() == gpu0);
  with_device const host_again(cpu0);
  CHECK(distance(copy_to(cpu0, u), identity) == 0);
  CHECK(distance(copy_to(cpu0, q), identity) == 0);
}
TEST_CASE("eigenvalues by cuSOLVER match LAPACK, and eigenvectors belong to them") {
  need_hardware();
  each<lapack_types>([&]<class T>() {
    INFO("element type " << element_name<T>());
    auto const x = definite_matrices<T>(2, 5);
    check_same<T>([&] { return eigvalsh(x); });
    auto const [w, v] = [&] {
      with_device const scope(gpu0);
      return eigh(x);
    }();
    with_device const on_host(cpu0);
    tensor<T, dextents<3>> const hv = copy_to(cpu0, v);
    tensor<test::real_of<T>, dextents<2>> const hw = copy_to(cpu0, w);
    CHECK(distance(hw, eigvalsh(x)) <= 100 * few_roundings<T>());
    CHECK(distance(matmul(x, hv), tensor<T, dextents<3>>(hv * expand_dims(cast<T>(hw), axis<1>))) <=
          100 * few_roundings<T>());
  });
}
TEST_CASE("a matrix without a result is an error on a GPU, which names it, and changes nothing") {
  need_hardware();
  with_device const on_host(cpu0);
  tensor<double, dextents<3>> x = {{{2., 0.}, {0., 2.}}, {{1., 1.}, {1., 1.}}};
  with_device const scope(gpu0);
  tensor<double, dextents<3>> y = zeros<double>(2, 2, 2);
  CHECK_THROWS_AS(y = inverse(x), linear_algebra_error);
  try {
    y = inverse(x);
  } catch (linear_algebra_error const& e) {
    std::string const text = e.what();
    CHECK(text.find("the matrix is singular") != std::string::npos);
    CHECK(text.find("It is matrix 1 of 2, counted from 0. In MatrixInverse at") !=
          std::string::npos);
  }
  CHECK(to_vector(y) == std::vector<double>(8, 0.));
  CHECK_THROWS_AS(y = solve(x, x), linear_algebra_error);
  CHECK_THROWS_AS(y = cholesky(negative(x)), linear_algebra_error);
}
TEST_CASE("the log names the source of a library's kernel, and lstsq stays on the CPU") {
  need_hardware();
  with_device const on_host(cpu0);
  auto const a = random_tensor<double>(shape(4, 2));
  auto const b = random_tensor<double>(shape(4, 1), 2);
  auto const expected = lstsq(a, b).x;
  with_device const scope(gpu0);
  auto const x = random_tensor<double>(shape(3, 3));
  CHECK(explain(inverse(x)).find("kernel of a library") != std::string::npos);
  auto const before = fallback_count();
  auto const got = lstsq(a, b).x;
  CHECK(fallback_count() == before + 1);
  with_device const host_again(cpu0);
  CHECK(distance(copy_to(cpu0, got), expected) <= few_roundings<double>());
}
TEST_CASE("without an engine, linear algebra in a GPU scope runs on the CPU") {
  need_hardware();
  set_gpu_linear_algebra(nullptr);
  with_device const scope(gpu0);
  auto const x = random_tensor<double>(shape(3, 3));
  auto const before = fallback_count();
  tensor const y = inverse(x);
  CHECK(fallback_count() == before + 1);
}
