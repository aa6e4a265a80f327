#pragma once
/// Running sums along one dimension on a GPU: a thread takes a part of a short line, a block a part
/// of a long one. Where lines are too few to fill a GPU their parts are summed first, and the sums
/// of the parts are run up by the same bodies.
///
/// The order of additions follows from the shape alone, so that a result is the same in every run.

#include <placement/kernels/fold_rows.hpp>
#include <placement/kernels/line.hpp>

#include <cstdint>
#include <type_traits>

namespace placement::inline v0_1 {

namespace detail {

/// What a running sum is carried in: integers wrap.
template <class T>
using carried_sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;

/// How lines are cut into parts.
struct scan_shape {
  index_t lines = 0, length = 0, step = 1;  ///< step: from one element of a line to the next
  index_t parts = 1;                        ///< of a line
  index_t part_length = 0;

  /// Where a line begins.
  PLACEMENT_HD constexpr index_t first(index_t line) const {
    return step == 1 ? line * length : line / step * (length * step) + line % step;
  }
  PLACEMENT_HD constexpr index_t end(index_t begin) const {
    return length - begin < part_length ? length : begin + part_length;
  }
};

}  // namespace detail

/// A thread for each part of a line; neighbouring threads take neighbouring lines. Sum: carried in.
/// out: the running sums, or, where that is null, the sum of each part goes to `sums`, which lies
/// as lines of parts with the same step.
template <class R, class T, class Sum> struct scan_by_threads {
  using local = detail::nothing_kept;
  static constexpr std::size_t shared_bytes = 0;

  R* out;
  T const* in;
  Sum* sums;  ///< null: there is one part. While out is not null: the running sums of the parts
  detail::scan_shape shape;

  constexpr index_t blocks() const {
    return (shape.lines * shape.parts + block_threads - 1) / block_threads;
  }
  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.apart([&](int thread, local&) {
      index_t const number = block.number() * block_threads + thread;
      if (number < shape.lines * shape.parts) take(number % shape.lines, number / shape.lines);
    });
  }

 private:
  PLACEMENT_HD void take(index_t line, index_t part) const {
    index_t const begin = part * shape.part_length, end = shape.end(begin);
    index_t const base = shape.first(line);
    Sum* const mine = sums == nullptr ? nullptr : sums + of_parts().first(line) + part * shape.step;
    Sum sum = out != nullptr && part != 0 ? mine[-shape.step] : Sum{};
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
  PLACEMENT_HD constexpr detail::scan_shape of_parts() const {
    return {shape.lines, shape.parts, shape.step};
  }
};

/// A block for each part of a line whose elements lie side by side.
template <class R, class T, class Sum> struct scan_by_blocks {
  static constexpr int width = chunk_width<R, dense_leaf<T>>;
  static constexpr int kept = 16;  ///< elements a thread adds up at once, side by side
  static constexpr index_t tile = index_t{block_threads} * kept;
  static constexpr std::size_t shared_bytes = 2 * block_threads * sizeof(Sum);
  struct local {
    Sum before;  ///< the sum of all elements of the line before this thread's
    T x[kept];
  };

  R* out;  ///< null: the sums of the parts are wanted
  T const* in;
  Sum* sums;  ///< as in scan_by_threads
  detail::scan_shape shape;
  bool in_chunks;

  constexpr index_t blocks() const { return shape.lines * shape.parts; }

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    index_t const line = block.number() / shape.parts, part = block.number() % shape.parts;
    index_t const begin = part * shape.part_length, end = shape.end(begin);
    Sum* const mine = sums == nullptr ? nullptr : sums + block.number();
    T const* const from = in + line * shape.length;
    R* const to = out == nullptr ? nullptr : out + line * shape.length;
    Sum carried = out != nullptr && part != 0 ? mine[-1] : Sum{};
    Sum* now = static_cast<Sum*>(block.shared());
    Sum* then = now + block_threads;
    for (index_t i = begin; i < end; i += tile) {
      block.each([&](int thread, local& l) {
        if (in_chunks) load<width>(from, i + thread * kept, end, l);
        else load<1>(from, i + thread * kept, end, l);
        Sum sum{};
        PLACEMENT_UNROLL
        for (int k = 0; k < kept; ++k) sum += static_cast<Sum>(l.x[k]);
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
        if (in_chunks) store<width>(to, i + thread * kept, end, l);
        else store<1>(to, i + thread * kept, end, l);
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
    for (int k = 0; k < kept; k += V) {
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
    for (int k = 0; k < kept; k += V) {
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
inline constexpr index_t shortest_scan_of_block = 512, shortest_of_few = 64;
/// Threads that fill a large GPU some times over, and the elements each has at least.
inline constexpr index_t enough_threads = enough_blocks * block_threads;
inline constexpr index_t least_scan_of_thread = 32;

/// So many parts, or as many as leave each a multiple of `unit` elements.
constexpr scan_shape in_parts(scan_shape s, index_t wanted, index_t unit) {
  index_t const units = (s.length + unit - 1) / unit;
  index_t const parts = wanted < 1 ? 1 : wanted < units ? wanted : units;
  s.part_length = (units + parts - 1) / parts * unit;
  s.parts = (s.length + s.part_length - 1) / s.part_length;
  return s;
}

/// The running sums of lines. Cost: one launch, or three or more where lines are few and long.
template <class Grid, class R, class T>
void scan(Grid const& grid, R* out, T const* in, index_t lines, index_t length, index_t step) {
  using sum = carried_sum<R>;
  bool const by_blocks =
      step == 1 && length >= (lines < enough_blocks ? shortest_of_few : shortest_scan_of_block);
  auto const go = [&](auto body) {
    body.shape = {lines, length, step};
    if (by_blocks)
      body.shape = in_parts(body.shape, enough_blocks / lines, scan_by_blocks<R, T, sum>::tile);
    else body.shape = in_parts(body.shape, enough_threads / lines, least_scan_of_thread);
    if (body.shape.parts == 1) return grid(body, body.blocks());
    auto const room = grid.room(static_cast<std::size_t>(lines * body.shape.parts) * sizeof(sum));
    body.sums = static_cast<sum*>(room.data());
    body.out = nullptr;
    grid(body, body.blocks());
    scan(grid, body.sums, static_cast<sum const*>(body.sums), lines, body.shape.parts, step);
    body.out = out;
    grid(body, body.blocks());
  };
  if (by_blocks) {
    constexpr int width = scan_by_blocks<R, T, sum>::width;
    bool const in_chunks = length % width == 0 && is_aligned<width>(out) && is_aligned<width>(in);
    go(scan_by_blocks<R, T, sum>{out, in, nullptr, {}, in_chunks});
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
