#pragma once
/// The memory arguments of kernels: plain pointers with a shape or a layout.

#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 {

/// Dense elements in row-major order on the kernel's device.
template <class T, class X> struct dense_view {
  using value_type = T;
  using extents_type = X;

  [[no_unique_address]] X shape{};  // first: see docs/decisions/0033-parameters-of-kernels.md
  T* data = nullptr;

  constexpr dense_view() = default;
  /// The parameters have names that hide none of a program's (-Wshadow).
  PLACEMENT_HD constexpr dense_view(T* data_, X shape_ = {}) : shape(shape_), data(data_) {}

  PLACEMENT_HD constexpr T& operator[](index_t i) const { return data[i]; }
  PLACEMENT_HD constexpr index_t size() const { return static_cast<index_t>(shape.count()); }
};

/// Elements at the positions of a layout.
template <class T, std::size_t R> struct strided_view {
  T* data = nullptr;
  layout<R> where{};
};

}}  // namespace placement::v0_1
