#pragma once
/// Products of the elements that block kernels compute.

#include <placement/cpu/block_reader.hpp>
#include <placement/cpu/product_elements.hpp>
#include <placement/cpu/sum_blocks.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The product of n elements in memory.
template <class T> double product_of(T const* p, index_t n) {
  double product = 1;
  multiply_rows(&product, p, 1, n);
  return product;
}
/// The product of the elements [begin, end) of a shape.
template <class T> double product_of(block_reader& from, index_t begin, index_t end) {
  if (end - begin <= max_read)
    return product_of(static_cast<T const*>(read_elements(from, begin, end - begin)), end - begin);
  lanes_of_product lanes;
  each_read<T>(from, begin, end,
               [&](T const* p, index_t, index_t n) { multiply_lanes(lanes, p, n); });
  return lanes.combined();
}
/// f(i, product) for the products of some rows of n elements. i: the row.
template <class T, class F> void each_product(T const* p, index_t rows, index_t n, F const& f) {
  constexpr index_t most = 64;
  double products[most];
  for (index_t i = 0; i < rows; i += most) {
    index_t const some = rows - i < most ? rows - i : most;
    multiply_rows(products, p + i * n, some, n);
    for (index_t k = 0; k != some; ++k) f(i + k, products[k]);
  }
}

}}}  // namespace placement::v0_1::detail
