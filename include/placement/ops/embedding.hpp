#pragma once
/// Rows of a table by their numbers, and the gradient of the table. placement.hpp does not include
/// this header.

#include <placement/cpu/parallel_for.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/join.hpp>
#include <placement/ops/gather.hpp>
#include <placement/ops/host_operand.hpp>

#include <string>
#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_row_outside(std::string const& id,
                                                                     index_t at, index_t rows) {
  throw shape_error("placement: embedding_gradient of id " + id + " at index " +
                    std::to_string(at) + " for a table of " + std::to_string(rows) +
                    " rows. Ids are at least 0 and below the number of rows.");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_embedding_shape(std::string const& g,
                                                                         std::string const& ids) {
  throw shape_error("placement: embedding_gradient of shape " + g + " for ids of shape " + ids +
                    ". Give the gradient of embedding_lookup: the shape of the ids, then that of "
                    "a row.");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_table_rows(index_t rows) {
  throw shape_error("placement: embedding_gradient for a table of " + std::to_string(rows) +
                    " rows. Give the number of rows, which is zero or more.");
}
}  // namespace detail

/// The rows of a table with these numbers.
/// Shape: (rows, d...), (n...) -> (n..., d...).  Type: any; any integer for the ids.
/// Kernels: CPU, GPU (pattern custom: gather).
/// Throws: shape_error when evaluated, for an id that is no row.
template <operand X, operand I> auto embedding_lookup(X&& table, I&& ids, site at = site::here()) {
  return gather(std::forward<X>(table), std::forward<I>(ids), axis<0>, at);
}

/// Row r is the sum of the slices of g whose id is r; zeros where there is none.
struct embedding_gradient_op {
  static constexpr std::string_view name = "UnsortedSegmentSum";
  using pattern = custom;
  using gpu_lowering = lowered::gather_gradient;
  template <class> static constexpr bool has_gpu_kernel = true;
  static constexpr bool partitions = true;

  index_t rows;
  static constexpr axis_t<0> axis{};

  template <class G, class I> constexpr auto result(G const& g, I const& ids) const {
    static_assert(G::rank >= I::rank, "placement: g has the ids' dimensions, then those of a row.");
    bool fits = true;
    for (std::size_t d = 0; d != I::rank; ++d) fits = fits && g.at(d) == ids.at(d);
    if (!fits) detail::throw_embedding_shape(to_string(g), to_string(ids));
    if (rows < 0) detail::throw_table_rows(rows);
    return detail::make_shape<G::rank - I::rank + 1>(
        [](std::size_t d) { return d == 0 ? dyn : G::static_extent(I::rank + d - 1); },
        [&](std::size_t d) { return d == 0 ? rows : g.at(I::rank + d - 1); });
  }
  /// A thread takes columns of all rows, so that slices of one id are added in their order.
  template <class On, class T, class Y, class G, class Index, class I>
  void run(On const& on, dense_view<T, Y> out, dense_view<T const, G> g,
           dense_view<Index const, I> ids) const {
    index_t const n = ids.size();
    for (index_t i = 0; i != n; ++i)
      if (!std::in_range<index_t>(ids[i]) || static_cast<index_t>(ids[i]) < 0 ||
          static_cast<index_t>(ids[i]) >= rows)
        detail::throw_row_outside(std::to_string(ids[i]), i, rows);
    if (rows == 0) return;
    index_t const columns = out.size() / rows;
    if (columns == 0) return;
    constexpr index_t line = 16;
    work_size const size{
        .units = columns,
        .grain = line,
        .cost = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows + n)};
    on.parallel_for(size, [&](work_chunk const& c) {
      for (index_t r = 0; r != rows; ++r)
        for (index_t j = c.begin; j != c.end; ++j) out[r * columns + j] = T{};
      for (index_t i = 0; i != n; ++i) {
        T* const to = out.data + static_cast<index_t>(ids[i]) * columns;
        T const* const from = g.data + i * columns;
        for (index_t j = c.begin; j != c.end; ++j) detail::joined_sum::join(to[j], from[j]);
      }
    });
  }
  template <class T, class Y, class G, class Index, class I>
  void operator()(dense_view<T, Y> out, dense_view<T const, G> g,
                  dense_view<Index const, I> ids) const {
    run(seq{}, out, g, ids);
  }
};
/// The gradient of a table with this number of rows, for the gradient g of
/// embedding_lookup(table, ids). Slices of equal ids are added in their order, without atomics: the
/// result is reproducible.
/// Shape: (n..., d...), (n...) -> (rows, d...).  Type: any but bool; any integer for the ids.
/// Kernels: CPU, GPU (pattern custom).  Cost: one pass over g and the result.
/// Throws: shape_error, for an id that is no row when evaluated.
template <operand G, operand I>
auto embedding_gradient(G&& g, I&& ids, index_t rows, site at = site::here())
    -> node<embedding_gradient_op, G, I> {
  detail::check_indices<I>();
  static_assert(!std::is_same_v<typename bare<G>::value_type, bool>,
                "placement: a gradient is of numbers, not of bools.");
  return {{rows}, at, std::forward<G>(g), std::forward<I>(ids)};
}

}}  // namespace placement::v0_1
