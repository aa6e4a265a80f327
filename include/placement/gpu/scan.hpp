#pragma once
/// Running sums along one dimension on a GPU: a thread takes a part of a short line, a block a part
/// of a long one. Where lines are too few to fill a GPU their parts are summed first, and the sums
/// of the parts are run up by the same bodies.
///
/// The order of additions follows from the shape alone, so that a result is the same in every run.

#include <placement/gpu/reduce.hpp>
#include <placement/shape/fiber.hpp>

#include <cstdint>
#include <type_traits>

namespace placement::inline v0_1 {

namespace detail {

/// What a running sum is carried in: integers wrap.
template <class T>
using carried_sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;

/// How lines are cut into parts.
struct scan_shape {
  index_t fibers = 0, length = 0, step = 1;  ///< step: from one element of a line to the next
  index_t chunks = 1;                        ///< of a line
  index_t chunk_length = 0;

  /// Where a line begins.
  PLACEMENT_HD constexpr index_t first(index_t fiber) const {
    return step == 1 ? fiber * length : fiber / step * (length * step) + fiber % step;
  }
  PLACEMENT_HD constexpr index_t end(index_t begin) const {
    return length - begin < chunk_length ? length : begin + chunk_length;
  }
};

}  // namespace detail

/// A thread for each part of a line; neighbouring threads take neighbouring lines. Sum: carried in.
/// out: the running sums, or, where that is null, the sum of each part goes to `sums`, which lies
/// as lines of parts with the same step.
template <class R, class T, class Sum> struct scan_by_threads {
  using local = detail::no_local;
  static constexpr std::size_t shared_bytes = 0;

  R* out;
  T const* in;
  Sum* sums;  ///< null: there is one part. While out is not null: the running sums of the parts
  detail::scan_shape shape;

  constexpr index_t blocks() const {
    return (shape.fibers * shape.chunks + block_threads - 1) / block_threads;
  }
  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.apart([&](int thread, local&) {
      index_t const number = block.number() * block_threads + thread;
      if (number < shape.fibers * shape.chunks)
        scan_chunk(number % shape.fibers, number / shape.fibers);
    });
  }

 private:
  PLACEMENT_HD void scan_chunk(index_t fiber, index_t chunk) const {
    index_t const begin = chunk * shape.chunk_length, end = shape.end(begin);
    index_t const base = shape.first(fiber);
    Sum* const mine =
        sums == nullptr ? nullptr : sums + of_chunks().first(fiber) + chunk * shape.step;
    Sum sum = out != nullptr && chunk != 0 ? mine[-shape.step] : Sum{};
    constexpr int side = 4;  // loads in flight
    index_t i = begin;
    PLACEMENT_ROLLED
    for (; i + side <= end; i += side) {
      auto const x = load_each<side>(in + base + i * shape.step, shape.step);
      PLACEMENT_UNROLL
      for (int k = 0; k < side; ++k) {
        sum += static_cast<Sum>(x.v[k]);
        if (out != nullptr) out[base + (i + k) * shape.step] = static_cast<R>(sum);
      }
    }
    PLACEMENT_ROLLED
    for (; i < end; ++i) {
      sum += static_cast<Sum>(in[base + i * shape.step]);
      if (out != nullptr) out[base + i * shape.step] = static_cast<R>(sum);
    }
    if (out == nullptr) *mine = sum;
  }
  PLACEMENT_HD constexpr detail::scan_shape of_chunks() const {
    return {shape.fibers, shape.chunks, shape.step};
  }
};

/// A block for each part of a line whose elements lie side by side.
template <class R, class T, class Sum> struct scan_by_blocks {
  static constexpr int width = vector_width<R, dense_leaf<T>>;
  static constexpr int items_per_thread = 16;  ///< elements a thread adds up at once, side by side
  static constexpr index_t tile = index_t{block_threads} * items_per_thread;
  static constexpr std::size_t shared_bytes = 2 * block_threads * sizeof(Sum);
  struct local {
    Sum before;  ///< the sum of all elements of the line before this thread's
    T x[items_per_thread];
  };

  R* out;  ///< null: the sums of the parts are wanted
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
    Sum carried = out != nullptr && chunk != 0 ? mine[-1] : Sum{};
    Sum* now = static_cast<Sum*>(block.shared());
    Sum* then = now + block_threads;
    for (index_t i = begin; i < end; i += tile) {
      block.each([&](int thread, local& l) {
        if (vectorized) load<width>(from, i + thread * items_per_thread, end, l);
        else load<1>(from, i + thread * items_per_thread, end, l);
        Sum sum{};
        PLACEMENT_UNROLL
        for (int k = 0; k < items_per_thread; ++k) sum += static_cast<Sum>(l.x[k]);
        now[thread] = sum;
      });
      for (int d = 1; d < block_threads; d *= 2) {
        block.each([&](int thread, local&) {
          then[thread] = thread < d ? now[thread] : now[thread - d] + now[thread];
        });
        Sum* const swapped = now;
        now = then;
        then = swapped;
      }
      // `now` is written again only after the next barrier: the next tile's sums go to the other
      block.apart([&](int thread, local& l) {
        l.before = thread == 0 ? carried : carried + now[thread - 1];
        if (out == nullptr) return;
        if (vectorized) store<width>(to, i + thread * items_per_thread, end, l);
        else store<1>(to, i + thread * items_per_thread, end, l);
      });
      carried += now[block_threads - 1];
      Sum* const swapped = now;
      now = then;
      then = swapped;
    }
    if (out == nullptr)
      block.apart([&](int thread, local&) {
        if (thread == 0) *mine = carried;
      });
  }

 private:
  template <int V>
  PLACEMENT_HD void load(T const* from, index_t first, index_t end, local& l) const {
    PLACEMENT_UNROLL
    for (int k = 0; k < items_per_thread; k += V) {
      access_of<T, V> x{};
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
      for (int v = 0; v < V; ++v) y.v[v] = static_cast<R>(sum += static_cast<Sum>(l.x[k + v]));
      if (first + k < end) store_vec(to + first + k, y);
    }
  }
};

namespace detail {

/// Lines of fewer elements, and those across, are a thread's work: where there are many of them,
/// and where there are not.
inline constexpr index_t shortest_scan_of_block = 512, shortest_scan_of_few_fibers = 64;
/// Threads that fill a large GPU some times over, and the elements each has at least.
inline constexpr index_t enough_threads = enough_blocks * block_threads;
inline constexpr index_t least_scan_of_thread = 32;

/// So many parts, or as many as leave each a multiple of `unit` elements.
constexpr scan_shape split_fibers(scan_shape s, index_t wanted, index_t unit) {
  index_t const units = (s.length + unit - 1) / unit;
  index_t const chunks = wanted < 1 ? 1 : wanted < units ? wanted : units;
  s.chunk_length = (units + chunks - 1) / chunks * unit;
  s.chunks = (s.length + s.chunk_length - 1) / s.chunk_length;
  return s;
}

/// The running sums of lines. Cost: one launch, or three or more where lines are few and long.
template <class Grid, class R, class T>
void scan(Grid const& grid, R* out, T const* in, index_t fibers, index_t length, index_t step) {
  using sum = carried_sum<R>;
  bool const by_blocks =
      step == 1 &&
      length >= (fibers < enough_blocks ? shortest_scan_of_few_fibers : shortest_scan_of_block);
  auto const go = [&](auto gpu_kernel_args) {
    gpu_kernel_args.shape = {fibers, length, step};
    if (by_blocks)
      gpu_kernel_args.shape = split_fibers(gpu_kernel_args.shape, enough_blocks / fibers,
                                           scan_by_blocks<R, T, sum>::tile);
    else
      gpu_kernel_args.shape =
          split_fibers(gpu_kernel_args.shape, enough_threads / fibers, least_scan_of_thread);
    if (gpu_kernel_args.shape.chunks == 1) return grid(gpu_kernel_args, gpu_kernel_args.blocks());
    auto const room =
        grid.room(static_cast<std::size_t>(fibers * gpu_kernel_args.shape.chunks) * sizeof(sum));
    gpu_kernel_args.sums = static_cast<sum*>(room.data());
    gpu_kernel_args.out = nullptr;
    grid(gpu_kernel_args, gpu_kernel_args.blocks());
    scan(grid, gpu_kernel_args.sums, static_cast<sum const*>(gpu_kernel_args.sums), fibers,
         gpu_kernel_args.shape.chunks, step);
    gpu_kernel_args.out = out;
    grid(gpu_kernel_args, gpu_kernel_args.blocks());
  };
  if (by_blocks) {
    constexpr int width = scan_by_blocks<R, T, sum>::width;
    bool const vectorized = length % width == 0 && is_aligned<width>(out) && is_aligned<width>(in);
    go(scan_by_blocks<R, T, sum>{out, in, nullptr, {}, vectorized});
  } else {
    go(scan_by_threads<R, T, sum>{out, in, nullptr, {}});
  }
}

/// The running sums along dimension `axis`.
template <class Grid, class R, class T, class X>
void scan_along(Grid const& grid, dense_view<R, X> const& out, dense_view<T const, X> const& in,
                std::size_t axis) {
  if (in.size() == 0) return;
  index_t const length = in.shape.at(axis);
  scan(grid, out.data, in.data, in.size() / length, length, sides_of(in.shape, axis).after);
}

}  // namespace detail
}  // namespace placement::inline v0_1
