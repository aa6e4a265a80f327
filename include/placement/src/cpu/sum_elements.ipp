#pragma once
/// Definitions of sum_elements.hpp.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/short_rows.hpp>
#include <placement/cpu/sum_elements.hpp>
#include <placement/cpu/summed.hpp>
#include <placement/cpu/widen_lanes.hpp>

#include <cstring>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// lanes_of_sum in registers of Bytes bytes. A row is as many elements as fill a cache line. Rows
/// are summed in the element type, and these sums are added to the lanes.
template <int Bytes, class T> class sum_registers {
 public:
  static constexpr index_t row = 64 / sizeof(T);

  /// From zero, or from lanes.
  PLACEMENT_ALWAYS_INLINE explicit sum_registers(lanes_of_sum const* from) {
    each<registers>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      if (from == nullptr) sum_[r] = doubles{};
      else std::memcpy(&sum_[r], from->at + r * lanes_of_double, sizeof sum_[r]);
    });
  }
  PLACEMENT_ALWAYS_INLINE void store(lanes_of_sum& to) const {
    each<registers>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      std::memcpy(to.at + r * lanes_of_double, &sum_[r], sizeof sum_[r]);
    });
  }
  /// The sums of lanes l, l + 8, l + 16 and l + 24, as lanes_of_sum::combined() has them.
  PLACEMENT_ALWAYS_INLINE void store_quarter(double* at) const {
    each<quarter>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      doubles const x =
          (sum_[r] + sum_[r + quarter]) + (sum_[r + 2 * quarter] + sum_[r + 3 * quarter]);
      std::memcpy(at + r * lanes_of_double, &x, sizeof x);
    });
  }

  template <class F> PLACEMENT_ALWAYS_INLINE void add(F const& f, index_t n) {
    index_t i = 0;
    for (; n - i >= row * rows_together * groups; i += row * rows_together * groups)
      each<groups>([&](auto g) PLACEMENT_ALWAYS_INLINE {
        add_rows<rows_together, g>(f, i + g * row * rows_together);
      });
    for (; n - i >= row * rows_together / 2; i += row * rows_together / 2)
      add_rows<rows_together / 2, 0>(f, i);
    if (i != n) add_rest(f, i, n);
  }

 private:
  static constexpr int lanes_of_element = Bytes / int{sizeof(T)}, lanes_of_double = Bytes / 8,
                       registers = int{lanes_of_sum::count} / lanes_of_double,
                       quarter = registers / 4, groups = int{lanes_of_sum::count / row},
                       rows_together = 16,
                       in_row = 64 / Bytes;  ///< registers of a row
  using elements = lanes<T, lanes_of_element>;
  using doubles = lanes<double, lanes_of_double>;
  using row_of_elements = lane_array<T, lanes_of_element, in_row>;

  /// Rows from element i on, in pairs: row 1 + row 0, then the others. A loop: each load steps
  /// through memory, which the processor's prefetcher recognises by the load's address.
  template <int Rows, int Group, class F>
  PLACEMENT_ALWAYS_INLINE void add_rows(F const& f, index_t i) {
    row_of_elements sum;
    add_pair(f, i, sum);
    add_next_pair(f, i + 2 * row, sum);
    PLACEMENT_KEEP_LOOP
    for (index_t p = 2; p < Rows / 2; p += 2) {
      add_next_pair(f, i + 2 * p * row, sum);
      add_next_pair(f, i + 2 * (p + 1) * row, sum);
    }
    add_sums<Group>(sum);
  }
  template <class F>
  PLACEMENT_ALWAYS_INLINE static void add_next_pair(F const& f, index_t i, row_of_elements& sum) {
    row_of_elements pair;
    add_pair(f, i, pair);
    each<in_row>([&](auto r) PLACEMENT_ALWAYS_INLINE { sum[r] = pair[r] + sum[r]; });
  }
  template <class F>
  PLACEMENT_ALWAYS_INLINE static void add_pair(F const& f, index_t i, row_of_elements& sum) {
    each<in_row>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      elements upper, lower;
      f.template load<lanes_of_element>(upper, i + row + r * lanes_of_element);
      f.template load<lanes_of_element>(lower, i + r * lanes_of_element);
      sum[r] = upper + lower;
    });
  }
  /// The elements from i on, fewer than add_rows() takes. The last row is a part of a row that ends
  /// with the last element.
  template <class F> PLACEMENT_ALWAYS_INLINE void add_rest(F const& f, index_t i, index_t n) {
    row_of_elements sum;
    each<in_row>([&](auto r) PLACEMENT_ALWAYS_INLINE { sum[r] = elements{}; });
    for (index_t const last = n - row; i <= last; i += row)
      each<in_row>([&](auto r) PLACEMENT_ALWAYS_INLINE {
        elements x;
        f.template load<lanes_of_element>(x, i + r * lanes_of_element);
        sum[r] += x;
      });
    if (i != n)
      each<in_row>([&](auto r) PLACEMENT_ALWAYS_INLINE {
        elements x;
        f.template load<lanes_of_element>(x, n - row + r * lanes_of_element);
        keep_bits<T, lanes_of_element>(
            x, masks_of_last_lanes<T, int{row}>.at + (n - i) + r * lanes_of_element);
        sum[r] += x;
      });
    add_sums<0>(sum);
  }
  template <int Group> PLACEMENT_ALWAYS_INLINE void add_sums(row_of_elements const& sum) {
    constexpr int first = Group * int{row} / lanes_of_double;
    each<in_row>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      constexpr int parts = 8 / int{sizeof(T)};
      each<parts>([&](auto h) PLACEMENT_ALWAYS_INLINE {
        doubles wide;
        widen_part<h * lanes_of_double, lanes_of_double, lanes_of_element, T>(wide, sum[r]);
        sum_[first + parts * r + h] += wide;
      });
    });
  }
  lane_array<double, lanes_of_double, registers> sum_;
};

/// The same in memory, for registers of 16 bytes, which do not hold all lanes.
template <class T> class sum_in_memory {
 public:
  PLACEMENT_ALWAYS_INLINE explicit sum_in_memory(lanes_of_sum const* from) {
    if (from != nullptr) lanes_ = *from;
  }
  PLACEMENT_ALWAYS_INLINE void store(lanes_of_sum& to) const { to = lanes_; }
  PLACEMENT_ALWAYS_INLINE void store_quarter(double* at) const {
    each_in_row<8>([&](index_t l) PLACEMENT_ALWAYS_INLINE {
      at[l] = (lanes_.at[l] + lanes_.at[l + 8]) + (lanes_.at[l + 16] + lanes_.at[l + 24]);
    });
  }

  template <class F> PLACEMENT_ALWAYS_INLINE void add(F const& f, index_t n) {
    constexpr index_t pass = 16 * lanes_of_sum::count;
    index_t i = 0;
    for (; n - i >= pass; i += pass)
      for (index_t lane = 0; lane != lanes_of_sum::count; lane += row)
        add_rows<true>(f, i + 16 * lane, lane);
    for (; n - i >= row * 8; i += row * 8) add_rows<false>(f, i, 0);
    if (i != n) add_rest(f, i, n);
  }

 private:
  static constexpr index_t row = 64 / sizeof(T);
  using row_of_elements = T[static_cast<std::size_t>(row)];

  template <bool Twice, class F>
  PLACEMENT_ALWAYS_INLINE void add_rows(F const& f, index_t i, index_t lane) {
    each_in_row([&](index_t l) PLACEMENT_ALWAYS_INLINE {
      auto const two = [&](index_t r) PLACEMENT_ALWAYS_INLINE {
        return f(i + (r + 1) * row + l) + f(i + r * row + l);
      };
      T sum = two(0);
      sum = two(2) + sum;
      sum = two(4) + sum;
      sum = two(6) + sum;
      if constexpr (Twice) {
        sum = two(8) + sum;
        sum = two(10) + sum;
        sum = two(12) + sum;
        sum = two(14) + sum;
      }
      lanes_.at[lane + l] += static_cast<double>(sum);
    });
  }
  template <class F> PLACEMENT_ALWAYS_INLINE void add_rest(F const& f, index_t i, index_t n) {
    alignas(64) row_of_elements sum = {};
    for (; n - i >= row; i += row)
      each_in_row([&](index_t l) PLACEMENT_ALWAYS_INLINE { sum[l] += f(i + l); });
    for (index_t const last = n - row; i < n; ++i) sum[i - last] += f(i);
    add_sums(sum, 0);
  }
  PLACEMENT_ALWAYS_INLINE void add_sums(row_of_elements const& sum, index_t lane) {
    each_in_row([&](index_t l) PLACEMENT_ALWAYS_INLINE {
      lanes_.at[lane + l] += static_cast<double>(sum[l]);
    });
  }
  template <index_t N = row, class F> PLACEMENT_ALWAYS_INLINE static void each_in_row(F const& f) {
    PLACEMENT_SAME_INDEX_ONLY_SHORT
    for (index_t l = 0; l < N; ++l) f(l);
  }

  lanes_of_sum lanes_;
};
template <int Bytes, class T>
using sum_in = std::conditional_t<Bytes == 16, sum_in_memory<T>, sum_registers<Bytes, T>>;

/// The rest of lanes_of_sum::combined(): the sum of eight numbers.
PLACEMENT_ALWAYS_INLINE inline double sum_of_eight(double const* x) {
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}
/// The same of four rows of eight at once, by transposing them.
PLACEMENT_ALWAYS_INLINE inline void sum_four_of_eight(double* sums, double const* x) {
  using doubles = lanes<double, 4>;
  using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
  doubles half[2];
  each<2>([&](auto h) PLACEMENT_ALWAYS_INLINE {
    doubles row[4], pairs[2];
    each<4>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      std::memcpy(&row[r], x + 8 * r + 4 * h, sizeof row[r]);
    });
    each<2>([&](auto p) PLACEMENT_ALWAYS_INLINE {
      pairs[p] = PLACEMENT_SHUFFLE(row[2 * p], row[2 * p + 1], 0, 4, 2, 6) +
                 PLACEMENT_SHUFFLE(row[2 * p], row[2 * p + 1], 1, 5, 3, 7);
    });
    half[h] = PLACEMENT_SHUFFLE(pairs[0], pairs[1], 0, 1, 4, 5) +
              PLACEMENT_SHUFFLE(pairs[0], pairs[1], 2, 3, 6, 7);
  });
  half[0] += half[1];
  std::memcpy(sums, &half[0], sizeof half[0]);
}

/// Rows of n elements of summands, each summed to its own number, or one row added to lanes.
template <class T> struct summing_rows {
  double* sums;
  lanes_of_sum* lanes;  ///< null for rows of their own
  summands<T> const& of;
  index_t rows, n, behind;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr bool rounds = Bytes != 16 || PLACEMENT_FUSES_MULTIPLY_ADD;
    switch (of.form) {
      case block_form::product:
        if constexpr (Bytes != 16)
          if (of.left == of.right)
            return sum<Bytes>(
                [&](index_t i) PLACEMENT_ALWAYS_INLINE { return summed_squares<T>{of.left + i}; });
        return sum<Bytes>([&](index_t i) PLACEMENT_ALWAYS_INLINE {
          return summed_products<T, rounds>{of.left + i, of.right + i};
        });
      case block_form::magnitude:
        return sum<Bytes>(
            [&](index_t i) PLACEMENT_ALWAYS_INLINE { return summed_magnitudes<T>{of.left + i}; });
      default:
        return sum<Bytes>([&](index_t i)
                              PLACEMENT_ALWAYS_INLINE { return summed_elements<T>{of.left + i}; });
    }
  }

 private:
  template <int Bytes, class From> PLACEMENT_ALWAYS_INLINE void sum(From const& from) const {
    if (lanes == nullptr && n < least_summed_in_lanes) {
      index_t k = 0;
      if constexpr (has_vectors_of_rows<Bytes>)
        k = short_rows<Bytes, T>::sum(sums, from(0), {rows, n, behind});
      for (; k != rows; ++k) sums[k] = sum_one_by_one(from(k * n));
      return;
    }
    alignas(64) double eights[4 * 8];
    index_t waiting = 0;  // rows
    for (index_t k = 0; k != rows; ++k) {
      sum_in<Bytes, T> all(lanes);
      all.add(from(k * n), n);
      if (lanes != nullptr) return all.store(*lanes);
      all.store_quarter(eights + waiting * 8);
      if (++waiting != 4) continue;
      sum_four_of_eight(sums + k - 3, eights);
      waiting = 0;
    }
    for (index_t i = 0; i != waiting; ++i) sums[rows - waiting + i] = sum_of_eight(eights + i * 8);
  }
  template <class F> PLACEMENT_ALWAYS_INLINE double sum_one_by_one(F const& f) const {
    double s = 0;
    for (index_t i = 0; i < n; ++i) s += static_cast<double>(f(i));
    return s;
  }
};

PLACEMENT_INLINE_ON_CALL void sum_rows(double* sums, summands<float> const& of, index_t rows,
                                       index_t n, index_t behind) {
  run_by_width(summing_rows<float>{sums, nullptr, of, rows, n, behind});
}
PLACEMENT_INLINE_ON_CALL void sum_rows(double* sums, summands<double> const& of, index_t rows,
                                       index_t n, index_t behind) {
  run_by_width(summing_rows<double>{sums, nullptr, of, rows, n, behind});
}
PLACEMENT_INLINE_ON_CALL void add_to_lanes(lanes_of_sum& to, summands<float> const& of, index_t n) {
  run_by_width(summing_rows<float>{nullptr, &to, of, 1, n, 0});
}
PLACEMENT_INLINE_ON_CALL void add_to_lanes(lanes_of_sum& to, summands<double> const& of,
                                           index_t n) {
  run_by_width(summing_rows<double>{nullptr, &to, of, 1, n, 0});
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
