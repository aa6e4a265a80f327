#pragma once
/// A device as a type, for placement at compile time: `gpu<1>`.

#include <placement/device/device.hpp>

namespace placement { inline namespace v0_1 {

/// The device K:I as a type, of task T of the program. Its parameters are an enum and ints, which
/// every compiler can mangle.
template <kind K, int I, int T = every_task> struct dev {
  static constexpr device value{K, I, T};
  constexpr operator device() const noexcept { return value; }
};

template <kind K, int I, int T, kind L, int J, int U>
constexpr bool operator==(dev<K, I, T>, dev<L, J, U>) noexcept {
  return K == L && I == J && T == U;
}

/// The tag without a request: the surrounding scopes decide.
using any_device = dev<kind::any, any_index>;

template <int I> inline constexpr dev<kind::cpu, I> cpu{};
template <int I> inline constexpr dev<kind::gpu, I> gpu{};

template <class D> inline constexpr bool is_device_tag = false;
template <kind K, int I, int T> inline constexpr bool is_device_tag<dev<K, I, T>> = true;

/// A compile-time device: `dev<kind, index>`, or `dev<kind, index, task>`.
template <class D> concept device_tag = is_device_tag<D>;

}}  // namespace placement::v0_1
