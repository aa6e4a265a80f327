#pragma once
/// The block kernel of several element-wise expressions of one shape. It computes them in one pass,
/// and their common expressions once.

#include <placement/cpu/block_kernel.hpp>
#include <placement/cpu/common_exprs.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

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
    ((found = has_numbers(all.template get<I>(), in) || found), ...);
    return found;
  }
  template <bool Consecutive, std::size_t... I>
  static void write_bound(expressions const& all, results const& to, block_input const* in,
                          index_t n, std::index_sequence<I...>) {
    using bound = pack<decltype(bind_block<Consecutive>(all.template get<I>(), in))...>;
    bound const f{{bind_block<Consecutive>(all.template get<I>(), in)}...};
    if constexpr (lanes > 1) write_joint_packs(to, n, f, std::index_sequence<I...>{});
    else write_elements(to, n, f, std::index_sequence<I...>{});
  }

  /// Writes elements i to i + N of each result. All are computed before the first is written.
  template <int N, class F, std::size_t... I>
  [[gnu::always_inline]] static void write_at(results const& to, index_t i, F const& f,
                                              std::index_sequence<I...>) {
    auto const known = values_known<N>(Shared{}, expr_list<S...>{}, f, i);
    auto const values = pack<decltype(value_of<N, S>(f.template get<I>(), i, known))...>{
        {value_of<N, S>(f.template get<I>(), i, known)}...};
    if constexpr (N == 1) ((to.template get<I>()[i] = values.template get<I>()), ...);
    else (simd::store(to.template get<I>() + i, values.template get<I>()), ...);
  }
  /// The last elements are a pack, too: see write_packs().
  template <class F, std::size_t... I>
  static void write_joint_packs(results to, index_t n, F f, std::index_sequence<I...>) {
    index_t const whole = n / lanes * lanes;
    pack<rest_buffer<lanes, std::remove_cvref_t<decltype(f.template get<I>())>>...> operands;
    pack<rest_of_result<R>...> rest;
    results at = to;
    for (index_t end = whole;; end = lanes) {  // twice where there is a rest; one copy of the code
      for (index_t i = 0; i < end; i += lanes) write_at<lanes>(at, i, f, each);
      if (whole == n) return;
      if (at.template get<0>() != to.template get<0>()) break;
      (operands.template get<I>().take(f.template get<I>(), whole, n - whole), ...);
      at = {{rest.template get<I>().some}...};
    }
    (copy_rest(to.template get<I>() + whole, rest.template get<I>().some, sizeof(R), n - whole,
               n - whole),
     ...);
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
