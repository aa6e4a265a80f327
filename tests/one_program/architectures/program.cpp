// gpus: 0 2
// One executable of parts that nvcc compiled for sm_80 and for sm_90. It links a shared library for
// both; two programs differ in the visibility. A C++ compiler compiles this file.
#include "part.hpp"

#include <support/emulated_gpu.hpp>

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace placement;

namespace {
part const& part_number(int i) {
  static part const all[] = {part_80(), part_90(), part_of_both()};
  return all[i];
}
}  // namespace

TEST_CASE("parts for different architectures compute the same, each with kernels of its own") {
  matrix<float> const x{{-1.f, 2.f}, {3.f, -4.f}};
  std::set<std::string> kernels;
  for (int i : {0, 1, 2}) {
    matrix<float> const y = part_number(i).layer(x);
    CHECK(to_string(y) == "[[0 5]\n [7 0]]");
    if (is_for_emulated_gpu) CHECK(y.where() == gpu0);
    kernels.insert(part_number(i).kernels);
  }
  CHECK(kernels.size() == 3);
}
TEST_CASE("parts for different architectures have one registry, also across a shared library") {
  for (int i : {0, 1, 2})
    CHECK(part_number(i).registry == &placement::detail::registry_of_process());
}
TEST_CASE("this file finds the kernels of the parts, and detects missing ones") {
  matrix<float> const x{{1.f}};
  using there = decltype(relu(x * 2.f + 1.f));
  using missing = decltype(exp(x * 2.f));
  CHECK(detail::launched_elsewhere<there, false>() == kernel_source::another_file);
  CHECK(detail::launched_elsewhere<missing, false>() == kernel_source::none);
}
