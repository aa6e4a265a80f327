#pragma once
/// The block kernel of several element-wise expressions of one shape. It computes them in one pass,
/// and their common expressions once.

#include <placement/cpu/block_kernel.hpp>
#include <placement/cpu/common_exprs.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

// ---- evaluation with known values of common subexpressions

/// The value of one expression.
template <class B, class V> struct known_value {
  V value;
};
/// The values of several expressions.
template <class... K> struct known_values : K... {};

template <class B, class V> constexpr V const& value_known(known_value<B, V> const& k) {
  return k.value;
}
template <class B, class Known> concept is_known = requires(Known const& k) { value_known<B>(k); };

/// The N elements of f from i on, as a pack; for N = 1 element i.
template <int N, class F> PLACEMENT_ALWAYS_INLINE inline auto lanes_at(F const& f, index_t i) {
  if constexpr (N == 1) return f(i);
  else return pack_at<N>(f, i);
}
/// The same where `known` has values of subexpressions at i. S: the expression with slots; f: the
/// same over the operands of a block.
template <int N, class S, class F, class Known>
PLACEMENT_ALWAYS_INLINE inline auto value_of(F const& f, index_t i, Known const& known) {
  if constexpr (is_known<S, Known>) return value_known<S>(known);
  else return value_below<N>(static_cast<S const*>(nullptr), f, i, known);
}
template <int N, class S, class F, class Known>
PLACEMENT_ALWAYS_INLINE inline auto value_below(S const*, F const& f, index_t i, Known const&) {
  return lanes_at<N>(f, i);
}
template <int N, bool Gpu, class Op, class... A, class F, class Known>
PLACEMENT_ALWAYS_INLINE inline auto value_below(bound_expr<Gpu, Op, A...> const*, F const& f,
                                                index_t i, Known const& known) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) PLACEMENT_ALWAYS_INLINE {
    if constexpr (N == 1) return f.op(value_of<N, A>(slot_value<I>(f.args), i, known)...);
    else return simd::apply(f.op, value_of<N, A>(slot_value<I>(f.args), i, known)...);
  }(std::index_sequence_for<A...>{});
}

/// The subexpression B in f, which is S over the operands of a block.
template <class B, class S, std::size_t I = 0, class F> constexpr auto const& expr_in(F const& f) {
  if constexpr (std::is_same_v<B, S>) {
    return f;
  } else {
    using A = std::remove_cvref_t<decltype(slot_value<I>(std::declval<S const&>().args))>;
    if constexpr (occurs<B, A>) return expr_in<B, A>(slot_value<I>(f.args));
    else return expr_in<B, S, I + 1>(f);
  }
}
/// The same in the first expression of the list that contains B.
template <class B, std::size_t I = 0, class S, class... More, class All>
constexpr auto const& expr_among(expr_list<S, More...>, All const& all) {
  if constexpr (occurs<B, S>) return expr_in<B, S>(slot_value<I>(all));
  else return expr_among<B, I + 1>(expr_list<More...>{}, all);
}

/// The values of the common subexpressions at i.
template <int N, class... B, class Of, class All>
PLACEMENT_ALWAYS_INLINE inline auto values_known(expr_list<B...>, Of of, All const& all,
                                                 index_t i) {
  return known_values<known_value<B, decltype(lanes_at<N>(expr_among<B>(of, all), i))>...>{
      {lanes_at<N>(expr_among<B>(of, all), i)}...};
}

// ---- the block

/// The lanes of the packs in which expressions S are computed with results of the types R.
template <class Results, class... S> inline constexpr int joint_lanes = 1;
template <class... R, class... S>
inline constexpr int joint_lanes<expr_list<R...>, S...> = [] {
  if (!((takes_packs<S> && simd::has_packs<R>) && ...)) return 1;
  element_sizes all{8, 1};
  ((all = all.beside(sizes_in<S>).beside(sizes_of<R>)), ...);
  return simd::lanes_between(all.least, all.most);
}();

/// Shared: the common expressions, each computed once; empty for none. Results: the expr_list of
/// the element types.
template <class Shared, class Results, class... S> class joint_block;
template <class Shared, class... R, class... S> class joint_block<Shared, expr_list<R...>, S...> {
 public:
  static constexpr int lanes = joint_lanes<expr_list<R...>, S...>;
  using expressions = pack<S...>;

  /// A block_function of several results. `expr`: the expressions.
  static void run(void const* expr, void* out, block_input const* in, index_t n) {
    expressions const& all = *static_cast<expressions const*>(expr);
    auto const to = results_at(static_cast<void* const*>(out), each);
    if constexpr ((has_generator<S> || ...)) {
      block_input const* next = in;
      if (any_numbers(all, next, each)) return write_bound<false>(all, to, in, n, each);
    }
    write_bound<true>(all, to, in, n, each);
  }

 private:
  using results = pack<R*...>;
  static constexpr auto each = std::index_sequence_for<S...>{};
  /// Elements of a result that fill no pack.
  template <class T> struct rest_of_result {
    T some[static_cast<std::size_t>(lanes)];
  };

  template <std::size_t... I>
  static results results_at(void* const* out, std::index_sequence<I...>) {
    return {{static_cast<R*>(out[I])}...};
  }
  template <std::size_t... I>
  static bool any_numbers(expressions const& all, block_input const*& in,
                          std::index_sequence<I...>) {
    bool found = false;
    ((found = has_numbers(slot_value<I>(all), in) || found), ...);
    return found;
  }
  template <bool Consecutive, std::size_t... I>
  static void write_bound(expressions const& all, results const& to, block_input const* in,
                          index_t n, std::index_sequence<I...>) {
    using bound = pack<decltype(bind_block<Consecutive>(slot_value<I>(all), in))...>;
    bound const f{{bind_block<Consecutive>(slot_value<I>(all), in)}...};
    if constexpr (lanes > 1 && (has_stages<std::remove_cvref_t<decltype(slot_value<I>(f))>> || ...))
      write_joint_stages(to, n, f, std::index_sequence<I...>{});
    else if constexpr (lanes > 1) write_joint_packs(to, n, f, std::index_sequence<I...>{});
    else write_elements(to, n, f, std::index_sequence<I...>{});
  }

  /// Writes elements i to i + N of each result. All are computed before the first is written.
  template <int N, class F, std::size_t... I>
  PLACEMENT_ALWAYS_INLINE static void write_at(results const& to, index_t i, F const& f,
                                               std::index_sequence<I...>) {
    auto const known = values_known<N>(Shared{}, expr_list<S...>{}, f, i);
    auto const values = pack<decltype(value_of<N, S>(slot_value<I>(f), i, known))...>{
        {value_of<N, S>(slot_value<I>(f), i, known)}...};
    if constexpr (N == 1) ((slot_value<I>(to)[i] = slot_value<I>(values)), ...);
    else (simd::store(slot_value<I>(to) + i, slot_value<I>(values)), ...);
  }
  /// The last elements are a pack, too: see write_packs().
  template <class F, std::size_t... I>
  static void write_joint_packs(results to, index_t n, F f, std::index_sequence<I...>) {
    index_t const whole = n / lanes * lanes;
    pack<rest_buffer<lanes, std::remove_cvref_t<decltype(slot_value<I>(f))>>...> operands;
    pack<rest_of_result<R>...> rest;
    results at = to;
    for (index_t end = whole;; end = lanes) {  // twice where there is a rest; one copy of the code
      for (index_t i = 0; i < end; i += lanes) write_at<lanes>(at, i, f, each);
      if (whole == n) return;
      if (slot_value<0>(at) != slot_value<0>(to)) break;
      (slot_value<I>(operands).take(slot_value<I>(f), whole, n - whole), ...);
      at = {{slot_value<I>(rest).some}...};
    }
    (write_rest<lanes>(slot_value<I>(to) + whole, slot_value<I>(rest).some, n - whole), ...);
  }
  /// Elements of a result in a stage.
  template <class T> struct stage_of_result {
    T some[static_cast<std::size_t>(stage_length)];
  };
  /// Each result by the stages of a block kernel, so that its bits are those of an evaluation
  /// alone. Common expressions are computed for each: the loops of functions cost less than their
  /// packs.
  template <class T> static void copy_some(T const* from, index_t n, T* to) {
    for (index_t i = 0; i != n; ++i) to[i] = from[i];
  }
  template <class F, std::size_t... I>
  static void write_joint_stages(results const& to, index_t n, F const& f,
                                 std::index_sequence<I...>) {
    using loop = pack_loop<lanes>;
    pack<stage_of<loop, std::remove_cvref_t<decltype(slot_value<I>(f))>>...> stages;
    pack<stage_of_result<R>...> values;
    each_stage(n, [&](index_t i, index_t length) {
      (write_stage<loop>(slot_value<I>(stages), slot_value<I>(values).some, slot_value<I>(f), i,
                         length),
       ...);
      (copy_some(slot_value<I>(values).some, length, slot_value<I>(to) + i), ...);
    });
  }
  template <class F, std::size_t... I>
  static void write_elements(results to, index_t n, F f, std::index_sequence<I...>) {
    constexpr index_t chunk = PLACEMENT_LOOP_CHUNK;
    index_t const whole = n / chunk * chunk;
    for (index_t j = 0; j != whole; j += chunk) {
      PLACEMENT_SAME_INDEX_ONLY
      for (index_t k = 0; k < chunk; ++k) write_at<1>(to, j + k, f, each);
    }
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t j = whole; j < n; ++j) write_at<1>(to, j, f, each);
  }
};

}}}  // namespace placement::v0_1::detail
