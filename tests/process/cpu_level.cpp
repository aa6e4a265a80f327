// gpus: 0
// env: [any] PLACEMENT_CPU_LEVEL=baseline
// env: [any] PLACEMENT_CPU_LEVEL=x86-64-v3
// env: [any] PLACEMENT_CPU_LEVEL=x86-64-v4
// env: [malformed] PLACEMENT_CPU_LEVEL=avx9
// The level of the loops that are compiled for several processors.
#include <placement/placement.hpp>
#include <placement/src/all.ipp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <string_view>

using namespace placement;
using detail::cpu_level;

namespace {

/// The largest difference between a product of floats in [0, 1) and the same product of doubles.
double largest_error(index_t m, index_t k, index_t n) {
  matrix<float> const a = uniform<float>(shape(m, k)), b = uniform<float>(shape(k, n));
  matrix<float> const x = matmul(a, b);
  matrix<double> const y = matmul(cast<double>(a), cast<double>(b));
  tensor<double, extents<>> const error = max(abs(cast<double>(x) - y));
  return item(error);
}

}  // namespace

TEST_CASE("products use the level of the environment, or the machine's if that is lower", "[any]") {
  auto const requested = static_cast<cpu_level>(environment_variables().cpu_level.value());
  CHECK(detail::cpu_level_in_use() == std::min(requested, detail::cpu_level_of_machine()));
  auto const* const loops = &detail::loops_of_processor<float>();
  if (PLACEMENT_X86_LEVEL == 1) {
    CHECK((loops == &detail::table_of_loops<float, detail::loops_of_file<float>>) ==
          (detail::cpu_level_in_use() == cpu_level::baseline));
    CHECK((loops == &detail::table_of_loops<float, detail::loops_for_avx512<float>>) ==
          (detail::cpu_level_in_use() == cpu_level::avx512));
  }
}

TEST_CASE("products of floats are near those of doubles at each level", "[any]") {
  for (index_t n : {1, 3, 8, 9, 31, 200})
    for (index_t k : {1, 4, 50, 700}) {
      INFO(k << " x " << n);
      double const magnitude = static_cast<double>(k), bound = magnitude * 0x1p-24 * magnitude;
      CHECK(largest_error(n, k, n) <= bound);
      CHECK(largest_error(70, k, n) <= bound);
    }
}

TEST_CASE("without the variable the machine's level is used") {
  CHECK(detail::cpu_level_in_use() == detail::cpu_level_of_machine());
}

TEST_CASE("a malformed level leaves products at the machine's, and configuration reports it",
          "[malformed]") {
  CHECK(detail::cpu_level_in_use() == detail::cpu_level_of_machine());
  std::string message;
  try {
    (void)environment_variables();
  } catch (invalid_argument const& e) { message = e.what(); }
  CHECK(message ==
        "The environment variable PLACEMENT_CPU_LEVEL is 'avx9'; it must be baseline, x86-64-v3 or "
        "x86-64-v4");
}
