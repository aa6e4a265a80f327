#pragma once
/// Copies of buffers: to another device of this process, or to another task of the program.

#include <placement/config.hpp>
#include <placement/memory/buffer.hpp>
#include <placement/memory/transfer.hpp>
#include <placement/runtime/shared_word.hpp>

#include <cstddef>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// The elements of a tensor of tasks that this process has: those of its own task, those of each
/// simulated task, or none.
struct task_parts {
  std::vector<buffer_ref> of;
};

/// What moves elements between the tasks of the program.
class task_memory {
 public:
  /// The elements in host memory. Throws: placement_error if each task has its own.
  virtual buffer_ref read(buffer const& from, call_site const& caller) = 0;
  /// The elements on another device: of this process, or of a task.
  virtual buffer_ref moved(device where, buffer const& from, call_site const& caller) = 0;

  task_memory(task_memory const&) = delete;
  task_memory& operator=(task_memory const&) = delete;

 protected:
  task_memory() = default;
  ~task_memory() = default;
};
/// Null in a program of one process.
PLACEMENT_PROCESS_STATE inline constinit shared_word<task_memory*> tasks_of_process{nullptr};
/// Throws: placement_error if there is none, for tensors that outlive the tasks object.
task_memory& memory_of_tasks();

/// The source of a copy. `of`: the buffer that has the bytes, if any.
struct byte_source {
  void const* data;
  device where;
  std::size_t size;
  buffer const* of = nullptr;
};
/// Copies to a buffer on another device or the same. The copy is ordered after earlier reads and
/// writes of both ends.
inline void copy_into(buffer& to, byte_source const& from) {
  to.await_readers();
  move_bytes(to.data(), to.where(), from.data, from.where, from.size,
             from.of == nullptr ? 0 : from.of->complete());
  to.written();
  if (from.where.is_gpu() && to.where().is_gpu() && !(from.where == to.where()) && from.size != 0)
    from.of->read_by(to.where());
}
/// A copy on another device or the same. Throws: out_of_memory, what the platform throws.
inline buffer_ref copied_to(device where, byte_source const& from, call_site const& caller) {
  buffer_ref made{buffer::make(where, from.size, caller)};
  copy_into(*made.get(), from);
  return made;
}
/// The same for a whole buffer; the new buffer's call site is this file and line.
inline buffer_ref copied_to(device where, buffer const& from, char const* file = nullptr,
                            unsigned line = 0) {
  if (from.is_of_tasks() || where.has_task()) [[unlikely]]
    return memory_of_tasks().moved(where, from, {"Copy", file, line});
  return copied_to(where, {from.data(), from.where(), from.size(), &from}, {"Copy", file, line});
}

/// The elements in host memory, for a reader at this file and line.
inline buffer_ref copied_to_host(buffer const& from, char const* file, unsigned line) {
  if (from.is_of_tasks()) [[unlikely]]
    return memory_of_tasks().read(from, {"read", file, line});
  return copied_to(cpu0, from);
}

}}}  // namespace placement::v0_1::detail
