#pragma once
/// Prefix sums and other scans along one dimension on a GPU. Blocks scan contiguous fibers in one
/// pass. A thread scans a chunk of a short or strided fiber. If there are not enough of those to
/// fill a GPU, the chunks are summed first. The same kernels then scan these sums.
///
/// The order of additions depends on the shape only, so that a result is equal in every run.

#include <placement/gpu/scan_by_blocks.hpp>
#include <placement/gpu/tile.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The rule of prefix sums. Integers wrap.
struct prefix_sum {
  template <class T> using state = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
  template <class S> PLACEMENT_HD static constexpr S start() { return S{}; }
  template <class S> PLACEMENT_HD static constexpr S join(S a, S b) { return a + b; }
};

/// How fibers are cut into chunks.
struct scan_shape {
  index_t fibers = 0, length = 0, step = 1;  ///< step: between neighbours of a fiber
  index_t chunks = 1;                        ///< per fiber
  index_t chunk_length = 0;

  /// Where a fiber begins.
  PLACEMENT_HD constexpr index_t first(index_t fiber) const {
    return step == 1 ? fiber * length : fiber / step * (length * step) + fiber % step;
  }
  PLACEMENT_HD constexpr index_t end(index_t begin) const {
    return length - begin < chunk_length ? length : begin + chunk_length;
  }
};

}  // namespace detail

/// Scans with one thread per chunk of a fiber; neighbouring threads take neighbouring fibers. Sum:
/// the accumulator type. Rule: a neutral element, and how elements are joined, which is
/// associative. `out` receives the prefix sums. If `out` is null, the total of each chunk goes to
/// `sums`, stored as fibers of chunks with the same step.
template <class Rule, class R, class T, class Sum> struct scan_by_threads {
  using local = detail::no_local;
  static constexpr std::size_t shared_bytes = 0;

  R* out;
  T const* in;
  Sum* sums;  ///< null for one chunk; an input if out is set: the chunks' prefix sums
  detail::scan_shape shape;

  constexpr index_t blocks() const {
    return (shape.fibers * shape.chunks + block_threads - 1) / block_threads;
  }
  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.each_without_barrier([&](int thread, local&) {
      index_t const number = block.number() * block_threads + thread;
      if (number < shape.fibers * shape.chunks)
        scan_chunk(number % shape.fibers, number / shape.fibers);
    });
  }

 private:
  PLACEMENT_HD static constexpr Sum start() { return Rule::template start<Sum>(); }
  template <class X> PLACEMENT_HD static constexpr Sum join(Sum sum, X x) {
    return Rule::join(sum, static_cast<Sum>(x));
  }
  PLACEMENT_HD void scan_chunk(index_t fiber, index_t chunk) const {
    index_t const begin = chunk * shape.chunk_length, end = shape.end(begin);
    index_t const base = shape.first(fiber);
    Sum* const mine =
        sums == nullptr ? nullptr : sums + of_chunks().first(fiber) + chunk * shape.step;
    Sum sum = out != nullptr && chunk != 0 ? mine[-shape.step] : start();
    constexpr int side = 4;  // loads in flight
    index_t i = begin;
    PLACEMENT_ROLLED
    for (; i + side <= end; i += side) {
      auto const x = load_each<side>(in + base + i * shape.step, shape.step);
      PLACEMENT_UNROLL
      for (int k = 0; k < side; ++k) {
        sum = join(sum, x.v[k]);
        if (out != nullptr) out[base + (i + k) * shape.step] = static_cast<R>(sum);
      }
    }
    PLACEMENT_ROLLED
    for (; i < end; ++i) {
      sum = join(sum, in[base + i * shape.step]);
      if (out != nullptr) out[base + i * shape.step] = static_cast<R>(sum);
    }
    if (out == nullptr) *mine = sum;
  }
  PLACEMENT_HD constexpr detail::scan_shape of_chunks() const {
    return {shape.fibers, shape.chunks, shape.step};
  }
};

namespace detail {

/// Shorter fibers and strided ones are scanned by threads. The second limit holds if there are
/// fewer fibers than `enough_blocks`.
inline constexpr index_t shortest_scan_of_block = 512, shortest_scan_of_few_fibers = 64;
/// The threads that fill a large GPU several times, and the least elements per thread.
inline constexpr index_t enough_threads = enough_blocks * block_threads;
inline constexpr index_t least_scan_of_thread = 32;

/// Splits fibers into about `wanted` chunks, each a multiple of `unit` elements.
constexpr scan_shape split_fibers(scan_shape s, index_t wanted, index_t unit) {
  index_t const units = (s.length + unit - 1) / unit;
  index_t const chunks = wanted < 1 ? 1 : wanted < units ? wanted : units;
  s.chunk_length = (units + chunks - 1) / chunks * unit;
  s.chunks = (s.length + s.chunk_length - 1) / s.chunk_length;
  return s;
}

/// The scans of contiguous fibers by blocks. Cost: one launch, or two with scratch memory where a
/// fiber has several tiles.
template <class Rule, class Sum, class Grid, class R, class T>
void scan_contiguous(Grid const& grid, R* out, T const* in, index_t fibers, index_t length) {
  using kernel = scan_by_blocks<Rule, R, T, Sum>;
  using message = sent_value<Sum>;
  constexpr int width = kernel::width;
  bool const vectorized = length % width == 0 && is_aligned<width>(out) && is_aligned<width>(in);
  index_t const tiles = (length + kernel::tile - 1) / kernel::tile, all = fibers * tiles;
  kernel k{out, in, length, tiles, vectorized, {}};
  if (tiles == 1) return grid(k, all);
  // two words for the ticket keep the number of words even
  index_t const groups = kernel::groups_of(tiles), sections = kernel::groups_of(groups);
  auto const messages = static_cast<std::size_t>(fibers * (tiles + groups + sections));
  std::size_t const words = messages * (sizeof(message) / sizeof(std::uint32_t)) + 2;
  auto const scratch = grid.allocate_scratch(words * sizeof(std::uint32_t));
  auto* const zeros = static_cast<std::uint32_t*>(scratch.data());
  launch_tiles(grid, dense_result<std::uint32_t>{zeros}, static_cast<index_t>(words),
               scalar<std::uint32_t>{0}, is_aligned<4>(zeros));
  k.between.total = static_cast<message*>(scratch.data());
  k.between.of_group = k.between.total + all;
  k.between.through_section = k.between.of_group + fibers * groups;
  k.between.ticket = zeros + words - 2;
  grid(k, all);
}

/// The scans of fibers. Cost: one launch, or two for long fibers; three or more for a small number
/// of strided ones.
template <class Rule, class Grid, class R, class T>
void scan(Grid const& grid, R* out, T const* in, index_t fibers, index_t length, index_t step) {
  using sum = typename Rule::template state<R>;
  if (step == 1 &&
      length >= (fibers < enough_blocks ? shortest_scan_of_few_fibers : shortest_scan_of_block))
    return scan_contiguous<Rule, sum>(grid, out, in, fibers, length);
  scan_by_threads<Rule, R, T, sum> k{out, in, nullptr, {fibers, length, step}};
  k.shape = split_fibers(k.shape, enough_threads / fibers, least_scan_of_thread);
  if (k.shape.chunks == 1) return grid(k, k.blocks());
  auto const scratch =
      grid.allocate_scratch(static_cast<std::size_t>(fibers * k.shape.chunks) * sizeof(sum));
  k.sums = static_cast<sum*>(scratch.data());
  k.out = nullptr;
  grid(k, k.blocks());
  scan<Rule>(grid, k.sums, static_cast<sum const*>(k.sums), fibers, k.shape.chunks, step);
  k.out = out;
  grid(k, k.blocks());
}

/// The scans along dimension `axis`.
template <class Rule = prefix_sum, class Grid, class R, class T, class X>
void scan_along(Grid const& grid, dense_view<R, X> const& out, dense_view<T const, X> const& in,
                std::size_t axis) {
  if (in.size() == 0) return;
  index_t const length = in.shape.at(axis);
  scan<Rule>(grid, out.data, in.data, in.size() / length, length, sides_of(in.shape, axis).after);
}

}  // namespace detail
}}  // namespace placement::v0_1
