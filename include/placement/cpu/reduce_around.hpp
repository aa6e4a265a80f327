#pragma once
/// Reduces elements by the sums of their differences, and of the squares of these, from a number
/// near the mean.

#include <placement/config.hpp>
#include <placement/cpu/join_lanes.hpp>
#include <placement/shape/extents.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

template <class Op, class T> class reduce_around {
 public:
  /// The state of the elements [begin, end), at least lanes_together<T>, from sums around the mean
  /// of the first.
  template <class F>
  PLACEMENT_ALWAYS_INLINE static inline auto state(F const& f, index_t begin, index_t end) {
    F const own = f;  // nothing else can point to the copy
    if constexpr (std::is_same_v<T, float>)
      if (sums_around const s = floats_around(own, begin, end); s.is_accurate(end - begin))
        return Op::template around<T>::state_of(s.center, s.away, s.squares, end - begin);
    double some[width], away[width]{}, squares[width]{};
    for (index_t l = 0; l < across; ++l)
      some[l] = static_cast<double>(own(begin + l)) * (1. / static_cast<double>(across));
    double const center = join_lanes<across>(some, adding_lanes{});
    constexpr index_t rows = 4;
    index_t i = begin;
    for (; end - i >= across * rows; i += across * rows)
      add_around(own, i, center, away, squares, std::make_index_sequence<rows>{});
    for (; end - i >= across; i += across)
      add_around(own, i, center, away, squares, std::make_index_sequence<1>{});
    for (index_t l = 0; i < end; ++i, ++l) {
      double const d = static_cast<double>(own(i)) - center;
      away[l] += d;
      squares[l] += d * d;
    }
    return Op::template around<T>::state_of(center, join_lanes<across>(away, adding_lanes{}),
                                            join_lanes<across>(squares, adding_lanes{}),
                                            end - begin);
  }

 private:
  static constexpr std::size_t width = lanes_together<T>;
  static constexpr index_t across = static_cast<index_t>(width);

  struct sums_around {
    double center, away, squares;
    /// Are the squares finite, and is at most half of them due to the distance of the center?
    bool is_accurate(index_t n) const {
      return squares - squares == 0 && squares * .5 >= away * away / static_cast<double>(n);
    }
  };
  /// The same for floats, from the mean of some that are spread over all. Eight differences and
  /// eight squares are summed in float. Not finite where a float cannot hold such a sum.
  template <class F>
  PLACEMENT_ALWAYS_INLINE static inline sums_around floats_around(F const& f, index_t begin,
                                                                  index_t end) {
    constexpr index_t rows = 8;
    double away[width]{}, squares[width]{};
    float some[width];
    index_t const apart = (end - begin) / across;
    for (index_t l = 0; l < across; ++l)
      some[l] = f(begin + l * apart) * (1.f / static_cast<float>(across));
    float const center = join_lanes<across>(some, adding_lanes{});
    index_t i = begin;
    for (; end - i >= across * rows; i += across * rows)
      add_floats_around(f, i, center, away, squares, std::make_index_sequence<rows>{});
    for (; end - i >= across; i += across)
      add_floats_around(f, i, center, away, squares, std::make_index_sequence<1>{});
    for (index_t l = 0; i < end; ++i, ++l) {
      double const d = static_cast<double>(f(i)) - static_cast<double>(center);
      away[l] += d;
      squares[l] += d * d;
    }
    return {static_cast<double>(center), join_lanes<across>(away, adding_lanes{}),
            join_lanes<across>(squares, adding_lanes{})};
  }
  template <class F, std::size_t... Row>
  PLACEMENT_ALWAYS_INLINE static inline void add_floats_around(F const& f, index_t i, float center,
                                                               double* away, double* squares,
                                                               std::index_sequence<Row...>) {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t k = i; k < i + across; ++k) {
      float const d[] = {(f(k + static_cast<index_t>(Row) * across) - center)...};
      away[k - i] += static_cast<double>((... + d[Row]));
      squares[k - i] += static_cast<double>((... + (d[Row] * d[Row])));
    }
  }
  template <class F, std::size_t... Row>
  PLACEMENT_ALWAYS_INLINE static inline void add_around(F const& f, index_t i, double center,
                                                        double* away, double* squares,
                                                        std::index_sequence<Row...>) {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t k = i; k < i + across; ++k) {
      double const d[] = {
          (static_cast<double>(f(k + static_cast<index_t>(Row) * across)) - center)...};
      away[k - i] += (... + d[Row]);
      squares[k - i] += (... + (d[Row] * d[Row]));
    }
  }
};

}}}  // namespace placement::v0_1::detail
