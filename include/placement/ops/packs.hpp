#pragma once
/// What element-wise ops take: an element, or a pack of elements. An op that says `takes_packs` is
/// given packs; its formula chooses by simd::select in place of `?:` and `if`.

#include <placement/expr/expr.hpp>
#include <placement/kernels/simd.hpp>
#include <placement/kernels/simd_math.hpp>
#include <placement/ops/wrap.hpp>

namespace placement { inline namespace v0_1 {

template <class V> concept element_or_pack = element<simd::element_of<V>>;
template <class V> concept number_or_pack = wraps_or_rounds<simd::element_of<V>>;
template <class V> concept real_or_pack = real_number<simd::element_of<V>>;
template <class V> concept bool_or_mask = std::is_same_v<simd::element_of<V>, bool>;

}}  // namespace placement::v0_1
