#pragma once
/// The epilogue of a product or reduction on the CPU: the block kernel of its expression, applied
/// to finished elements while they are in a cache.

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/finished_tile.hpp>
#include <placement/kernels/gemm_epilogue.hpp>
#include <placement/kernels/kernel_launch.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// A block kernel that reads and overwrites the finished elements, of any expression.
struct block_epilogue {
  block_call call;
  any_shape shape;
  bool is_contiguous;                ///< each operand
  recognized_epilogue recognized{};  ///< the same for a library
};

/// Applies the epilogue to a finished tile.
void run_epilogue(block_epilogue const& epilogue, finished_tile const& p);

// The same for an epilogue of any type: a bound expression, or a function of runs of elements of
// one row.

template <class Epilogue> void run_epilogue(Epilogue const& epilogue, finished_tile const& p) {
  for (index_t i = 0; i != p.count; ++i) epilogue((p.row + i) * p.columns + p.column, p.n);
}
/// Defined in epilogue_kernel.hpp.
template <class T, class F>
void run_epilogue(contiguous_epilogue<T, F> const& epilogue, finished_tile const& p);
template <class T, class F, class X>
void run_epilogue(strided_epilogue<T, F, X> const& epilogue, finished_tile const& p);

/// The epilogue as a function that is called for each finished tile. It refers to `epilogue`.
template <class Epilogue> epilogue_callback callback_of(Epilogue const& epilogue) {
  if constexpr (std::is_same_v<Epilogue, no_epilogue>) return {};
  else
    return {&epilogue, [](void const* context, finished_tile const& tile) {
              run_epilogue(*static_cast<Epilogue const*>(context), tile);
            }};
}
/// No callback for a null pointer.
inline epilogue_callback callback_of(block_epilogue const* epilogue) {
  return epilogue == nullptr ? epilogue_callback{} : callback_of(*epilogue);
}

}}}  // namespace placement::v0_1::detail
