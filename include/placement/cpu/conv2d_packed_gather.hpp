#pragma once
/// Convolutions that gather, with a filter that is packed in the order in which tiles read it.

#include <placement/cpu/conv2d_gather.hpp>
#include <placement/cpu/finished_tile.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// A gather with its filter, packed in the order in which tiles read it.
template <class S> class conv2d_gather {
 public:
  conv2d_gather(gather_axis y, gather_axis x, index_t in_channels, index_t out_channels,
                index_t groups, index_t images, bool always_in_vectors = false)
      : y_(std::move(y)),
        x_(std::move(x)),
        in_channels_(in_channels),
        out_channels_(out_channels),
        groups_(groups),
        tiles_(tiles_here<S>()),
        slab_(y_, x_, in_channels),
        in_vectors_(always_in_vectors || takes_images_in_vectors(images)),
        blocks_(out_channels / groups, in_vectors_ ? 1 : tiles_.lanes,
                in_vectors_
                    ? out_channels
                    : vectors_of_tiles(tiles_, y_, x_, in_channels, out_channels / groups)) {
    if (in_vectors_) slab_.copy_all();
  }

  /// epilogue: called for finished pixels. A result without phases in its rows can have one.
  void run(S* out, S const* in, S const* w, filter_layout const& layout, index_t images,
           index_t multiplications, par on, epilogue_callback const& epilogue = {}) {
    thread_scratch memory;
    pack(w, layout, memory);
    epilogue_ = epilogue;
    if (in_vectors_) return run_in_vectors(out, in, images, multiplications, on);
    if (takes_blocks_first())
      return run_by_blocks(out, in, {w, layout}, images, multiplications, on);
    index_t const rows = rows_at_once(1), parts = (y_.positions + rows - 1) / rows;
    work_size const size{images * parts, 1, static_cast<std::size_t>(multiplications) / 4};
    on.parallel_for(size, [&](work_chunk const& chunk) {
      scratch_buffer slab;
      S* const to = scratch_array<S>(slab, slab_.size(rows));
      for (index_t i = chunk.begin; i != chunk.end; ++i) {
        index_t const n = i / parts, from = i % parts * rows;
        index_t const until = std::min(from + rows, y_.positions);
        S const* const read = slab_.read(to, in + n * image_size(), from, until);
        compute(out + n * result_size(), read, from, until);
        finish(n, from, until);
      }
    });
  }

  // ---- steps of run(), for vectors that hold one element of several images each

  /// Copies the filter to `memory`, in the order of the tiles. A large filter is copied later.
  void pack(S const* w, filter_layout const& layout, thread_scratch& memory) {
    filter_size_ = y_.taps() * x_.taps() * in_channels_ * blocks_.vectors * blocks_.lanes;
    bool const packs_later = !in_vectors_ && takes_blocks_first();
    S* to = packs_later ? nullptr : scratch_array<S>(memory, filter_size_);
    for (gather_phase const& y : y_.phases)
      for (gather_phase const& x : x_.phases) {
        parts_.push_back({&y, &x, {y, x, slab_.pitch(), in_channels_, groups_}, to});
        if (packs_later) return;
        for (index_t g = 0; g != groups_; ++g)
          for (index_t b = 0; b != blocks_.blocks; ++b)
            to = pack_block(to, {w, layout}, parts_.back(), {0, parts_.back().taps()}, g, b);
      }
  }
  /// `rows` rows of the result of all images in the slab, from the `from`-th on, which is the first
  /// in the slab. Taps that read zeros above or below the images are left out.
  void compute_vectors(S* sums, S const* slab, index_t from, index_t rows) const {
    index_t const lanes = tiles_.lanes, m = out_channels_;
    index_t const pixels = tiles_.vectors, most = tiles_.rows_of(pixels);
    index_t const tiles = (m + most - 1) / most, columns = (x_.out + pixels - 1) / pixels;
    part const& p = parts_[0];
    conv2d_tile<S> t{};
    t.out_step = lanes;
    t.out_vector = m * lanes;
    t.x_step = 1;
    t.x_next = m;
    t.x_run = p.runs.length * m;
    t.w_list = lanes;
    t.w_next = lanes;
    t.w_step = x_.step * in_channels_ * lanes;
    t.length = p.runs.length;
    t.channels = pixels * lanes;
    for (index_t u = 0; u != rows; ++u) {
      run_range const inside = p.runs.inside(y_, *p.y, from + u);
      t.run = p.runs.offset.data() + inside.begin;
      t.runs = inside.end - inside.begin;
      for (index_t c = 0; c != columns; ++c) {
        index_t const a = x_.out * c / columns, b = x_.out * (c + 1) / columns;
        t.w = slab + (u * y_.step * slab_.pitch() + a * x_.step * in_channels_) * lanes;
        for (index_t i = 0; i != tiles; ++i) {
          index_t const first = m * i / tiles, last = m * (i + 1) / tiles;
          t.x = p.filter + inside.begin * t.x_run + first;
          t.out = sums + ((u * x_.out + a) * m + first) * lanes;
          tiles_.compute(t, b - a, last - first);
        }
      }
    }
  }
  /// Copies n elements of each image to `out`, where images are `pitch` apart.
  void write_images(S* out, S* sums, index_t pitch, index_t count, index_t n) const {
    slab_.write_part(tiles_, out, sums, pitch, count, n);
  }

  slab_reader<S> const& slab() const { return slab_; }
  tap_runs const& runs() const { return parts_[0].runs; }

 private:
  /// The positions of a row and a column that have the same taps.
  struct part {
    gather_phase const *y, *x;
    tap_runs runs;
    S const* filter;  ///< for each group and block: the taps' rows of vectors

    index_t taps() const { return static_cast<index_t>(y->taps.size() * x->taps.size()); }
  };

  bool takes_blocks_first() const {
    return filter_size_ >= large_filter && out_channels_ / groups_ % tiles_.lanes == 0 &&
           y_.phases.size() == 1 && x_.phases.size() == 1;
  }
  /// Runs of taps whose vectors stay in the second cache.
  index_t runs_at_once(index_t vectors) const {
    constexpr index_t elements = 3 << 15;
    index_t const of_run = parts_[0].runs.length * vectors * blocks_.lanes;
    return std::max(elements / std::max(of_run, index_t{1}), index_t{1});
  }
  /// Blocks of channels one by one, each for many images.
  void run_by_blocks(S* out, S const* in, unpacked_filter<S> const& w, index_t images,
                     index_t multiplications, par on) const {
    constexpr index_t elements = 1 << 20;  // of slabs
    index_t const size = slab_.size(y_.positions);
    index_t const most = size == 0 ? images : std::max(elements / size, index_t{1});
    index_t const all = (images + most - 1) / most, units = groups_ * blocks_.blocks;
    scratch_buffer memory;
    S* const slabs = scratch_array<S>(memory, size * std::min(most, images));
    auto const cost = static_cast<std::size_t>(multiplications / all) / 4;
    for (index_t i = 0; i != all; ++i) {
      index_t const from = images * i / all, count = images * (i + 1) / all - from;
      if (size != 0)
        on.parallel_for(
            {count, 1, static_cast<std::size_t>(size * count)}, [&](work_chunk const& c) {
              for (index_t n = c.begin; n != c.end; ++n)
                slab_.read(slabs + n * size, in + (from + n) * image_size(), 0, y_.positions);
            });
      on.parallel_for({units * count, 1, cost}, [&](work_chunk const& c) {
        for (index_t u = c.begin / count; u * count < c.end; ++u)
          compute_block(out + from * result_size(), in + from * image_size(), slabs, w, u,
                        std::max(c.begin - u * count, index_t{0}),
                        std::min(c.end - u * count, count));
      });
      if (epilogue_.call != nullptr)
        on.parallel_for({count * y_.out, 1, static_cast<std::size_t>(count * result_size())},
                        [&](work_chunk const& c) { finish(from, c.begin, c.end); });
    }
  }
  /// Block `unit` of the channels of images [begin, end). slabs: empty if no image is copied.
  void compute_block(S* out, S const* in, S const* slabs, unpacked_filter<S> const& w, index_t unit,
                     index_t begin, index_t end) const {
    index_t const group = unit / blocks_.blocks, block = unit % blocks_.blocks;
    index_t const vectors = blocks_.count(block), step = runs_at_once(vectors);
    index_t const size = slab_.size(y_.positions);
    auto const runs = static_cast<index_t>(parts_[0].runs.offset.size());
    index_t const of_run = parts_[0].taps() / runs;
    scratch_buffer memory;
    S* const filter = scratch_array<S>(
        memory, std::min(step, runs) * parts_[0].runs.length * vectors * blocks_.lanes);
    for (index_t r = 0; r < runs; r += step) {
      run_range const some{r, std::min(r + step, runs)};
      pack_block(filter, w, parts_[0], {some.begin * of_run, some.end * of_run}, group, block);
      for (index_t n = begin; n != end; ++n) {
        S const* const slab = size != 0
                                  ? slabs + n * size
                                  : slab_.read(nullptr, in + n * image_size(), 0, y_.positions);
        compute(parts_[0], filter, group, block, out + n * result_size(), slab, 0, y_.positions,
                some);
      }
    }
  }
  S* pack_block(S* to, unpacked_filter<S> const& w, part const& p, run_range taps, index_t group,
                index_t block) const {
    return pack_taps(tiles_, to, w, *p.y, *p.x, taps, group, in_channels_ / groups_,
                     out_channels_ / groups_, blocks_, block);
  }
  /// Applies the epilogue to rows [from, until) of an image.
  void finish(index_t image, index_t from, index_t until) const {
    epilogue_({(image * y_.out + from) * x_.out, (until - from) * x_.out, 0, out_channels_,
               out_channels_});
  }
  index_t image_size() const { return y_.in * x_.in * in_channels_; }
  index_t result_size() const { return y_.out * x_.out * out_channels_; }
  /// Whether vectors hold one element of several images each. Their channels are then numbers,
  /// which need not fill vectors.
  bool takes_images_in_vectors(index_t images) const {
    index_t const lanes = tiles_.lanes, filled = (out_channels_ + lanes - 1) / lanes * lanes;
    // Several vectors of 16 numbers share the loads of a number.
    index_t const fifths = filled == lanes || lanes < 16 ? 4 : 3;
    return groups_ == 1 && images >= lanes && out_channels_ * 5 < filled * fifths &&
           y_.phases.size() == 1 && x_.phases.size() == 1;
  }
  void run_in_vectors(S* out, S const* in, index_t images, index_t multiplications, par on) const {
    index_t const lanes = tiles_.lanes, rows = rows_at_once(lanes);
    index_t const parts = (y_.positions + rows - 1) / rows;
    index_t const row_size = x_.out * out_channels_;
    work_size const size{(images + lanes - 1) / lanes * parts, 1,
                         static_cast<std::size_t>(multiplications) / 4};
    on.parallel_for(size, [&](work_chunk const& chunk) {
      scratch_buffer memory;
      S* const slab = scratch_array<S>(memory, (slab_.size(rows) + rows * row_size) * lanes);
      S* const sums = slab + slab_.size(rows) * lanes;
      for (index_t i = chunk.begin; i != chunk.end; ++i) {
        index_t const n = i / parts * lanes, from = i % parts * rows;
        index_t const until = std::min(from + rows, y_.positions);
        index_t const count = std::min(lanes, images - n);
        slab_.read_vectors(tiles_, slab, in + n * image_size(), count, from, until);
        compute_vectors(sums, slab, from, until - from);
        write_images(out + n * result_size() + from * row_size, sums, result_size(), count,
                     (until - from) * row_size);
        for (index_t image = n; image != n + count; ++image) finish(image, from, until);
      }
    });
  }
  /// The rows of a slab, and of the result if it has an epilogue, stay in the second cache.
  index_t rows_at_once(index_t images) const {
    bool const is_finished = epilogue_.call != nullptr;
    return rows_in_cache(y_, slab_.pitch() * images, filter_size_,
                         is_finished ? x_.out * out_channels_ * images : 0);
  }

  void compute(S* out, S const* slab, index_t from, index_t until) const {
    for (part const& p : parts_) {
      S const* filter = p.filter;
      for (index_t g = 0; g != groups_; ++g)
        for (index_t b = 0; b != blocks_.blocks; ++b) {
          compute(p, filter, g, b, out, slab, from, until,
                  {0, static_cast<index_t>(p.runs.offset.size())});
          filter += p.taps() * (in_channels_ / groups_) * blocks_.count(b) * blocks_.lanes;
        }
    }
  }
  /// filter: of `runs`. Those that are not the first are added to the result.
  void compute(part const& p, S const* filter, index_t group, index_t block, S* out, S const* slab,
               index_t from, index_t until, run_range runs) const {
    index_t const n = in_channels_ / groups_, m = out_channels_ / groups_;
    index_t const first = blocks_.first(block) * blocks_.lanes, count = blocks_.count(block);
    conv2d_tile<S> t{};
    t.out_step = x_.stride * out_channels_;
    t.x_step = x_.step * in_channels_;
    t.x_next = 1;
    t.x_list = 1;
    t.out_vector = blocks_.lanes;
    t.w_step = blocks_.lanes;
    t.run = p.runs.offset.data() + runs.begin;
    t.runs = runs.end - runs.begin;
    t.length = p.runs.length;
    t.w_next = count * blocks_.lanes;
    t.w_run = t.length * t.w_next;
    t.w = filter;
    t.adds = runs.begin != 0;
    t.channels = std::min(t.w_next, m - first);
    index_t const columns = p.x->end - p.x->begin;
    if (columns <= 0) return;
    index_t const most = tiles_.rows_of(count), tiles = (columns + most - 1) / most;
    for (index_t u = std::max(from, p.y->begin); u < std::min(until, p.y->end); ++u) {
      index_t const row = u * y_.stride + p.y->first;
      S const* const in =
          slab + (u - from) * y_.step * slab_.pitch() + group * n + p.x->begin * t.x_step;
      S* const to = out + (row * x_.out + p.x->begin * x_.stride + p.x->first) * out_channels_ +
                    group * m + first;
      for (index_t i = 0; i != tiles; ++i) {
        index_t const a = columns * i / tiles, b = columns * (i + 1) / tiles;
        t.x = in + a * t.x_step;
        t.out = to + a * t.out_step;
        tiles_.compute(t, count, b - a);
      }
    }
  }

  gather_axis const y_, x_;
  index_t in_channels_, out_channels_, groups_;
  conv2d_tiles<S> const& tiles_;
  slab_reader<S> slab_;
  bool in_vectors_;
  channel_blocks blocks_;
  std::vector<part> parts_;
  index_t filter_size_ = 0;  ///< packed
  epilogue_callback epilogue_;
};

}}}  // namespace placement::v0_1::detail
