#pragma once
/// Softmax and its logarithm on the CPU for long rows. Each row takes several passes over blocks of
/// a fixed length, which compilers vectorise.

#include <placement/cpu/by_level.hpp>
#include <placement/cpu/parallel_for.hpp>
#include <placement/cpu/softmax_short.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/math/exp.hpp>
#include <placement/math/float16.hpp>
#include <placement/math/log.hpp>
#include <placement/shape/strided_view.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// One row, in blocks. Blocks are padded with -infinity, whose exponential is 0.
template <class T, class K = cpu_kernels> class softmax_fiber {
 public:
  using wide = computed_in<T>;
  static constexpr bool keeps_exponentials = std::is_same_v<T, wide>;

  /// `prefetch`: what is read next, as long as the row.
  PLACEMENT_ALWAYS_INLINE softmax_fiber(T const* x, T* y, index_t n, T const* prefetch)
      : x_(x), y_(y), prefetch_(prefetch), n_(n), max_(largest()) {}
  /// A row whose largest element is known.
  PLACEMENT_ALWAYS_INLINE softmax_fiber(T const* x, T* y, index_t n, wide max)
      : x_(x), y_(y), prefetch_(x), n_(n), max_(max) {}

  /// The largest element; a NaN may be ignored.
  wide max() const { return max_; }

  /// The first half of softmax: returns the factor of each element. Cost: a pass. y then holds the
  /// exponentials, if their type is y's.
  PLACEMENT_ALWAYS_INLINE wide factor() const {
    return static_cast<wide>(1 / total<keeps_exponentials>());
  }
  /// The first half of the logarithm: the sum of the exponentials. Cost: a pass.
  PLACEMENT_ALWAYS_INLINE double summed() const { return total<false>(); }

  /// The second half of softmax. Cost: a pass. For 16-bit numbers the exponentials are computed
  /// again, because y cannot hold them.
  PLACEMENT_ALWAYS_INLINE void finalize(wide scale) const requires keeps_exponentials
  {
    scale_all(y_, scale, n_);
  }
  PLACEMENT_ALWAYS_INLINE void finalize(wide scale) const requires(!keeps_exponentials)
  {
    each_block(0, [&]<index_t N>(block_of<N>, index_t first, index_t count, wide const* x)
                      PLACEMENT_ALWAYS_INLINE {
                        array<N> scaled;
                        for (index_t j = 0; j < N; ++j)
                          scaled[j] = math::exp_of_negative(x[j] - max_) * scale;
                        for (index_t j = 0; j != count; ++j)
                          y_[first + j] = static_cast<T>(scaled[j]);
                      });
  }
  /// The second half of the logarithm. Both terms are negative or 0: nothing cancels, so the type
  /// of an element will do.
  PLACEMENT_ALWAYS_INLINE void finalize_logarithm(wide down) const {
    each_block(0, [&]<index_t N>(block_of<N>, index_t first, index_t count, wide const* x)
                      PLACEMENT_ALWAYS_INLINE {
                        array<N> results;
                        for (index_t j = 0; j < N; ++j) results[j] = (x[j] - max_) - down;
                        for (index_t j = 0; j != count; ++j)
                          y_[first + j] = static_cast<T>(results[j]);
                      });
  }

 private:
  static constexpr index_t lanes = 64, quarter = lanes / 4, pieces = 1024;
  static constexpr index_t cache_line_length = 64 / sizeof(wide);  ///< elements of a cache line

  template <index_t N> using block_of = std::integral_constant<index_t, N>;
  template <index_t N> using array = wide[static_cast<std::size_t>(N)];

  PLACEMENT_ALWAYS_INLINE static inline void scale_all(wide* y, wide scale, index_t n) {
    index_t i = 0;
    for (; n - i >= lanes; i += lanes)
      for (index_t j = 0; j < lanes; ++j) y[i + j] *= scale;
    for (; n - i >= quarter; i += quarter)
      for (index_t j = 0; j < quarter; ++j) y[i + j] *= scale;
    for (; i != n; ++i) y[i] *= scale;
  }

  /// Calls use(block_of<N>, first, count, x): x has N numbers, of which the first `count` are the
  /// row's from `first` on. N is `lanes`, or `quarter` for the remainder.
  template <class F> PLACEMENT_ALWAYS_INLINE void each_block(index_t first, F const& use) const {
    for (; n_ - first >= lanes; first += lanes) use_block(block_of<lanes>{}, first, lanes, use);
    for (; n_ - first >= quarter; first += quarter)
      use_block(block_of<quarter>{}, first, quarter, use);
    if (first != n_) use_block(block_of<quarter>{}, first, n_ - first, use);
  }
  template <index_t N, class F>
  PLACEMENT_ALWAYS_INLINE void use_block(block_of<N> size, index_t first, index_t count,
                                         F const& use) const {
    if constexpr (std::is_same_v<T, wide>)
      if (count == N) return use(size, first, count, x_ + first);
    alignas(64) array<N> block;
    for (index_t j = 0; j < N; ++j) block[j] = below_all<wide>();
    for (index_t j = 0; j != count; ++j) block[j] = widened(x_[first + j]);
    use(size, first, count, block);
  }

  /// The maximum may ignore a NaN: its exponential makes the whole row NaN.
  PLACEMENT_ALWAYS_INLINE wide largest() const {
    alignas(64) wide max[quarter];
    for (wide& m : max) m = below_all<wide>();
    index_t whole = 0;
    if constexpr (std::is_same_v<T, wide>) {
      whole = n_ / lanes * lanes;
      take_larger(x_, whole, max);
    }
    each_block(whole, [&]<index_t N>(block_of<N>, index_t, index_t, wide const* x)
                          PLACEMENT_ALWAYS_INLINE {
                            if constexpr (N == lanes) take_larger(x, lanes, max);
                            else
                              for (index_t j = 0; j < quarter; ++j) max[j] = larger(max[j], x[j]);
                          });
    return joined<quarter>(max,
                           [](wide a, wide b) PLACEMENT_ALWAYS_INLINE { return larger(a, b); });
  }
  PLACEMENT_ALWAYS_INLINE static inline void take_larger(wide const* x, index_t n,
                                                         wide (&max)[quarter]) {
    alignas(64)
        wide largest_so_far[quarter];  // nothing else can point to it: it stays in registers
    for (index_t j = 0; j < quarter; ++j) largest_so_far[j] = max[j];
    for (wide const* const end = x + n; x != end; x += lanes)
      for (index_t j = 0; j < quarter; ++j)
        largest_so_far[j] = larger(
            largest_so_far[j],
            larger(larger(x[j], x[j + quarter]), larger(x[j + 2 * quarter], x[j + 3 * quarter])));
    for (index_t j = 0; j < quarter; ++j) max[j] = largest_so_far[j];
  }
  PLACEMENT_ALWAYS_INLINE static inline wide larger(wide a, wide b) noexcept {
    return a > b ? a : b;
  }
  /// Combines N values into one, halves first.
  template <index_t N, class S, class Join>
  PLACEMENT_ALWAYS_INLINE static inline S joined(S const* s, Join const& join) {
    if constexpr (N == 1) {
      return s[0];
    } else {
      S halves[static_cast<std::size_t>(N / 2)];
      PLACEMENT_SAME_INDEX_ONLY_SHORT
      for (index_t j = 0; j < N / 2; ++j) halves[j] = join(s[j], s[j + N / 2]);
      return joined<N / 2>(halves, join);
    }
  }

  /// The sum of exp(x - max): in lanes, groups of four added to double. `Keep`: y then holds the
  /// exponentials.
  template <bool Keep> PLACEMENT_ALWAYS_INLINE double total() const {
    alignas(64) double sums[quarter] = {};
    alignas(64) wide piece[pieces];
    index_t first = 0;
    if constexpr (std::is_same_v<T, wide>)
      for (index_t n = 0; n_ - first >= lanes; first += n) {
        n = n_ - first < pieces ? (n_ - first) / lanes * lanes : pieces;
        wide* e = piece;
        if constexpr (Keep) e = y_ + first;
        put_exponentials(x_ + first, n, max_, e, prefetch_ + first, sums);
      }
    each_block(first, [&]<index_t N>(block_of<N>, index_t from, index_t count, wide const* x)
                          PLACEMENT_ALWAYS_INLINE {
                            if constexpr (N == lanes) {
                              put_exponentials(x, lanes, max_, piece, x, sums);
                            } else {
                              for (index_t j = 0; j < quarter; ++j)
                                piece[j] = math::exp_of_negative(x[j] - max_);
                              for (index_t j = 0; j < quarter; ++j)
                                sums[j] += static_cast<double>(piece[j]);
                            }
                            if constexpr (Keep)
                              for (index_t j = 0; j != count; ++j) y_[from + j] = piece[j];
                          });
    return joined<quarter>(sums, [](double a, double b) PLACEMENT_ALWAYS_INLINE { return a + b; });
  }
  /// Stores the exponentials of n numbers (whole blocks) to e and adds to their sums. Processes
  /// many at once, so that constants and sums stay in registers. Prefetches the next row meanwhile.
  PLACEMENT_ALWAYS_INLINE static inline void put_exponentials(wide const* x, index_t n, wide max,
                                                              wide* e, wide const* prefetch,
                                                              double (&sums)[quarter]) {
    double own[quarter];
    for (index_t j = 0; j < quarter; ++j) own[j] = sums[j];
    for (index_t i = 0; i != n; i += lanes) {
      for (index_t j = 0; j < lanes; j += cache_line_length) __builtin_prefetch(prefetch + i + j);
      PLACEMENT_SAME_INDEX_ONLY_SHORT
      for (index_t j = 0; j < quarter; ++j) {
        wide const a = math::exp_of_negative(x[i + j] - max),
                   b = math::exp_of_negative(x[i + j + quarter] - max),
                   c = math::exp_of_negative(x[i + j + 2 * quarter] - max),
                   d = math::exp_of_negative(x[i + j + 3 * quarter] - max);
        e[i + j] = a;
        e[i + j + quarter] = b;
        e[i + j + 2 * quarter] = c;
        e[i + j + 3 * quarter] = d;
        own[j] += static_cast<double>((a + b) + (c + d));
      }
    }
    for (index_t j = 0; j < quarter; ++j) sums[j] = own[j];
  }

  T const* x_;
  T* y_;
  T const* prefetch_;
  index_t n_;
  wide max_;
};

/// Long rows of n elements, `size` in all. If `streamed`, a row is computed in a buffer and written
/// by non-temporal stores; rows then begin at multiples of 16 bytes.
template <bool Logarithm, class T, class K> struct long_softmax_rows {
  T* out;
  T const* in;
  index_t n, size;
  bool streamed;

  PLACEMENT_ALWAYS_INLINE void operator()() const {
    if constexpr (Logarithm) logarithms();
    else softmax();
  }

 private:
  using fiber = softmax_fiber<T, K>;
  using wide = typename fiber::wide;
  static constexpr index_t longest_streamed = 16384 / sizeof(T), together = 8;

  bool is_staged() const { return streamed && n <= longest_streamed; }
  /// The row at `first`, whose result goes to y.
  PLACEMENT_ALWAYS_INLINE fiber row_at(index_t first, T* y) const {
    return fiber(in + first, y, n, in + (size - first > n ? first + n : first));
  }
  PLACEMENT_ALWAYS_INLINE void write(index_t first, T const* row) const {
    if (is_staged()) stream_to(out + first, row, static_cast<std::size_t>(n) * sizeof(T));
  }

  /// The next row's maximum is computed before this row is finished, which hides the latency of the
  /// sum's inverse.
  PLACEMENT_ALWAYS_INLINE void softmax() const {
    alignas(64) T row[static_cast<std::size_t>(longest_streamed)];
    auto const to = [&](index_t first)
                        PLACEMENT_ALWAYS_INLINE { return is_staged() ? row : out + first; };
    fiber next = row_at(0, to(0));
    for (index_t first = 0; first != size; first += n) {
      fiber const now = next;
      wide const factor = now.factor();
      if (first + n != size) next = row_at(first + n, to(first + n));
      now.finalize(factor);
      write(first, row);
    }
  }
  /// Several rows, as long as they stay in the first cache: their logarithms are one vector.
  PLACEMENT_ALWAYS_INLINE void logarithms() const {
    alignas(64) T row[static_cast<std::size_t>(longest_streamed)];
    alignas(64) wide max[together], down[together];
    alignas(64) double total[together];
    index_t const most = n > 2048 ? 1 : n > 512 ? 4096 / n : together;
    for (double& t : total) t = 1;
    for (index_t first = 0, count = 0; first != size; first += count * n) {
      count = (size - first) / n < most ? (size - first) / n : most;
      for (index_t r = 0; r != count; ++r) {
        fiber const now = row_at(first + r * n, out);
        max[r] = now.max();
        total[r] = now.summed();
      }
      PLACEMENT_SAME_INDEX_ONLY_SHORT
      for (index_t l = 0; l < together; ++l) down[l] = static_cast<wide>(math::log(total[l]));
      for (index_t r = 0; r != count; ++r) {
        index_t const at = first + r * n;
        fiber(in + at, is_staged() ? row : out + at, n, max[r]).finalize_logarithm(down[r]);
        write(at, row);
      }
    }
  }
};

/// Softmax of rows of n elements, or its logarithm. size: the elements of all rows, above 0. Short
/// rows are computed several at a time.
template <bool Logarithm, class T, class K = cpu_kernels>
void softmax_of_rows(T* out, T const* in, index_t n, index_t size, bool streamed) {
  using short_fibers = softmax_of_short_fibers<Logarithm, T, K>;
  if (n <= short_fibers::longest) short_fibers::run(out, in, n, size / n);
  else run_by_level<long_softmax_rows<Logarithm, T, K>, K>({out, in, n, size, streamed});
}
/// The same, compiled once for float and double.
template <class T, bool Logarithm> struct softmax_loops {
  static void run(T* out, T const* in, index_t n, index_t size, bool streamed);
};

/// Softmax of each row, or its logarithm.
template <bool Logarithm, class K = cpu_kernels, class T, class X>
void softmax_fibers(dense_view<T, X> const& out, dense_view<T const, X> const& in, bool streamed) {
  index_t const n = row_length(in.shape), size = in.size();
  if (size == 0) return;
  if constexpr (std::is_floating_point_v<T>)
    softmax_loops<T, Logarithm>::run(out.data, in.data, n, size, streamed);
  else softmax_of_rows<Logarithm, T, K>(out.data, in.data, n, size, streamed);
}

}}}  // namespace placement::v0_1::detail
