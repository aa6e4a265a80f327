#pragma once
/// Reduces many elements on the CPU in lanes: states that advance side by side, in loops that
/// compilers vectorise.

#include <placement/cpu/join_lanes.hpp>
#include <placement/cpu/reduce_around.hpp>
#include <placement/cpu/select_elements.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/shape/layout.hpp>

#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// Whether the op sums a group of elements of type T before it adds the sum to its state.
template <class Op, class T> concept has_partial =
    requires { typename Op::template partial_type<T>; };
/// Whether the op selects one of two elements of type T, with a faster rule if neither is NaN.
template <class Op, class T> concept has_quick =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && requires(T x) { Op::quick(x, x); };
/// Whether the op can use sums of the differences from a number near the mean, which is faster.
template <class Op, class T> concept has_around = requires { typename Op::template around<T>; };

/// Elements in memory, by number.
template <class T> struct elements_at {
  T const* p;
  PLACEMENT_ALWAYS_INLINE T operator()(index_t i) const { return p[i]; }
};

template <class Op, class T> class reduce_lanes {
 public:
  using state = typename Op::template state<T>;

  static constexpr index_t count = has_quick<Op, T> || has_around<Op, T> ? 1 : 32;
  static constexpr index_t group_length = 8;  ///< elements that are summed first
  /// The elements that a lane accumulates at once.
  static constexpr index_t lane_length = has_partial<Op, T> ? 2 * group_length : group_length;

  explicit reduce_lanes(Op const& op) : op_(op) {
    for (state& s : lane_) s = Op::template init<T>();
  }

  /// Accumulates the elements f(0) ... f(n - 1), which have the indices first, first + 1, ...
  template <class F>
  PLACEMENT_ALWAYS_INLINE inline void accumulate(F const& f, index_t n, index_t first) {
    index_t i = 0;
    if constexpr (has_quick<Op, T>) {
      while (n - i >= across) {
        index_t const length = n - i < block_length ? n - i : block_length;
        accumulate_block(f, i, i + length, first);
        i += length;
      }
      for (; i < n; ++i) lane_[0] = op_.step(lane_[0], f(i), first + i);
    } else if constexpr (has_around<Op, T>) {
      while (n - i >= across) {
        index_t const length =
            n - i < block_length + across ? n - i : block_length;  // the remainder is not short
        lane_[0] = op_.combine(lane_[0], reduce_around<Op, T>::state(f, i, i + length));
        i += length;
      }
      for (; i < n; ++i) lane_[0] = op_.step(lane_[0], f(i), first + i);
    } else {
      for (; n - i >= count * lane_length; i += count * lane_length)
        accumulate_group(f, i, first, each_group{});
      i = accumulate_rest(f, i, n, first);
      if constexpr (has_partial<Op, T>) {
        if (i != n) add_rest(f, i, n);
      } else {
        for (index_t l = 0; i < n; ++i, ++l) lane_[l] = op_.step(lane_[l], f(i), first + i);
      }
    }
  }

  state combined() { return join_lanes<count>(lane_, combining_states{op_}); }

 private:
  static constexpr std::size_t width = lanes_together<T>;
  static constexpr index_t across = static_cast<index_t>(width);
  using each_group = std::make_index_sequence<static_cast<std::size_t>(count) / width>;
  /// The elements of a block. Longer blocks need fewer checks for NaN, but a search for the
  /// selected element then takes longer.
  static constexpr index_t block_length = knows_where<Op, T> || has_around<Op, T> ? 2048 : 16384;

  // Not lambdas: -Wshadow would compare their parameter names with those of a program.
  struct combining_states {
    Op const& op;
    state operator()(state const& a, state const& b) const { return op.combine(a, b); }
  };
  struct selecting {
    PLACEMENT_ALWAYS_INLINE T operator()(T a, T b) const { return Op::quick(a, b); }
  };

  template <class F, std::size_t... Group>
  PLACEMENT_ALWAYS_INLINE inline void accumulate_group(F const& f, index_t i, index_t first,
                                                       std::index_sequence<Group...>) {
    if constexpr (has_partial<Op, T>) {
      // not in a loop, so that the states are registers at -O2, too
      (add_group(f, i + static_cast<index_t>(Group) * across * lane_length,
                 lane_ + static_cast<index_t>(Group) * across, std::true_type{}),
       ...);
    } else {
      step_group(f, i, first, std::make_index_sequence<static_cast<std::size_t>(group_length)>{});
    }
  }
  template <class F, std::size_t... I>
  PLACEMENT_ALWAYS_INLINE inline void step_group(F const& f, index_t i, index_t first,
                                                 std::index_sequence<I...>) {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t k = i; k < i + count;
         ++k) {  // starts at i; otherwise clang does not see adjacent loads
      state s = lane_[k - i];
      ((s = op_.step(s, f(k + static_cast<index_t>(I) * count),
                     first + k + static_cast<index_t>(I) * count)),
       ...);
      lane_[k - i] = s;
    }
  }

  /// Accumulates most of the remaining elements from i on, fewer than accumulate_group takes.
  /// Returns the index of the first element that is left.
  template <class F>
  PLACEMENT_ALWAYS_INLINE inline index_t accumulate_rest(F const& f, index_t i, index_t n,
                                                         index_t first) {
    if constexpr (has_partial<Op, T>) {
      for (; n - i >= across * group_length; i += across * group_length)
        add_group(f, i, lane_, std::false_type{});
    } else {
      for (; n - i >= count; i += count) {
        PLACEMENT_SAME_INDEX_ONLY
        for (index_t l = 0; l < count; ++l) lane_[l] = op_.step(lane_[l], f(i + l), first + i + l);
      }
    }
    return i;
  }

  /// Adds the elements from i on, fewer than add_group() takes, to `across` lanes: rows of a cache
  /// line, and a last row that ends with the last element.
  template <class F>
  PLACEMENT_ALWAYS_INLINE inline void add_rest(F const& f, index_t i, index_t n) {
    using partial_type = typename Op::template partial_type<T>;
    partial_type sum[width] = {};
    for (; n - i >= across; i += across) {
      PLACEMENT_SAME_INDEX_ONLY_SHORT
      for (index_t l = 0; l < across; ++l) sum[l] += static_cast<partial_type>(f(i + l));
    }
    for (index_t const row = n - across; i < n; ++i)
      sum[i - row] += static_cast<partial_type>(f(i));
    PLACEMENT_SAME_INDEX_ONLY_SHORT
    for (index_t l = 0; l < across; ++l) lane_[l] = op_.add(lane_[l], sum[l]);
  }
  /// Adds eight elements, or sixteen if `Twice`, to each of `across` lanes. Elements are summed in
  /// pairs first. g++ loads the right addend first, so the pairs are written such that cache lines
  /// are read in order, for the hardware prefetcher.
  template <class F, bool Twice>
  PLACEMENT_ALWAYS_INLINE inline void add_group(F const& f, index_t i, state* strided_load,
                                                std::bool_constant<Twice>) {
    using partial_type = typename Op::template partial_type<T>;
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t k = i; k < i + across; ++k) {
      auto const two = [&](index_t row) PLACEMENT_ALWAYS_INLINE {
        return static_cast<partial_type>(f(k + (row + 1) * across)) +
               static_cast<partial_type>(f(k + row * across));
      };
      partial_type sum = two(0);
      sum = two(2) + sum;
      sum = two(4) + sum;
      sum = two(6) + sum;
      if constexpr (Twice) {
        sum = two(8) + sum;
        sum = two(10) + sum;
        sum = two(12) + sum;
        sum = two(14) + sum;
      }
      strided_load[k - i] = op_.add(strided_load[k - i], sum);
    }
  }

  /// Accumulates the elements [begin, end), at least `across`. A block without NaN is reduced to
  /// one element for the state.
  template <class F>
  PLACEMENT_ALWAYS_INLINE inline void accumulate_block(F const& f, index_t begin, index_t end,
                                                       index_t first) {
    if constexpr (selects_elements<Op, T> && std::is_same_v<F, elements_at<T>>) {
      selected_element<T> all;
      select_rows(&all, Op::selects_largest, f.p + begin, 1, end - begin);
      add_selected(f, begin, end, first, all);
    } else {
      add_selected(f, begin, end, first, select(f, begin, end));
    }
  }
  /// Accumulates a block, of which one element is selected.
  template <class F>
  PLACEMENT_ALWAYS_INLINE inline void add_selected(F const& f, index_t begin, index_t end,
                                                   index_t first, selected_element<T> const& all) {
    if (all.may_have_nan) {
      for (index_t k = begin; k != end; ++k) lane_[0] = op_.step(lane_[0], f(k), first + k);
      return;
    }
    index_t at = begin;
    if constexpr (knows_where<Op, T>) {
      if (!Op::takes(lane_[0], all.value)) return;
      at = place_of(f, begin, end, all.value);
    }
    lane_[0] = op_.step(lane_[0], all.value, first + at);
  }
  /// A NaN makes the sum of its lane NaN. Infinities may do so, too; stepping through the block is
  /// then correct as well. The last elements may be inspected twice, which does no harm.
  template <class F>
  PLACEMENT_ALWAYS_INLINE static inline selected_element<T> select(F const& f, index_t begin,
                                                                   index_t end) {
    T best[width], sum[width]{};
    for (index_t l = 0; l < across; ++l) best[l] = f(begin + l);
    constexpr index_t group = across * group_length;
    if (end - begin >= group) {
      for (index_t i = begin; i < end; i += group)
        inspect_group(f, i < end - group ? i : end - group, best, sum);
    } else {
      for (index_t i = begin; i < end; i += across)
        inspect_one(f, i < end - across ? i : end - across, best, sum);
    }
    T const total = join_lanes<across>(sum, adding_lanes{});
    return {join_lanes<across>(best, selecting{}), total != total};
  }
  template <class F>
  PLACEMENT_ALWAYS_INLINE static inline void inspect_one(F const& f, index_t i, T* best, T* sum) {
    PLACEMENT_SAME_INDEX_ONLY_SHORT
    for (index_t k = i; k < i + across; ++k) {
      T const x = f(k);
      best[k - i] = Op::quick(best[k - i], x);
      sum[k - i] = sum_or_none(sum[k - i], x);
    }
  }
  template <class F>
  PLACEMENT_ALWAYS_INLINE static inline void inspect_group(F const& f, index_t i, T* best, T* sum) {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t k = i; k < i + across; ++k) {
      auto const two = [&](index_t row) PLACEMENT_ALWAYS_INLINE {
        T const a = f(k + row * across), b = f(k + (row + 1) * across);
        return inspected{Op::quick(a, b), sum_or_none(a, b)};
      };
      inspected const all = two(0).with(two(2)).with(two(4)).with(two(6));
      best[k - i] = Op::quick(best[k - i], all.best);
      sum[k - i] = sum_or_none(sum[k - i], all.sum);
    }
  }
  /// The selected element of a group, and the group's sum, which is NaN if an element is.
  struct inspected {
    T best, sum;
    constexpr inspected with(inspected const& b) const {
      return {Op::quick(best, b.best), sum_or_none(sum, b.sum)};
    }
  };
  static constexpr T sum_or_none(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return a + b;
    else return T{};
  }

  /// The index of the first element in [begin, end) that equals x. There must be one.
  template <class F>
  PLACEMENT_ALWAYS_INLINE static inline index_t place_of(F const& f, index_t begin, index_t end,
                                                         T x) {
    constexpr index_t together = 64;
    if constexpr (selects_elements<Op, T> && std::is_same_v<F, elements_at<T>>)
      if (end - begin >= together) return begin + find_element(f.p + begin, end - begin, x);
    F const own = f;  // nothing else can point to the copy
    index_t at = begin;
    for (; end - at >= together; at += together) {
      int found = 0;
      for (index_t l = 0; l < together; ++l) found |= own(at + l) == x ? 1 : 0;
      if (found != 0) break;
    }
    while (!(own(at) == x)) ++at;
    return at;
  }

  alignas(64) state lane_[static_cast<std::size_t>(count)];  // no load crosses a cache line
  Op const& op_;
};

}}}  // namespace placement::v0_1::detail
