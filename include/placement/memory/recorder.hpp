#pragma once
/// The interface that records the memory of recorded work: that memory must stay while the
/// recording may be replayed.

#include <placement/config.hpp>
#include <placement/device/device.hpp>

#include <cstddef>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

class buffer;

namespace no_adl {
class recorder {
 public:
  /// Keeps a buffer that recorded work writes, or that would be freed although recorded work uses
  /// it. Throws: std::bad_alloc.
  virtual void note(buffer& used) = 0;
  /// Takes ownership of a block of the device's pool that is not in a buffer.
  virtual void keep(device where, void* block, std::size_t size) = 0;

  /// Scratch memory on the GPU whose work is recorded. All recorded work that asks for it may get
  /// the same block, because it runs in order. Throws: out_of_memory.
  virtual void* workspace(std::size_t bytes) = 0;

  /// The GPU whose work is recorded.
  virtual device where() const noexcept = 0;

  recorder(recorder const&) = delete;
  recorder& operator=(recorder const&) = delete;

 protected:
  recorder() = default;
  ~recorder() = default;
};
}  // namespace no_adl
using no_adl::recorder;

/// The recorder of this thread's work; nullptr while nothing is recorded.
PLACEMENT_PROCESS_STATE inline constinit thread_local recorder* recorder_here = nullptr;

[[gnu::cold]] void throw_unless_recorded(std::string_view what, device d);
/// Throws: placement_error while this thread records the work of another device.
inline void throw_if_unrecorded(std::string_view what, device d) {
  if (recorder_here != nullptr) [[unlikely]]
    throw_unless_recorded(what, d);
}

}}}  // namespace placement::v0_1::detail
