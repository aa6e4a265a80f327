#pragma once
/// Vectors of adjacent elements, loaded and stored in one access.

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 {

/// The widest access of a GPU, in bytes.
inline constexpr std::size_t access_bytes = 16;

/// V elements, a power of two. Up to 16 bytes are one access, larger vectors several.
template <class T, int V>
struct alignas(V * sizeof(T) < access_bytes ? V * sizeof(T) : access_bytes) access_of {
  T v[static_cast<std::size_t>(V)];
  PLACEMENT_HD constexpr T operator()(index_t j) const noexcept { return v[j]; }
};

/// The V elements from p on; p must be aligned to access_of<T, V>.
template <int V, class T> PLACEMENT_HD inline access_of<T, V> load_vec(T const* p) noexcept {
  if constexpr (V == 1) return {{*p}};
  else return *reinterpret_cast<access_of<T, V> const*>(p);
}
template <class T, int V>
PLACEMENT_HD inline void store_vec(T* p, access_of<T, V> const& x) noexcept {
  if constexpr (V == 1) *p = x.v[0];
  else *reinterpret_cast<access_of<T, V>*>(p) = x;
}
/// V elements at a constant step.
template <int V, class T>
PLACEMENT_HD inline access_of<T, V> load_each(T const* p, index_t step) noexcept {
  access_of<T, V> x;
  PLACEMENT_UNROLL
  for (int j = 0; j < V; ++j) x.v[j] = p[j * step];
  return x;
}
/// The same element V times.
template <int V, class T> PLACEMENT_HD constexpr access_of<T, V> repeated(T const& value) noexcept {
  access_of<T, V> x{};
  PLACEMENT_UNROLL
  for (int j = 0; j < V; ++j) x.v[j] = value;
  return x;
}

namespace detail {
/// Whether p is aligned to access_of<T, V>.
template <int V, class T> bool is_aligned(T const* p) noexcept {
  return reinterpret_cast<std::size_t>(p) % alignof(access_of<T, V>) == 0;
}
}  // namespace detail

}}  // namespace placement::v0_1
