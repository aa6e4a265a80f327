#pragma once
/// Random extents and ranges for one run of a generated expression. tools/generate_expressions.py
/// defines the symbols.

#include <placement/placement.hpp>
#include <support/interpreter.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace generated {

/// A random number generator with the same results on every machine.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  /// A number from 0 to n - 1.
  int below(int n) { return static_cast<int>(next() >> 33) % n; }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T, std::size_t N> T pick(T const (&all)[N]) {
    return all[below(static_cast<int>(N))];
  }
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// The values of the symbols, by symbol number.
struct drawn_symbols {
  std::vector<interpreter::index> extents{};
  std::vector<interpreter::positions> positions{};
  std::vector<placement::range> ranges{};
};
drawn_symbols draw_symbols(std::string_view symbols, dice& d);

/// One of the possible ways to write these positions as a range in a dimension of n elements.
placement::range written(dice& d, interpreter::positions p, placement::index_t count,
                         placement::index_t n);
/// Random positions of `count` elements, and the extent that contains them.
std::pair<interpreter::positions, placement::index_t> any_positions(dice& d,
                                                                    placement::index_t count);

}  // namespace generated
