#pragma once
/// Transposes matrices of elements whose size is known at run time. Compiled once, for several
/// levels of x86-64.

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Copies columns that are contiguous in memory to rows: element (r, j) from `from` + r elements
/// + j * step to `to` + r * pitch + j elements. Each cache line of the source is read once. Units
/// of step and pitch: bytes.
void transpose_elements(unsigned char* to, index_t pitch, unsigned char const* from, index_t step,
                        index_t rows, index_t columns, unsigned bytes);

}}}  // namespace placement::v0_1::detail
