#pragma once
/// The sums of a product or a convolution on a GPU whose depth is split into parts.

#include <placement/gpu/block.hpp>
#include <placement/math/float16.hpp>

namespace placement { inline namespace v0_1 {

/// out[i] = the sum of sums[p * size + i] over all parts p, in double. Neighbouring threads take
/// neighbouring elements, and `lanes` threads share one: thread t of them adds each lanes-th part
/// from t on. The order of additions depends on the number of parts only.
template <class T> struct sum_of_parts {
  using carried = computed_in<T>;
  using local = detail::no_local;
  static constexpr int most_lanes = 8;
  static constexpr std::size_t shared_bytes = block_threads * sizeof(double);

  T* out;
  carried const* sums;
  index_t size, parts;
  int lanes;  ///< a power of 2

  static constexpr int lanes_for(index_t parts) {
    int const n = detail::power_of_two_from(parts);
    return n < most_lanes ? n : most_lanes;
  }
  constexpr index_t blocks() const { return (size + elements() - 1) / elements(); }

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    double* const totals = static_cast<double*>(block.shared());
    block.each([&](int thread, local&) { totals[thread] = total(block.number(), thread); });
    block.each_without_barrier([&](int thread, local&) {
      index_t const i = block.number() * elements() + thread;
      if (thread >= elements() || i >= size) return;
      double sum = totals[thread];
      for (int lane = 1; lane < lanes; ++lane) sum += totals[thread + lane * elements()];
      out[i] = static_cast<T>(static_cast<carried>(sum));
    });
  }

 private:
  /// The elements of a block.
  PLACEMENT_HD constexpr int elements() const { return block_threads / lanes; }
  PLACEMENT_HD double total(index_t block, int thread) const {
    index_t const i = block * elements() + thread % elements();
    if (i >= size) return 0;
    carried const* p = sums + i;
    double sum = 0;
    index_t k = thread / elements();
    PLACEMENT_ROLLED
    for (; k + 3 * lanes < parts; k += 4 * lanes) {
      carried x[4];
      PLACEMENT_UNROLL
      for (int j = 0; j < 4; ++j) x[j] = p[(k + j * lanes) * size];
      PLACEMENT_UNROLL
      for (int j = 0; j < 4; ++j) sum += static_cast<double>(x[j]);
    }
    PLACEMENT_ROLLED
    for (; k < parts; k += lanes) sum += static_cast<double>(p[k * size]);
    return sum;
  }
};

namespace detail {
/// Cost: one launch.
template <class Grid, class T>
void launch_sum_of_parts(Grid const& grid, T* out, computed_in<T> const* sums, index_t size,
                         index_t parts) {
  sum_of_parts<T> const all{out, sums, size, parts, sum_of_parts<T>::lanes_for(parts)};
  grid(all, all.blocks());
}
}  // namespace detail

}}  // namespace placement::v0_1
