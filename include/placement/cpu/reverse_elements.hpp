#pragma once
/// Copies elements in the opposite order. Compiled once, for several levels of x86-64.

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Element j of `to` is element -j of `from`, for j below n. An element has 1, 2, 4, 8 or 16 bytes.
void reverse_elements(unsigned char* to, unsigned char const* from, index_t n, unsigned bytes);

}}}  // namespace placement::v0_1::detail
