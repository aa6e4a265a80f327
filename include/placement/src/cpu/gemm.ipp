#pragma once
/// Definitions: products of float and double.

#include <placement/config.hpp>
#include <placement/cpu/gemm.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE_ON_CALL void multiply_chunk(index_t from, index_t to,
                                             batch_of_products<float> const& batch,
                                             epilogue_callback const& callback) {
  cpu_matmul_of<float>::multiply_chunk(from, to, batch, callback);
}
PLACEMENT_INLINE_ON_CALL void multiply_chunk(index_t from, index_t to,
                                             batch_of_products<double> const& batch,
                                             epilogue_callback const& callback) {
  cpu_matmul_of<double>::multiply_chunk(from, to, batch, callback);
}

}}}  // namespace placement::v0_1::detail
