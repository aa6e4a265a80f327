#pragma once
/// What a radix sort of a library leaves to kernels of ours: unsigned keys of elements, the width
/// of indices, and NaN behind the numbers.

#include <placement/gpu/tile.hpp>
#include <placement/math/float16.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {

/// An unsigned number of the size of T, or of 16 bits for one byte.
template <class T>
using radix_key =
    std::conditional_t<sizeof(T) == 8, std::uint64_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
template <class T>
inline constexpr radix_key<T> top_bit =
    static_cast<radix_key<T>>(radix_key<T>{1} << (8 * sizeof(radix_key<T>) - 1));
template <class T> PLACEMENT_HD bool has_sign_bit(T const& x) {
  return (__builtin_bit_cast(radix_key<T>, x) & top_bit<T>) != 0;
}

/// The key in the order of sort: equal elements have equal keys, and NaN has the largest.
template <class T> PLACEMENT_HD radix_key<T> radix_key_of(T const& x, bool is_descending) {
  using key = radix_key<T>;
  key bits{};
  if constexpr (std::is_integral_v<T>) {
    bits = static_cast<key>(x);
    if constexpr (std::is_signed_v<T>) bits = static_cast<key>(bits ^ top_bit<T>);
  } else {
    if (x != x) return static_cast<key>(~key{0});
    bits = __builtin_bit_cast(key, x);
    if (bits == top_bit<T>) bits = 0;  // -0
    bits = static_cast<key>(bits ^ ((bits & top_bit<T>) != 0 ? ~key{0} : top_bit<T>));
  }
  return is_descending ? static_cast<key>(~bits) : bits;
}

/// For each index: the key of its element, and the index itself.
template <class T> struct write_radix_keys {
  T const* in;
  radix_key<T>* keys;
  std::uint32_t* indices;
  bool is_descending;
  PLACEMENT_HD void operator()(index_t i) const {
    keys[i] = radix_key_of(in[i], is_descending);
    indices[i] = static_cast<std::uint32_t>(i);
  }
};
/// For each index: the element that is there in order.
template <class T> struct gather_sorted {
  T const* in;
  std::uint32_t const* indices;
  T* out;
  PLACEMENT_HD void operator()(index_t i) const { out[i] = in[indices[i]]; }
};
/// For each index: the same number in 64 bits.
struct widen_indices {
  std::uint32_t const* in;
  std::int64_t* out;
  PLACEMENT_HD void operator()(index_t i) const { out[i] = in[i]; }
};

/// A radix sort orders NaN by its bits: those of one sign are first, those of the other last.
/// Numbers of an array so sorted: the element `before` is the first of them.
struct sorted_numbers {
  index_t before, count;
};
/// What both kernels below share.
template <class T> struct nan_last_args {
  T const* in;  ///< the elements before they were sorted
  T* sorted;
  T* spare;  ///< scratch memory for n elements
  index_t n;
  sorted_numbers* numbers;
  index_t* counts;  ///< one for each block: its NaN
  bool is_descending;

  static constexpr index_t max_blocks = enough_blocks;
  PLACEMENT_HD constexpr index_t per_thread() const {
    index_t const most = max_blocks * block_threads;
    return n < 8 * most ? 8 : (n + most - 1) / most;
  }
  PLACEMENT_HD constexpr index_t per_block() const { return per_thread() * block_threads; }
  constexpr index_t blocks() const { return (n + per_block() - 1) / per_block(); }

  PLACEMENT_HD bool is_nan(index_t i) const { return sorted[i] != sorted[i]; }
  PLACEMENT_HD bool is_first_nan(index_t i) const {
    return is_nan(i) && has_sign_bit(sorted[i]) != is_descending;
  }
  PLACEMENT_HD bool is_last_nan(index_t i) const {
    return is_nan(i) && has_sign_bit(sorted[i]) == is_descending;
  }
  /// The first index for which f holds, or n. f holds for all later ones.
  template <class F> PLACEMENT_HD index_t first(F const& f) const {
    index_t low = 0, high = n;
    PLACEMENT_ROLLED
    while (low < high) {
      index_t const middle = low + (high - low) / 2;
      if (f(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  PLACEMENT_HD sorted_numbers find_numbers() const {
    index_t const before = first([&](index_t i) { return !is_first_nan(i); });
    return {before, first([&](index_t i) { return is_last_nan(i); }) - before};
  }
  /// Calls f(i) for each element of the operand that this thread examines, in order.
  template <class F> PLACEMENT_HD void for_mine(index_t block, int thread, F const& f) const {
    index_t const begin = block * per_block() + thread * per_thread();
    PLACEMENT_ROLLED
    for (index_t i = begin; i < begin + per_thread() && i < n; ++i) f(i);
  }
  PLACEMENT_HD index_t count_mine(index_t block, int thread) const {
    index_t count = 0;
    for_mine(block, thread, [&](index_t i) { count += in[i] != in[i]; });
    return count;
  }
  /// Calls f(i) for each number of a block; neighbouring threads take neighbouring ones.
  template <class F>
  PLACEMENT_HD void for_numbers(index_t block, int thread, index_t count, F const& f) const {
    index_t const begin = block * per_block(), rest = count - begin;
    PLACEMENT_ROLLED
    for (index_t i = thread; i < per_block() && i < rest; i += block_threads) f(begin + i);
  }
};

}  // namespace detail

/// Counts the NaN of each part of the operand, and copies the numbers to the spare memory if NaN
/// is before them. Ends at once if there is no NaN.
template <class T> struct count_nan {
  using local = detail::no_local;
  static constexpr std::size_t shared_bytes = block_threads * sizeof(index_t);

  detail::nan_last_args<T> args;

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    index_t const number = block.number();
    if (!args.is_nan(0) && !args.is_nan(args.n - 1)) {
      if (number == 0)
        block.each_without_barrier([&](int thread, local&) {
          if (thread == 0) *args.numbers = {0, args.n};
        });
      return;
    }
    auto* const counted = static_cast<index_t*>(block.shared());
    block.each([&](int thread, local&) { counted[thread] = args.count_mine(number, thread); });
    block.each_without_barrier([&](int thread, local&) {
      detail::sorted_numbers const numbers = args.find_numbers();
      if (numbers.before != 0)
        args.for_numbers(number, thread, numbers.count,
                         [&](index_t i) { args.spare[i] = args.sorted[numbers.before + i]; });
      if (thread != 0) return;
      index_t all = 0;
      for (int t = 0; t < block_threads; ++t) all += counted[t];
      args.counts[number] = all;
      if (number == 0) *args.numbers = numbers;
    });
  }
};

/// Writes the numbers, and behind them each NaN of the operand in its order.
template <class T> struct place_nan {
  using local = detail::no_local;
  static constexpr std::size_t shared_bytes = 2 * block_threads * sizeof(index_t);

  detail::nan_last_args<T> args;

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    detail::sorted_numbers const numbers = *args.numbers;
    if (numbers.count == args.n) return;
    index_t const number = block.number();
    auto* const before_block = static_cast<index_t*>(block.shared());
    auto* const of_thread = before_block + block_threads;
    block.each([&](int thread, local&) {
      index_t sum = 0;
      for (index_t b = thread; b < number; b += block_threads) sum += args.counts[b];
      before_block[thread] = sum;
      of_thread[thread] = args.count_mine(number, thread);
    });
    block.each_without_barrier([&](int thread, local&) {
      if (numbers.before != 0)
        args.for_numbers(number, thread, numbers.count,
                         [&](index_t i) { args.sorted[i] = args.spare[i]; });
      if (of_thread[thread] == 0) return;
      index_t to = numbers.count;
      for (int t = 0; t < block_threads; ++t) to += before_block[t];
      for (int t = 0; t < thread; ++t) to += of_thread[t];
      args.for_mine(number, thread, [&](index_t i) {
        if (args.in[i] != args.in[i]) args.sorted[to++] = args.in[i];
      });
    });
  }
};

}}  // namespace placement::v0_1
