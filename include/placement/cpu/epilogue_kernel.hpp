#pragma once
/// The block kernels of epilogues whose expression is in their type.

#include <placement/cpu/block_epilogue.hpp>
#include <placement/cpu/block_kernel.hpp>
#include <placement/cpu/finished_tile.hpp>
#include <placement/kernels/kernel_launch.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

template <class T, class F>
void run_epilogue(contiguous_epilogue<T, F> const& epilogue, finished_tile const& p) {
  block_kernel_of<T, F> const kernel(epilogue.f);
  run_epilogue(block_epilogue{kernel.call(epilogue.out, 1), {0, nullptr}, true}, p);
}
template <class T, class F, class X>
void run_epilogue(strided_epilogue<T, F, X> const& epilogue, finished_tile const& p) {
  block_kernel_of<T, F> const kernel(epilogue.f);
  run_epilogue(block_epilogue{kernel.call(epilogue.out, 1), epilogue.shape, false}, p);
}

}}}  // namespace placement::v0_1::detail
