#pragma once
/// The definitions of src/cpu, without those of images: loops of elements, reductions, products and
/// sorting. A file of cmake/definitions compiles them.

#include <placement/src/cpu/block_reader.ipp>
#include <placement/src/cpu/common_exprs.ipp>
#include <placement/src/cpu/contiguous_blocks.ipp>
#include <placement/src/cpu/divide_loops.ipp>
#include <placement/src/cpu/element_loops.ipp>
#include <placement/src/cpu/gemm.ipp>
#include <placement/src/cpu/integer_loops.ipp>
#include <placement/src/cpu/map_blocks.ipp>
#include <placement/src/cpu/math_loops.ipp>
#include <placement/src/cpu/parallel_for.ipp>
#include <placement/src/cpu/processor.ipp>
#include <placement/src/cpu/product_elements.ipp>
#include <placement/src/cpu/random_loops.ipp>
#include <placement/src/cpu/reshaped_axis.ipp>
#include <placement/src/cpu/rest_pack.ipp>
#include <placement/src/cpu/reverse_elements.ipp>
#include <placement/src/cpu/row_copies.ipp>
#include <placement/src/cpu/row_loops.ipp>
#include <placement/src/cpu/select_elements.ipp>
#include <placement/src/cpu/softmax_loops.ipp>
#include <placement/src/cpu/sort_keys.ipp>
#include <placement/src/cpu/sort_numbers.ipp>
#include <placement/src/cpu/step_loops.ipp>
#include <placement/src/cpu/sum_columns.ipp>
#include <placement/src/cpu/sum_elements.ipp>
#include <placement/src/cpu/transpose_elements.ipp>
#include <placement/src/cpu/trigonometric_loops.ipp>
#include <placement/src/cpu/window_rows.ipp>

#if defined(PLACEMENT_EMIT_DEFINITIONS)  // else the headers of these ops include them
#  include <placement/src/cpu/activation_loops.ipp>
#  include <placement/src/cpu/close_loops.ipp>
#  include <placement/src/cpu/complex_loops.ipp>
#  include <placement/src/cpu/cross_entropy_loops.ipp>
#endif
