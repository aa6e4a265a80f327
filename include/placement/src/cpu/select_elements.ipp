#pragma once
/// Definitions of select_elements.hpp.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/join_lanes.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/cpu/select_elements.hpp>
#include <placement/cpu/short_rows.hpp>
#include <placement/cpu/summed.hpp>

#include <cstddef>
#include <cstring>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// The larger or the smaller of two elements.
template <bool Largest> struct selecting_one {
  template <class T> PLACEMENT_ALWAYS_INLINE T operator()(T best, T x) const {
    if constexpr (Largest) return best > x ? best : x;
    else return best < x ? best : x;
  }
};
/// The same of two registers, lane by lane, to `best`.
template <bool Largest, class V>
PLACEMENT_ALWAYS_INLINE inline void select_lanes(V& best, V const& x) {
  if constexpr (Largest) best = best > x ? best : x;
  else best = best < x ? best : x;
}

/// What a pass over the elements finds beside the selected one.
enum class nan_check {
  products,  ///< the sum of products of two elements is NaN. Infinities and overflow make it so too
  sums       ///< the sum of the elements is NaN. Only infinities of both signs make it so too
};

/// Selects in rows of a cache line, in registers of Bytes bytes. A NaN makes the total of its lane
/// NaN. The last elements may be read twice, which does no harm.
template <int Bytes, bool Largest, class T> class selection_registers {
  static constexpr index_t row = 64 / sizeof(T), rows_together = 8;

 public:
  /// Products cost half the instructions of sums, and other units of the processor execute them.
  PLACEMENT_ALWAYS_INLINE static selected_element<T> of(T const* p, index_t n) {
    if (n < row) return one_by_one(p, n);
    if (n < row * rows_together) return pass<nan_check::sums, 1>(p, n);
    selected_element<T> const found = pass<nan_check::products, rows_together>(p, n);
    return found.may_have_nan ? pass<nan_check::sums, rows_together>(p, n) : found;
  }

 private:
  static constexpr int width = Bytes / int{sizeof(T)}, in_row = 64 / Bytes,
                       totals = Bytes == 16 ? 1 : 4;  ///< of a register of a row, side by side
  using elements = lanes<T, width>;
  struct state {
    elements best, total[static_cast<std::size_t>(totals)];
  };

  PLACEMENT_ALWAYS_INLINE static selected_element<T> one_by_one(T const* p, index_t n) {
    T best = p[0], sum = p[0];
    for (index_t i = 1; i < n; ++i) {
      best = selecting_one<Largest>{}(best, p[i]);
      sum += p[i];
    }
    return {best, sum != sum};
  }
  PLACEMENT_ALWAYS_INLINE static void load(elements& x, T const* p) {
    std::memcpy(&x, p, sizeof x);
    PLACEMENT_IN_REGISTER(x);
  }
  /// Selects in rows in groups, of which the last one ends with the last element.
  template <nan_check By, int Rows>
  PLACEMENT_ALWAYS_INLINE static selected_element<T> pass(T const* p, index_t n) {
    state s[static_cast<std::size_t>(in_row)];
    each<in_row>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      load(s[r].best, p + r * width);
      each<totals>([&](auto t) PLACEMENT_ALWAYS_INLINE { s[r].total[t] = elements{}; });
    });
    constexpr index_t group = Rows * row;
    for (index_t i = 0; i < n; i += group) {
      T const* const at = p + (i < n - group ? i : n - group);
      each<in_row>([&](auto r) PLACEMENT_ALWAYS_INLINE {
        if constexpr (Rows == 1) add_register(s[r], at + r * width);
        else add_pairs<By, Rows / 2>(s[r], at + r * width);
      });
    }
    alignas(64) T selected[static_cast<std::size_t>(row)], sum[static_cast<std::size_t>(row)];
    each<in_row>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      each<totals - 1>([&](auto t) PLACEMENT_ALWAYS_INLINE { s[r].total[0] += s[r].total[t + 1]; });
      std::memcpy(selected + r * width, &s[r].best, sizeof s[r].best);
      std::memcpy(sum + r * width, &s[r].total[0], sizeof s[r].total[0]);
    });
    T const all =
        join(sum, adding_lanes{}, [](auto& to, auto const& x) PLACEMENT_ALWAYS_INLINE { to += x; });
    return {
        join(selected, selecting_one<Largest>{},
             [](auto& to, auto const& x) PLACEMENT_ALWAYS_INLINE { select_lanes<Largest>(to, x); }),
        all != all};
  }
  /// join_lanes() of a row, whose quarters are registers: g++ -O3 makes single elements of a loop.
  template <class One, class Lanes>
  PLACEMENT_ALWAYS_INLINE static T join(T* lane, One const& one, Lanes const& together) {
    if constexpr (sizeof(T) == 4) {
      lanes<T, 4> a, b, c, d;
      std::memcpy(&a, lane, sizeof a);
      std::memcpy(&b, lane + 4, sizeof b);
      std::memcpy(&c, lane + 8, sizeof c);
      std::memcpy(&d, lane + 12, sizeof d);
      together(a, b);
      together(c, d);
      together(a, c);
      return one(one(a[0], a[1]), one(a[2], a[3]));
    } else {
      return join_lanes<row>(lane, one);
    }
  }
  PLACEMENT_ALWAYS_INLINE static void add_register(state& s, T const* p) {
    elements x;
    load(x, p);
    select_lanes<Largest>(s.best, x);
    s.total[0] += x;
  }
  /// One register of each of two rows, Pairs times.
  template <nan_check By, int Pairs>
  PLACEMENT_ALWAYS_INLINE static void add_pairs(state& s, T const* p) {
    elements selected;
    each<Pairs>([&](auto pair) PLACEMENT_ALWAYS_INLINE {
      elements a, b;
      load(a, p + 2 * pair * row);
      load(b, p + (2 * pair + 1) * row);
      elements& total = s.total[pair % totals];
      if constexpr (By == nan_check::products) total += a * b;
      else total += a + b;
      select_lanes<Largest>(a, b);
      if constexpr (pair == 0) selected = a;
      else select_lanes<Largest>(selected, a);
    });
    select_lanes<Largest>(s.best, selected);
  }
};

template <class T> struct selecting_rows {
  selected_element<T>* found;
  bool largest;
  T const* p;
  index_t rows, n;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    for (index_t k = 0; k != rows; ++k)
      found[k] = largest ? selection_registers<Bytes, true, T>::of(p + k * n, n)
                         : selection_registers<Bytes, false, T>::of(p + k * n, n);
  }
};

template <class T> struct selecting_short_rows {
  selected_in_rows<T>& found;
  bool largest;
  bool& has_no_nan;
  T const* p;
  rows_of_elements const& all;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    if (found.has_index) select<Bytes, true>();
    else select<Bytes, false>();
  }

 private:
  template <int Bytes, bool Where> PLACEMENT_ALWAYS_INLINE void select() const {
    if (largest) select<Bytes, true, Where>();
    else select<Bytes, false, Where>();
  }
  template <int Bytes, bool Largest, bool Where> PLACEMENT_ALWAYS_INLINE void select() const {
    index_t k = 0;
    if constexpr (has_vectors_of_rows<Bytes>)
      k = short_rows<Bytes, T>::template select<Largest, Where>(found, summed_elements<T>{p}, all);
    for (; k != all.rows; ++k) select_row<Largest>(p + k * all.n, k);
    bool nan = false;
    for (k = 0; k != all.rows; ++k) nan |= found.total[k] != found.total[k];
    has_no_nan = !nan;
  }
  template <bool Largest> PLACEMENT_ALWAYS_INLINE void select_row(T const* row, index_t k) const {
    T best = row[0], sum = row[0];
    index_t at = 0;
    for (index_t i = 1; i < all.n; ++i) {
      if (Largest ? best < row[i] : best > row[i]) at = i;
      best = selecting_one<Largest>{}(best, row[i]);
      sum += row[i];
    }
    found.value[k] = best;
    found.at[k] = static_cast<T>(at);
    found.total[k] = sum;
  }
};

template <class T> struct finding_element {
  T const* p;
  index_t n;
  T x;
  index_t& at;

  PLACEMENT_ALWAYS_INLINE void operator()() const {
    constexpr index_t together = 64;
    T const wanted = x;
    index_t i = 0;
    for (; n - i >= together; i += together) {
      int found = 0;
      for (index_t l = 0; l < together; ++l) found |= p[i + l] == wanted ? 1 : 0;
      if (found != 0) break;
    }
    while (!(p[i] == wanted)) ++i;
    at = i;
  }
};

PLACEMENT_INLINE_ON_CALL void select_rows(selected_element<float>* found, bool largest,
                                          float const* p, index_t rows, index_t n) {
  run_by_width(selecting_rows<float>{found, largest, p, rows, n});
}
PLACEMENT_INLINE_ON_CALL void select_rows(selected_element<double>* found, bool largest,
                                          double const* p, index_t rows, index_t n) {
  run_by_width(selecting_rows<double>{found, largest, p, rows, n});
}
PLACEMENT_INLINE_ON_CALL bool select_short_rows(selected_in_rows<float>& found, bool largest,
                                                float const* p, rows_of_elements const& all) {
  bool has_no_nan = false;
  run_by_width(selecting_short_rows<float>{found, largest, has_no_nan, p, all});
  return has_no_nan;
}
PLACEMENT_INLINE_ON_CALL bool select_short_rows(selected_in_rows<double>& found, bool largest,
                                                double const* p, rows_of_elements const& all) {
  bool has_no_nan = false;
  run_by_width(selecting_short_rows<double>{found, largest, has_no_nan, p, all});
  return has_no_nan;
}
PLACEMENT_INLINE_ON_CALL index_t find_element(float const* p, index_t n, float x) {
  index_t at = 0;
  run_by_level(finding_element<float>{p, n, x, at});
  return at;
}
PLACEMENT_INLINE_ON_CALL index_t find_element(double const* p, index_t n, double x) {
  index_t at = 0;
  run_by_level(finding_element<double>{p, n, x, at});
  return at;
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
