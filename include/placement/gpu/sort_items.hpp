#pragma once
/// The items that a sort on a GPU moves, their memory layout, and the merge of two sorted runs.
///
/// Source: Green, Odeh, Birk: Merge Path (2014).

#include <placement/gpu/tile.hpp>
#include <placement/shape/fiber.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// The elements that a thread sorts by itself, and those that a block sorts in shared memory.
inline constexpr int sorted_by_thread = 8;
inline constexpr index_t sort_tile = index_t{block_threads} * sorted_by_thread;

/// Fibers of elements in memory. `after`: the step between neighbours of a fiber.
template <class T> struct fibers_of {
  T* p;
  index_t length, after;

  PLACEMENT_HD T& at(index_t fiber, index_t i) const {
    return after == 1 ? p[fiber * length + i]
                      : p[(fiber / after * length + i) * after + fiber % after];
  }
};

/// The item of sort: an element.
template <class T, class Order> struct sorted_element {
  using element = T;
  using item = T;
  using result = T;
  static constexpr bool is_descending = Order::is_descending, gives_indices = false;
  PLACEMENT_HD static T made(T const& x, index_t) { return x; }
  PLACEMENT_HD static T wanted(T const& x) { return x; }
  PLACEMENT_HD static bool before(T const& x, T const& y) { return Order::before(x, y); }
};
/// The item of argsort: an element and its original index, which is the result. 16 bytes, so that a
/// GPU moves it in one access.
template <class T> struct alignas(16) element_from {
  T x;
  std::int64_t from;
};
template <class T, class Order> struct sorted_origin {
  using element = T;
  using item = element_from<T>;
  using result = std::int64_t;
  static constexpr bool is_descending = Order::is_descending, gives_indices = true;
  PLACEMENT_HD static item made(T const& x, index_t i) { return {x, i}; }
  PLACEMENT_HD static std::int64_t wanted(item const& it) { return it.from; }
  PLACEMENT_HD static bool before(item const& a, item const& b) { return Order::before(a.x, b.x); }
};

/// Where a sort kernel stores items: as results, or in a buffer for the next merge.
template <class Kind> struct sorted_to {
  fibers_of<typename Kind::result> out;  ///< used if `kept_items` is null
  typename Kind::item* kept_items;

  PLACEMENT_HD void put(index_t fiber, index_t i, typename Kind::item const& it) const {
    if (kept_items != nullptr) kept_items[fiber * out.length + i] = it;
    else out.at(fiber, i) = Kind::wanted(it);
  }
};

/// How many of the first `count` items of a and b, merged, come from a. Of equal items, a's come
/// first.
template <class Kind, class Item>
PLACEMENT_HD constexpr index_t merged_from_first(Item const* a, index_t in_a, Item const* b,
                                                 index_t in_b, index_t count) {
  index_t low = count < in_b ? 0 : count - in_b, high = count < in_a ? count : in_a;
  while (low < high) {
    index_t const middle = (low + high) / 2;
    if (Kind::before(b[count - 1 - middle], a[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

/// The items that a thread keeps between two barriers.
template <class Item> struct some_items {
  Item x[sorted_by_thread];
};

/// Merges a and b, and keeps the items from index `first` on: as many as a thread holds.
template <class Kind, class Item>
PLACEMENT_HD void merge_some(some_items<Item>& to, Item const* a, index_t in_a, Item const* b,
                             index_t in_b, index_t first) {
  if (first >= in_a + in_b) return;
  index_t i = merged_from_first<Kind>(a, in_a, b, in_b, first), j = first - i;
  PLACEMENT_UNROLL
  for (int k = 0; k < sorted_by_thread; ++k) {
    if (i + j >= in_a + in_b) continue;
    bool const from_a = j >= in_b || (i < in_a && !Kind::before(b[j], a[i]));
    to.x[k] = from_a ? a[i++] : b[j++];
  }
}

}}}  // namespace placement::v0_1::detail
