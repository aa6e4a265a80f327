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
    if constexpr (has_room) {
      scale_all(y_, scale, n_);
    } else {
      each_block(0, [&](index_t first, index_t count, wide const* x) {
        wide scaled[lanes];
        for (index_t j = 0; j < lanes; ++j) scaled[j] = math::exp(x[j] - most_) * scale;
        for (index_t j = 0; j != count; ++j) y_[first + j] = static_cast<T>(scaled[j]);
      });
    }
  }

  /// Cost: three passes.
  void log_softmax() const {
    double const down = math::log(total<false>());
    each_block(0, [&](index_t first, index_t count, wide const* x) {
      wide results[lanes];
      for (index_t j = 0; j < lanes; ++j)
        results[j] = static_cast<wide>(static_cast<double>(x[j] - most_) - down);
      for (index_t j = 0; j != count; ++j) y_[first + j] = static_cast<T>(results[j]);
    });
  }

 private:
  static constexpr index_t lanes = 64, quarter = lanes / 4, pieces = 1024;

  [[gnu::noinline]] static void scale_all(wide* y, wide scale, index_t n) {
    index_t const whole = n / lanes * lanes;
    for (index_t i = 0; i != whole; i += lanes)
      for (index_t j = 0; j < lanes; ++j) y[i + j] *= scale;
    for (index_t i = whole; i != n; ++i) y[i] *= scale;
  }

  /// use(first, count, x): x are `lanes` numbers, the first `count` of them the row's
  /// from `first`.
  template <class F> [[gnu::always_inline]] void each_block(index_t first, F const& use) const {
    for (; first < n_; first += lanes) {
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
    index_t whole = 0;
    if constexpr (std::is_same_v<T, wide>) {
      whole = n_ / lanes * lanes;
      keep_larger(x_, whole, most);
    }
    each_block(whole, [&](index_t, index_t, wide const* x) { keep_larger(x, lanes, most); });
    wide all = most[0];
    for (wide m : most) all = larger(m, all);
    return all;
  }
  [[gnu::noinline]] static void keep_larger(wide const* x, index_t n, wide (&most)[quarter]) {
    wide kept[quarter];  // nothing else can point to it: it stays in registers
    for (index_t j = 0; j < quarter; ++j) kept[j] = most[j];
    for (wide const* const end = x + n; x != end; x += lanes)
      for (index_t j = 0; j < quarter; ++j)
        kept[j] = larger(kept[j], larger(larger(x[j], x[j + quarter]),
                                         larger(x[j + 2 * quarter], x[j + 3 * quarter])));
    for (index_t j = 0; j < quarter; ++j) most[j] = kept[j];
  }
  static wide larger(wide a, wide b) noexcept { return a > b ? a : b; }

  /// The sum of exp(x - most), fours of it carried in double, in lanes. Keep: y holds the
  /// exponentials then.
  template <bool Keep> double total() const {
    double sums[quarter] = {};
    wide piece[pieces];
    index_t first = 0;
    if constexpr (std::is_same_v<T, wide>)
      for (index_t n = 0; n_ - first >= lanes; first += n) {
        n = n_ - first < pieces ? (n_ - first) / lanes * lanes : pieces;
        wide* e = piece;
        if constexpr (Keep) e = y_ + first;
        put_exponentials(x_ + first, n, most_, e);
        add_up(e, n, sums);
      }
    each_block(first, [&](index_t from, index_t count, wide const* x) {
      put_exponentials(x, lanes, most_, piece);
      add_up(piece, lanes, sums);
      if constexpr (Keep)
        for (index_t j = 0; j != count; ++j) y_[from + j] = piece[j];
    });
    for (index_t half = quarter / 2; half != 0; half /= 2)
      for (index_t j = 0; j != half; ++j) sums[j] += sums[j + half];
    return sums[0];
  }
  /// Of n numbers, whole blocks: for many at once, so that constants and sums stay in registers.
  [[gnu::noinline]] static void put_exponentials(wide const* x, index_t n, wide most, wide* e) {
    for (index_t i = 0; i != n; i += lanes) {
      PLACEMENT_SAME_INDEX_ONLY
      for (index_t j = 0; j < lanes; ++j) e[i + j] = math::exp(x[i + j] - most);
    }
  }
  [[gnu::noinline]] static void add_up(wide const* e, index_t n, double (&sums)[quarter]) {
    for (wide const* const end = e + n; e != end; e += lanes)
      for (index_t j = 0; j < quarter; ++j)
        sums[j] += static_cast<double>((e[j] + e[j + quarter]) +
                                       (e[j + 2 * quarter] + e[j + 3 * quarter]));
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
