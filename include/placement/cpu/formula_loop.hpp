#pragma once
/// Loops over formulas of numbers, which compilers vectorise, for each level of x86-64. Included by
/// src/cpu/math_loops.ipp and src/cpu/trigonometric_loops.ipp.

#include <placement/config.hpp>
#include <placement/cpu/math_formulas.hpp>
#include <placement/cpu/processor.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/shape/extents.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Numbers that are computed together: vectors of any level.
template <class T> inline constexpr index_t formula_lanes = 64 / index_t{sizeof(T)};
template <class T> struct formula_block {
  alignas(64) T at[static_cast<std::size_t>(formula_lanes<T>)];
};

/// Formulas with other results for far numbers, and those that find both in one call. They are
/// concepts, as nvcc 13 evaluates the second as false inside of a function.
template <class F, class... X> concept has_far_numbers = requires(X... x) { F::far(x...); };
template <class F, class... X> concept finds_far_numbers =
    requires(X... x) { F::near_or_far(x...); };

/// Replaces the results of far numbers: all at once, or one by one.
template <class F, class T, class... X>
PLACEMENT_ALWAYS_INLINE inline void replace_together(formula_block<T>& y, X const*... x) {
  PLACEMENT_SAME_INDEX_ONLY_SHORT
  for (index_t j = 0; j < formula_lanes<T>; ++j)
    y.at[j] = math::select(F::is_far(x[j]...), F::far(x[j]...), y.at[j]);
}
template <class F, class T, class... X>
[[gnu::cold, gnu::noinline]] void replace_each(formula_block<T>& y, X const*... x) {
  for (index_t j = 0; j != formula_lanes<T>; ++j)
    if (F::is_far(x[j]...) != 0) y.at[j] = F::far(x[j]...);
}
/// Computes a block of results. Returns whether far numbers are among them.
template <class F, class T, class... X>
PLACEMENT_ALWAYS_INLINE inline bool find_near(formula_block<T>& y, X const*... x) {
  constexpr index_t n = formula_lanes<T>;
  if constexpr (finds_far_numbers<F, X...>) {
    math::bits_of<T> is_far{};
    PLACEMENT_SAME_INDEX_ONLY_SHORT
    for (index_t j = 0; j < n; ++j) {
      auto const one = F::near_or_far(x[j]...);
      y.at[j] = one.value;
      is_far |= one.is_far;
    }
    return math::negative(math::from_bits<T>(is_far)) != 0;
  } else {
    PLACEMENT_SAME_INDEX_ONLY_SHORT
    for (index_t j = 0; j < n; ++j) y.at[j] = F::near(x[j]...);
    if constexpr (has_far_numbers<F, X...>) {
      math::bits_of<T> is_far{};
      for (index_t j = 0; j < n; ++j) is_far |= F::is_far(x[j]...);
      return is_far != 0;
    }
  }
  return false;
}
/// One block of results. Where far numbers are sought among the operands they are copied, as `to`
/// may be an operand. So they are with compilers without the pragma: those have a loop of single
/// numbers for that case.
template <class F, class T, class... X>
PLACEMENT_ALWAYS_INLINE inline void write_formula(T* to, X const*... x) {
  if constexpr (PLACEMENT_HAS_SAME_INDEX_ONLY && !has_far_numbers<F, X...>) {
    PLACEMENT_SAME_INDEX_ONLY_SHORT
    for (index_t j = 0; j < formula_lanes<T>; ++j) to[j] = F::near(x[j]...);
  } else {
    formula_block<T> y;
    bool const some_are_far = find_near<F>(y, x...);
    if constexpr (has_far_numbers<F, X...>)
      if (some_are_far) [[unlikely]] {
        if constexpr (sizeof(T) == 4 || finds_far_numbers<F, X...>) replace_together<F>(y, x...);
        else replace_each<F>(y, x...);
      }
    std::memcpy(to, y.at, sizeof y.at);
  }
}
/// An operand's last elements; the first of them again in the other lanes.
template <class T> PLACEMENT_ALWAYS_INLINE inline formula_block<T> rest_of(T const* x, index_t n) {
  formula_block<T> y;
  for (index_t j = 0; j < formula_lanes<T>; ++j) y.at[j] = *x;
  std::memcpy(y.at, x, static_cast<std::size_t>(n) * sizeof(T));
  return y;
}
/// All results. The last ones are a block, too, so that an element has the same bits at each
/// position.
template <class F, class T, class... X>
PLACEMENT_ALWAYS_INLINE inline void write_formulas(index_t n, T* to, X const*... x) {
  constexpr index_t lanes = formula_lanes<T>;
  index_t i = 0;
  for (; n - i >= lanes; i += lanes) write_formula<F>(to + i, x + i...);
  if (i == n) return;
  formula_block<T> rest;
  write_formula<F>(rest.at, rest_of(x + i, n - i).at...);
  std::memcpy(to + i, rest.at, static_cast<std::size_t>(n - i) * sizeof(T));
}

template <class F, class T, class... X>
[[gnu::noinline]] PLACEMENT_FOR_AVX512 void formula_for_avx512(index_t n, T* to, X const*... x) {
  write_formulas<fused_formula_t<F, T>>(n, to, x...);
}
template <class F, class T, class... X>
[[gnu::noinline]] PLACEMENT_FOR_AVX2 void formula_for_avx2(index_t n, T* to, X const*... x) {
  write_formulas<fused_formula_t<F, T>>(n, to, x...);
}
template <class F, class K = cpu_kernels, class T, class... X>
[[gnu::noinline]] void run_formula(index_t n, T* to, X const*... x) {
  if constexpr (PLACEMENT_HAS_LEVELS) {
    cpu_level const level = cpu_level_in_use();
    if (level == cpu_level::avx512) return formula_for_avx512<F>(n, to, x...);
    if (level == cpu_level::avx2) return formula_for_avx2<F>(n, to, x...);
  }
  write_formulas<std::conditional_t<PLACEMENT_HAS_FUSED, fused_formula_t<F, T>, F>>(n, to, x...);
}

}}}  // namespace placement::v0_1::detail
