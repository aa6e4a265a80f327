#pragma once
/// Definitions of buffer.hpp.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/memory/buffer_copy.hpp>
#include <placement/memory/pools.hpp>
#include <placement/memory/small_blocks.hpp>
#include <placement/runtime/shared_word.hpp>
#include <placement/src/device/registry.ipp>
#include <placement/src/memory/transfer.ipp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

namespace placement { inline namespace v0_1 { namespace detail {

/// The pending use of all external memory of one GPU, in any buffer.
struct external_use {
  shared_word<timeline_point> written{0};  ///< where the last write is complete
  shared_word<std::uint64_t> readers{0};   ///< as in buffer
};
/// One entry for each of the first 64 GPUs. For any other GPU the whole queue is waited for.
PLACEMENT_PROCESS_STATE inline constinit external_use external_uses[64];
inline external_use* external_use_of(device where) noexcept {
  auto const i = static_cast<std::size_t>(where.index);
  return i < std::size(external_uses) ? &external_uses[i] : nullptr;
}

/// The queues, as bits, that read external memory of a GPU since the last call.
inline std::uint64_t exchange_external_readers(device where) noexcept {
  external_use* const use = external_use_of(where);
  if (use == nullptr) return ~std::uint64_t{0};
  std::uint64_t seen = use->readers.peek();
  while (seen != 0 && !use->readers.replace(seen, 0)) {}
  return seen;
}

PLACEMENT_INLINE timeline_point last_external_write(device where) {
  external_use const* const use = external_use_of(where);
  return use == nullptr ? timeline_point_of(where) : use->written.peek();
}
PLACEMENT_INLINE void record_external_write(device where, timeline_point complete) {
  external_use* const use = external_use_of(where);
  if (use == nullptr) return;
  timeline_point seen = use->written.peek();
  while (seen < complete && !use->written.replace(seen, complete)) {}
}

PLACEMENT_INLINE buffer*& buffer::whole() const noexcept {
  return *reinterpret_cast<buffer**>(const_cast<buffer*>(this) + 1);
}

PLACEMENT_INLINE void buffer::read_by(device reader) const {
  if (ownership_ == owned_by::whole) whole()->read_by(reader);
  if (ownership_ == owned_by::pool) pool_of(where_).used_by(data_, logical(reader).work);
  std::uint64_t const bit = std::uint64_t{1} << reader.index % 64;
  readers_.add_bits(bit);
  external_use* const use = is_external() ? external_use_of(where_) : nullptr;
  if (use != nullptr) use->readers.add_bits(bit);
}

PLACEMENT_INLINE void buffer::await_other_queues() const {
  std::uint64_t readers = readers_.peek();
  if (is_external()) readers |= exchange_external_readers(where_);
  for (int i = 0; i < this_machine().gpus; ++i)
    if ((readers >> i % 64 & 1) != 0 && i != where_.index)
      wait_for(where_, {kind::gpu, i}, timeline_point_of({kind::gpu, i}));
  readers_.set(0);
}

PLACEMENT_INLINE buffer* buffer::make(device where, std::size_t size, call_site const& caller) {
  if (where.is_gpu() && size != 0)
    return beside(where, size, allocate_block(where, size, caller), caller);
  if (size >= large)
    if (void* const data = from_host_pool(where, size, caller))
      return beside(where, size, data, caller);
  buffer* const made =
      size > ~std::size_t{0} / 2 ? nullptr : placed(where, size, nullptr, owned_by::block);
  if (made == nullptr) throw_host_out_of_memory(size, caller);
  return made;
}

PLACEMENT_INLINE buffer* buffer::wrap_external(device where, void* data, std::size_t size) {
  buffer* const made = placed(where, size, data, owned_by::caller);
  if (made == nullptr) throw_host_out_of_memory(sizeof(buffer));
  external_memory_exists.set(true);
  return made;
}

PLACEMENT_INLINE buffer* buffer::adopt_external(device where, void* data, std::size_t size,
                                                external_owner const& owner) {
  buffer* const made = placed(where, size, data, owned_by::other, sizeof(external_owner));
  if (made == nullptr) throw_host_out_of_memory(sizeof(buffer));
  new (static_cast<void*>(made + 1)) external_owner(owner);
  external_memory_exists.set(true);
  return made;
}

PLACEMENT_INLINE buffer* buffer::part_of(buffer& whole, std::size_t offset, std::size_t size) {
  buffer* const made = placed(whole.where_, size, static_cast<std::byte*>(whole.data_) + offset,
                              owned_by::whole, sizeof(buffer*));
  if (made == nullptr) throw_host_out_of_memory(sizeof(buffer));
  made->complete_ = whole.complete();
  new (static_cast<void*>(made + 1)) buffer*(&whole);
  whole.add_owner();
  return made;
}

PLACEMENT_INLINE buffer* buffer::of_tasks(device where, std::size_t size, task_parts* parts) {
  buffer* const made = placed(where, size, nullptr, owned_by::tasks, sizeof(task_parts*));
  if (made == nullptr) throw_host_out_of_memory(sizeof(buffer));
  made->data_ = nullptr;
  new (static_cast<void*>(made + 1)) task_parts*(parts);
  return made;
}
PLACEMENT_INLINE task_parts& buffer::parts() const noexcept {
  return **reinterpret_cast<task_parts**>(const_cast<buffer*>(this) + 1);
}

PLACEMENT_INLINE task_memory& memory_of_tasks() {
  task_memory* const tasks = tasks_of_process.load();
  if (tasks == nullptr)
    throw placement_error(
        "placement: this tensor belongs to tasks, and their tasks object is gone. Read it before "
        "the object ends, or make the object first in main.");
  return *tasks;
}

PLACEMENT_INLINE buffer* buffer::placed(device where, std::size_t size, void* data,
                                        owned_by ownership, std::size_t more) noexcept {
  std::size_t const behind = ownership == owned_by::block ? size : more, step = step_of(behind);
  void* const block = allocate_heap_block(block_bytes(behind));
  if (block == nullptr) return nullptr;
  std::size_t const skipped =
      (~(reinterpret_cast<std::uintptr_t>(block) + sizeof(buffer)) + 1) & (step - 1);
  std::byte* const at = static_cast<std::byte*>(block) + skipped;
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): deleted when its last owner goes
  return new (at)
      buffer(where, size, data == nullptr ? at + sizeof(buffer) : data, ownership, block);
}

PLACEMENT_INLINE buffer* buffer::beside(device where, std::size_t size, void* data,
                                        call_site const& caller) {
  buffer* const made = placed(where, size, data, owned_by::pool);
  if (made == nullptr) {
    deallocate_block(where, data, size);
    throw_host_out_of_memory(sizeof(buffer), caller);
  }
  return made;
}

PLACEMENT_INLINE void* buffer::from_host_pool(device where, std::size_t size,
                                              call_site const& caller) {
  if (!is_initialized()) return nullptr;
  try {
    return allocate_block(where, size, caller);
  } catch (out_of_memory const&) { return nullptr; }
}

PLACEMENT_INLINE bool buffer::is_recorded() noexcept {
  if (recorder_here != nullptr && where_.is_gpu()) [[unlikely]] {
    try {
      recorder_here->note(*this);
    } catch (...) { return true; }  // no memory for the note: the buffer is leaked
  }
  return recordings_ != 0;
}

PLACEMENT_INLINE void buffer::destroy() noexcept {
  if (ownership_ == owned_by::pool) deallocate_block(where_, data_, size_);
  if (ownership_ == owned_by::other) [[unlikely]] {
    external_owner const& owner = *reinterpret_cast<external_owner*>(this + 1);
    owner.done(owner.state, where_);
  }
  if (ownership_ == owned_by::whole) [[unlikely]]
    whole()->drop_owner();
  if (ownership_ == owned_by::tasks) [[unlikely]]
    delete &parts();
  void* const block = block_;
  std::size_t const bytes = block_bytes(behind());
  this->~buffer();
  deallocate_heap_block(block, bytes);
}

PLACEMENT_INLINE void buffer::last_owner_left() noexcept {
  owners_.publish(0);
  if (!is_recorded()) destroy();
}

[[noreturn]] PLACEMENT_INLINE void throw_host_out_of_memory(std::size_t size,
                                                            call_site const& caller) try {
  if (pool_table const* const pools = pools_of_process.load(std::memory_order_acquire))
    pools->for_each([&](pool& p) {
      if (p.where().id == cpu0) p.throw_for_heap(size, caller);
    });
  throw out_of_memory("placement: out of memory on the host: asked for " + std::to_string(size) +
                      " B" + (caller == call_site{} ? std::string() : " by " + to_string(caller)) +
                      ". Free tensors or use smaller batches.");
} catch (...) { rethrow_as_error(); }

}}}  // namespace placement::v0_1::detail
