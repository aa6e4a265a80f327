// Selections, counts and histograms by the engine of placement::cub, for each element type, against
// the CPU. This file is compiled by the host's compiler: the component brings the kernels.
#include <placement/gradient.hpp>
#include <placement/kernels/select_engine.hpp>
#include <placement/ops/complex.hpp>
#include <placement/ops/compress.hpp>
#include <placement/ops/histogram.hpp>
#include <placement/ops/nonzero.hpp>
#include <placement/placement.hpp>

#include <support/both_devices.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace placement;

namespace {

/// Numbers from a sequence, for one test.
struct sequence {
  std::uint64_t state = 11;
  std::uint64_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 24;
  }
};

/// Elements of which a third are zero. Floating-point ones have both zeros and NaN.
template <class T> std::vector<T> drawn(index_t n) {
  std::vector<T> all;
  sequence s;
  for (index_t i = 0; i != n; ++i) {
    auto const bits = s.next();
    auto const small = static_cast<int>(bits / 8 % 100);
    if constexpr (is_complex<T>) {
      using real = typename T::value_type;
      all.push_back(bits % 3 == 0   ? T(real(0), real(-0.0))
                    : bits % 3 == 1 ? T(real(0), static_cast<real>(small))
                                    : T(static_cast<real>(small), real(1)));
    } else if constexpr (std::is_integral_v<T>) {
      all.push_back(bits % 3 == 0 ? T(0) : static_cast<T>(bits / 8));
    } else {
      T const nan = std::numeric_limits<T>::quiet_NaN();
      all.push_back(bits % 6 == 0    ? T(0)
                    : bits % 6 == 3  ? T(-0.0)
                    : bits % 64 == 1 ? nan
                                     : static_cast<T>(static_cast<float>(small) - 50));
    }
  }
  return all;
}
enum class mask_kind { none, all, some };
std::vector<bool> drawn_mask(index_t n, mask_kind kind) {
  std::vector<bool> all;
  sequence s{29};
  for (index_t i = 0; i != n; ++i)
    all.push_back(kind == mask_kind::all || (kind == mask_kind::some && s.next() % 2 == 0));
  return all;
}

/// Whether the bytes of both are equal.
template <class A, class B> bool same_bits(A const& a, B const& b) {
  if (!(a.shape() == b.shape())) return false;
  auto const x = a.read(), y = b.read();
  return a.size() == 0 || std::memcmp(x.data(), y.data(), a.size() * sizeof(*x.data())) == 0;
}

/// What is copied from a GPU to the host while an object lives.
class copies_of {
 public:
  explicit copies_of(device d) : from_(d), before_(copies_between(d, cpu0)) {}
  std::size_t copies() const { return copies_between(from_, cpu0).copies - before_.copies; }
  std::size_t bytes() const { return copies_between(from_, cpu0).bytes - before_.bytes; }

 private:
  device from_;
  copy_count before_;
};

/// Computes on the CPU and on a GPU. The results have the same bits, and the GPU sends `bytes` to
/// the host.
template <class F, class... X>
void check_there(device where, std::size_t bytes, F const& f, X const&... x) {
  auto const expected = [&] {
    with_device const scope(cpu0);
    return f(x...);
  }();
  with_device const scope(where);
  auto const got = [&](auto const&... there) {
    copies_of const copied(where);
    auto result = f(there...);
    CHECK(copied.bytes() == bytes);
    CHECK(copied.copies() == (bytes == 0 ? 0 : 1));
    return result;
  }(copy_to(where, x)...);
  CHECK(got.where() == where);
  CHECK(same_bits(got, expected));
}

constexpr auto extracted = [](auto const& mask, auto const& x) { return extract(mask, x); };
constexpr auto numbered = [](auto const& x) { return flatnonzero(x); };
constexpr auto counted = [](auto const& x) { return bincount(x, 3); };
/// A count of nothing is known.
std::size_t count_of(index_t n) { return n == 0 ? 0 : sizeof(index_t); }

template <class T> void check_selections(index_t n) {
  INFO("element type " << element_name<T>() << ", " << n << " elements");
  with_device const scope(cpu0);
  auto const x = tensor_of(drawn<T>(n), shape(n));
  for (mask_kind const kind : {mask_kind::none, mask_kind::all, mask_kind::some}) {
    INFO("mask " << static_cast<int>(kind));
    check_there(gpu0, count_of(n), extracted, tensor_of(drawn_mask(n, kind), shape(n)), x);
  }
  check_there(gpu0, count_of(n), numbered, x);
}
template <class... T> void check_types(index_t n) { (check_selections<T>(n), ...); }

/// Slices along each axis of a tensor of rank 3.
template <class T> void check_slices(index_t a, index_t b, index_t c) {
  INFO("element type " << element_name<T>() << ", " << a << " x " << b << " x " << c);
  with_device const scope(cpu0);
  auto const x = tensor_of(drawn<T>(a * b * c), shape(a, b, c));
  for (int axis = 0; axis != 3; ++axis) {
    index_t const n = x.extent(static_cast<std::size_t>(axis));
    for (mask_kind const kind : {mask_kind::none, mask_kind::all, mask_kind::some})
      check_there(
          gpu0, count_of(n), [&](auto const& m, auto const& y) { return compress(m, y, axis); },
          tensor_of(drawn_mask(n, kind), shape(n)), x);
  }
}

template <class T> void check_histograms(index_t n, index_t bins) {
  INFO("element type " << element_name<T>() << ", " << n << " elements, " << bins << " bins");
  with_device const scope(cpu0);
  auto const x = tensor_of(drawn<T>(n), shape(n));
  check_there(gpu0, 0, [&](auto const& y) { return histogram(y, bins, -20., 31.5).counts; }, x);
  if constexpr (std::is_integral_v<T>) {
    std::size_t const bytes = n == 0 ? 0 : 2 * sizeof(double);
    check_there(gpu0, bytes, [&](auto const& y) { return histogram(y, bins).counts; }, x);
  }
}
template <class T> void check_bincount(index_t n, T largest) {
  INFO("element type " << element_name<T>() << ", " << n << " elements");
  with_device const scope(cpu0);
  std::vector<T> all;
  sequence s;
  for (index_t i = 0; i != n; ++i)
    all.push_back(static_cast<T>(s.next() % (static_cast<std::uint64_t>(largest) + 1)));
  check_there(gpu0, count_of(n), counted, tensor_of(all, shape(n)));
}

}  // namespace

TEST_CASE("CUB selects and numbers elements of each type as the CPU") {
  need_hardware();
  for (index_t const n : {0, 1, 31, 2500})
    check_types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, unsigned,
                std::int64_t, std::uint64_t, float, double, float16, bfloat16, std::complex<float>,
                std::complex<double>>(n);
  check_types<std::uint8_t, float>(100'000);
}

TEST_CASE("CUB selects slices of each axis as the CPU") {
  need_hardware();
  check_slices<std::int8_t>(5, 7, 3);  // bytes
  check_slices<std::int8_t>(5, 6, 8);  // in larger words
  check_slices<std::uint16_t>(4, 9, 3);
  check_slices<float>(6, 40, 7);
  check_slices<double>(3, 33, 5);
  check_slices<std::complex<double>>(3, 5, 2);
  check_slices<float>(3, 5, 0);
}

TEST_CASE("nonzero of a matrix gives coordinates on its GPU, for one count") {
  need_hardware();
  with_device const scope(cpu0);
  auto const x = tensor_of(drawn<float>(60), shape(3, 4, 5));
  auto const expected = nonzero(x);
  with_device const there(gpu0);
  tensor<float, dextents<3>> const y = copy_to(gpu0, x);
  copies_of const copied(gpu0);
  auto const got = nonzero(y);
  CHECK(copied.bytes() == sizeof(index_t));
  for (std::size_t d = 0; d != 3; ++d) {
    CHECK(got[d].where() == gpu0);
    CHECK(same_bits(got[d], expected[d]));
  }
  CHECK(same_bits(nonzero(copy_to(gpu0, tensor_of(drawn<int>(40), shape(40))))[0],
                  flatnonzero(tensor_of(drawn<int>(40), shape(40)))));
}

TEST_CASE("CUB counts numbers in bins as the CPU, with and without counters for each block") {
  need_hardware();
  for (index_t const bins : {1, 7, 256, 300, 2048, 2049}) {
    check_histograms<float>(3000, bins);
    check_histograms<std::int8_t>(3000, bins);
  }
  for (index_t const n : {0, 1, 31}) check_histograms<double>(n, 10);
  check_histograms<std::uint8_t>(300, 10);
  check_histograms<std::int16_t>(300, 10);
  check_histograms<std::uint16_t>(300, 10);
  check_histograms<int>(100'000, 64);
  check_histograms<unsigned>(300, 10);
  check_histograms<std::int64_t>(300, 10);
  check_histograms<std::uint64_t>(300, 10);
  check_histograms<float16>(300, 10);
  check_histograms<bfloat16>(300, 10);
}

TEST_CASE("CUB counts elements at the edges of bins as the CPU") {
  need_hardware();
  with_device const scope(cpu0);
  double const infinity = std::numeric_limits<double>::infinity();
  std::vector<double> all{-infinity, infinity, std::numeric_limits<double>::quiet_NaN(), -0.0};
  for (int i = -1; i != 12; ++i) {
    double const edge = i * 0.1;
    for (double const x : {edge, std::nextafter(edge, infinity), std::nextafter(edge, -infinity)})
      all.push_back(x);
  }
  auto const x = tensor_of(all, shape(static_cast<index_t>(all.size())));
  for (index_t const bins : {1, 3, 10, 3000})
    check_there(gpu0, 0, [&](auto const& y) { return histogram(y, bins, 0., 1.).counts; }, x);
  // bins narrower than a number: equal edges
  check_there(
      gpu0, 0, [](auto const& y) { return histogram(y, 9, 1., 1. + 0x1p-52).counts; },
      tensor{1., 1. + 0x1p-52, 1. - 0x1p-53, 2.});
  auto const none = histogram(copy_to(gpu0, tensor_of(std::vector<float>{}, shape(0))), 2);
  CHECK(to_string(none.edges) == "[0 0.5 1]");
}

TEST_CASE("CUB counts integers of each type as the CPU") {
  need_hardware();
  for (index_t const n : {0, 1, 31, 100'000}) check_bincount<int>(n, 90);
  check_bincount<int>(3000, 5000);
  check_bincount<std::int8_t>(300, 127);
  check_bincount<std::uint8_t>(300, 255);
  check_bincount<std::int16_t>(300, 20);
  check_bincount<std::uint16_t>(300, 20);
  check_bincount<unsigned>(300, 20);
  check_bincount<std::int64_t>(300, 1000);
  check_bincount<std::uint64_t>(300, 1000);
}

TEST_CASE("errors of bincount and histogram are those of the host") {
  need_hardware();
  with_device const scope(gpu0);
  auto const on_gpu = [](auto const& x) { return copy_to(gpu0, x); };
  CHECK(error_message([&] {
          (void)bincount(on_gpu(tensor{4, 0, -2, -3}));
        }).starts_with("placement: bincount of -2. It counts integers from 0 on. In Bincount"));
  CHECK(error_message([&] {
          (void)bincount(on_gpu(tensor{std::numeric_limits<std::uint64_t>::max()}));
        }).starts_with("placement: bincount of 18446744073709551615. "));
  CHECK_THROWS_AS(bincount(on_gpu(tensor{std::numeric_limits<std::int64_t>::max()})),
                  invalid_argument);
  CHECK_THROWS_AS(bincount(on_gpu(tensor{std::int64_t{1} << 60})), error);
  CHECK_THROWS_AS(histogram(on_gpu(tensor{1., -std::numeric_limits<double>::infinity()}), 2),
                  invalid_argument);
  CHECK_THROWS_AS(histogram(on_gpu(tensor{1., std::numeric_limits<double>::quiet_NaN()}), 2),
                  invalid_argument);
}

TEST_CASE("an op runs on the GPU of its operand, and elsewhere on the host") {
  need_hardware();
  if (device_count() < 2) SKIP("one GPU");
  auto const on_cpu = [] {
    with_device const scope(cpu0);
    return tensor_of(drawn<int>(50), shape(50));
  }();
  check_there(gpu1, sizeof(index_t), numbered, on_cpu);
  tensor<int, dextents<1>> const x = copy_to(gpu1, on_cpu);
  auto const read = [&](device scope_device) {
    with_device const scope(scope_device);
    copies_of const copied(gpu1);
    auto const found = flatnonzero(x);
    std::size_t const bytes = copied.bytes();
    CHECK(found.where() == (bytes == sizeof(index_t) ? gpu1 : cpu0));
    CHECK(same_bits(found, flatnonzero(on_cpu)));
    return bytes;
  };
  CHECK(read(gpu1) == sizeof(index_t));
  CHECK(read(gpu0) == 50 * sizeof(int));
  CHECK(read(cpu0) == 50 * sizeof(int));
}

TEST_CASE("masks on other devices are copied like operands, within the budget") {
  need_hardware();
  with_device const on_host(cpu0);
  auto const values = tensor_of(drawn<float>(100), shape(100));
  auto const mask = tensor_of(drawn_mask(100, mask_kind::some), shape(100));
  tensor<float, dextents<1>> const x = copy_to(gpu0, values);
  tensor<bool, dextents<1>> const there = copy_to(gpu0, mask);
  with_device const scope(gpu0);
  copies_of const copied(gpu0);
  CHECK(same_bits(extract(mask, x), extract(mask, values)));
  {
    with_device const strictly(gpu0, no_copies);
    CHECK(same_bits(extract(there, x), extract(mask, values)));  // a count is no operand
    CHECK_THROWS_AS(extract(mask, x), placement_error);
    CHECK(histogram(x, 5, 0., 1.).counts.where() == gpu0);
  }
}

TEST_CASE("the log names the op and the library") {
  need_hardware();
  tensor<float, dextents<1>> const x = copy_to(gpu0, tensor{0.f, 2.f, 0.f, 3.f});
  with_device const scope(gpu0);
  static std::string seen;
  seen.clear();
  set_op_observer([](op_event const& e, void*) noexcept {
    seen += std::string(e.op) + (e.actual == gpu0 ? " gpu0" : " elsewhere") +
            (e.source == kernel_source::library ? " library; " : "; ");
  });
  auto const found = flatnonzero(x);
  auto const counts = bincount(found);
  set_op_observer(nullptr);
  CHECK(seen == "FlatNonzero gpu0 library; Bincount gpu0 library; ");
  CHECK(to_string(counts) == "[0 1 0 1]");
}

TEST_CASE("without an engine the host selects") {
  need_hardware();
  select_engine* const engine = placement::detail::gpu_selects.load();
  REQUIRE(engine != nullptr);
  tensor<float, dextents<1>> const x = copy_to(gpu0, tensor{0.f, 2.f, 0.f, 3.f});
  with_device const scope(gpu0);
  set_gpu_selects(nullptr);
  copies_of const copied(gpu0);
  auto const found = flatnonzero(x);
  CHECK(copied.bytes() == 4 * sizeof(float));
  set_gpu_selects(engine);
  CHECK(to_string(found) == "[1 3]");
}

TEST_CASE("selections have no derivative, and indices need none") {
  need_hardware();
  tensor<float, dextents<1>> x = copy_to(gpu0, tensor{0.f, 2.f, 3.f});
  tensor<bool, dextents<1>> const mask = copy_to(gpu0, tensor{true, false, true});
  with_device const scope(gpu0);
  gradient_tape tape;
  tape.watch(x);
  CHECK_THROWS_AS(extract(mask, x), invalid_argument);
  CHECK(to_string(flatnonzero(x)) == "[1 2]");
}

TEST_CASE("calls without memory throw, and keep none") {
  need_hardware();
  std::size_t const n = 3000;
  tensor<double, dextents<1>> const x =
      copy_to(gpu0, tensor_of(drawn<double>(n), shape(static_cast<index_t>(n))));
  tensor<bool, dextents<1>> const mask =
      copy_to(gpu0, tensor_of(drawn_mask(n, mask_kind::all), shape(static_cast<index_t>(n))));
  tensor<int, dextents<1>> const whole = copy_to(gpu0, tensor{3, 1, 4});
  with_device const scope(gpu0);
  std::vector<std::pair<void*, std::size_t>> blocks;
  for (std::size_t size = std::size_t{1} << 40; size >= 256;) {
    try {
      blocks.emplace_back(placement::detail::allocate_block(gpu0, size, {"test"}), size);
    } catch (out_of_memory const&) { size /= 2; }
  }
  std::size_t const before = memory_stats_of(gpu0).in_use;
  CHECK_THROWS_AS(extract(mask, x), out_of_memory);
  CHECK_THROWS_AS(flatnonzero(x), out_of_memory);
  CHECK_THROWS_AS(histogram(x, 5, 0., 1.), out_of_memory);
  CHECK_THROWS_AS(bincount(whole), out_of_memory);
  CHECK(memory_stats_of(gpu0).in_use == before);
  for (auto const& [data, size] : blocks) placement::detail::deallocate_block(gpu0, data, size);
  CHECK(extract(mask, x).size() == n);
}
