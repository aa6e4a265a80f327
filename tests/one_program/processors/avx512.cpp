// gpus: 0
// A file for AVX-512 loads and stores the last elements of arrays with a mask.
#include "part.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace placement;

TEST_CASE("with AVX-512 the last elements of each length are right, and none is written beyond") {
  if (!PLACEMENT_PROCESSOR_HAS("avx512f") || !PLACEMENT_PROCESSOR_HAS("avx512bw") ||
      !PLACEMENT_PROCESSOR_HAS("avx512cd") || !PLACEMENT_PROCESSOR_HAS("avx512dq") ||
      !PLACEMENT_PROCESSOR_HAS("avx512vl"))
    SKIP("needs a processor with AVX-512");
  for (index_t n = 1; n != 140; ++n) {
    INFO(n);
    CHECK(processors::with_avx512().wrong_elements(n) == 0);
  }
}
