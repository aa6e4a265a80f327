// On the host, with Thrust's C++ backend.

#include "rows.hpp"

#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/logical.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

#include <cmath>

struct thrust_host {
  static constexpr char const* name = "thrust";
  using floats = std::vector<float>;

  static floats array(benchmark::State const& state) { return bench::mixed(state); }
  static float sum(floats const& a) { return thrust::reduce(thrust::host, a.begin(), a.end()); }
  static float mean(floats const& a) { return sum(a) / static_cast<float>(a.size()); }
  static float max(floats const& a) {
    return *thrust::max_element(thrust::host, a.begin(), a.end());
  }
  static float min(floats const& a) {
    return *thrust::min_element(thrust::host, a.begin(), a.end());
  }
  static auto argmax(floats const& a) {
    return thrust::max_element(thrust::host, a.begin(), a.end()) - a.begin();
  }
  static float norm(floats const& a) {
    return std::sqrt(thrust::transform_reduce(
        thrust::host, a.begin(), a.end(), [](float x) { return x * x; }, 0.f,
        [](float x, float y) { return x + y; }));
  }
  static bool any(floats const& a) {
    return thrust::any_of(thrust::host, a.begin(), a.end(), [](float x) { return x > 2; });
  }
  static bool all(floats const& a) {
    return thrust::all_of(thrust::host, a.begin(), a.end(), [](float x) { return x < 2; });
  }
};
static bench::reduction_rows<thrust_host> const rows;
