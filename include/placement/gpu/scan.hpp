#pragma once
/// Prefix sums and other scans along one dimension on a GPU. A thread scans a chunk of a short
/// fiber, a block a chunk of a long one. If there are not enough fibers to fill a GPU, the chunks
/// are summed first. The same kernels then scan these sums.
///
/// The order of additions depends on the shape only, so that a result is equal in every run.

#include <placement/gpu/reduce.hpp>
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

/// Scans with one block per chunk of a contiguous fiber.
template <class Rule, class R, class T, class Sum> struct scan_by_blocks {
  static constexpr int width = vector_width<R, dense_leaf<T>>;
  static constexpr int items_per_thread = 16;  ///< adjacent elements that a thread sums at once
  static constexpr index_t tile = index_t{block_threads} * items_per_thread;
  static constexpr std::size_t shared_bytes = 2 * block_threads * sizeof(Sum);
  struct local {
    Sum before;  ///< the sum of the fiber's elements before this thread's
    T x[items_per_thread];
  };

  R* out;  ///< null: only the totals of the chunks are computed
  T const* in;
  Sum* sums;  ///< as in scan_by_threads
  detail::scan_shape shape;
  bool vectorized;

  constexpr index_t blocks() const { return shape.fibers * shape.chunks; }

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    index_t const fiber = block.number() / shape.chunks, chunk = block.number() % shape.chunks;
    index_t const begin = chunk * shape.chunk_length, end = shape.end(begin);
    Sum* const mine = sums == nullptr ? nullptr : sums + block.number();
    T const* const from = in + fiber * shape.length;
    R* const to = out == nullptr ? nullptr : out + fiber * shape.length;
    Sum carried = out != nullptr && chunk != 0 ? mine[-1] : start();
    Sum* now = static_cast<Sum*>(block.shared());
    Sum* then = now + block_threads;
    for (index_t i = begin; i < end; i += tile) {
      block.each([&](int thread, local& l) {
        if (vectorized) load<width>(from, i + thread * items_per_thread, end, l);
        else load<1>(from, i + thread * items_per_thread, end, l);
        Sum sum = start();
        PLACEMENT_UNROLL
        for (int k = 0; k < items_per_thread; ++k) sum = join(sum, l.x[k]);
        now[thread] = sum;
      });
      for (int d = 1; d < block_threads; d *= 2) {
        block.each([&](int thread, local&) {
          then[thread] = thread < d ? now[thread] : join(now[thread - d], now[thread]);
        });
        Sum* const swapped = now;
        now = then;
        then = swapped;
      }
      // the next tile's sums go to `then`, so `now` is written only after the next barrier
      block.each_without_barrier([&](int thread, local& l) {
        l.before = thread == 0 ? carried : join(carried, now[thread - 1]);
        if (out == nullptr) return;
        if (vectorized) store<width>(to, i + thread * items_per_thread, end, l);
        else store<1>(to, i + thread * items_per_thread, end, l);
      });
      carried = join(carried, now[block_threads - 1]);
      Sum* const swapped = now;
      now = then;
      then = swapped;
    }
    if (out == nullptr)
      block.each_without_barrier([&](int thread, local&) {
        if (thread == 0) *mine = carried;
      });
  }

 private:
  PLACEMENT_HD static constexpr Sum start() { return Rule::template start<Sum>(); }
  template <class X> PLACEMENT_HD static constexpr Sum join(Sum sum, X x) {
    return Rule::join(sum, static_cast<Sum>(x));
  }
  template <int V>
  PLACEMENT_HD void load(T const* from, index_t first, index_t end, local& l) const {
    PLACEMENT_UNROLL
    for (int k = 0; k < items_per_thread; k += V) {
      auto x = repeated<V>(Rule::template start<T>());
      if (first + k < end) x = load_vec<V>(from + first + k);
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) l.x[k + v] = x.v[v];
    }
  }
  template <int V>
  PLACEMENT_HD void store(R* to, index_t first, index_t end, local const& l) const {
    Sum sum = l.before;
    PLACEMENT_UNROLL
    for (int k = 0; k < items_per_thread; k += V) {
      access_of<R, V> y;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) {
        sum = join(sum, l.x[k + v]);
        y.v[v] = static_cast<R>(sum);
      }
      if (first + k < end) store_vec(to + first + k, y);
    }
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

/// The scans of fibers. Cost: one launch; three or more for a small number of long fibers.
template <class Rule, class Grid, class R, class T>
void scan(Grid const& grid, R* out, T const* in, index_t fibers, index_t length, index_t step) {
  using sum = typename Rule::template state<R>;
  bool const by_blocks =
      step == 1 &&
      length >= (fibers < enough_blocks ? shortest_scan_of_few_fibers : shortest_scan_of_block);
  auto const go = [&](auto gpu_kernel_args) {
    gpu_kernel_args.shape = {fibers, length, step};
    if (by_blocks)
      gpu_kernel_args.shape = split_fibers(gpu_kernel_args.shape, enough_blocks / fibers,
                                           scan_by_blocks<Rule, R, T, sum>::tile);
    else
      gpu_kernel_args.shape =
          split_fibers(gpu_kernel_args.shape, enough_threads / fibers, least_scan_of_thread);
    if (gpu_kernel_args.shape.chunks == 1) return grid(gpu_kernel_args, gpu_kernel_args.blocks());
    auto const scratch = grid.allocate_scratch(
        static_cast<std::size_t>(fibers * gpu_kernel_args.shape.chunks) * sizeof(sum));
    gpu_kernel_args.sums = static_cast<sum*>(scratch.data());
    gpu_kernel_args.out = nullptr;
    grid(gpu_kernel_args, gpu_kernel_args.blocks());
    scan<Rule>(grid, gpu_kernel_args.sums, static_cast<sum const*>(gpu_kernel_args.sums), fibers,
               gpu_kernel_args.shape.chunks, step);
    gpu_kernel_args.out = out;
    grid(gpu_kernel_args, gpu_kernel_args.blocks());
  };
  if (by_blocks) {
    constexpr int width = scan_by_blocks<Rule, R, T, sum>::width;
    bool const vectorized = length % width == 0 && is_aligned<width>(out) && is_aligned<width>(in);
    go(scan_by_blocks<Rule, R, T, sum>{out, in, nullptr, {}, vectorized});
  } else {
    go(scan_by_threads<Rule, R, T, sum>{out, in, nullptr, {}});
  }
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
