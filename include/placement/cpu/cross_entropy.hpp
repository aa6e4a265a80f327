#pragma once
/// Softmax cross entropy and its gradient on the CPU: one pass over each row of logits. Short rows
/// are computed side by side.

#include <placement/cpu/softmax.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Probabilities as labels: a row of n for each row of logits.
template <class T> struct probability_labels {
  using wide = computed_in<T>;

  T const* labels;
  index_t n;

  /// The sum of label * -log(p). log_p(j): the logarithm of probability j. A label of 0 adds 0,
  /// also for a logarithm of -infinity.
  template <class LogP> PLACEMENT_ALWAYS_INLINE double loss(index_t row, LogP const& log_p) const {
    constexpr index_t lanes = 16;
    T const* const l = labels + row * n;
    auto const term = [&](index_t j) PLACEMENT_ALWAYS_INLINE {
      double const label = static_cast<double>(widened(l[j]));
      return math::select(math::ones_where<double>(label != 0), label * log_p(j), 0.0);
    };
    double total = 0;
    index_t first = 0;
    if (n >= lanes) {
      double sums[lanes] = {};
      for (; n - first >= lanes; first += lanes)
        for (index_t j = 0; j < lanes; ++j) sums[j] += term(first + j);
      for (double const s : sums) total += s;
    }
    for (; first != n; ++first) total += term(first);
    return 0 - total;  // never -0
  }
  /// out[j] = (p(j) - label) * g.
  template <class P>
  PLACEMENT_ALWAYS_INLINE void gradient(index_t row, T* out, P const& p, wide g) const {
    T const* const l = labels + row * n;
    for (index_t j = 0; j < n; ++j) out[j] = static_cast<T>((p(j) - widened(l[j])) * g);
  }
};

/// Classes as labels: one number for each row, checked before.
template <class T, class Index> struct class_labels {
  using wide = computed_in<T>;

  Index const* labels;
  index_t n;

  template <class LogP> PLACEMENT_ALWAYS_INLINE double loss(index_t row, LogP const& log_p) const {
    return 0 - static_cast<double>(log_p(static_cast<index_t>(labels[row])));
  }
  template <class P>
  PLACEMENT_ALWAYS_INLINE void gradient(index_t row, T* out, P const& p, wide g) const {
    auto const label = static_cast<index_t>(labels[row]);
    wide const of_label = (p(label) - 1) * g;  // before out, which may hold the exponentials
    for (index_t j = 0; j < n; ++j) out[j] = static_cast<T>(p(j) * g);
    out[label] = static_cast<T>(of_label);
  }
};

/// Calls use(row, values) for rows of at most 32 logits, with their softmax or its logarithm.
template <bool Logarithm, class T, class F>
void each_short_row(T const* x, index_t n, work_chunk const& rows, F const& use) {
  using wide = computed_in<T>;
  using short_fibers = softmax_of_short_fibers<Logarithm, wide>;
  constexpr index_t together = 16;
  alignas(64) wide values[static_cast<std::size_t>(together * short_fibers::longest)];
  for (index_t first = rows.begin; first < rows.end; first += together) {
    index_t const count = rows.end - first < together ? rows.end - first : together;
    for (index_t i = 0; i < count * n; ++i) values[i] = widened(x[first * n + i]);
    short_fibers::run(values, values, n, count);
    for (index_t r = 0; r != count; ++r) use(first + r, values + r * n);
  }
}
template <class T>
PLACEMENT_ALWAYS_INLINE inline softmax_fiber<T> long_row(T const* x, T* y, index_t n, index_t row) {
  return softmax_fiber<T>(x + row * n, y, n, x + row * n);
}

/// The losses of rows of more logits, and their gradients.
template <class T, class Labels> struct long_losses {
  T* out;
  T const* x;
  Labels const& labels;
  work_chunk rows;

  PLACEMENT_ALWAYS_INLINE void operator()() const {
    index_t const n = labels.n;
    for (index_t r = rows.begin; r != rows.end; ++r) {
      auto const fiber = long_row<T>(x, nullptr, n, r);
      double const log_of_sum = math::log(fiber.summed());
      auto const max = fiber.max();
      T const* const row = x + r * n;
      out[r] = static_cast<T>(labels.loss(r, [&](index_t j) PLACEMENT_ALWAYS_INLINE {
        return static_cast<double>(widened(row[j]) - max) - log_of_sum;
      }));
    }
  }
};
template <class T, class Labels> struct long_loss_gradients {
  T* out;
  T const* x;
  Labels const& labels;
  T const* g;
  index_t step;
  work_chunk rows;

  PLACEMENT_ALWAYS_INLINE void operator()() const {
    using wide = computed_in<T>;
    index_t const n = labels.n;
    for (index_t r = rows.begin; r != rows.end; ++r) {
      T* const y = out + r * n;
      T const* const row = x + r * n;
      auto const fiber = long_row(x, y, n, r);
      wide const scale = fiber.factor(), max = fiber.max(), of_loss = widened(g[r * step]);
      labels.gradient(
          r, y,
          [&](index_t j) PLACEMENT_ALWAYS_INLINE {
            if constexpr (softmax_fiber<T>::keeps_exponentials) return y[j] * scale;
            else return math::exp_of_negative(widened(row[j]) - max) * scale;
          },
          of_loss);
    }
  }
};

/// The losses of a range of rows.
template <class T, class Labels>
void losses_of_rows(T* out, T const* x, Labels const& labels, work_chunk const& rows) {
  using wide = computed_in<T>;
  index_t const n = labels.n;
  if (n == 0) {
    for (index_t r = rows.begin; r != rows.end; ++r) out[r] = T{};
  } else if (n <= softmax_of_short_fibers<true, wide>::longest) {
    each_short_row<true>(x, n, rows, [&](index_t r, wide const* log_p) {
      out[r] =
          static_cast<T>(labels.loss(r, [&](index_t j) { return static_cast<double>(log_p[j]); }));
    });
  } else {
    run_by_level(long_losses<T, Labels>{out, x, labels, rows});
  }
}
/// The gradients of a range of rows. g: that of loss r at g[r * step].
template <class T, class Labels>
void loss_gradients_of_rows(T* out, T const* x, Labels const& labels, T const* g, index_t step,
                            work_chunk const& rows) {
  using wide = computed_in<T>;
  index_t const n = labels.n;
  if (n == 0) return;
  if (n <= softmax_of_short_fibers<false, wide>::longest)
    each_short_row<false>(x, n, rows, [&](index_t r, wide const* p) {
      labels.gradient(r, out + r * n, [&](index_t j) { return p[j]; }, widened(g[r * step]));
    });
  else run_by_level(long_loss_gradients<T, Labels>{out, x, labels, g, step, rows});
}

/// Both, compiled once for float and double, with each kind of labels.
template <class T> struct cross_entropy_loops {
  using classes = class_labels<T, index_t>;
  using probabilities = probability_labels<T>;

  static void losses(T* out, T const* x, classes const& labels, work_chunk const& rows);
  static void losses(T* out, T const* x, probabilities const& labels, work_chunk const& rows);
  static void gradients(T* out, T const* x, classes const& labels, T const* g, index_t step,
                        work_chunk const& rows);
  static void gradients(T* out, T const* x, probabilities const& labels, T const* g, index_t step,
                        work_chunk const& rows);
};

/// Calls f(labels, begin, rows) with the labels of some rows from row `begin` on, as index_t.
template <class T, class Index, class F>
void each_labels(class_labels<T, Index> const& labels, work_chunk const& rows, F const& f) {
  constexpr index_t together = 64;
  index_t some[static_cast<std::size_t>(together)];
  for (index_t first = rows.begin; first < rows.end; first += together) {
    index_t const count = rows.end - first < together ? rows.end - first : together;
    for (index_t r = 0; r != count; ++r) some[r] = static_cast<index_t>(labels.labels[first + r]);
    f(class_labels<T, index_t>{some, labels.n}, first, work_chunk{0, count});
  }
}
template <class T>
void each_labels(probability_labels<T> const& labels, work_chunk const& rows, auto const& f) {
  f(labels, index_t{0}, rows);
}

/// The losses of a range of rows.
template <class T, class Labels>
void cross_entropy_of_rows(T* out, T const* x, Labels const& labels, work_chunk const& rows) {
  if constexpr (std::is_floating_point_v<T>)
    each_labels(labels, rows, [&](auto const& some, index_t first, work_chunk const& part) {
      cross_entropy_loops<T>::losses(out + first, x + first * labels.n, some, part);
    });
  else losses_of_rows(out, x, labels, rows);
}
/// The gradients of a range of rows. g: that of loss r at g[r * step].
template <class T, class Labels>
void cross_entropy_gradient_of_rows(T* out, T const* x, Labels const& labels, T const* g,
                                    index_t step, work_chunk const& rows) {
  if constexpr (std::is_floating_point_v<T>)
    each_labels(labels, rows, [&](auto const& some, index_t first, work_chunk const& part) {
      cross_entropy_loops<T>::gradients(out + first * labels.n, x + first * labels.n, some,
                                        g + first * step, step, part);
    });
  else loss_gradients_of_rows(out, x, labels, g, step, rows);
}

}}}  // namespace placement::v0_1::detail
