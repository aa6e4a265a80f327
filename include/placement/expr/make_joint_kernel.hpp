#pragma once
/// What several element-wise expressions of one shape compile: the block kernel of all, and the
/// tests whether they share a product or expressions.

#include <placement/cpu/joint_block.hpp>
#include <placement/expr/joint_kernel.hpp>
#include <placement/expr/make_fused_kernel.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Do all expressions follow the same product or reduction? Else each is better the epilogue of its
/// own.
template <class First, class... E> bool share_producer(First const& first, E const&... e) {
  if constexpr ((std::is_same_v<producer_type<E, false>, producer_type<First, false>> && ...)) {
    auto const& of_first = *producer_of<First, false>(first);
    return (same_value(*producer_of<E, false>(e), of_first) && ...);
  } else {
    return false;
  }
}

template <class... E> class joint_functions {
  using expressions = pack<slot_expr<E, false>...>;
  using results = expr_list<typename E::value_type...>;
  using common = common_exprs<slot_expr<E, false>...>;
  template <class Shared> using block = joint_block<Shared, results, slot_expr<E, false>...>;
  static constexpr auto each = std::index_sequence_for<E...>{};

  template <class X> static X const& expression(joint_result const& r) {
    return *static_cast<X const*>(r.request.expression);
  }
  static bool are_shared(void const* e, block_operand const* operands) {
    return detail::are_shared(common{}, *static_cast<expressions const*>(e), operands);
  }
  static void write(void const* from, void* to) {
    auto const* const r = static_cast<joint_result const*>(from);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ::new (to) expressions{{slot_expr_of<fused_nodes::all>(expression<E>(r[I]))}...};
    }(each);
  }
  /// A launch_copier.
  static void copy(void* to, void const* from) {
    if (from == nullptr) static_cast<expressions*>(to)->~expressions();
    else ::new (to) expressions(*static_cast<expressions const*>(from));
  }
  static bool follow_one(joint_result const* r) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return share_producer(expression<E>(r[I])...);
    }(each);
  }
  template <class X>
  static void compute(void const* e, operand_binder& to, computed_values& known) {
    using shared = sharing_pin<roots<E...>, no_pin, computed_values>;  // operands run once for all
    shared const pin{{}, known};
    compute_kernel<X, false>(*static_cast<X const*>(e), pinned_operands<shared>{to, pin});
  }
  template <class X> static constexpr joint_kernel::compute_function compute_of() {
    if constexpr (computes_operands<X, false>()) return &compute<X>;
    else return nullptr;
  }
  static constexpr joint_kernel::compute_function computes[]{compute_of<E>()...};

 public:
  static constexpr joint_kernel kernel() {
    static_assert(alignof(expressions) <= static_cast<std::size_t>(slot_alignment));
    joint_kernel k{.results = sizeof...(E),
                   .run = &block<expr_list<>>::run,
                   .run_shared = nullptr,
                   .are_shared = nullptr,
                   .share_producer = nullptr,
                   .write = &write,
                   .compute = computes,
                   .launch = {sizeof(expressions), 0, false}};
    if constexpr (!std::is_same_v<common, expr_list<>>) {
      k.run_shared = &block<common>::run;
      k.are_shared = &are_shared;
    }
    if constexpr ((has_epilogue<E, false> || ...)) k.share_producer = &follow_one;
    if constexpr (!is_trivially_copyable<expressions>) k.launch.copy = &copy;
    return k;
  }
};
template <class... E>
inline constexpr joint_kernel joint_kernel_of = joint_functions<E...>::kernel();

}}}  // namespace placement::v0_1::detail
