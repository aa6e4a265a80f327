#pragma once
/// Computes a result on the CPU and on the first GPU and compares them. Without GPU hardware a
/// simulated GPU is used, which validates the test itself.

#include <placement/placement.hpp>

#include <support/elementwise.hpp>
#include <support/emulated_gpu.hpp>

#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

/// Skips the test, with the reason. Fails in a program for emulated GPUs, which need no hardware.
inline void without_gpu(std::string const& reason) {
  if (is_for_emulated_gpu) FAIL("no emulated GPU: " << reason);
  SKIP("no GPU: " << reason);
}
/// Skips the test where there is no GPU.
inline void need_gpu() {
  if (!placement::is_available()) without_gpu(placement::why_no_gpu());
}
/// Skips the test where there is no GPU hardware, for what simulated GPUs do not support.
inline void need_hardware() {
  need_gpu();
  if (!placement::this_machine().real) without_gpu("this one is simulated");
}

/// The distance from a to b in representable values. All NaNs count as one value, as do both zeros.
template <class T> std::uint64_t ulps_between(T a, T b) {
  if constexpr (!std::is_floating_point_v<T>) {
    return a == b ? 0 : ~std::uint64_t{0};
  } else {
    if (a != a || b != b) return (a != a) == (b != b) ? 0 : ~std::uint64_t{0};
    using bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    auto const place = [](T x) {
      auto const word = std::int64_t{std::bit_cast<bits>(x)};
      return word < 0 ? std::int64_t{std::numeric_limits<bits>::min()} - word : word;
    };
    auto const p = static_cast<std::uint64_t>(place(a)), q = static_cast<std::uint64_t>(place(b));
    return place(a) < place(b) ? q - p : p - q;
  }
}

/// Lists the elements that differ by more than `ulps`. Empty if there are none.
template <class T, class X>
std::string farther_than(std::uint64_t ulps, placement::tensor<T, X> const& got,
                         placement::tensor<T, X> const& expected) {
  if (!(got.shape() == expected.shape()))
    return "shape " + to_string(got.shape()) + ", not " + to_string(expected.shape());
  auto const g = got.read(), e = expected.read();
  std::string text;
  for (std::size_t i = 0; i != got.size() && text.size() < 400; ++i)
    if (std::uint64_t const d = ulps_between<T>(g[i], e[i]); d > ulps)
      text += "[" + std::to_string(i) + "] is " + std::to_string(g[i]) + ", on the CPU " +
              std::to_string(e[i]) + ": " + std::to_string(d) + " ulp\n";
  return text;
}

/// compute() returns a tensor. Its elements on the GPU are within `ulps` of those on the CPU.
template <class F> void check_on_gpu(std::uint64_t ulps, F const& compute) {
  auto const on_device = [&](placement::device d) {
    placement::with_device const scope(d);
    return compute();
  };
  auto const expected = on_device(placement::cpu0);
  auto const got = on_device(placement::gpu0);
  CHECK(got.where() == placement::gpu0);
  CHECK(farther_than(ulps, got, expected) == "");
}
/// The same check where compute() returns an expression.
template <class F> void check_expression(std::uint64_t ulps, F const& compute) {
  check_on_gpu(ulps, [&] { return placement::tensor(compute()); });
}

/// n values for a host vector: the edge values of T first, then others.
template <class T> std::vector<T> some_values(std::size_t n, std::uint32_t seed = 1) {
  std::vector<T> all = edge_values<T>();
  while (all.size() < n) {
    seed = seed * 1664525u + 1013904223u;
    if constexpr (std::is_floating_point_v<T>)
      all.push_back(static_cast<T>(static_cast<std::int32_t>(seed)) * T(0x1p-28));
    else all.push_back(static_cast<T>(seed >> 12));
  }
  all.resize(n);
  return all;
}
/// The same values as a tensor of the given shape on the CPU.
template <class T, class X>
placement::tensor<T, X> some_tensor(X const& shape, std::uint32_t seed = 1) {
  placement::with_device const scope(placement::cpu0);
  return tensor_of(some_values<T>(shape.count(), seed), shape);
}
/// Floating-point values in [-8, 8) without edge values, for sums, products and exponentials.
template <class T, class X>
placement::tensor<T, X> plain_tensor(X const& shape, std::uint32_t seed = 1) {
  std::vector<T> all(shape.count());
  for (T& x : all) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<std::int32_t>(seed) * 0x1p-28);
  }
  placement::with_device const scope(placement::cpu0);
  return tensor_of(all, shape);
}
