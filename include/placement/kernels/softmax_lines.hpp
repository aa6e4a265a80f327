#pragma once
/// Softmax and its logarithm on the CPU: a row at a time, in passes over blocks of a fixed length,
/// of which compilers make vector loops.

#include <placement/kernels/float16.hpp>
#include <placement/kernels/view.hpp>
#include <placement/math/exp.hpp>
#include <placement/math/log.hpp>

namespace placement::inline v0_1::detail {

/// One row, in blocks. What a block lacks at the row's end is -infinity, whose exponential is 0.
template <class T> class softmax_line {
 public:
  using wide = computed_in<T>;

  softmax_line(T const* x, T* y, index_t n) : x_(x), y_(y), n_(n), most_(largest()) {}

  /// Cost: three passes; for numbers of 16 bits with the exponentials twice, since y has no room
  /// for them.
  void softmax() const {
    constexpr bool has_room = std::is_same_v<T, wide>;
    auto const scale = static_cast<wide>(1 / total<has_room>());
    each_block([&](index_t first, index_t count, wide const* x) {
      wide scaled[lanes];
      if constexpr (has_room) {
        x = y_ + first;
        if (count == lanes) {
          scale_all(x, scale, y_ + first);
          return;
        }
        for (index_t j = 0; j != count; ++j) scaled[j] = x[j] * scale;
      } else {
        for (index_t j = 0; j < lanes; ++j) scaled[j] = math::exp(x[j] - most_) * scale;
      }
      for (index_t j = 0; j != count; ++j) y_[first + j] = static_cast<T>(scaled[j]);
    });
  }

  /// Cost: three passes.
  void log_softmax() const {
    double const down = math::log(total<false>());
    each_block([&](index_t first, index_t count, wide const* x) {
      wide results[lanes];
      for (index_t j = 0; j < lanes; ++j)
        results[j] = static_cast<wide>(static_cast<double>(x[j] - most_) - down);
      for (index_t j = 0; j != count; ++j) y_[first + j] = static_cast<T>(results[j]);
    });
  }

 private:
  static constexpr index_t lanes = 64, quarter = lanes / 4;

  static void scale_all(wide const* x, wide scale, wide* y) {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t j = 0; j < lanes; ++j) y[j] = x[j] * scale;
  }

  /// use(first, count, x): x are `lanes` numbers, the first `count` of them the row's from `first`.
  template <class F> [[gnu::always_inline]] void each_block(F const& use) const {
    for (index_t first = 0; first < n_; first += lanes) {
      index_t const count = n_ - first < lanes ? n_ - first : lanes;
      if constexpr (std::is_same_v<T, wide>) {
        if (count == lanes) {
          use(first, count, x_ + first);
          continue;
        }
      }
      wide block[lanes];
      for (index_t j = 0; j != count; ++j) block[j] = widened(x_[first + j]);
      for (index_t j = count; j < lanes; ++j) block[j] = below_all<wide>();
      use(first, count, block);
    }
  }

  /// NaN may be passed over: its exponential makes the whole row NaN.
  wide largest() const {
    wide most[quarter];
    for (wide& m : most) m = below_all<wide>();
    each_block([&](index_t, index_t, wide const* x) {
      for (index_t j = 0; j < quarter; ++j)
        most[j] = larger(larger(most[j], larger(x[j], x[j + quarter])),
                         larger(x[j + 2 * quarter], x[j + 3 * quarter]));
    });
    wide all = most[0];
    for (wide m : most) all = m > all ? m : all;
    return all;
  }
  static wide larger(wide a, wide b) noexcept { return a > b ? a : b; }

  /// The sum of exp(x - most), fours of it carried in double, in lanes. Keep: y holds the
  /// exponentials then.
  template <bool Keep> double total() const {
    double sums[quarter] = {};
    each_block([&](index_t first, index_t count, wide const* x) {
      wide block[lanes];
      wide* e = block;
      if constexpr (Keep)
        if (count == lanes) e = y_ + first;
      put_exponentials(x, e);
      for (index_t j = 0; j < quarter; ++j)
        sums[j] += static_cast<double>((e[j] + e[j + quarter]) +
                                       (e[j + 2 * quarter] + e[j + 3 * quarter]));
      if constexpr (Keep)
        if (count != lanes)
          for (index_t j = 0; j != count; ++j) y_[first + j] = e[j];
    });
    for (index_t half = quarter / 2; half != 0; half /= 2)
      for (index_t j = 0; j != half; ++j) sums[j] += sums[j + half];
    return sums[0];
  }
  void put_exponentials(wide const* x, wide* e) const {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t j = 0; j < lanes; ++j) e[j] = math::exp(x[j] - most_);
  }

  T const* x_;
  T* y_;
  index_t n_;
  wide most_;
};

/// line(row of in, row of out, length) for each row.
template <class T, class X, class F>
void each_softmax_line(dense_view<T, X> const& out, dense_view<T const, X> const& in,
                       F const& line) {
  index_t const n = row_length(in.shape);
  for (index_t first = 0; first < in.size(); first += n)
    line(softmax_line<T>(in.data + first, out.data + first, n));
}

}  // namespace placement::inline v0_1::detail
