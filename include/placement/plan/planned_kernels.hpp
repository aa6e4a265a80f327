#pragma once
/// The kernels of a plan whose results several kernels of the expression read.

#include <placement/expr/same_value.hpp>
#include <placement/expr/shared_kernels.hpp>
#include <placement/plan/abstract_expr.hpp>
#include <placement/plan/operand_copies.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

struct planned_kernel {
  void const* type = nullptr;
  void const* node = nullptr;
  device_spec requested{};  ///< by the pin
  device where{};
};

/// At most N of them. The nodes must outlive this object.
template <std::size_t N> class planned_kernels {
 public:
  kept_nodes nodes;         ///< that the plan makes
  planned_copies copies{};  ///< for its kernels

  /// The kernel of a node with the value of n, planned under an equal pin; null if there is none.
  /// By type alone, nodes of one type have one value.
  template <class E, class Pin, class Node>
  constexpr planned_kernel const* find(Node const& n, device_spec requested) const {
    for (planned_kernel const& k : all_) {
      if (k.type != &type_tag<E, Pin> || !(k.requested == requested)) continue;
      if constexpr (is_abstract<Node>) return &k;
      else if (same_value(*static_cast<E const*>(k.node), n)) return &k;
    }
    return nullptr;
  }
  template <class E, class Pin, class Node>
  constexpr planned_kernel const& add(Node const& n, device_spec requested, device where) {
    return all_[size_++] = {&type_tag<E, Pin>, &n, requested, where};
  }

 private:
  planned_kernel all_[N > 0 ? N : 1]{};
  std::size_t size_ = 0;
};

}}}  // namespace placement::v0_1::detail
