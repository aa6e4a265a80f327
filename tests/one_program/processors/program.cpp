// gpus: 0
// Each file of a program has kernels of its own if the files are compiled for different processors.
#include "part.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>

using namespace placement;

namespace {

void skip_without_avx2() {
  if (!PLACEMENT_PROCESSOR_HAS("avx2") || !PLACEMENT_PROCESSOR_HAS("fma"))
    SKIP("needs a processor with AVX2 and FMA");
}

}  // namespace

TEST_CASE("the files share no kernel") {
  processors::part const one = processors::baseline(), other = processors::with_avx2();
  CHECK(one.vector_bytes != other.vector_bytes);
  REQUIRE(one.kernels.size() == other.kernels.size());
  for (std::size_t i = 0; i != one.kernels.size(); ++i) {
    INFO(i);
    CHECK(one.kernels[i] != other.kernels[i]);
  }
}

TEST_CASE("integers have the same bits in both files, and real numbers are within their bounds") {
  skip_without_avx2();
  processors::part const one = processors::baseline(), other = processors::with_avx2();
  for (index_t n : {1, 5, 64, 1000}) {
    vector<int> const i = iota(n, -40);
    CHECK(to_string(one.integers(i)) == to_string(other.integers(i)));
    vector<float> const x = cast<float>(i) * 0.01f;
    CHECK(item(all(abs(one.element_wise(x) - other.element_wise(x)) <=
                   abs(one.element_wise(x)) * 0x1p-21f)));
    matrix<float> const rows = reshape(x, shape(1, n));
    CHECK(item(all(abs(one.sums(rows) - other.sums(rows)) <= one.sums(rows) * 1.2e-6f)));
    matrix<float> const p = one.probabilities(rows), q = other.probabilities(rows);
    CHECK(item(all(abs(p - q) <= p * 0x1p-20f)));
    matrix<int> const m = reshape(i, shape(1, n));
    CHECK(to_string(one.product(m)) == to_string(other.product(m)));
  }
}

TEST_CASE("the last elements of each length are right in each file, and none is written beyond") {
  skip_without_avx2();
  for (index_t n = 1; n != 140; ++n) {
    INFO(n);
    CHECK(processors::baseline().wrong_elements(n) == 0);
    CHECK(processors::with_avx2().wrong_elements(n) == 0);
  }
}
