#pragma once
/// What an expression will do, as a value: for each op its device and why, the kernel it is part
/// of, and the copies.

#include <placement/place/placer.hpp>
#include <placement/shape/extents.hpp>

#include <string_view>

namespace placement::inline v0_1 {

/// Bytes of a shape whose extents only the value knows.
inline constexpr std::size_t unknown_size = ~std::size_t{0};

/// One op of a plan.
struct plan_node {
  std::string_view op{};  ///< as the placement log prints it; "Copy" for a tensor that on() moves
  std::string_view element{};  ///< the element type its kernel is looked up by
  placement::device device{};
  reason why{};
  bool fell_back = false;
  bool refused = false;     ///< hard placement: evaluating it is an error
  device_spec requested{};  ///< by its kernel; nothing if nobody asked
  device_spec written{};    ///< under which the op itself was written
  bool moved = false;       ///< fusing runs it elsewhere than it was written for
  int kernel = -1;          ///< kernels are numbered in the order they run; -1: a Copy
  bool root = false;        ///< the kernel's outermost op
  int into = -1;            ///< the kernel that reads what this root or Copy makes; -1: the result
  std::size_t rank = 0;
  index_t extent[max_rank]{};  ///< of the result; dyn where only the value knows
  std::size_t copies = 0;      ///< operands copied for its kernel; said by the outermost op
  std::size_t bytes = 0;       ///< in those copies, as far as extents are known
  bool exact = true;           ///< they all are
  std::size_t result_bytes =
      0;  ///< of what a root makes, or a Copy; unknown_size: extents are open
};

namespace detail {
[[noreturn, gnu::cold]] inline void bytes_are_open() {
  throw invalid_argument(
      "placement: these bytes depend on extents that the type leaves open. Give plan_of the shapes of the tensors, or the expression itself.");
}
}  // namespace detail

/// What became of an expression. Iterable; nodes are in the order in which the log prints them.
template <std::size_t N> struct plan {
  plan_node nodes[N > 0 ? N : 1]{};
  std::size_t size = 0;  ///< how many of them there are
  int kernels = 0;

  constexpr plan_node const* begin() const { return nodes; }
  constexpr plan_node const* end() const { return nodes + size; }

  /// The nth op of this name, from 0. Throws: invalid_argument (no constant expression) when there
  /// is none.
  constexpr plan_node const& node(std::string_view op, std::size_t nth = 0) const {
    for (plan_node const& n : *this)
      if (n.op == op && nth-- == 0) return n;
    throw invalid_argument(
        "placement: there is no such op in this plan. Print it with to_string to see the ops.");
  }
  /// Kernels that do not run where they were asked to.
  constexpr int fallbacks() const {
    int sum = 0;
    for (plan_node const& n : *this) sum += n.root && n.fell_back;
    return sum;
  }
  constexpr std::size_t copies() const {
    std::size_t sum = 0;
    for (plan_node const& n : *this) sum += n.copies;
    return sum;
  }
  /// Throws: invalid_argument (no constant expression) when they depend on extents that the type
  /// leaves open.
  constexpr std::size_t bytes_moved() const {
    std::size_t sum = 0;
    for (plan_node const& n : *this) {
      if (!n.exact) detail::bytes_are_open();
      sum += n.bytes;
    }
    return sum;
  }
  /// Results that a later kernel reads.
  constexpr std::size_t temporaries() const {
    std::size_t sum = 0;
    for (plan_node const& n : *this) sum += n.root && n.into >= 0;
    return sum;
  }
  /// Throws: as bytes_moved.
  constexpr std::size_t temporary_bytes() const {
    std::size_t sum = 0;
    for (plan_node const& n : *this) {
      if (!n.root || n.into < 0) continue;
      if (n.result_bytes == unknown_size) detail::bytes_are_open();
      sum += n.result_bytes;
    }
    return sum;
  }
};

}  // namespace placement::inline v0_1
