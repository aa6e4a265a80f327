#pragma once
/// Definitions of sort_numbers.hpp.

#include <placement/config.hpp>
#include <placement/cpu/key_form.hpp>
#include <placement/cpu/range_sorter.hpp>
#include <placement/cpu/sort_numbers.hpp>
#include <placement/cpu/transpose_elements.hpp>

#include <algorithm>
#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

/// n sorted numbers, the first of those of `in`, in which zeros and NaN get the order and the bits
/// that they have there.
template <class T>
inline void restore_equal_numbers(T* sorted, T const* in, index_t n, sort_direction direction) {
  bool const ascends = direction == sort_direction::ascending;
  T* const end = sorted + n;
  T* const nan = std::partition_point(sorted, end, [](T x) { return x == x; });
  T* const zeros =
      std::partition_point(sorted, nan, [&](T x) { return ascends ? x < T{} : x > T{}; });
  T* const after = std::partition_point(zeros, nan, [](T x) { return x == T{}; });
  auto const put = [&](T* from, T const* to, auto const& takes) {
    for (T const* x = in; from != to; ++x)
      if (takes(*x)) *from++ = *x;
  };
  put(zeros, after, [](T x) { return x == T{}; });
  put(nan, end, [](T x) { return x != x; });
}

template <class Key>
inline void sort_numbers_of(void* out, void const* in, void* scratch, index_t n,
                            number_order const& order) {
  using number = typename key_form<Key>::number;
  key_form<Key> const form(order);
  bool loses_bits = false;
  range_sorter<Key>(form).sort_numbers(static_cast<Key const*>(in), static_cast<Key*>(out),
                                       static_cast<Key*>(scratch), n, n, {form, loses_bits});
  if (loses_bits)
    restore_equal_numbers(static_cast<number*>(out), static_cast<number const*>(in), n,
                          order.direction);
}
template <class Key>
inline void first_numbers_of(void* out, void const* in, void* scratch, index_t n, index_t k,
                             number_order const& order) {
  using number = typename key_form<Key>::number;
  key_form<Key> const form(order);
  auto* const result = static_cast<Key*>(scratch);
  bool loses_bits = false;
  range_sorter<Key>(form).sort_numbers(static_cast<Key const*>(in), result, result + n, n, k,
                                       {form, loses_bits});
  if (k == 0) return;
  std::memcpy(out, result, static_cast<std::size_t>(k) * sizeof(Key));
  if (loses_bits)
    restore_equal_numbers(static_cast<number*>(out), static_cast<number const*>(in), k,
                          order.direction);
}
template <class Key>
inline index_t unique_numbers_of(void* out, void* scratch, void const* in, index_t n,
                                 number_order const& order) {
  key_form<Key> const form(order), merged = form.merging_zeros();
  auto* const keys = static_cast<Key*>(scratch);
  bool loses_bits = false;
  auto* const result = static_cast<Key*>(out);
  range_sorter<Key>().sort_numbers(static_cast<Key const*>(in), keys, keys + n, n, n,
                                   {merged, loses_bits});
  return key_functions_of_processor<Key>().unique(keys, result, n, form);
}
PLACEMENT_INLINE_ON_CALL void sort_numbers(void* out, void const* in, void* scratch, index_t n,
                                           number_order const& order) noexcept {
  void const* from = in;
  if (in == out && n != 0) {
    std::size_t const bytes = static_cast<std::size_t>(n) * order.bytes;
    from = std::memcpy(static_cast<unsigned char*>(scratch) + bytes, in, bytes);
  }
  if (order.bytes == 4) sort_numbers_of<key32>(out, from, scratch, n, order);
  else sort_numbers_of<key64>(out, from, scratch, n, order);
}
PLACEMENT_INLINE_ON_CALL void first_numbers(void* out, void const* in, void* scratch, index_t n,
                                            index_t k, number_order const& order) noexcept {
  if (order.bytes == 4) first_numbers_of<key32>(out, in, scratch, n, k, order);
  else first_numbers_of<key64>(out, in, scratch, n, k, order);
}

PLACEMENT_INLINE_ON_CALL index_t unique_numbers(void* out, void* keys, void const* in, index_t n,
                                                number_order const& order) noexcept {
  return order.bytes == 4 ? unique_numbers_of<key32>(out, keys, in, n, order)
                          : unique_numbers_of<key64>(out, keys, in, n, order);
}

PLACEMENT_INLINE_ON_CALL void sort_columns(void* out, void const* in, void* scratch, index_t n,
                                           index_t pitch, index_t columns,
                                           number_order const& order) noexcept {
  auto const bytes = static_cast<index_t>(order.bytes);
  auto const word = static_cast<unsigned>(bytes);
  auto* const rows = static_cast<unsigned char*>(scratch) + n * bytes;
  transpose_elements(rows + n * bytes, n * bytes, static_cast<unsigned char const*>(in),
                     pitch * bytes, columns, n, word);
  for (index_t c = 0; c != columns; ++c)  // to the place before it, which is free by then
    sort_numbers(rows + c * n * bytes, rows + (c + 1) * n * bytes, scratch, n, order);
  transpose_elements(static_cast<unsigned char*>(out), pitch * bytes, rows, n * bytes, n, columns,
                     word);
}

}}}  // namespace placement::v0_1::detail
