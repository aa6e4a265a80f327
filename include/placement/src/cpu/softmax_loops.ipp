#pragma once
/// Definitions of softmax.hpp: rows of float and double.

#include <placement/config.hpp>
#include <placement/cpu/softmax.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

template <class T, bool Logarithm>
void softmax_loops<T, Logarithm>::run(T* out, T const* in, index_t n, index_t size, bool streamed) {
  softmax_of_rows<Logarithm>(out, in, n, size, streamed);
}

#if defined(PLACEMENT_EMIT_DEFINITIONS)
template struct softmax_loops<float, false>;
template struct softmax_loops<float, true>;
template struct softmax_loops<double, false>;
template struct softmax_loops<double, true>;
#endif

}}}  // namespace placement::v0_1::detail
