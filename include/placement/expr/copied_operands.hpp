#pragma once
/// Copies of operands on the devices of kernels, for later kernels that read the same elements.

#include <placement/device/device.hpp>
#include <placement/exec/operand_table.hpp>
#include <placement/memory/buffer.hpp>

#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// A copy of a tensor's elements that a kernel read on its device.
struct copied_operand {
  buffer const* of;  ///< the tensor's elements
  byte_range part;   ///< the bytes of them that were copied
  device where;
  buffer_ref elements;  ///< null if another task has the copy
  /// Keeps the elements of a temporary: without, the next one may get their address.
  buffer_ref temporary{};
};

/// Copies of elements that do not change while this object lives.
class copied_operands {
 public:
  /// The copy of these bytes on a device; null if there is none.
  copied_operand const* find(buffer const* of, device where, byte_range const& part) const {
    for (copied_operand const& c : copies_)
      if (c.of == of && c.where == where && c.part.contains(part)) return &c;
    return nullptr;
  }
  void add(copied_operand c) { copies_.push_back(std::move(c)); }

  bool empty() const { return copies_.empty(); }
  auto begin() { return copies_.begin(); }
  auto end() { return copies_.end(); }

 private:
  std::vector<copied_operand> copies_;
};

}}}  // namespace placement::v0_1::detail
