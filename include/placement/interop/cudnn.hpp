#pragma once
/// Whether convolutions use cuDNN. They use the library's own kernels: decision 0062.
/// placement.hpp does not include this header.

#include <placement/expr/operand.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 {

/// The version of cuDNN that ops use, as cudnnGetVersion() returns it; 0, because none of them uses
/// it.
constexpr std::size_t cudnn_version() noexcept { return 0; }

/// Whether cuDNN would compute convolutions of x: it is in use, and takes floating point.
template <operand X> constexpr bool is_cudnn_acceptable(X const&) noexcept {
  return cudnn_version() != 0 && real_number<typename X::value_type>;
}

}}  // namespace placement::v0_1
