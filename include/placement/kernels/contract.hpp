#pragma once
/// The CPU kernel of a (batched) matrix product, with what follows it applied while a row is in
/// cache.

#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/product_blocks.hpp>
#include <placement/kernels/product_engine.hpp>
#include <placement/kernels/team.hpp>
#include <placement/kernels/view.hpp>

#include <type_traits>

namespace placement::inline v0_1 {

namespace detail {

/// The CPU's product of matrices one after another, as its loops take them. What a product is
/// computed by depends on its own extents, never on which part of a batch is asked for.
template <class T> struct products_in_order {
  static constexpr int bytes = PLACEMENT_VECTOR_BYTES;
  using blocks = product_blocks<T, bytes, PLACEMENT_MANY_VECTORS>;

  /// Multiplications below which packing costs more than it gains.
  static constexpr index_t few = 48 * 48 * 48;
  /// The same where the right side's rows do not lie densely.
  static constexpr index_t few_strided = 8 * 8 * 8;
  /// The same of a matrix and a vector.
  static constexpr index_t few_of_vector = 16 * 16;

  /// Products of `all`, whose first row has the number `first`. whole: how many rows each has, of
  /// which `all` may have fewer.
  static void multiply(product_batch<T> const& all, index_t whole, index_t first,
                       finished_rows const& finished) {
    matrix_product<T> const& p = all.first;
    index_t const work = whole * p.columns * p.depth;
    bool const vector = (whole == 1 || p.columns == 1) && work >= few_of_vector;
    if (!vector && work <= (p.b_step == 1 ? few : few_strided)) {
      multiply_few<bytes>(all);
      finished(first, all.count * p.rows, 0, p.columns);
      return;
    }
    index_t row = first;
    all.each_product([&](matrix_product<T> const& one) {
      multiply_one(one, vector, row, finished);
      row += one.rows;
    });
  }

 private:
  static void multiply_one(matrix_product<T> const& p, bool vector, index_t first,
                           finished_rows const& finished) {
    if (vector && multiply_vector<bytes>(p)) return finished(first, p.rows, 0, p.columns);
    if (blocks::multiply(p, first, finished)) return;
    multiply_few<bytes>(product_batch<T>{p, 1, 0, 0});
    finished(first, p.rows, 0, p.columns);
  }
};

/// Where the rows of a result's matrices lie: `rows` each, all of them numbered through.
struct product_rows {
  index_t rows, columns, all;
};
template <class X> constexpr product_rows rows_of_products(X const& x) {
  index_t const rows = x.at(X::rank - 2), columns = x.at(X::rank - 1);
  return {rows, columns, columns == 0 ? 0 : static_cast<index_t>(x.count()) / columns};
}

}  // namespace detail

template <class Op, class T> struct kernel<cpu_kernels, contract, Op, T> {
  static constexpr bool exists = true;

  /// Matrices of so few elements, known to the compiler, are computed by loops of constant lengths.
  static constexpr std::size_t few = 64;

  /// out = a b for every matrix of the batch; `after(first, n)` is called for n finished elements
  /// from `first` on, which lie in one row. Static code asks for no library and no thread.
  /// Shapes: a is (..., m, k) and b is (..., k, n), broadcast over the batch; out is dense (..., m,
  /// n).
  template <class On, class X, class After>
  [[gnu::always_inline]] static inline void run(On const& by, T* out, X const& x, index_t depth,
                                                strided_view<T const, X::rank> const& a,
                                                strided_view<T const, X::rank> const& b,
                                                After const& after) {
    if constexpr (X::is_static && X::rank == 2) {
      if constexpr (X::count() <= few) return run_few<X>(out, depth, a, b, after);
    }
    run_many(by, out, x, depth, a, b, after);
  }

 private:
  template <class On, class X, class After>
  static void run_many(On const& by, T* out, X const& x, index_t depth,
                       strided_view<T const, X::rank> const& a,
                       strided_view<T const, X::rank> const& b, After const& after) {
    if constexpr (detail::has_product_element<T>) {
      product_engine* const library = detail::cpu_products.load();
      if (library != nullptr)
        if (detail::multiply_by_library(*library, out, x, depth, a, b, after)) return;
    }
    auto const r = detail::rows_of_products(x);
    by.share(size_of(r, depth), [&](work_part const& part) {
      multiply_rows(part.begin, part.end, out, x, depth, a, b, after);
    });
  }

  /// Cut into rows of all matrices. A part packs the right side for itself, so that there are as
  /// few as there are threads.
  static work_size size_of(detail::product_rows const& r, index_t depth) {
    constexpr index_t tiles = 24;
    constexpr std::size_t products_in_a_step = 16;
    work_size size{r.all, r.rows == 0 || r.rows > tiles ? tiles : r.rows};
    size.steps = static_cast<std::size_t>(r.all * r.columns) * static_cast<std::size_t>(depth) /
                 products_in_a_step;
    size.parts_of_thread = 1;
    return size;
  }

  /// The rows of the result from `from` to before `to`, numbered through the batch.
  template <class X, class After>
  static void multiply_rows(index_t from, index_t to, T* out, X const& x, index_t depth,
                            strided_view<T const, X::rank> const& a,
                            strided_view<T const, X::rank> const& b, After const& after) {
    constexpr std::size_t R = X::rank;
    auto const r = detail::rows_of_products(x);
    auto const done = [&](index_t row, index_t rows, index_t column, index_t columns) {
      for (index_t i = row; i != row + rows; ++i) after(i * r.columns + column, columns);
    };
    detail::finished_rows const finished{
        &done, [](void const* f, index_t row, index_t rows, index_t column, index_t columns) {
          (*static_cast<decltype(done) const*>(f))(row, rows, column, columns);
        }};
    if (depth == 0) {
      for (index_t i = from * r.columns; i != to * r.columns; ++i) out[i] = T{};
      if (from != to) done(from, to - from, 0, r.columns);
      return;
    }
    auto const a_row = a.where.stride[R - 2], a_step = a.where.stride[R - 1];
    auto const b_row = b.where.stride[R - 2], b_step = b.where.stride[R - 1];
    // one right side for rows that lie evenly: one matrix
    index_t whole = r.rows, in_a_line = 1;
    if constexpr (R > 2) {
      if (is_one_matrix(x, a, b)) whole = r.all;
      else in_a_line = x.at(R - 3);
    }
    for (index_t row = from; row < to;) {
      index_t const matrix = row / whole, below = row % whole;
      index_t const rows = to - row < whole - below ? to - row : whole - below;
      index_t count = 1;
      if (in_a_line != 1 && rows == whole) {
        index_t const in_line = in_a_line - matrix % in_a_line, complete = (to - row) / whole;
        count = in_line < complete ? in_line : complete;
      }
      auto const c = whole == r.all ? coordinates<R>{} : matrix_at(matrix, x);
      detail::product_batch<T> all{
          {out + row * r.columns, rows, r.columns, depth, a.data + a.where.row(c) + below * a_row,
           a_row, a_step, b.data + b.where.row(c), b_row, b_step},
          count,
          0,
          0};
      if constexpr (R > 2) {
        all.a_next = a.where.stride[R - 3];
        all.b_next = b.where.stride[R - 3];
      }
      detail::products_in_order<T>::multiply(all, whole, row, finished);
      row += count * rows;
    }
  }

  /// The coordinates of the batch's matrix with this number; row and column are 0.
  template <class X> static coordinates<X::rank> matrix_at(index_t matrix, X const& x) {
    coordinates<X::rank> c;
    for (std::size_t d = X::rank - 2; d-- > 0;) {
      c.at[d] = matrix % x.at(d);
      matrix /= x.at(d);
    }
    return c;
  }
  template <class X>
  static bool is_one_matrix(X const& x, strided_view<T const, X::rank> const& a,
                            strided_view<T const, X::rank> const& b) {
    index_t down = x.at(X::rank - 2) * a.where.stride[X::rank - 2];
    for (std::size_t d = X::rank - 2; d-- > 0;) {
      if (x.at(d) != 1 && (b.where.stride[d] != 0 || a.where.stride[d] != down)) return false;
      down *= x.at(d);
    }
    return true;
  }

  template <class X, class After>
  [[gnu::always_inline]] static inline void run_few(T* out, index_t depth,
                                                    strided_view<T const, 2> const& a,
                                                    strided_view<T const, 2> const& b,
                                                    After const& after) {
    constexpr index_t m = X::at(0), n = X::at(1);
    if constexpr (m != 0 && n != 0) {
      detail::matrix_product<T> const p{out,
                                        m,
                                        n,
                                        depth,
                                        a.data + a.where.base,
                                        a.where.stride[0],
                                        a.where.stride[1],
                                        b.data + b.where.base,
                                        b.where.stride[0],
                                        b.where.stride[1]};
      detail::multiply_static<PLACEMENT_VECTOR_BYTES, int{m}, int{n}>(p);
      for (index_t i = 0; i != m; ++i) after(i * n, n);
    }
  }
};

}  // namespace placement::inline v0_1
