#pragma once
/// The gradient of a convolution's filter on the CPU.

#include <placement/cpu/conv2d_gather.hpp>

#include <type_traits>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// Sums over the pixels in slots, whose number depends on the extents alone. Each slot takes
/// consecutive rows of the result, also of several images, and the slots are added in order. So the
/// result does not depend on the number of threads.
template <class S> class conv2d_filter {
 public:
  conv2d_filter(S const* x, S const* g, conv2d_sizes const& s)
      : x_(x),
        g_(g),
        sizes_(s),
        y_axis_(forward_axis(s.y)),
        x_axis_(forward_axis(s.x)),
        tiles_(tiles_here<S>()),
        slab_(y_axis_, x_axis_, s.channels),
        runs_(y_axis_.phases[0], x_axis_.phases[0], slab_.pitch(), s.channels, s.groups),
        packs_(s.groups == 1 && s.y.stride == 1 && s.x.stride == 1 && s.channels >= least_packed &&
               s.filters >= least_packed),
        blocks_(s.filters / s.groups, tiles_.lanes,
                packs_ ? std::min(tiles_.vectors, index_t{3}) : tiles_.vectors),
        depth_(s.y.taps * s.x.taps * (s.channels / s.groups)),
        rows_(s.images * s.y.out),
        rows_at_once_(rows_at_once()) {}

  void run(S* out, index_t multiplications, par on) {
    index_t const size = depth_ * sizes_.groups * width(), slots = slots_of(size);
    // Fewer than 8 slots leave threads without work, so these take blocks of filters.
    index_t const parts = slots < 8 ? std::min(blocks_.blocks, index_t{4}) : 1;
    bool const is_direct = slots == 1 && sizes_.groups == 1 && width() == sizes_.filters;
    thread_scratch memory;
    S* const sums = is_direct ? out : scratch_array<S>(memory, size * slots);
    std::fill_n(sums, size * slots, S{});
    work_size work{slots * parts, 1, static_cast<std::size_t>(multiplications) / 4};
    on.parallel_for(work, [&](work_chunk const& chunk) {
      scratch_buffer buffer;
      S* const slab = scratch_array<S>(buffer, slab_size() + copies_size());
      for (index_t i = chunk.begin, end = i; i != chunk.end; i = end) {
        index_t const slot = i / parts, first = slot * parts;
        end = std::min(first + parts, chunk.end);  // all parts of a slot that are in the chunk
        blocks const of_part{blocks_.blocks * (i - first) / parts,
                             blocks_.blocks * (end - first) / parts};
        index_t const until = rows_ * (slot + 1) / slots;
        for (index_t r = rows_ * slot / slots; r < until; r += rows_at_once_)
          add_rows(sums + slot * size, slab, r, std::min(r + rows_at_once_, until), of_part);
      }
    });
    if (!is_direct) add_slots(out, sums, size, slots);
  }

 private:
  static constexpr index_t excess = 64;  ///< elements that a tile may read past a row's last one
  static constexpr index_t least_packed = 128;  ///< channels, and filters
  struct blocks {
    index_t begin, end;
  };

  index_t width() const { return blocks_.vectors * blocks_.lanes; }
  index_t row_size() const { return sizes_.x.out * sizes_.filters; }
  /// The most images that rows_at_once_ rows are part of.
  index_t images_at_once() const {
    return std::min((rows_at_once_ + sizes_.y.out - 2) / sizes_.y.out + 1, sizes_.images);
  }
  /// Elements of slabs of rows of several images.
  index_t slab_size() const {
    return slab_.size(std::min(rows_at_once_, sizes_.y.out)) * images_at_once();
  }
  /// Elements of the images that rows_at_once_ rows read, where they are packed.
  index_t panels_size() const {
    return (rows_at_once_ + images_at_once() * (sizes_.y.reach() - 1)) * slab_.pitch() +
           sizes_.channels * channel_tiles::line;
  }
  /// Elements of copies of the result's gradient, and of the images.
  index_t copies_size() const {
    if (!packs_) return rows_at_once_ * row_size() + excess;
    return rows_at_once_ * sizes_.x.out * tiles_.vectors * blocks_.lanes + panels_size();
  }

  /// Rows of about 128 pixels. Tiles of all taps read them, so what they read of the images stays
  /// in the first cache and its table of pages.
  index_t rows_at_once() const {
    index_t const pixels = packs_ && depth_ * width() > (1 << 19) ? 256 : 128;
    index_t const rows = std::max(pixels / std::max(sizes_.x.out, index_t{1}), index_t{1});
    index_t const parts = (rows_ + rows - 1) / rows;
    return (rows_ + parts - 1) / parts;
  }
  /// At most 16, for at least 64 pixels each, with at most 1 Mi sums in all.
  index_t slots_of(index_t size) const {
    constexpr index_t most = 16, pixels = 64, elements = 1 << 20;
    index_t const all = rows_ * sizes_.x.out;
    index_t const useful =
        std::min({most, rows_, all / pixels, elements / std::max(size, index_t{1})});
    return std::max(useful, index_t{1});
  }

  /// The offset of what each of the rows [from, until) of the result reads, from the address that
  /// is returned. memory: slab_size() elements.
  S const* read_rows(S* memory, std::vector<index_t>& offset, index_t from, index_t until) const {
    index_t const pitch = sizes_.y.stride * slab_.pitch();
    S const* const base = slab_.size(1) == 0 ? x_ : memory;
    for (index_t r = from; r != until;) {
      index_t const image = r / sizes_.y.out, row = r - image * sizes_.y.out;
      index_t const count = std::min(sizes_.y.out - row, until - r);
      S const* const slab = slab_.read(memory, x_ + image * sizes_.image_size(), row, row + count);
      for (index_t i = 0; i != count; ++i) offset.push_back(slab - base + i * pitch);
      memory += slab_.size(count);
      r += count;
    }
    return base;
  }
  /// Adds the products of rows of the result, for some blocks of filters.
  void add_rows(S* sums, S* memory, index_t from, index_t until, blocks of_part) const {
    conv2d_sizes const& s = sizes_;
    index_t const rows = until - from, left = (rows_ - until) * row_size();
    std::vector<index_t> offset;
    S const* const slab = read_rows(memory, offset, from, until);
    if (packs_) return add_packed(sums, memory + slab_size(), slab, offset, from, of_part);
    S const* g = g_ + from * row_size();
    if (left < excess && s.filters / s.groups % blocks_.lanes != 0) {
      S* const copy = memory + slab_size();
      std::copy_n(g, rows * row_size(), copy);
      std::fill_n(copy + rows * row_size(), excess, S{});
      g = copy;
    }
    conv2d_tile<S> t{};
    t.out_step = width();
    t.out_vector = blocks_.lanes;
    t.x_step = 1;
    t.x_next = s.x.stride * s.channels;
    t.w_step = blocks_.lanes;
    t.run = offset.data();
    t.x_list = 1;
    t.w_run = row_size();
    t.runs = rows;
    t.length = s.x.out;
    t.w_next = s.filters;
    t.adds = true;
    for (index_t group = 0; group != s.groups; ++group)
      for (index_t b = of_part.begin; b != of_part.end; ++b) {
        index_t const first = blocks_.first(b) * blocks_.lanes;
        t.w = g + group * (s.filters / s.groups) + first;
        S* const to = sums + group * depth_ * width() + first;
        add_taps(t, to, slab + group * (s.channels / s.groups), blocks_.count(b));
      }
  }
  /// The same by copies in the order in which tiles read: pixels of one tile's channels, and pixels
  /// of one block of filters. In place they are far apart, so that they evict each other from the
  /// first cache.
  void add_packed(S* sums, S* memory, S const* slab, std::vector<index_t>& offset, index_t from,
                  blocks of_part) const {
    conv2d_sizes const& s = sizes_;
    index_t const pixels = static_cast<index_t>(offset.size()) * s.x.out;
    index_t const begin = offset.front();
    index_t const read = offset.back() - begin + (s.y.reach() - 1) * slab_.pitch() +
                         (s.x.out + s.x.reach() - 1) * s.channels;
    for (index_t& o : offset) o = (o - begin) / s.channels;
    S* const panels = memory + pixels * tiles_.vectors * blocks_.lanes;
    conv2d_tile<S> t{};
    t.w = memory;
    t.out_step = width();
    t.out_vector = blocks_.lanes;
    t.x_step = 1;
    t.w_step = blocks_.lanes;
    t.run = offset.data();
    t.runs = static_cast<index_t>(offset.size());
    t.length = s.x.out;
    t.adds = true;
    index_t const read_pixels = read / s.channels;
    index_t packed = 0;  // rows of the tiles for which the panels are packed
    for (index_t b = of_part.begin; b != of_part.end; ++b) {
      index_t const first = blocks_.first(b) * blocks_.lanes, count = blocks_.count(b);
      channel_tiles const tiles(s.channels, tiles_.rows_of(count));
      if (tiles.count != packed) pack_channels(panels, slab + begin, read_pixels, tiles);
      packed = tiles.count;
      pack_filters(memory, g_ + from * row_size() + first, pixels, b);
      t.w_next = count * blocks_.lanes;
      t.w_run = s.x.out * t.w_next;
      add_panels(t, sums + first, panels, read_pixels, count, tiles);
    }
  }
  /// The channels of tiles of at most `most` channels, which differ by one at most.
  struct channel_tiles {
    index_t count, width, wider;

    channel_tiles(index_t channels, index_t most)
        : count((channels + most - 1) / most), width(channels / count), wider(channels % count) {}
    index_t first(index_t i) const { return i * width + std::min(i, wider); }
    index_t width_of(index_t i) const { return i < wider ? width + 1 : width; }
    /// Where the panel of a tile begins. A line between panels spreads them over the cache.
    index_t panel(index_t i, index_t pixels) const { return first(i) * pixels + i * line; }

    static constexpr index_t line = 64 / sizeof(S);
  };
  /// Panels of the channels of one tile each, pixel by pixel.
  void pack_channels(S* to, S const* slab, index_t pixels, channel_tiles const& tiles) const {
    for (index_t p = 0; p != pixels; ++p, slab += sizes_.channels)
      for (index_t i : {index_t{0}, tiles.wider}) {
        index_t const end = i < tiles.wider ? tiles.wider : tiles.count, width = tiles.width_of(i);
        spread<conv2d_tiles<S>::max_rows>(to + tiles.panel(i, pixels) + p * width,
                                          slab + tiles.first(i), end - i, width,
                                          tiles.panel(i + 1, pixels) - tiles.panel(i, pixels));
        if (end == tiles.count) break;
      }
  }
  /// n times `width` <= Most elements. Copies of constant size are single moves.
  template <int Most>
  static void spread(S* to, S const* from, index_t n, index_t width, index_t pitch) {
    if constexpr (Most > 1)
      if (width != Most) return spread<Most - 1>(to, from, n, width, pitch);
    for (index_t i = 0; i != n; ++i, to += pitch, from += Most)
      std::memcpy(to, from, Most * sizeof(S));
  }
  /// A block of the filters of the result's gradient, with zeros in its last vector.
  void pack_filters(S* to, S const* g, index_t pixels, index_t block) const {
    index_t const whole = blocks_.count(block) * blocks_.lanes;
    index_t const exist = std::min(whole, sizes_.filters - blocks_.first(block) * blocks_.lanes);
    for (index_t p = 0; p != pixels; ++p, to += whole, g += sizes_.filters) {
      std::copy_n(g, exist, to);
      std::fill(to + exist, to + whole, S{});
    }
  }
  void add_panels(conv2d_tile<S>& t, S* sums, S const* panels, index_t pixels, index_t vectors,
                  channel_tiles const& tiles) const {
    index_t const pitch = slab_.pitch() / sizes_.channels;
    for (index_t i = 0; i != tiles.count; ++i) {
      index_t const width_of_tile = tiles.width_of(i);
      t.x_next = t.x_list = width_of_tile;
      t.out = sums + tiles.first(i) * width();
      for (auto const& row : y_axis_.phases[0].taps)
        for (auto const& column : x_axis_.phases[0].taps) {
          t.x = panels + tiles.panel(i, pixels) +
                (row.offset * pitch + column.offset) * width_of_tile;
          tiles_.compute(t, vectors, width_of_tile);
          t.out += sizes_.channels * width();
        }
    }
  }
  void add_taps(conv2d_tile<S>& t, S* to, S const* slab, index_t vectors) const {
    index_t const length = runs_.length, most = tiles_.rows_of(vectors);
    index_t const tiles = (length + most - 1) / most;
    for (index_t const offset : runs_.offset)
      for (index_t i = 0; i != tiles; ++i) {
        index_t const a = length * i / tiles, b = length * (i + 1) / tiles;
        t.x = slab + offset + a;
        t.out = to;
        tiles_.compute(t, vectors, b - a);
        to += (b - a) * width();
      }
  }

  /// The sum of the slots, in double. The filter has the groups side by side in its last dimension.
  void add_slots(S* out, S const* sums, index_t size, index_t slots) const {
    index_t const filters = sizes_.filters / sizes_.groups;
    for (index_t group = 0; group != sizes_.groups; ++group)
      for (index_t k = 0; k != depth_; ++k)
        for (index_t n = 0; n != filters; ++n) {
          S const* const first = sums + (group * depth_ + k) * width() + n;
          double sum = 0;
          for (index_t slot = 0; slot != slots; ++slot)
            sum += static_cast<double>(first[slot * size]);
          out[k * sizes_.filters + group * filters + n] = static_cast<S>(sum);
        }
  }

  S const *x_, *g_;
  conv2d_sizes const& sizes_;
  gather_axis const y_axis_, x_axis_;
  conv2d_tiles<S> const& tiles_;
  slab_reader<S> slab_;
  tap_runs runs_;
  bool packs_;
  channel_blocks blocks_;
  index_t depth_;
  index_t rows_;  ///< of the results of all images
  index_t rows_at_once_;
};

}}}  // namespace placement::v0_1::detail
