#pragma once
/// Launches matrix products on a GPU: the registered engine, or the kernel of the library.

#include <placement/gpu/gemm_kernel.hpp>
#include <placement/gpu/sum_of_parts.hpp>
#include <placement/kernels/product_engine.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// The epilogue of a product as a kernel of its own, for those that have one.
template <class Epilogue> struct epilogue_launch {
  static constexpr bool exists = false;
};
template <> struct epilogue_launch<no_epilogue> {
  static constexpr bool exists = true;
  template <class Grid, class X> static void run(Grid const&, no_epilogue const&, X const&) {}
};

/// The parts of a depth, so that the blocks of a product fill a GPU. A number of blocks that fills
/// it once in part is split further, into long parts. The number depends on the extents only, and
/// so do the bits of the result.
constexpr index_t product_parts(index_t blocks, index_t depth) {
  constexpr index_t enough = enough_blocks / 4;
  if (blocks >= enough) return 1;
  bool const fills_in_part = blocks >= enough / 2;
  index_t const wanted = (fills_in_part ? 2 * enough : enough) / blocks;
  index_t const most = depth / (fills_in_part ? 256 : 64);
  index_t const parts = wanted < most ? wanted : most;
  return parts < 2 ? 1 : parts;
}

/// out = a b: see kernel<cpu_kernels, gemm, ...>. Cost: one launch per 2^31 tiles. A product of
/// floating point with less than 128 tiles takes two, a third for an epilogue, and scratch memory.
template <class Grid, class T, class X, class Epilogue>
void multiply(Grid const& grid, T* out, X const& x, index_t depth,
              strided_view<T const, X::rank> const& a, strided_view<T const, X::rank> const& b,
              Epilogue const& epilogue) {
  constexpr std::size_t R = X::rank;
  using device_kernel = gemm_kernel<T, R, Epilogue>;
  if (x.count() == 0) return;
  index_t const rows = x.at(R - 2), columns = x.at(R - 1);
  index_t const down = (rows + device_kernel::tile - 1) / device_kernel::tile;
  index_t const across = (columns + device_kernel::tile - 1) / device_kernel::tile;
  constexpr int width = device_kernel::loads;
  auto const a_access =
      access_of_operand<width>(a, rows, a.where.stride[R - 2], depth, a.where.step());
  auto const b_access =
      access_of_operand<width>(b, columns, b.where.step(), depth, b.where.stride[R - 2]);
  constexpr int run = device_kernel::half;
  bool const stores_vectors = columns % run == 0 && is_aligned<run>(out);
  index_t matrices[R];
  for (std::size_t d = 0; d != R; ++d) matrices[d] = d + 2 < R ? x.at(d) : 1;
  auto const divisor = [](index_t n) { return fast_divisor(static_cast<std::uint32_t>(n)); };
  auto const launch = [&](pieces<R> const& p, index_t parts, auto const& then) {
    auto const from_start = [&](layout<R> l) {
      for (std::size_t d = 0; d != R; ++d) l.base += p.start[d] * l.stride[d];
      return l;
    };
    grid(gemm_kernel<T, R, std::remove_cvref_t<decltype(then)>>{out,
                                                                rows,
                                                                columns,
                                                                depth,
                                                                divisor(across),
                                                                divisor(down),
                                                                {p.extent, 0},
                                                                a.data,
                                                                b.data,
                                                                from_start(a.where),
                                                                from_start(b.where),
                                                                from_start(row_major(x)),
                                                                a_access,
                                                                b_access,
                                                                stores_vectors,
                                                                then},
         down * across * p.count() * parts);
  };
  pieces<R> p(matrices, max_piece_of(grid) / (down * across));
  if constexpr (std::is_floating_point_v<computed_in<T>> && epilogue_launch<Epilogue>::exists) {
    auto const size = static_cast<index_t>(x.count());
    index_t const all_matrices = size / (rows * columns);
    if (index_t const parts = product_parts(all_matrices * down * across, depth);
        parts > 1 && p.count() == all_matrices) {
      using carried = computed_in<T>;
      index_t const length =
          ((depth + parts - 1) / parts + product_depth - 1) / product_depth * product_depth;
      index_t const used = (depth + length - 1) / length;
      auto const scratch =
          grid.allocate_scratch(static_cast<std::size_t>(used * size) * sizeof(carried));
      auto* const sums = static_cast<carried*>(scratch.data());
      launch(p, used, partial_products<T>{sums, size, length, divisor(p.count())});
      launch_sum_of_parts(grid, out, sums, size, used);
      return epilogue_launch<Epilogue>::run(grid, epilogue, x);
    }
  }
  for (; p; p.next()) launch(p, 1, epilogue);
}

/// The same by the registered product engine, else by the library's own kernel. tf32: the engine
/// may round floats to TF32.
template <class Grid, class T, class X, class Epilogue>
void multiply_on(Grid const& grid, logical_device const& on, T* out, X const& x, index_t depth,
                 strided_view<T const, X::rank> const& a, strided_view<T const, X::rank> const& b,
                 Epilogue const& epilogue, bool tf32 = settings_here().rounds_to_tf32()) {
  if constexpr (has_product_element<T> && epilogue_launch<Epilogue>::exists) {
    product_engine* const engine = gpu_products.load();
    auto const run_epilogue = [&] { epilogue_launch<Epilogue>::run(grid, epilogue, x); };
    if (engine != nullptr && multiply_by(*engine, on, strided_product_of(out, x, depth, a, b),
                                         recognize_epilogue(epilogue, out), run_epilogue, tf32))
      return;
  }
  multiply(grid, out, x, depth, a, b, epilogue);
}

}}}  // namespace placement::v0_1::detail
