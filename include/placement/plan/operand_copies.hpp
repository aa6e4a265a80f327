#pragma once
/// Counts the operands that a plan copies to a kernel's device, and their bytes.

#include <placement/expr/fused_operands.hpp>
#include <placement/expr/inline_tensor.hpp>
#include <placement/plan/plan.hpp>

#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// The operands that are copied for a kernel.
struct operand_copies {
  placement::device where;
  std::string_view op{};  ///< the root of the kernel, for messages
  site line{};
  std::size_t copies = 0, bytes = 0;
  bool exact = true;
  struct counted {
    void const* memory;
    byte_range part;
  };
  std::vector<counted> seen{};

  /// d has no value if the type leaves the device open.
  constexpr void from(placement::device d, std::size_t size) {
    if (!d.has_value() || d == where || size == 0) return;
    ++copies;
    if (size == unknown_size) exact = false;
    else bytes += size;
  }
  /// Counts bytes of a stored operand, unless a copy has them.
  /// Throws: shape_error for a tensor that was moved from.
  void stored_elements(operand_source const& s, byte_range const& part) {
    if (s.memory() == nullptr) {
      if (s.count != 0) moved_from(op, line);
      return;
    }
    placement::device const held_by = s.data != nullptr ? cpu0 : s.elements->where();
    if (held_by == where || part.size == 0) return;
    for (counted const& c : seen)
      if (c.memory == s.memory() && c.part.contains(part)) return;
    seen.push_back({s.memory(), part});
    from(held_by, part.size);
  }
  /// Counts a stored operand that is read whole. Throws: as above, and for a stale view.
  template <class T> void stored_elements(T const& t) {
    operand_source const s = source_of(t, op, line);
    stored_elements(s, {0, s.bytes(sizeof(typename T::value_type))});
  }
};

}}}  // namespace placement::v0_1::detail
