#pragma once
/// Loops of numbers at equal distances, which are compiled once for several levels of x86-64. Block
/// kernels of files for plain x86-64 call them (cpu/block_stages.hpp).

#include <placement/shape/extents.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// to[j] = start + (first + j) step for j below n, each rounded in the type of start, then to that
/// of `to`. first + n is at most end_of_step_loops.
void step_loop(float* to, index_t first, index_t n, float start, float step);
void step_loop(float* to, index_t first, index_t n, double start, double step);
void step_loop(double* to, index_t first, index_t n, double start, double step);

/// With room for the numbers of one more register, which are not used.
inline constexpr index_t end_of_step_loops = (index_t{1} << 31) - 64;
template <class T> concept has_step_loops = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// to[j] = op(first + j), one by one.
template <class T, class Op>
[[gnu::cold, gnu::noinline]] void write_each_step(Op const& op, T* to, index_t first, index_t n) {
  for (index_t j = 0; j != n; ++j) to[j] = op(first + j);
}
/// The same as step_loop for any numbers: those beyond its end are computed by op.
template <class T, class S, class Op>
void write_steps(Op const& op, T* to, index_t first, index_t n, S start, S step) {
  if (first > end_of_step_loops - n) [[unlikely]]
    return write_each_step(op, to, first, n);
  step_loop(to, first, n, start, step);
}

}}}  // namespace placement::v0_1::detail
