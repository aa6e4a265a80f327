#pragma once
/// What element-wise ops take: an element, or a pack of elements. An op that says `takes_packs` is
/// given packs; its formula chooses by simd::select in place of `?:` and `if`.

#include <placement/expr/expr.hpp>
#include <placement/kernels/element.hpp>
#include <placement/kernels/simd.hpp>
#include <placement/kernels/simd_math.hpp>
#include <placement/ops/wrap.hpp>

namespace placement { inline namespace v0_1 {

template <class V> concept element_or_pack = element<simd::element_of<V>>;
template <class V> concept number_or_pack = wraps_or_rounds<simd::element_of<V>>;
/// Real or complex numbers, or packs of real ones: what is added and multiplied.
template <class V> concept number_or_complex = number_or_pack<V> || is_complex<V>;
/// What has an order, and packs of it.
template <class V> concept ordered_or_pack = element_or_pack<V> && !is_complex<V>;
template <class V> concept real_or_pack = real_number<simd::element_of<V>>;
template <class V> concept bool_or_mask = std::is_same_v<simd::element_of<V>, bool>;

}}  // namespace placement::v0_1
