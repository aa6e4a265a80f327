#pragma once
/// Tensors and std::mdspan on the same memory, without a copy, where the standard library has it
/// (`__cpp_lib_mdspan`, C++23). placement.hpp does not include this header.
///
///     std::mdspan grid(numbers.data(), 3, 4);
///     pl::tensor x = pl::from_mdspan(grid) * 2.f;  // reads the memory of grid
///     auto const m = pl::to_mdspan(x);             // m[1, 2] is an element of x

#include <placement/expr/memory.hpp>
#include <placement/ops/transpose.hpp>

#include <version>

#if defined(__cpp_lib_mdspan)

#  include <cstddef>
#  include <mdspan>
#  include <string>
#  include <type_traits>
#  include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {

constexpr index_t extent_of_mdspan(std::size_t n) {
  return n == std::dynamic_extent ? dyn : static_cast<index_t>(n);
}
constexpr std::size_t mdspan_extent(index_t n) {
  return n == dyn ? std::dynamic_extent : static_cast<std::size_t>(n);
}
template <class X, class I> struct mdspan_extents_of;
template <class X, std::size_t... D> struct mdspan_extents_of<X, std::index_sequence<D...>> {
  using type = std::extents<index_t, mdspan_extent(X::static_extent(D))...>;
};
template <class X>
using mdspan_extents = typename mdspan_extents_of<X, std::make_index_sequence<X::rank>>::type;

/// The shape of an mdspan, or the reverse of it, with the extents of its type.
template <bool Reversed, class E> auto shape_of_mdspan(E const& e) {
  auto const at = [](std::size_t d) { return Reversed ? E::rank() - 1 - d : d; };
  return make_shape<E::rank()>(
      [](std::size_t d) {
        return extent_of_mdspan(E::static_extent(Reversed ? E::rank() - 1 - d : d));
      },
      [&](std::size_t d) { return static_cast<index_t>(e.extent(at(d))); });
}

/// Throws: placement_error for a tensor on a GPU.
inline void check_mdspan_on_cpu(device where, site at) {
  if (where.is_gpu())
    throw placement_error("placement: to_mdspan of a tensor on " + to_string(where) +
                          ": std::mdspan reads host memory. Write copy_to(cpu0, x)." +
                          location_text({}, at));
}

}  // namespace detail

/// An mdspan as an operand on its own memory, without a copy. With layout_right it is a tensor,
/// through which one may write. A matrix with layout_left is the transpose of such a tensor, for
/// reading. The memory must live as long as the operand.
/// Shape: the extents of the mdspan, those in its type too.
/// Throws: invalid_argument for null.
template <class T, class E, class L, class A>
auto from_mdspan(std::mdspan<T, E, L, A> const& m, site at = site::here()) {
  constexpr bool is_left = std::is_same_v<L, std::layout_left>;
  static_assert(std::is_same_v<A, std::default_accessor<T>>,
                "placement: from_mdspan takes an mdspan with std::default_accessor. Copy others.");
  static_assert(std::is_same_v<L, std::layout_right> || (is_left && E::rank() <= 2),
                "placement: from_mdspan takes layout_right, and of rank 2 layout_left. Copy the "
                "elements of others.");
  static_assert(!std::is_const_v<T>,
                "placement: from_mdspan takes an mdspan of elements that are not const, since one "
                "may write through the tensor. Copy them by from(m.data_handle(), shape).");
  if constexpr (is_left && E::rank() == 2)
    return transpose(borrow(m.data_handle(), detail::shape_of_mdspan<true>(m.extents()), cpu0, at),
                     at);
  else return borrow(m.data_handle(), detail::shape_of_mdspan<false>(m.extents()), cpu0, at);
}

/// A tensor as an mdspan on its memory, without a copy. It is valid until the tensor ends or is
/// assigned to. Elements of other owners are copied first, as by data().
/// Throws: placement_error for a tensor on a GPU.
template <class T, class X>
std::mdspan<T, detail::mdspan_extents<X>> to_mdspan(tensor<T, X>& x, site at = site::here()) {
  detail::check_mdspan_on_cpu(x.where(), at);
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return std::mdspan<T, detail::mdspan_extents<X>>(x.data(), x.shape().at(D)...);
  }(std::make_index_sequence<X::rank>{});
}
/// The same for reading.
template <class T, class X>
std::mdspan<T const, detail::mdspan_extents<X>> to_mdspan(tensor<T, X> const& x,
                                                          site at = site::here()) {
  detail::check_mdspan_on_cpu(x.where(), at);
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return std::mdspan<T const, detail::mdspan_extents<X>>(x.data(), x.shape().at(D)...);
  }(std::make_index_sequence<X::rank>{});
}
/// An mdspan of a tensor that ends with the expression would refer to freed memory.
template <class T, class X> void to_mdspan(tensor<T, X>&&) = delete;

}}  // namespace placement::v0_1

#endif
