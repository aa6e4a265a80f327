#pragma once
/// How the CPU folds many elements: states that advance side by side, in loops that compilers
/// vectorise.

#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/layout.hpp>

#include <type_traits>
#include <utility>

namespace placement::inline v0_1::detail {

/// Does the op carry a few elements of type T in a brief state?
template <class Op, class T> concept has_brief = requires { typename Op::template brief<T>; };
/// Does it keep one of two elements of type T, by a rule that is quicker without NaN?
template <class Op, class T> concept has_quick =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && requires(T x) { Op::quick(x, x); };
/// Does its state know where the element was?
template <class Op, class T> concept knows_where =
    requires(typename Op::template state<T> s, T x) { Op::takes(s, x); };

template <class Op, class T> class fold_lanes {
 public:
  using state = typename Op::template state<T>;

  static constexpr index_t count = 32;
  static constexpr index_t few = 8;    ///< elements that a lane takes in at once
  static constexpr index_t many = 64;  ///< elements of a lane between two looks for NaN

  explicit fold_lanes(Op const& op) : op_(op) {
    for (state& s : lane_) s = Op::template start<T>();
  }

  /// Takes in the elements f(0) ... f(n - 1), numbered from `first` on.
  template <class F> [[gnu::always_inline]] inline void take(F const& f, index_t n, index_t first) {
    constexpr index_t block = count * few;
    index_t i = 0;
    while (n - i >= block) {
      if constexpr (has_quick<Op, T>) {
        index_t const length = n - i < count * many ? (n - i) / block * block : count * many;
        take_block(f, i, length, first);
        i += length;
      } else {
        take_few(f, i, first, each_of_few{});
        i += block;
      }
    }
    for (; i < n; ++i) lane_[i % count] = op_.step(lane_[i % count], f(i), first + i);
  }

  state merged() { return joined<count>(lane_, merging_states{op_}); }

 private:
  // Not lambdas: -Wshadow would take their parameters for a program's own names.
  struct merging_states {
    Op const& op;
    state operator()(state const& a, state const& b) const { return op.merge(a, b); }
  };
  struct adding {
    T operator()(T a, T b) const { return static_cast<T>(a + b); }
  };
  struct keeping {
    T operator()(T a, T b) const { return Op::quick(a, b); }
  };

  /// All lanes in one, half by half: the loops are of constant lengths, which are vectorised.
  template <index_t N, class S, class Join> static S joined(S* lane, Join const& join) {
    if constexpr (N == 1) {
      return lane[0];
    } else {
      PLACEMENT_SAME_INDEX_ONLY
      for (index_t l = 0; l < N / 2; ++l) lane[l] = join(lane[l], lane[l + N / 2]);
      return joined<N / 2>(lane, join);
    }
  }

  using each_of_few = std::make_index_sequence<static_cast<std::size_t>(few)>;

  template <class F, std::size_t... I>
  [[gnu::always_inline]] inline void take_few(F const& f, index_t i, index_t first,
                                              std::index_sequence<I...>) {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t k = i; k < i + count; ++k) {  // from i, or clang does not see neighbours
      state& lane = lane_[k - i];
      if constexpr (has_brief<Op, T>) {
        auto s = Op::template start_brief<T>();
        ((s = op_.step(s, f(k + static_cast<index_t>(I) * count))), ...);
        lane = op_.merge(lane, s);
      } else {
        state s = lane;
        ((s = op_.step(s, f(k + static_cast<index_t>(I) * count),
                       first + k + static_cast<index_t>(I) * count)),
         ...);
        lane = s;
      }
    }
  }

  /// A block without NaN is one element to the state. A NaN makes the sum of its lane one, too; so
  /// may infinities, and then the second look does no harm.
  template <class F>
  [[gnu::always_inline]] inline void take_block(F const& f, index_t i, index_t length,
                                                index_t first) {
    T best[count], sum[count]{};
    for (index_t l = 0; l < count; ++l) best[l] = f(i + l);
    for (index_t k = i; k != i + length; k += count * few)
      quick_few(f, k, best, sum, each_of_few{});
    T const total = joined<count>(sum, adding{});
    if (total != total) {
      for (index_t k = i; k != i + length; ++k) lane_[0] = op_.step(lane_[0], f(k), first + k);
      return;
    }
    T const kept = joined<count>(best, keeping{});
    index_t at = i;
    if constexpr (knows_where<Op, T>) {
      if (!Op::takes(lane_[0], kept)) return;
      while (!is_among(f, at, kept)) at += count;
      while (!(f(at) == kept)) ++at;
    }
    lane_[0] = op_.step(lane_[0], kept, first + at);
  }
  template <class F, std::size_t... I>
  [[gnu::always_inline]] static inline void quick_few(F const& f, index_t i, T* best, T* sum,
                                                      std::index_sequence<I...>) {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t k = i; k < i + count; ++k) {
      T b = best[k - i], s = sum[k - i];
      auto const take_in = [&](T x) {
        b = Op::quick(b, x);
        if constexpr (std::is_floating_point_v<T>) s += x;
      };
      (take_in(f(k + static_cast<index_t>(I) * count)), ...);
      best[k - i] = b;
      sum[k - i] = s;
    }
  }

  /// Is x one of the elements of the next lanes?
  template <class F>
  [[gnu::always_inline]] static inline bool is_among(F const& f, index_t i, T x) {
    int found = 0;
    for (index_t l = 0; l < count; ++l) found |= f(i + l) == x ? 1 : 0;
    return found != 0;
  }

  Op const& op_;
  state lane_[count];
};

}  // namespace placement::inline v0_1::detail
