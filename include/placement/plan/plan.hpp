#pragma once
/// The plan of an expression: the device, the reason and the kernel of each op, and the copies.

#include <placement/place/label.hpp>
#include <placement/place/placer.hpp>
#include <placement/shape/extents.hpp>

#include <string_view>

namespace placement { inline namespace v0_1 {

/// The size of a shape whose extents are known only at run time.
inline constexpr std::size_t unknown_size = ~std::size_t{0};

/// One op of a plan.
struct plan_node {
  std::string_view op{};       ///< as in the placement log; "Copy" for a tensor that on() moves.
  std::string_view scope{};    ///< the name scopes around the op; none at compile time.
  std::string_view element{};  ///< the element type that selects its kernel.
  std::string_view gradient_of{};  ///< the forward op of a gradient's op; none at compile time.
  placement::device device{};
  reason why{};
  bool fell_back = false;
  bool refused = false;                        ///< hard placement: evaluation throws an error.
  kernel_source source = kernel_source::none;  ///< none at compile time.
  device_spec requested{};                     ///< by its kernel; no value without a request.
  device_spec written{};  ///< the request under which the op itself was written.
  bool moved = false;     ///< fusion runs the op on another device than it was written for.
  int kernel = -1;        ///< kernels are numbered in execution order; -1: a Copy.
  bool root = false;      ///< the kernel's outermost op.
  int into = -1;          ///< the kernel that reads the result of this root or Copy; -1: none.
  std::size_t rank = 0;
  index_t extent[max_rank]{};    ///< of the result; dyn if known only at run time.
  std::size_t copies = 0;        ///< operands copied for the kernel; set in the root.
  std::size_t bytes = 0;         ///< bytes of those copies, as far as extents are known.
  std::size_t messages = 0;      ///< between tasks, for those copies.
  bool exact = true;             ///< all of these bytes are known.
  std::size_t result_bytes = 0;  ///< of the result of a root or Copy; unknown_size: open extents.
};

namespace detail {
[[noreturn, gnu::cold]] inline void bytes_are_open() {
  throw invalid_argument(
      "placement: these bytes depend on extents that the type leaves open. Give plan_of the shapes of the tensors, or the expression itself.");
}
/// Gives the row of a node its labels: name, and that of the forward op.
inline void set_labels(plan_node& n, label name, label forward) {
  n.scope = to_string(scope_of(name));
  n.gradient_of = to_string(forward);
}
}  // namespace detail

/// The plan of an expression. Iterable; nodes are in the order of the placement log.
template <std::size_t N> struct plan {
  plan_node nodes[N > 0 ? N : 1]{};
  std::size_t size = 0;  ///< the number of nodes.
  int kernels = 0;

  constexpr plan_node const* begin() const { return nodes; }
  constexpr plan_node const* end() const { return nodes + size; }

  /// The nth op of this name, from 0. Throws: invalid_argument if there is none; in a constant
  /// expression, a compile error.
  constexpr plan_node const& node(std::string_view op, std::size_t nth = 0) const {
    for (plan_node const& n : *this)
      if (n.op == op && nth-- == 0) return n;
    throw invalid_argument(
        "placement: there is no such op in this plan. Print it with to_string to see the ops.");
  }
  /// The number of kernels that do not run on their requested device.
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
  /// The messages between tasks. Elements that all tasks read are a message to each other one.
  constexpr std::size_t messages() const {
    std::size_t sum = 0;
    for (plan_node const& n : *this) sum += n.messages;
    return sum;
  }
  /// The bytes of all copies. Throws: invalid_argument if they depend on extents that the type
  /// leaves open; in a constant expression, a compile error.
  constexpr std::size_t bytes_moved() const {
    std::size_t sum = 0;
    for (plan_node const& n : *this) {
      if (!n.exact) detail::bytes_are_open();
      sum += n.bytes;
    }
    return sum;
  }
  /// The number of results that a later kernel reads.
  constexpr std::size_t temporaries() const {
    std::size_t sum = 0;
    for (plan_node const& n : *this) sum += n.root && n.into >= 0;
    return sum;
  }
  /// The bytes of these results. Throws: like bytes_moved().
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

}}  // namespace placement::v0_1
