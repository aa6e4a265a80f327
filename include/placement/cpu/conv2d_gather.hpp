#pragma once
/// Convolutions that gather: each element of the result is a sum over the elements that its window
/// reads. The gradient of the images is one, too: its windows read the result's gradient.

#include <placement/cpu/conv2d_axes.hpp>
#include <placement/cpu/conv2d_tile.hpp>
#include <placement/cpu/parallel_for.hpp>
#include <placement/cpu/scratch.hpp>
#include <placement/error.hpp>
#include <placement/shape/window.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

template <class S> S* scratch_array(thread_scratch& memory, index_t count) {
  void* const p = memory.at_least(static_cast<std::size_t>(count) * sizeof(S) + 1);
  if (p == nullptr) throw out_of_memory();
  return static_cast<S*>(p);
}

/// Where an element of the filter is: tap (ky, kx), channel k of the operand and n of the result.
struct filter_layout {
  index_t row, column, k, n, group;
};

/// Part of an image, with zeros around it where it has them.
template <class S> struct image_slab {
  S const* data;
  index_t pitch;  ///< elements from row to row
};

/// Copies positions [from, to) of rows and all columns to scratch memory, unless all are inside.
template <class S> class slab_reader {
 public:
  slab_reader(gather_axis const& y, gather_axis const& x, index_t channels)
      : y_(y), x_(x), channels_(channels), inside_(y.is_inside() && x.is_inside()) {}

  index_t pitch() const { return (inside_ ? x_.in : columns()) * channels_; }
  index_t size(index_t rows) const { return inside_ ? 0 : y_.count(0, rows) * pitch(); }
  /// Copies each slab, also where all is inside.
  void copy_all() { inside_ = false; }

  /// The same for `count` images, whose elements are side by side in vectors. memory: size()
  /// vectors.
  void read_vectors(conv2d_tiles<S> const& tiles, S* memory, S const* images, index_t count,
                    index_t from, index_t to) const {
    index_t const row = y_.first + from * y_.step, left = x_.first, width = columns();
    index_t const a = std::clamp(-left, index_t{0}, width), b = std::clamp(x_.in - left, a, width);
    index_t const lanes = tiles.lanes, image = y_.in * x_.in * channels_;
    S* p = memory;
    for (index_t r = row; r != row + y_.count(from, to); ++r, p += width * channels_ * lanes) {
      bool const exists = r >= 0 && r < y_.in;
      index_t const begin = exists ? a : width, end = exists ? b : width;
      std::fill(p, p + begin * channels_ * lanes, S{});
      if (begin != end)
        read_part(tiles, p + begin * channels_ * lanes,
                  images + (r * x_.in + left + begin) * channels_, image, count,
                  (end - begin) * channels_);
      std::fill(p + end * channels_ * lanes, p + width * channels_ * lanes, S{});
    }
  }

  /// `to`: size(to - from) elements.
  S const* read(S* memory, S const* image, index_t from, index_t to) const {
    index_t const row = y_.first + from * y_.step, left = x_.first, width = columns();
    if (inside_) return image + (row * x_.in + left) * channels_;
    index_t const a = std::clamp(-left, index_t{0}, width), b = std::clamp(x_.in - left, a, width);
    S* p = memory;
    for (index_t r = row; r != row + y_.count(from, to); ++r, p += pitch()) {
      bool const exists = r >= 0 && r < y_.in;
      index_t const begin = exists ? a : width, end = exists ? b : width;
      std::fill(p, p + begin * channels_, S{});
      if (begin != end)
        std::memcpy(p + begin * channels_, image + (r * x_.in + left + begin) * channels_,
                    static_cast<std::size_t>((end - begin) * channels_) * sizeof(S));
      std::fill(p + end * channels_, p + width * channels_, S{});
    }
    return memory;
  }

  index_t columns() const { return x_.count(0, x_.positions); }
  /// n elements of `count` images; those of missing ones are 0.
  static void read_part(conv2d_tiles<S> const& tiles, S* to, S const* from, index_t pitch,
                        index_t count, index_t n) {
    if (count == tiles.lanes) return tiles.to_vectors({const_cast<S*>(from), to, pitch, n, count});
    for (index_t k = 0; k != n; ++k)
      for (index_t i = 0; i != tiles.lanes; ++i)
        to[k * tiles.lanes + i] = i < count ? from[i * pitch + k] : S{};
  }
  /// Copies n elements of each image to `to`, where images are `pitch` apart.
  static void write_part(conv2d_tiles<S> const& tiles, S* to, S* from, index_t pitch, index_t count,
                         index_t n) {
    if (count == tiles.lanes) return tiles.from_vectors({to, from, pitch, n, count});
    for (index_t i = 0; i != count; ++i)
      for (index_t k = 0; k != n; ++k) to[i * pitch + k] = from[k * tiles.lanes + i];
  }

 private:
  gather_axis const &y_, &x_;
  index_t channels_;
  bool inside_;
};

/// Runs [begin, end).
struct run_range {
  index_t begin, end;
};

/// The offsets of a phase's taps in a slab. Neighbours along a row are one run
/// where each channel is read.
struct tap_runs {
  std::vector<index_t> offset;
  index_t length;

  tap_runs(gather_phase const& y, gather_phase const& x, index_t pitch, index_t channels,
           index_t groups) {
    auto const apart = [](auto const& a, auto const& b) { return b.offset != a.offset + 1; };
    bool const join =
        groups == 1 && std::adjacent_find(x.taps.begin(), x.taps.end(), apart) == x.taps.end();
    auto const columns = static_cast<index_t>(x.taps.size());
    length = channels / groups * (join ? columns : 1);
    for (auto const& r : y.taps)
      for (auto const& c : x.taps) {
        offset.push_back(r.offset * pitch + c.offset * channels);
        if (join) break;
      }
  }
  /// Those that read rows of the operand at position u of the rows.
  run_range inside(gather_axis const& rows, gather_phase const& y, index_t u) const {
    if (y.taps.empty()) return {0, 0};
    index_t const row = rows.first + u * rows.step;
    auto const below = [&](index_t limit) {
      return std::find_if(y.taps.begin(), y.taps.end(),
                          [&](auto const& tap) { return row + tap.offset >= limit; }) -
             y.taps.begin();
    };
    auto const each = static_cast<index_t>(offset.size() / y.taps.size());
    return {below(0) * each, below(rows.in) * each};
  }
};

/// Blocks of a group's channels, each as many vectors as a tile has at most.
struct channel_blocks {
  index_t lanes, vectors, blocks;

  channel_blocks(index_t channels, index_t in_vector, index_t in_tile)
      : lanes(in_vector),
        vectors((channels + in_vector - 1) / in_vector),
        blocks((vectors + in_tile - 1) / in_tile) {}
  index_t first(index_t block) const { return vectors * block / blocks; }
  index_t count(index_t block) const { return first(block + 1) - first(block); }
};

/// From here on a filter is not read for each image, but a part of it for many images.
inline constexpr index_t large_filter = 1 << 18;

/// The vectors of a tile: fewer where that allows tiles of more pixels. Those of a large filter
/// share each vector that is read.
template <class S>
index_t vectors_of_tiles(conv2d_tiles<S> const& of, gather_axis const& y, gather_axis const& x,
                         index_t channels, index_t filters) {
  index_t const most = of.vectors, columns = x.phases[0].end - x.phases[0].begin;
  auto const taps = static_cast<index_t>(y.phases[0].taps.size() * x.phases[0].taps.size());
  if (most < 2 || taps * channels * filters < large_filter) return most;
  auto const tiles = [&](index_t v) { return (columns + of.rows_of(v) - 1) / of.rows_of(v); };
  return tiles(most) * 2 >= tiles(most - 1) * 3 ? most - 1 : most;
}
/// So many positions that what they read stays in the second cache: rows of `pitch` elements, if
/// they are copied. result: the elements of a row that stay there, too.
inline index_t rows_in_cache(gather_axis const& y, index_t pitch, index_t filter_size,
                             index_t result) {
  constexpr index_t least = 1 << 15;
  index_t const elements = std::max(least, filter_size / 8);  // a large filter is read for each
  index_t rows = (elements / std::max(pitch, index_t{1}) - y.reach) / y.step + 1;
  if (result != 0) rows = std::min(rows, std::max(least / result, index_t{1}));
  index_t const all = (y.positions + rows - 1) / std::max(rows, index_t{1});
  if (rows < 1 || all < 1) return std::min(std::max(y.reach / y.step, index_t{1}), y.positions);
  return (y.positions + all - 1) / all;
}

/// Copies the part of a tap's matrix (depth, channels) for one block of channels, and fills up its
/// last vector with zeros. Returns the end of the copy.
template <class S>
S* pack_tap(conv2d_tiles<S> const& tiles, S* to, S const* w, filter_layout const& layout,
            index_t depth, index_t channels, channel_blocks const& blocks, index_t block) {
  constexpr index_t line = 16;  // elements of a transposed filter that are read together
  index_t const first = blocks.first(block) * blocks.lanes;
  index_t const width = blocks.count(block) * blocks.lanes;
  index_t const exist = std::min(width, channels - first);
  S const* const from = w + first * layout.n;
  index_t const lanes = tiles.lanes;
  index_t const in_registers = layout.n != 1 && layout.k == 1 ? exist / lanes * lanes : 0;
  for (index_t n = 0; n != in_registers; n += lanes)
    tiles.to_vectors({const_cast<S*>(from + n * layout.n), to + n, layout.n, depth, width});
  if (in_registers == width) return to + depth * width;
  for (index_t begin = 0; begin < depth; begin += line) {
    index_t const end = std::min(begin + line, depth);
    for (index_t k = begin; k != end && layout.n == 1; ++k)
      std::copy_n(from + k * layout.k, exist, to + k * width);
    for (index_t n = in_registers; n < exist && layout.n != 1; ++n)
      for (index_t k = begin; k != end; ++k) to[k * width + n] = from[k * layout.k + n * layout.n];
    for (index_t k = begin; k != end; ++k)
      std::fill(to + k * width + exist, to + (k + 1) * width, S{});
  }
  return to + depth * width;
}

/// A filter in the caller's memory.
template <class S> struct unpacked_filter {
  S const* data;
  filter_layout const& layout;
};
/// Packs taps [begin, end) of a phase of rows and one of columns, row by row.
template <class S>
S* pack_taps(conv2d_tiles<S> const& tiles, S* to, unpacked_filter<S> const& w,
             gather_phase const& y, gather_phase const& x, run_range taps, index_t group,
             index_t depth, index_t channels, channel_blocks const& blocks, index_t block) {
  auto const columns = static_cast<index_t>(x.taps.size());
  for (index_t t = taps.begin; t != taps.end; ++t) {
    index_t const row = y.taps[static_cast<std::size_t>(t / columns)].number;
    index_t const column = x.taps[static_cast<std::size_t>(t % columns)].number;
    S const* const tap = w.data + row * w.layout.row + column * w.layout.column;
    to =
        pack_tap(tiles, to, tap + group * w.layout.group, w.layout, depth, channels, blocks, block);
  }
  return to;
}

}}}  // namespace placement::v0_1::detail
