#pragma once
/// Where the tiles of a convolution on a GPU find their operands.

#include <placement/shape/window.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The results along one dimension that read the same taps: number m is result first + m * step,
/// and reads source + m * source_step + t * tap_source as tap number tap + t * tap_step.
struct window_phase {
  index_t first, step, count;
  index_t source, source_step, tap_source;
  index_t taps, tap, tap_step;
};

/// One dimension of a convolution, or of its gradient by the images.
///
/// Element i of the images is read by position q of the result as tap k where i + before = q *
/// stride + k * dilation. So elements with the same (i + before) % stride have the same taps.
struct gather_dimension {
  index_t in, out;  ///< extents of the operand and of the result
  index_t taps, stride, dilation, before;
  index_t phases;           ///< 1 but for a gradient with a stride
  index_t common, inverse;  ///< of dilation and stride: the divisor, and the inverse by it
  bool is_gradient;

  static constexpr gather_dimension forward(window_axis const& a) {
    return {a.in, a.out, a.taps, a.stride, a.dilation, a.before, 1, 1, 0, false};
  }
  static constexpr gather_dimension gradient(window_axis const& a) {
    index_t common = a.dilation, rest = a.stride;  // by Euclid's algorithm
    while (rest != 0) {
      index_t const next = common % rest;
      common = rest, rest = next;
    }
    return {a.out,
            a.in,
            a.taps,
            a.stride,
            a.dilation,
            a.before,
            a.in < a.stride ? (a.in < 1 ? 1 : a.in) : a.stride,
            common,
            inverse_of(a.dilation / common, a.stride / common),
            true};
  }
  PLACEMENT_HD constexpr window_phase phase(index_t p) const {
    if (!is_gradient) return {0, 1, out, -before, stride, dilation, taps, 0, 1};
    index_t const rest = (p + before) % stride, every = stride / common;
    index_t const tap = rest / common * inverse % every;
    index_t const used = rest % common == 0 && tap < taps ? (taps - 1 - tap) / every + 1 : 0;
    return {p,
            stride,
            p < out ? (out - 1 - p) / stride + 1 : 0,
            used == 0 ? 0 : (p + before - tap * dilation) / stride,
            1,
            -dilation / common,
            used,
            tap,
            every};
  }
  /// The most results of a phase.
  constexpr index_t longest() const { return phase(0).count; }

 private:
  /// x with a * x % m == 1 % m, where a and m have no common divisor.
  /// Source: Euclid's extended algorithm, Knuth: The Art of Computer Programming, volume 2, 4.5.2.
  static constexpr index_t inverse_of(index_t a, index_t m) {
    index_t r = a % m, next_r = m, x = 1, next_x = 0;
    while (r > 1) {
      index_t const q = next_r / r, rest = next_r % r, other = next_x - q * x;
      next_r = r, r = rest, next_x = x, x = other;
    }
    return m == 1 ? 0 : (x % m + m) % m;
  }
};

/// A number below `middle` * `low` * ..., as three digits: its successors need no division.
struct mixed_radix {
  index_t high, middle, low;

  struct radices {
    index_t middle, low;
  };
  PLACEMENT_HD static constexpr mixed_radix of(index_t n, radices const& r) {
    index_t const rows = n / r.low;
    return {rows / r.middle, rows % r.middle, n - rows * r.low};
  }
  PLACEMENT_HD constexpr mixed_radix plus(mixed_radix const& x, radices const& r) const {
    mixed_radix sum{high + x.high, middle + x.middle, low + x.low};
    if (sum.low >= r.low) sum.low -= r.low, ++sum.middle;
    if (sum.middle >= r.middle) sum.middle -= r.middle, ++sum.high;
    return sum;
  }
};

/// What a row of the product, or a depth, adds to the position of an element in the images.
struct conv2d_place {
  index_t at, y, x;
  index_t other;  ///< where it is in the other operand or in the result; -1 beyond the end
};

/// The part of the work of one block.
struct conv2d_part {
  window_phase y, x;
  index_t rows, begin, end;  ///< of the phase; of the depth
  index_t first_row, first_column, group, sums_at;
  mixed_radix::radices radix;  ///< of the depth
  mixed_radix step;            ///< from a tile to the next

  PLACEMENT_HD constexpr mixed_radix depth_at(index_t k) const { return mixed_radix::of(k, radix); }
};

/// A convolution or one of its gradients. The images are those that windows read: for the gradient
/// of images, the result's gradient. The depth of sums are taps, or pixels for that of a filter.
struct conv2d_on_gpu {
  gather_dimension y, x;
  index_t images;
  index_t source_channels, source_group;  ///< all, and those of a group
  index_t pixel_channels, pixel_group;    ///< of the array with an element for each window
  index_t filter_width, tap_size;         ///< in taps; in elements
  index_t channel_step, filter_group;     ///< from a source channel, or a group, to the next
  index_t columns;                        ///< in a group
  index_t column_step = 1;                ///< in the other operand
  index_t groups;
  index_t across = 1, down = 1, slots = 1;  ///< tiles, and parts of the depth
  index_t result_size;

  /// Whether each `width` columns are adjacent in the other operand, and start at a multiple of
  /// `width`. If columns are not adjacent, the same of each `width` elements of a depth.
  constexpr bool has_vectors_of_columns(index_t width) const {
    if (column_step != 1)
      return channel_step == 1 && source_group % width == 0 && column_step % width == 0 &&
             tap_size % width == 0 && filter_group % width == 0;
    return columns % width == 0 && pixel_channels % width == 0 && pixel_group % width == 0 &&
           channel_step % width == 0 && tap_size % width == 0 && filter_group % width == 0;
  }
  constexpr index_t blocks() const { return across * down * groups * slots * y.phases * x.phases; }
  PLACEMENT_HD static constexpr index_t at_least_one(index_t n) { return n < 1 ? 1 : n; }

  /// The part of a block with tiles of so many rows and so much depth.
  template <bool OfFilter>
  PLACEMENT_HD constexpr conv2d_part part(index_t block, index_t tile_rows, index_t depth_tile,
                                          index_t tile_columns) const {
    index_t n = block;
    auto const digit = [&n](index_t radix) {
      index_t const q = n / radix, rest = n - q * radix;
      n = q;
      return rest;
    };
    conv2d_part p{};
    p.first_column = digit(across) * tile_columns;
    p.first_row = digit(down) * tile_rows;
    p.group = digit(groups);
    index_t const slot = digit(slots);
    p.x = x.phase(digit(x.phases));
    p.y = y.phase(n);
    index_t const pixels = images * p.y.count * p.x.count,
                  taps = p.y.taps * p.x.taps * source_group;
    p.rows = OfFilter ? taps : pixels;
    index_t const depth = OfFilter ? pixels : taps;
    index_t const length = ((depth + slots - 1) / slots + depth_tile - 1) / depth_tile * depth_tile;
    p.begin = slot * length < depth ? slot * length : depth;
    p.end = depth - p.begin < length ? depth : p.begin + length;
    p.sums_at = slot * result_size;
    p.radix = radices<OfFilter>(p);
    p.step = p.depth_at(depth_tile);
    return p;
  }
  template <bool OfFilter>
  PLACEMENT_HD constexpr conv2d_place row(conv2d_part const& p, int thread) const {
    index_t const number = p.first_row + thread;
    auto const digits = mixed_radix::of(number, radices<!OfFilter>(p));
    return number < p.rows ? place<!OfFilter>(p, digits) : nowhere();
  }
  template <bool OfFilter>
  PLACEMENT_HD constexpr conv2d_place depth(conv2d_part const& p, mixed_radix const& digits,
                                            bool exists) const {
    return exists ? place<OfFilter>(p, digits) : nowhere();
  }
  PLACEMENT_HD constexpr bool is_inside(index_t row, index_t column) const {
    return static_cast<std::size_t>(row) < static_cast<std::size_t>(y.in) &&
           static_cast<std::size_t>(column) < static_cast<std::size_t>(x.in);
  }

 private:
  PLACEMENT_HD static constexpr conv2d_place nowhere() { return {0, -(index_t{1} << 61), 0, -1}; }
  template <bool Pixels>
  PLACEMENT_HD constexpr mixed_radix::radices radices(conv2d_part const& p) const {
    if constexpr (Pixels) return {at_least_one(p.y.count), at_least_one(p.x.count)};
    else return {at_least_one(p.x.taps), at_least_one(source_group)};
  }
  template <bool Pixels>
  PLACEMENT_HD constexpr conv2d_place place(conv2d_part const& p, mixed_radix const& d) const {
    if constexpr (Pixels) {
      index_t const row = p.y.source + d.middle * p.y.source_step;
      index_t const column = p.x.source + d.low * p.x.source_step;
      index_t const to =
          (d.high * y.out + p.y.first + d.middle * p.y.step) * x.out + p.x.first + d.low * p.x.step;
      return {((d.high * y.in + row) * x.in + column) * source_channels + p.group * source_group,
              row, column, to * pixel_channels + p.group * pixel_group};
    } else {
      index_t const row = d.high * p.y.tap_source, column = d.middle * p.x.tap_source;
      index_t const tap =
          (p.y.tap + d.high * p.y.tap_step) * filter_width + p.x.tap + d.middle * p.x.tap_step;
      return {(row * x.in + column) * source_channels + d.low, row, column,
              tap * tap_size + d.low * channel_step + p.group * filter_group};
    }
  }
};

}}}  // namespace placement::v0_1::detail
