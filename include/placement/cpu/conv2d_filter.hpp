#pragma once
/// The gradient of a convolution's filter on the CPU.

#include <placement/cpu/conv2d_gather.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Sums over the pixels in slots, whose number depends on the extents alone. Each slot takes
/// consecutive rows of the result, and the slots are added in order. So the result does not depend
/// on the number of threads.
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
        blocks_(s.filters / s.groups, tiles_.lanes, tiles_.vectors),
        depth_(s.y.taps * s.x.taps * (s.channels / s.groups)),
        rows_(rows_at_once(s)) {
    for (index_t r = 0; r != rows_; ++r) row_offset_.push_back(r * s.y.stride * slab_.pitch());
  }

  void run(S* out, index_t multiplications, par on) {
    index_t const parts = (sizes_.y.out + rows_ - 1) / rows_, units = sizes_.images * parts;
    index_t const size = depth_ * sizes_.groups * width(), slots = slots_of(size, units);
    thread_scratch memory;
    S* const sums = scratch_array<S>(memory, size * slots);
    work_size work{slots, 1, static_cast<std::size_t>(multiplications) / 4};
    on.parallel_for(work, [&](work_chunk const& chunk) {
      scratch_buffer buffer;
      S* const slab = scratch_array<S>(buffer, slab_.size(rows_) + rows_ * row_size() + excess);
      for (index_t slot = chunk.begin; slot != chunk.end; ++slot) {
        S* const to = sums + slot * size;
        std::fill_n(to, size, S{});
        for (index_t i = units * slot / slots; i != units * (slot + 1) / slots; ++i)
          add_rows(to, slab, i / parts, i % parts * rows_);
      }
    });
    add_slots(out, sums, size, slots);
  }

 private:
  static constexpr index_t excess = 64;  ///< elements that a tile may read past a row's last one

  index_t width() const { return blocks_.vectors * blocks_.lanes; }
  index_t row_size() const { return sizes_.x.out * sizes_.filters; }

  /// Rows whose gradient stays in the second cache.
  static index_t rows_at_once(conv2d_sizes const& s) {
    constexpr index_t elements = 1 << 14;
    index_t const rows = elements / std::max(s.x.out * s.filters, index_t{1});
    index_t const parts = rows < 1 ? s.y.out : (s.y.out + rows - 1) / rows;
    return (s.y.out + parts - 1) / parts;
  }
  /// At most 16, for at least 64 pixels each, with at most 8 Mi sums in all.
  index_t slots_of(index_t size, index_t units) const {
    constexpr index_t most = 16, pixels = 64, elements = 1 << 23;
    index_t const all = sizes_.images * sizes_.y.out * sizes_.x.out;
    index_t const useful =
        std::min({most, units, all / pixels, elements / std::max(size, index_t{1})});
    return std::max(useful, index_t{1});
  }

  /// Adds the products of rows of one image.
  void add_rows(S* sums, S* memory, index_t image, index_t from) const {
    conv2d_sizes const& s = sizes_;
    index_t const until = std::min(from + rows_, s.y.out), rows = until - from;
    S const* const slab = slab_.read(memory, x_ + image * s.image_size(), from, until);
    S const* g = g_ + image * s.result_size() + from * row_size();
    index_t const left = s.all_results() - image * s.result_size() - until * row_size();
    if (left < excess && s.filters / s.groups % blocks_.lanes != 0) {
      S* const copy = memory + slab_.size(rows_);
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
    t.run = row_offset_.data();
    t.x_list = 1;
    t.w_run = row_size();
    t.runs = rows;
    t.length = s.x.out;
    t.w_next = s.filters;
    t.adds = true;
    for (index_t group = 0; group != s.groups; ++group)
      for (index_t b = 0; b != blocks_.blocks; ++b) {
        index_t const first = blocks_.first(b) * blocks_.lanes;
        t.w = g + group * (s.filters / s.groups) + first;
        S* const to = sums + group * depth_ * width() + first;
        add_taps(t, to, slab + group * (s.channels / s.groups), blocks_.count(b));
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
  channel_blocks blocks_;
  index_t depth_, rows_;
  std::vector<index_t> row_offset_;  ///< of the rows of the result, in a slab
};

}}}  // namespace placement::v0_1::detail
