// usage: bench_gpu [PART OF A ROW'S NAME]
// The rows of the GPU table that need only the toolkit's headers, as lines of JSON.
#include "measure.hpp"
#include "sides.hpp"

int main(int argc, char** argv) {
  if (int const none = bench::start(argc, argv); none != 0) return none;
  bench::elementwise();
  bench::folds();
  bench::array_ops();
  bench::host_costs();
}
