#pragma once
/// Definitions of contiguous_product.hpp.

#include <placement/config.hpp>
#include <placement/cpu/gemm.hpp>
#include <placement/expr/contiguous_product.hpp>
#include <placement/place/label.hpp>

#include <cstddef>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// Multiplications of the largest product that is computed by one call. It needs no threads.
inline constexpr index_t max_contiguous_flops = index_t{32} * 32 * 32;

/// Whether the product is small. Each extent is, too, so that no multiplication overflows.
inline bool is_small_product(contiguous_product const& p) noexcept {
  index_t const most = max_contiguous_flops;
  if (p.rows < 1 || p.depth < 1 || p.columns < 1) return false;
  if (p.rows > most || p.depth > most || p.columns > most) return false;
  return p.rows * p.columns <= most && p.rows * p.columns * p.depth <= most;
}
/// Whether the elements are in memory of CPU:0, in which a tensor has exactly these.
inline bool is_dense_on_cpu0(dense_part const& p, index_t elements,
                             unsigned element_bytes) noexcept {
  if (p.elements == nullptr || p.elements->where() != cpu0) return false;
  std::size_t const end = static_cast<std::size_t>(p.first + elements) * element_bytes;
  return p.is_whole ? p.elements->size() == end : p.elements->size() >= end;
}
template <class T> T const* elements_of(dense_part const& p) noexcept {
  return static_cast<T const*>(p.elements->data()) + p.first;
}

template <class T> void multiply_elements(contiguous_product const& p, T* out) {
  batch_of_products<T> const product{{out, p.rows, p.columns, p.depth, elements_of<T>(p.a), p.depth,
                                      1, elements_of<T>(p.b), p.columns, 1},
                                     0,
                                     nullptr,
                                     nullptr,
                                     nullptr};
  epilogue_callback none{};
  none.columns = p.columns;
  multiply_chunk(0, cpu_matmul_of<T>::size_of(product).units, product, none);
}
PLACEMENT_INLINE_ON_CALL void multiply_dense(contiguous_product const& p, float* out) {
  multiply_elements(p, out);
}
PLACEMENT_INLINE_ON_CALL void multiply_dense(contiguous_product const& p, double* out) {
  multiply_elements(p, out);
}

PLACEMENT_INLINE void* destination_of(contiguous_product const& p, buffer_ref& out) {
  if (!is_small_product(p) || !runs_quietly_on_cpu0(p.requested, p.change, p.logs)) return nullptr;
  if (!is_dense_on_cpu0(p.a, p.rows * p.depth, p.element_bytes) ||
      !is_dense_on_cpu0(p.b, p.depth * p.columns, p.element_bytes) ||
      cpu_products.load() != nullptr)
    return nullptr;
  std::size_t const bytes = static_cast<std::size_t>(p.rows * p.columns) * p.element_bytes;
  if (out) {
    if (out.get() == p.a.elements || out.get() == p.b.elements || out->overlaps(*p.a.elements) ||
        out->overlaps(*p.b.elements))
      return nullptr;
    if (!out->is_free_to_write(cpu0, bytes, 0) &&
        !(p.keeps_shape && out->is_rewritten(cpu0, bytes)))
      return nullptr;
    return out->data();
  }
  if (p.from.name != label::none) [[unlikely]]
    return nullptr;  // its memory has that name
  out = buffer_ref(buffer::make(cpu0, bytes, {p.op, p.from.where.file, p.from.where.line}));
  return out->data();
}

}}}  // namespace placement::v0_1::detail
