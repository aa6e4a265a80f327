#pragma once
/// The epilogue of a product or reduction on the CPU: the block kernel of its expression, applied
/// to finished elements while they are in a cache.

#include <placement/cpu/block_reader.hpp>
#include <placement/cpu/map_blocks.hpp>
#include <placement/kernels/kernel_launch.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Applies the epilogue to a finished tile: to runs of elements of one row.
template <class Epilogue> void run_epilogue(Epilogue const& epilogue, finished_tile const& p) {
  for (index_t i = 0; i != p.count; ++i) epilogue((p.row + i) * p.columns + p.column, p.n);
}
inline void run_epilogue(no_epilogue const&, finished_tile const&) {}
template <class T, class F>
void run_epilogue(contiguous_epilogue<T, F> const& epilogue, finished_tile const& p) {
  block_kernel_of<T, F> const kernel(epilogue.f);
  block_call const call = kernel.call(epilogue.out, 1);
  for_each_run_of(
      p, [&](index_t first, index_t n) { run_contiguous_chunk(call, {first, first + n}); });
}
template <class T, class F, class X>
void run_epilogue(strided_epilogue<T, F, X> const& epilogue, finished_tile const& p) {
  block_kernel_of<T, F> const kernel(epilogue.f);
  block_call const call = kernel.call(epilogue.out, 1);
  if (static_cast<std::size_t>(p.count * p.n) == epilogue.shape.count())
    run_dense_blocks(call, epilogue.shape, {.is_parallel = false});
  else run_on_finished(call, epilogue.shape, p);
}

}}}  // namespace placement::v0_1::detail
