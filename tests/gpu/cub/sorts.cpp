// Sorts by the engine of placement::cub, for each element type, against the CPU. This file is
// compiled by the host's compiler: the component brings the kernels.
#include <placement/kernels/sort_engine.hpp>
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

using namespace placement;

namespace {

/// Elements of which many are equal. Floating-point ones have both zeros, infinities, and NaN of
/// both signs and with several bits.
template <class T> std::vector<T> drawn(index_t n, bool with_nan) {
  std::vector<T> all(static_cast<std::size_t>(n));
  std::uint64_t state = 7;
  for (T& x : all) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    auto const bits = state >> 20;
    if constexpr (std::is_integral_v<T>) {
      x = static_cast<T>(bits % 3 == 0 ? bits % 5 : bits);
    } else {
      using real = std::conditional_t<sizeof(T) == 8, double, float>;
      constexpr real infinity = std::numeric_limits<real>::infinity();
      real const specials[]{0, real(-0.0), infinity, -infinity, 1};
      x = static_cast<T>(bits % 4 == 0
                             ? specials[bits / 4 % 5]
                             : static_cast<real>(static_cast<std::int32_t>(bits)) * real(0x1p-24));
      if (!with_nan || bits % 16 != 1) continue;
      T const nan = std::numeric_limits<T>::quiet_NaN();
      unsigned char bytes[sizeof(T)];
      std::memcpy(bytes, &nan, sizeof(T));
      bytes[0] = static_cast<unsigned char>(bits / 16 % 64);
      bytes[sizeof(T) - 1] =
          static_cast<unsigned char>(bytes[sizeof(T) - 1] | (bits >> 12) % 2 << 7);
      std::memcpy(&x, bytes, sizeof(T));
    }
  }
  return all;
}

/// Whether the bytes of both are equal.
template <class A, class B> bool same_bits(A const& a, B const& b) {
  auto const x = a.read(), y = b.read();
  return a.size() == b.size() && std::memcmp(&x[0], &y[0], a.size() * sizeof(x[0])) == 0;
}

template <class T, class R, class Expected>
void check_call(std::vector<T> const& x, index_t rows, sort_call call, Expected const& expected) {
  auto const length = static_cast<index_t>(x.size()) / rows;
  tensor<T, dextents<2>> const in = copy_to(gpu0, tensor_of(x, shape(rows, length)));
  tensor<R, dextents<2>> out = copy_to(gpu0, tensor<R, dextents<2>>(zeros<R>(rows, length)));
  call.op = "Sort";
  call.element = placement::detail::sort_element_of<T>();
  call.rows = rows;
  call.length = length;
  call.in = in.data();
  call.out = out.data();
  REQUIRE(placement::detail::gpu_sorts.load()->sort(logical(gpu0), call));
  INFO("rows " << rows << " of " << length << (call.is_descending ? ", descending" : "")
               << (call.gives_indices ? ", indices" : ""));
  CHECK(same_bits(out, expected));
}

template <class T> void check_sorts(index_t rows, index_t length, bool with_nan = true) {
  INFO("element type " << element_name<T>());
  with_device const scope(cpu0);
  auto const values = drawn<T>(rows * length, with_nan);
  auto const x = tensor_of(values, shape(rows, length));
  using elements = tensor<T, dextents<2>>;
  using indices = tensor<std::int64_t, dextents<2>>;
  check_call<T, T>(values, rows, {}, elements(sort(x)));
  check_call<T, T>(values, rows, {.is_descending = true}, elements(sort(x, descending)));
  check_call<T, std::int64_t>(values, rows, {.gives_indices = true}, indices(argsort(x)));
  check_call<T, std::int64_t>(values, rows, {.is_descending = true, .gives_indices = true},
                              indices(argsort(x, descending)));
}

}  // namespace

TEST_CASE("CUB sorts integers of each type as the CPU") {
  need_hardware();
  check_sorts<std::int8_t>(1, 5003);
  check_sorts<std::uint8_t>(1, 5003);
  check_sorts<std::int16_t>(1, 5003);
  check_sorts<std::uint16_t>(1, 5003);
  check_sorts<std::int32_t>(1, 20'003);
  check_sorts<std::uint32_t>(1, 5003);
  check_sorts<std::int64_t>(1, 5003);
  check_sorts<std::uint64_t>(1, 5003);
}

TEST_CASE("CUB sorts floating-point numbers as the CPU to the bit, with NaN last in its order") {
  need_hardware();
  check_sorts<float>(1, 20'003);
  check_sorts<double>(1, 5003);
  check_sorts<float16>(1, 5003);
  check_sorts<bfloat16>(1, 5003);
  check_sorts<float>(1, 5003, false);  // the kernels that move NaN end at once
}

TEST_CASE("CUB sorts rows of any length, also those of a single element") {
  need_hardware();
  for (index_t const length : {1, 2, 31, 2048, 2049}) check_sorts<float>(3, length);
  check_sorts<std::int16_t>(2, 1);
}

TEST_CASE("CUB sorts rows of NaN alone") {
  need_hardware();
  for (index_t const length : {1, 2, 5003}) {
    std::vector<float> const values(static_cast<std::size_t>(length),
                                    -std::numeric_limits<float>::quiet_NaN());
    with_device const scope(cpu0);
    auto const x = tensor_of(values, shape(1, length));
    check_call<float, float>(values, 1, {}, tensor<float, dextents<2>>(sort(x)));
    check_call<float, float>(values, 1, {.is_descending = true},
                             tensor<float, dextents<2>>(sort(x, descending)));
  }
}
