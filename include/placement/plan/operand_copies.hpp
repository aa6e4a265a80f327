#pragma once
/// Counts the operands that a plan copies to a kernel's device, and their bytes.

#include <placement/expr/fused_operands.hpp>
#include <placement/expr/inline_tensor.hpp>
#include <placement/plan/plan.hpp>

#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// Elements that are copied to a device.
struct planned_copy {
  void const* memory;
  byte_range part;
  placement::device where;
};
using planned_copies = std::vector<planned_copy>;

/// The operands that are copied for a kernel.
struct operand_copies {
  placement::device where;
  std::string_view op{};  ///< the root of the kernel, for messages
  site line{};
  int tasks = 1;  ///< of the machine
  std::size_t copies = 0, bytes = 0, messages = 0;
  bool exact = true;
  planned_copies seen{};
  planned_copies* shared = nullptr;  ///< that other kernels of the plan read, too; null for none

  /// Whether a copy for this kernel, or for one before, has these bytes. If not, this kernel makes
  /// it. is_lasting: later kernels may read the copy.
  constexpr bool is_copied(void const* memory, byte_range const& part, bool is_lasting) {
    planned_copies& all = is_lasting && shared != nullptr ? *shared : seen;
    for (planned_copy const& c : all)
      if (c.memory == memory && c.where == where && c.part.contains(part)) return true;
    all.push_back({memory, part, where});
    return false;
  }

  /// Whether a kernel reads elements of device d where they are. Elements of every task are on the
  /// kernel's task, too.
  constexpr bool is_here(placement::device d) const {
    return d == where || (d.local() == where.local() && (d.task < 0 || d.task == where.task));
  }
  /// d has no value if the type leaves the device open.
  constexpr void from(placement::device d, std::size_t size) {
    if (!d.has_value() || is_here(d) || size == 0) return;
    ++copies;
    if (d.task >= 0 && d.task != where.task)
      messages += where.has_task() ? 1 : static_cast<std::size_t>(tasks - 1);
    if (size == unknown_size) exact = false;
    else bytes += size;
  }
  /// Counts bytes of a kernel's result on device d. repeated: identifies a result that is read
  /// several times, or null. Copies of it are counted once.
  constexpr void result(placement::device d, byte_range const& part, void const* repeated) {
    if (repeated != nullptr && d.has_value() && !is_here(d) && is_copied(repeated, part, true))
      return;
    from(d, part.size);
  }
  /// Counts bytes of a stored operand, unless a copy has them.
  /// Throws: shape_error for a tensor that was moved from.
  void stored_elements(operand_source const& s, byte_range const& part) {
    if (s.memory() == nullptr) {
      if (s.count != 0) moved_from(op, line);
      return;
    }
    placement::device const held_by = s.data != nullptr ? cpu0 : s.elements->where();
    if (is_here(held_by) || part.size == 0) return;
    if (!is_copied(s.memory(), part, s.data == nullptr)) from(held_by, part.size);
  }
  /// Counts a stored operand that is read whole. Throws: as above, and for a stale view.
  template <class T> void stored_elements(T const& t) {
    operand_source const s = source_of(t, op, line);
    stored_elements(s, {0, s.bytes(sizeof(typename T::value_type))});
  }
};

}}}  // namespace placement::v0_1::detail
