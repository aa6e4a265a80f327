#pragma once
/// A list of tensors of one type as one operand: the argument of add_n, concat and stack if the
/// number is known only at run time.

#include <placement/fwd.hpp>
#include <placement/shape/strided_view.hpp>

#include <vector>

namespace placement { inline namespace v0_1 {

/// The shapes of a list's tensors.
template <class X> struct shape_list {
  static constexpr std::size_t rank = X::rank;
  std::vector<X> all;
};

template <class T, class X> struct list {
  using value_type = T;
  using extents_type = X;
  static constexpr std::size_t rank = X::rank;

  std::vector<tensor<T, X>> items;

  shape_list<X> shape() const try {
    shape_list<X> s;
    s.all.reserve(items.size());
    for (auto const& t : items) s.all.push_back(t.shape());
    return s;
  } catch (...) { detail::rethrow_as_error(); }
  /// Copies the tensors to the kernel's device if needed, and returns views of them.
  template <class Set> std::vector<dense_view<T const, X>> views(Set& set) const {
    std::vector<dense_view<T const, X>> all;
    all.reserve(items.size());
    for (auto const& t : items) all.push_back({set.bring(t), t.shape()});
    return all;
  }
};

}}  // namespace placement::v0_1
