#pragma once
/// What a library's selections and counts leave to kernels of ours: counts and ranges of elements,
/// and slices at selected indices.

#include <placement/gpu/each_index.hpp>
#include <placement/gpu/run_time_elements.hpp>
#include <placement/shape/fast_division.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {

// ---- reductions: `step` joins a state with step i of the operand, and `join` two states, in any
// order

struct reduction_state {
  std::uint64_t a, b;
};

/// The number of elements that are not zero. A step is one element, or 8 of one byte.
struct count_nonzero_rule {
  nonzero_elements x;
  bool by_word;

  explicit count_nonzero_rule(gpu_elements const& of)
      : x(of),
        by_word(x.bytes == 1 && x.parts == 1 &&
                reinterpret_cast<std::uintptr_t>(x.data) % sizeof(std::uint64_t) == 0) {}
  index_t steps() const { return by_word ? (x.n + 7) / 8 : x.n; }
  PLACEMENT_HD static reduction_state start() { return {0, 0}; }
  PLACEMENT_HD reduction_state step(reduction_state s, index_t i) const {
    if (!by_word) return {s.a + (x(i) ? 1u : 0u), 0};
    if (8 * i + 8 <= x.n)
      return {s.a + nonzero_bytes(static_cast<std::uint64_t const*>(x.data)[i]), 0};
    for (index_t k = 8 * i; k != x.n; ++k) s.a += x(k) ? 1u : 0u;
    return s;
  }
  PLACEMENT_HD static reduction_state join(reduction_state s, reduction_state t) {
    return {s.a + t.a, 0};
  }

 private:
  static PLACEMENT_HD std::uint64_t nonzero_bytes(std::uint64_t w) {
    constexpr std::uint64_t ones = 0x0101010101010101u, low = 0x7f7f7f7f7f7f7f7fu;
    return ((((w & low) + low) | w) >> 7 & ones) * ones >> 56;
  }
};

/// The smallest and the largest number, as keys: unsigned numbers in the order of doubles.
struct range_rule {
  number_elements x;
  index_t n;

  index_t steps() const { return n; }
  PLACEMENT_HD static reduction_state start() { return {~std::uint64_t{0}, 0}; }
  PLACEMENT_HD reduction_state step(reduction_state s, index_t i) const {
    std::uint64_t const key = key_of(x.number(i));
    return join(s, {key, key});
  }
  PLACEMENT_HD static reduction_state join(reduction_state s, reduction_state t) {
    return {s.a < t.a ? s.a : t.a, s.b > t.b ? s.b : t.b};
  }
  static number_range range_of(reduction_state s) { return {number_of(s.a), number_of(s.b)}; }

 private:
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  /// NaN has the largest key.
  static PLACEMENT_HD std::uint64_t key_of(double value) {
    if (value != value) return ~std::uint64_t{0};
    auto const bits = __builtin_bit_cast(std::uint64_t, value);
    return bits ^ ((bits & sign) != 0 ? ~std::uint64_t{0} : sign);
  }
  static double number_of(std::uint64_t key) {
    return __builtin_bit_cast(double, key ^ ((key & sign) != 0 ? sign : ~std::uint64_t{0}));
  }
};

/// The largest integer, or not_countable.
struct largest_rule {
  number_elements x;
  index_t n;

  index_t steps() const { return n; }
  PLACEMENT_HD static reduction_state start() { return {0, 0}; }
  PLACEMENT_HD reduction_state step(reduction_state s, index_t i) const {
    return join(s, {x.countable(i), 0});
  }
  PLACEMENT_HD static reduction_state join(reduction_state s, reduction_state t) {
    return {s.a > t.a ? s.a : t.a, 0};
  }
};

/// The states of a reduction's blocks, as the operand of a second one.
template <class Rule> struct join_states {
  reduction_state const* states;
  index_t n;

  index_t steps() const { return n; }
  PLACEMENT_HD static reduction_state start() { return Rule::start(); }
  PLACEMENT_HD reduction_state step(reduction_state s, index_t i) const {
    return join(s, states[i]);
  }
  PLACEMENT_HD static reduction_state join(reduction_state s, reduction_state t) {
    return Rule::join(s, t);
  }
};

}  // namespace detail

/// Joins the steps of a reduction, to one state for each block.
template <class Rule> struct reduce_steps {
  struct local {
    detail::reduction_state s;
  };
  static constexpr std::size_t shared_bytes =
      block_threads / warp_threads * sizeof(detail::reduction_state);

  Rule rule;
  index_t steps, stride;  ///< stride: the threads of all blocks
  detail::reduction_state* out;

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.each([&](int thread, local& mine) {
      mine.s = Rule::start();
      for (index_t i = block.number() * block_threads + thread; i < steps; i += stride)
        mine.s = rule.step(mine.s, i);
    });
    block.combine(block_threads, [](detail::reduction_state const& s,
                                    detail::reduction_state const& t) { return Rule::join(s, t); });
    block.each_without_barrier([&](int thread, local& mine) {
      if (thread == 0) out[block.number()] = mine.s;
    });
  }
};

namespace detail {

/// The reduction of all steps, in states[0]. states: room for enough_blocks + 1. Cost: two
/// launches.
template <class Grid, class Rule>
void reduce_steps_of(Grid const& grid, Rule const& rule, reduction_state* states) {
  constexpr index_t per_thread = 4;
  index_t const steps = rule.steps();
  index_t blocks = (steps + per_thread * block_threads - 1) / (per_thread * block_threads);
  if (blocks < 1) blocks = 1;
  if (blocks > enough_blocks) blocks = enough_blocks;
  grid(reduce_steps<Rule>{rule, steps, blocks * block_threads, states + 1}, blocks);
  grid(reduce_steps<join_states<Rule>>{{states + 1, blocks}, blocks, block_threads, states}, 1);
}

// ---- for each index

/// The coordinate of a row-major number along one dimension.
struct write_coordinates {
  std::int64_t const* numbers;
  index_t after, extent;
  std::int64_t* out;
  PLACEMENT_HD void operator()(index_t i) const { out[i] = numbers[i] / after % extent; }
};

/// Copies a word of the slices at selected indices of an axis.
template <class Word> struct selected_slices {
  Word const* in;
  Word* out;
  std::int64_t const* indices;
  index_t n, count, after;  ///< after: in words
  bool is_small;            ///< of less than 2^31 words
  fast_divisor by_after, by_count;

  PLACEMENT_HD void operator()(index_t at) const {
    index_t const slice = is_small ? by_after.quotient(static_cast<std::uint32_t>(at)) : at / after;
    index_t const b =
        is_small ? by_count.quotient(static_cast<std::uint32_t>(slice)) : slice / count;
    out[at] = in[(b * n + indices[slice - b * count]) * after + (at - slice * after)];
  }
};
/// Copies the slices at `indices` in the largest words that they consist of.
template <class Word = std::uint64_t, class Grid>
void gather_all(Grid const& grid, slice_selection const& s, std::int64_t const* indices) {
  std::size_t const bytes = static_cast<std::size_t>(s.after) * s.element_bytes;
  auto const addresses =
      reinterpret_cast<std::uintptr_t>(s.in) | reinterpret_cast<std::uintptr_t>(s.out);
  if constexpr (sizeof(Word) != 1) {
    if ((bytes | addresses) % sizeof(Word) != 0) {
      using half =
          std::conditional_t<sizeof(Word) == 8, std::uint32_t,
                             std::conditional_t<sizeof(Word) == 4, std::uint16_t, std::uint8_t>>;
      return gather_all<half>(grid, s, indices);
    }
  }
  auto const after = static_cast<index_t>(bytes / sizeof(Word));
  index_t const words = s.before * s.count * after;
  bool const is_small = words < index_t{1} << 31;
  selected_slices<Word> f{static_cast<Word const*>(s.in),
                          static_cast<Word*>(s.out),
                          indices,
                          s.n,
                          s.count,
                          after,
                          is_small,
                          {},
                          {}};
  if (is_small) {
    f.by_after = fast_divisor(static_cast<std::uint32_t>(after));
    f.by_count = fast_divisor(static_cast<std::uint32_t>(s.count));
  }
  for_each_index(grid, words, f);
}

}  // namespace detail
}}  // namespace placement::v0_1
