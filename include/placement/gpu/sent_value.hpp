#pragma once
/// A number that one block of a kernel sends to others.

#include <placement/shape/extents.hpp>

#include <cstdint>
#include <cstring>

namespace placement { inline namespace v0_1 {

/// A value in words that each have a mark. One access stores a word with its mark, so no fence
/// orders the words. Memory of zeros holds no value yet. A block sends and receives it.
template <class T> struct sent_value {
  static constexpr std::size_t words = (sizeof(T) + 3) / 4;
  static constexpr std::uint64_t mark = std::uint64_t{1} << 32;

  std::uint64_t word[words];

  PLACEMENT_HD static sent_value of(T const& value) {
    std::uint32_t part[words]{};
    memcpy(part, &value, sizeof(T));
    sent_value sent;
    PLACEMENT_UNROLL
    for (std::size_t w = 0; w < words; ++w) sent.word[w] = mark | part[w];
    return sent;
  }
  PLACEMENT_HD bool is_complete() const {
    bool all = true;
    PLACEMENT_UNROLL
    for (std::size_t w = 0; w < words; ++w) all = all && (word[w] & mark) != 0;
    return all;
  }
  PLACEMENT_HD T value() const {
    std::uint32_t part[words];
    PLACEMENT_UNROLL
    for (std::size_t w = 0; w < words; ++w) part[w] = static_cast<std::uint32_t>(word[w]);
    T value;
    memcpy(&value, part, sizeof(T));
    return value;
  }
};

}}  // namespace placement::v0_1
