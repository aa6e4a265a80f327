#pragma once
/// The CPU kernel of a (batched) matrix product. The epilogue is applied to rows that are in cache.

#include <placement/cpu/block_epilogue.hpp>
#include <placement/cpu/gemm_complex.hpp>
#include <placement/cpu/parallel_for.hpp>
#include <placement/cpu/product_loops.hpp>
#include <placement/kernels/kernel_launch.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/product_engine.hpp>
#include <placement/shape/strided_view.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The CPU's products. The algorithm depends on the product's extents and on the level of the
/// loops, not on the rows of a chunk.
template <class T, class K = cpu_kernels> struct cpu_matmul_of {
  /// Multiplications below which packing costs more than it saves, and the row count beyond which
  /// further rows do not matter.
  static constexpr index_t small_matmul_flops = index_t{48} * 96 * 96, small_matmul_rows = 48;
  /// The limit with registers of 64 bytes, which hold more of the result.
  static constexpr index_t small_matmul_flops_64_bytes = index_t{48} * 160 * 160;
  /// The limit if the right side's rows are not contiguous.
  static constexpr index_t small_matmul_flops_strided = index_t{8} * 8 * 8;
  /// The limit for a matrix and a vector, and for columns that do not fill a register.
  static constexpr index_t small_gemv_flops = index_t{16} * 16,
                           small_matmul_flops_narrow = index_t{16} * 16 * 8;

  /// Partitions into rows of all matrices, or into columns if there is one row. Each chunk packs
  /// the right side itself, so there is one chunk per thread. A unit of cost is four
  /// multiplications, or one if each needs an element of its own.
  static work_size size_of(batch_of_products<T> const& batch) {
    matrix_product<T> const& p = batch.first;
    constexpr index_t tiles = 24, columns_of_cache_lines = 64;
    bool const in_columns = is_cut_in_columns(batch);
    work_size size{in_columns ? p.columns : batch.all_rows(), in_columns ? columns_of_cache_lines
                                                              : p.rows > tiles ? tiles
                                                                               : p.rows};
    size.cost = static_cast<std::size_t>(batch.all_rows()) *
                static_cast<std::size_t>(p.columns * p.depth) /
                (is_by_vector(p.rows, p.columns, p.depth) ? 1 : 4);
    size.chunks_per_thread = 1;
    return size;
  }
  static void multiply_chunk(index_t from, index_t to, batch_of_products<T> const& batch,
                             epilogue_callback const& callback) {
    cpu_matmul_of const self{loops_of_processor<T, K>()};
    if (is_cut_in_columns(batch)) self.multiply_columns(from, to, batch.first, callback);
    else self.multiply_rows(from, to, batch, callback);
  }

 private:
  product_loops<T> const& loops_;

  explicit cpu_matmul_of(product_loops<T> const& loops) : loops_(loops) {}

  static constexpr bool is_by_vector(index_t rows, index_t columns, index_t depth) {
    index_t const work = (rows < small_matmul_rows ? rows : small_matmul_rows) * columns * depth;
    return (rows == 1 || columns == 1) && work >= small_gemv_flops;
  }
  static bool is_cut_in_columns(batch_of_products<T> const& batch) {
    matrix_product<T> const& p = batch.first;
    return p.rows == 1 && is_by_vector(p.rows, p.columns, p.depth) && batch.all_rows() == 1;
  }

  /// The columns [from, to) of a vector times a matrix.
  void multiply_columns(index_t from, index_t to, matrix_product<T> p,
                        epilogue_callback callback) const {
    p.out += from;
    p.b += from * p.b_step;
    p.columns = to - from;
    callback.from_column = from;
    multiply_one(p, 1, true, 0, callback);
  }

  /// The rows [from, to), numbered across the batch.
  void multiply_rows(index_t from, index_t to, batch_of_products<T> const& batch,
                     epilogue_callback const& callback) const {
    if (batch.first.depth == 0) return write_zeros(from, to, batch.first, callback);
    bool const one = batch.is_one_matrix();
    index_t const whole = one ? batch.all_rows() : batch.first.rows;
    index_t const in_a_run = one || batch.dims == 0 ? 1 : batch.extent[batch.dims - 1];
    for (index_t row = from; row < to;) {
      index_t const matrix = row / whole, below = row % whole, left = to - row;
      product_batch<T> all{batch.first, 1, 0, 0};
      matrix_product<T>& p = all.first;
      p.rows = left < whole - below ? left : whole - below;
      if (!one) batch.move_to(matrix, p);
      p.a += below * p.a_row;
      p.out += row * p.columns;
      if (in_a_run != 1 && p.rows == whole) {
        index_t const in_run = in_a_run - matrix % in_a_run;
        all.count = in_run < left / whole ? in_run : left / whole;
        all.a_next = batch.a_step[batch.dims - 1];
        all.b_next = batch.b_step[batch.dims - 1];
      }
      multiply(all, whole, row, callback);
      row += all.count * p.rows;
    }
  }

  static void write_zeros(index_t from, index_t to, matrix_product<T> const& p,
                          epilogue_callback const& callback) {
    for (index_t i = from * p.columns; i != to * p.columns; ++i) p.out[i] = T{};
    callback(from, to - from, 0, p.columns);
  }

  /// `whole`: the rows of each product. A single product in `all` may have fewer; several may have
  /// more in sum.
  void multiply(product_batch<T> const& all, index_t whole, index_t first,
                epilogue_callback const& callback) const {
    matrix_product<T> const& p = all.first;
    index_t const work =
        (whole < small_matmul_rows ? whole : small_matmul_rows) * p.columns * p.depth;
    bool const vector = is_by_vector(whole, p.columns, p.depth);
    if (!vector && work <= max_small_flops(p)) {
      loops_.small(all);
      callback(first, all.count * p.rows, 0, p.columns);
      return;
    }
    index_t row = first;
    all.each_product([&](matrix_product<T> const& one) {
      multiply_one(one, whole, vector, row, callback);
      row += one.rows;
    });
  }
  index_t max_small_flops(matrix_product<T> const& p) const {
    if (p.b_step != 1) return small_matmul_flops_strided;
    if (p.columns < loops_.register_columns) return small_matmul_flops_narrow;
    bool const has_64_bytes = loops_.register_columns * index_t{sizeof(summed<T>)} == 64;
    return has_64_bytes ? small_matmul_flops_64_bytes : small_matmul_flops;
  }
  /// `whole`: the number of rows in all, so that all chunks use one algorithm.
  void multiply_one(matrix_product<T> const& p, index_t whole, bool vector, index_t first,
                    epilogue_callback const& callback) const {
    if (vector && loops_.vector(p)) return callback(first, p.rows, 0, p.columns);
    if (whole >= 8 && (p.a_step == 1 || p.a_row == 1) && loops_.narrow(p, first, callback)) return;
    if (loops_.packed(p, first, callback)) return;
    loops_.small(product_batch<T>{p, 1, 0, 0});
    callback(first, p.rows, 0, p.columns);
  }
};

/// Computes the units [from, to) of a product: see cpu_matmul_of<T>::size_of().
template <class T, class K = cpu_kernels>
void multiply_chunk(index_t from, index_t to, batch_of_products<T> const& batch,
                    epilogue_callback const& callback) {
  cpu_matmul_of<T, K>::multiply_chunk(from, to, batch, callback);
}
/// The partition of a product, for gemm_complex.hpp.
template <class T> work_size size_of_product(batch_of_products<T> const& batch) {
  return cpu_matmul_of<T>::size_of(batch);
}
// Compiled once, for several levels of x86-64.
PLACEMENT_ON_CALL void multiply_chunk(index_t from, index_t to,
                                      batch_of_products<float> const& batch,
                                      epilogue_callback const& callback);
PLACEMENT_ON_CALL void multiply_chunk(index_t from, index_t to,
                                      batch_of_products<double> const& batch,
                                      epilogue_callback const& callback);

/// multiply_by() on the CPU; the epilogue runs here. False also for small products, which the
/// kernels of cpu/ do faster.
template <class T>
bool multiply_by_library(product_engine& engine, strided_product<T> const& p,
                         recognized_epilogue const& recognized, epilogue_callback const& epilogue) {
  constexpr index_t small_flops = index_t{32} * 32 * 32;
  index_t const columns = p.columns();
  if (p.rows() * columns * p.depth <= small_flops) return false;
  auto const finish = [&] {
    epilogue({0, static_cast<index_t>(p.shape.count()) / columns, 0, columns, columns});
  };
  return multiply_by(engine, logical(cpu0), p, recognized, finish);
}

/// Products of any rank on the CPU, by a registered library or by the loops above. `recognized`:
/// the epilogue, if a library may apply it.
template <class K = cpu_kernels, class On, class T>
void multiply(On const& on, strided_product<T> const& p, recognized_epilogue const& recognized,
              epilogue_callback epilogue) {
  if (p.shape.count() == 0) return;
  epilogue.columns = p.columns();
  if constexpr (has_product_element<T>) {
    product_engine* const library = cpu_products.load();
    if (library != nullptr && multiply_by_library(*library, p, recognized, epilogue)) return;
  }
  std::size_t const dims = p.dims();
  batch_of_products<T> const batch{
      {p.out, p.rows(), p.columns(), p.depth, p.a, p.a_stride[dims], p.a_stride[dims + 1], p.b,
       p.b_stride[dims], p.b_stride[dims + 1]},
      dims,
      p.shape.extent,
      p.a_stride,
      p.b_stride};
  if constexpr (is_complex<T>)
    if (multiply_as_reals(on, batch, epilogue)) return;
  on.parallel_for(size_of_product(batch), [&](work_chunk const& chunk) {
    multiply_chunk(chunk.begin, chunk.end, batch, epilogue);
  });
}

/// Whether products of shape X use loops of constant lengths: a small static number of elements.
template <class X> constexpr bool has_short_loops() {
  constexpr std::size_t short_count = 64;
  if constexpr (X::is_static && X::rank == 2) return X::count() <= short_count;
  else return false;
}
/// Such a product. It uses neither a product engine nor threads.
template <class X, class T>
PLACEMENT_ALWAYS_INLINE inline void multiply_short(strided_product<T> const& p) {
  constexpr index_t m = X::at(0), n = X::at(1);
  if constexpr (m != 0 && n != 0)
    multiply_static<PLACEMENT_VECTOR_BYTES, int{m}, int{n}>(
        matrix_product<T>{p.out, m, n, p.depth, p.a, p.a_stride[0], p.a_stride[1], p.b,
                          p.b_stride[0], p.b_stride[1]});
}

}  // namespace detail

template <class Op, class T> struct kernel<cpu_kernels, gemm, Op, T> {
  static constexpr bool exists = true;

  /// out = a b for each matrix of the batch; calls `epilogue(first, n)` for each run of n finished
  /// elements of a row. Small static products use neither a product engine nor threads.
  /// Shapes: a is (..., m, k) and b is (..., k, n), broadcast over the batch; out is dense (..., m,
  /// n).
  template <class On, class X, class Epilogue>
  PLACEMENT_ALWAYS_INLINE static inline void run(On const& by, T* out, X const& x, index_t depth,
                                                 strided_view<T const, X::rank> const& a,
                                                 strided_view<T const, X::rank> const& b,
                                                 Epilogue const& epilogue) {
    auto const p = detail::strided_product_of(out, x, depth, a, b);
    if constexpr (detail::has_short_loops<X>()) {
      detail::multiply_short<X>(p);
      if constexpr (X::at(1) != 0)
        for (index_t i = 0; i != X::at(0); ++i) epilogue(i * X::at(1), X::at(1));
    } else {
      detail::multiply(by, p, detail::recognize_epilogue(epilogue, out),
                       detail::callback_of(epilogue));
    }
  }
};

}}  // namespace placement::v0_1
