#pragma once
/// Nodes of an expression. A node holds an op, its operands by value, the shape, its location and
/// its requested device.
///
/// Making a node checks shapes and computes nothing. Nodes are safe under `auto`: they own their
/// operands (tensors are handles), except for the operands of view() and borrow().

#include <placement/device/device.hpp>
#include <placement/device/device_spec.hpp>
#include <placement/device/tag.hpp>
#include <placement/expr/concepts.hpp>
#include <placement/expr/device_in_type.hpp>
#include <placement/expr/node_operands.hpp>
#include <placement/expr/op_facts.hpp>
#include <placement/expr/rejected.hpp>
#include <placement/expr/slice_op.hpp>
#include <placement/fwd.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/scalar.hpp>
#include <placement/math/float16.hpp>
#include <placement/place/label.hpp>
#include <placement/place/location.hpp>
#include <placement/place/request_source.hpp>
#include <placement/place/scope_stack.hpp>
#include <placement/place/site.hpp>
#include <placement/shape/broadcast.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {
/// What the scopes around a node request for it. It is returned in registers, and the node's
/// operands are passed to nothing, so that nodes stay in registers.
struct scopes_request {
  requested_device device;
  label name = label::none;
};
/// The request of the scopes for a node with a result of `bytes`. Throws: what a rule throws.
scopes_request request_of_scopes(op_type_facts const& op, std::size_t bytes);
}  // namespace detail

/// Where and for which device a node was written.
struct origin {
  constexpr origin(site at = {}, device_spec for_device = {}, label named = label::none,
                   request_source asker = request_source::nobody,
                   std::uint16_t by_rule = 0) noexcept
      : where(at), requested(for_device), name(named), requested_by(asker), rule(by_rule) {}
  /// Copied memberwise: a wide load of the whole would stall on members that were just stored
  /// (node_operands.hpp).
  PLACEMENT_ALWAYS_INLINE constexpr origin(origin const& o) noexcept
      : where{o.where.file, o.where.line},
        requested(o.requested),
        name(o.name),
        gradient_of(o.gradient_of),
        requested_by(o.requested_by),
        rule(o.rule) {}
  constexpr origin& operator=(origin const&) = default;
  ~origin() = default;

  site where;
  device_spec requested;
  label name;           ///< given by named(), in the name scopes around the op; or only these
  label gradient_of{};  ///< the forward op of a node that a pullback made
  request_source requested_by;
  std::uint16_t rule;  ///< the number of the rule that gave the device; 0 = none

  /// The origin of a node of type E, written here. The device in its type overrides scopes.
  /// Throws: what a rule throws.
  template <class E>
  PLACEMENT_ALWAYS_INLINE static constexpr origin here(site at,
                                                       typename E::extents_type const& shape) {
    using D = detail::device_in_type<E>;
    if constexpr (D::value.has_value()) {
      return {at, detail::spec_of_tag<D>(), detail::names_here(), request_source::type};
    } else {
      auto const [asked, name] = detail::request_of_scopes(
          detail::facts_of_op<E>, shape.count() * sizeof(typename E::value_type));
      return {at, asked.requested, name, asked.requested_by, asked.rule};
    }
  }
};

namespace detail {

template <class X> constexpr auto shape_of(X const& x) {
  if constexpr (is_scalar<X>) return extents<>{};
  else return x.shape();
}

/// The shape of an op's result. Its errors have the op and its location, so that ops need not know
/// them.
template <class Op, class Operands, std::size_t... I>
constexpr auto result_shape([[maybe_unused]] Op const& op, site at,
                            [[maybe_unused]] Operands const& a, std::index_sequence<I...>) {
  if constexpr (has_pattern<Op, map>) {
    return broadcast_for(Op::name, at, shape_of(a.template get<I>())...);
  } else {
    try {
      return op.result(shape_of(a.template get<I>())...);
    } catch (...) { rethrow_from_rule(Op::name, at); }
  }
}

template <class... A> struct first_type {
  using type = void;
};
template <class A, class... B> struct first_type<A, B...> {
  using type = A;
};

/// One non-recursive check, so that the error about mixed element types is one sentence.
template <class... T> inline constexpr bool one_element_type = true;
template <class T, class... More>
inline constexpr bool one_element_type<T, More...> = (std::is_same_v<T, More> && ...);

template <class Op, class... T> constexpr auto map_result() {
  if constexpr (requires(Op const& op, T... x) { op(x...); }) {
    return std::type_identity<decltype(std::declval<Op const&>()(std::declval<T>()...))>{};
  } else {
    static_assert(
        one_element_type<T...>,
        "placement: these operands have different element types. Write cast<T>(x) on one of them.");
    static_assert(
        !one_element_type<T...>,
        "placement: this op does not take this element type. Write cast<T>(x), or use another op.");
    return std::type_identity<typename first_type<T...>::type>{};
  }
}

/// The element type of an op's result.
template <class Op, class... A> constexpr auto result_element() {
  using first = typename first_type<typename A::value_type...>::type;
  if constexpr (has_pattern<Op, map>) return map_result<Op, typename A::value_type...>();
  else if constexpr (has_pattern<Op, reduce>)
    return std::type_identity<decltype(std::declval<Op const&>().finalize(
        Op::template init<first>(), index_t{}))>{};
  else if constexpr (has_pattern<Op, fill>)
    return std::type_identity<decltype(std::declval<Op const&>()(index_t{}))>{};
  else if constexpr (requires { typename Op::value_type; })
    return std::type_identity<typename Op::value_type>{};
  else {
    static_assert(
        !has_pattern<Op, gemm> || one_element_type<typename A::value_type...>,
        "placement: these operands have different element types. Write cast<T>(x) on one of them.");
    return std::type_identity<first>{};
  }
}

/// Whether a node is a view of memory that view() names, and so can be assigned to. False for an op
/// that broadcasts, because several of its elements share one position.
template <class Op, class... A> inline constexpr bool names_memory = false;
template <class Op, class A>
inline constexpr bool names_memory<Op, A> =
    has_pattern<Op, view_op> && (is_reference<A> || requires { requires A::is_view; }) &&
    !requires { Op::broadcasts; };

}  // namespace detail

/// An op on operands. K: the kernels that the file of the expression can launch.
template <class Op, class K, class... A> struct expr {
  using op_type = Op;
  using kernels = K;
  using value_type = typename decltype(detail::result_element<Op, A...>())::type;
  using extents_type = decltype(detail::result_shape(
      std::declval<Op const&>(), site{}, std::declval<detail::node_operands<A...> const&>(),
      std::index_sequence_for<A...>{}));
  static constexpr std::size_t arity = sizeof...(A);
  static constexpr std::size_t rank = extents_type::rank;
  static constexpr bool is_view = detail::names_memory<Op, A...>;

  // Always inlined for small nodes (node_operands.hpp).
  template <class... X> requires(sizeof...(X) == sizeof...(A) && detail::is_small<A...>)
  PLACEMENT_ALWAYS_INLINE constexpr expr(Op o, site at, X&&... x)
      : op(std::move(o)),
        args(std::in_place, std::forward<X>(x)...),
        shape_(detail::result_shape(op, at, args, std::index_sequence_for<A...>{})),
        from(origin::here<expr>(at, shape_)) {}
  template <class... X> requires(sizeof...(X) == sizeof...(A) && !detail::is_small<A...>)
  [[gnu::noinline]] constexpr expr(Op o, site at, X&&... x)
      : op(std::move(o)),
        args(std::in_place, std::forward<X>(x)...),
        shape_(detail::result_shape(op, at, args, std::index_sequence_for<A...>{})),
        from(origin::here<expr>(at, shape_)) {}

  expr(expr const&) = default;
  PLACEMENT_ALWAYS_INLINE constexpr expr(expr&&) requires detail::is_small<A...>
  = default;
  [[gnu::noinline]] constexpr expr(expr&&) requires(!detail::is_small<A...>)
  = default;
  PLACEMENT_ALWAYS_INLINE constexpr ~expr() requires detail::is_small<A...>
  = default;
  [[gnu::noinline]] constexpr ~expr() requires(!detail::is_small<A...>)
  = default;

  /// Writes the elements of x through this view of a tensor: `slice(view(t), range(0, 2)) = x`. x
  /// is broadcast to the view's shape, and read before anything is written.
  expr const& operator=(expr const& x) const {
    check_assignable();
    detail::assign_elements<K>(*this, x, false);
    return *this;
  }
  template <class X> requires(operand<X> || number<X>)
  expr const& operator=(X&& x) const {
    check_assignable();
    detail::assign_elements<K>(*this, x, !std::is_lvalue_reference_v<X>);
    return *this;
  }

  /// Row i, without computing the others: a view of rank - 1. A negative i counts from the end.
  /// Throws: shape_error for an index out of range.
  template <class Here = K> detail::row_of<Here, expr> operator[](located_index i) const& {
    return detail::make_row<Here, expr>(*this, i);
  }
  template <class Here = K> detail::row_of<Here, expr> operator[](located_index i) && {
    return detail::make_row<Here, expr>(std::move(*this), i);
  }
  /// Element (i, j, ...) as an expression of rank 0, which is assignable for a view.
  template <class... I>
  detail::element_node<K, expr, I...> operator()(located_index i, I... more) const {
    return detail::make_element<K, expr>(*this, i, more...);
  }

  constexpr extents_type shape() const { return shape_; }
  template <std::size_t I> constexpr auto const& arg() const { return args.template get<I>(); }

  // Rejected, see rejected.hpp.
  explicit operator bool() const { return detail::reject_bool<expr>(); }
  template <std::same_as<value_type> B>
  operator B() const requires std::same_as<B, bool>
  {
    return detail::reject_bool<expr>();
  }
  operator detail::number_of<value_type>() const
      requires(rank == 0 && !std::is_same_v<value_type, bool>)
  {
    return detail::reject_number<expr>();
  }

  [[no_unique_address]] Op op;
  detail::node_operands<A...> args;
  [[no_unique_address]] extents_type shape_;
  origin from;

 private:
  static constexpr void check_assignable() {
    static_assert(
        is_view,
        "placement: only views of a tensor are assigned to. Write tensor t = e, or slice(view(t), ...) = e.");
  }
};

/// The expression with a name for logs and messages: `named("a", matmul(x, y))`.
template <class Op, class K, class... A>
auto named(std::string_view name, expr<Op, K, A...> e) -> expr<Op, K, A...> {
  e.from.name = detail::label_named(e.from.name, name);
  return e;
}

}}  // namespace placement::v0_1
