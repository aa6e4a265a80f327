#pragma once
/// A tuple of values. It parses in a tenth of the time of std::tuple and can be used on a GPU.

#include <placement/config.hpp>

#include <cstddef>
#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {
template <std::size_t I, class A> struct slot {
  A value;
};
template <std::size_t I, class A>
PLACEMENT_HD constexpr A const& slot_value(slot<I, A> const& s) noexcept {
  return s.value;
}
template <std::size_t I, class A> PLACEMENT_HD constexpr A& slot_value(slot<I, A>& s) noexcept {
  return s.value;
}
template <class Seq, class... A> struct pack_of;
template <std::size_t... J, class... A>
struct pack_of<std::index_sequence<J...>, A...> : slot<J, A>... {
  static constexpr std::size_t size = sizeof...(A);

  template <std::size_t I> PLACEMENT_HD constexpr auto const& get() const noexcept {
    return slot_value<I>(*this);
  }
  template <std::size_t I> PLACEMENT_HD constexpr auto& get() noexcept {
    return slot_value<I>(*this);
  }
};
}  // namespace detail

/// Holds its values in order: `pack<int, float>{{1}, {2.f}}`. An aggregate.
template <class... A> using pack = detail::pack_of<std::index_sequence_for<A...>, A...>;

}}  // namespace placement::v0_1
