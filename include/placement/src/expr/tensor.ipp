#pragma once
/// The errors for tensors that were moved from and for stale views.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/expr/tensor.hpp>
#include <placement/place/log.hpp>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

[[noreturn]] PLACEMENT_INLINE void moved_from(std::string_view op, site at) {
  std::string const what =
      op.empty() ? "this tensor" : std::string(op) + place_text(at) + " uses a tensor that";
  throw shape_error("placement: " + what +
                    " has no elements: it was moved from. Assign to it before it is read.");
}

[[noreturn]] PLACEMENT_INLINE void stale_view(any_shape const& made_for, any_shape const& now,
                                              site made, std::string_view op, site at) {
  throw shape_error("placement: " + std::string(op) + place_text(at) + " uses a view made" +
                    place_text(made) + " for a tensor of shape " + text_of(made_for) +
                    ", which now has shape " + text_of(now) +
                    ". Make the view again after the tensor has got another shape.");
}

PLACEMENT_PROCESS_STATE inline std::atomic<unsigned>& element_reads() {
  static std::atomic<unsigned>& reads = *new std::atomic<unsigned>{0};
  return reads;
}

PLACEMENT_INLINE void read_element(void* to, buffer const& from, std::size_t begin,
                                   std::size_t size, site at) {
  if (from.is_of_tasks()) [[unlikely]] {
    buffer_ref const all = copied_to_host(from, at.file, at.line);
    std::memcpy(to, static_cast<char const*>(all->data()) + begin, size);
    return;
  }
  if (element_reads().load(std::memory_order_relaxed) < 2 &&
      element_reads().fetch_add(1, std::memory_order_relaxed) == 1)
    log_notice("placement: warning: elements of a tensor on " + to_string(from.where()) +
               " are read one by one" + place_text(at) +
               ": each read waits for the GPU. Write read() or to_vector(x) to copy all at once.");
  move_bytes(to, cpu0, static_cast<char const*>(from.data()) + begin, from.where(), size,
             from.complete());
}

}}}  // namespace placement::v0_1::detail
