#pragma once
/// Who is told of memory that recorded work uses: it must stay while the recording may be replayed.

#include <placement/config.hpp>
#include <placement/device/device.hpp>

#include <cstddef>
#include <string_view>

namespace placement::inline v0_1::detail {

class buffer;

class recorder {
 public:
  /// Recorded work writes the buffer, or it would be freed while work that uses it is recorded.
  /// Throws: std::bad_alloc.
  virtual void note(buffer& used) = 0;
  /// The same of a block of the device's pool that is no buffer: it is the recorder's from now on.
  virtual void keep(device where, void* block, std::size_t size) = 0;

  /// The GPU whose work is recorded.
  virtual device where() const noexcept = 0;

  recorder(recorder const&) = delete;
  recorder& operator=(recorder const&) = delete;

 protected:
  recorder() = default;
  ~recorder() = default;
};

/// Of this thread's work; nullptr where none is recorded.
PLACEMENT_PROCESS_STATE inline constinit thread_local recorder* recorder_here = nullptr;

template <class Once = void>
[[gnu::cold, gnu::noinline]] void throw_unless_recorded(std::string_view what, device d);
/// Throws: placement_error while this thread records the work of another device.
inline void throw_if_unrecorded(std::string_view what, device d) {
  if (recorder_here != nullptr) [[unlikely]]
    throw_unless_recorded<>(what, d);
}

}  // namespace placement::inline v0_1::detail
