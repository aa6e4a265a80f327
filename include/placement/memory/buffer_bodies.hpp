#pragma once
/// Bodies: how buffers wait for the queues of others, and the error of a host without memory.

#include <placement/config.hpp>
#include <placement/device/registry_bodies.hpp>
#include <placement/device/shared_word.hpp>
#include <placement/error.hpp>
#include <placement/memory/buffer.hpp>
#include <placement/memory/pools.hpp>
#include <placement/memory/transfer_bodies.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

namespace placement::inline v0_1::detail {

/// What is known of the borrowed memory of one GPU, whichever buffers it is in.
struct borrowed_use {
  shared_word<queue_mark> written{0};     ///< where the last write is complete
  shared_word<std::uint64_t> readers{0};  ///< as in buffer
};
/// Of the GPUs with the lowest numbers. Of any other the whole queue is waited for.
PLACEMENT_PROCESS_STATE inline constinit borrowed_use borrowed_uses[64];
inline borrowed_use* borrowed_use_of(device where) noexcept {
  auto const i = static_cast<std::size_t>(where.index);
  return i < std::size(borrowed_uses) ? &borrowed_uses[i] : nullptr;
}

/// The queues that read borrowed memory of a GPU since this was last called, as bits.
inline std::uint64_t take_borrowed_readers(device where) noexcept {
  borrowed_use* const use = borrowed_use_of(where);
  if (use == nullptr) return ~std::uint64_t{0};
  std::uint64_t seen = use->readers.peek();
  while (seen != 0 && !use->readers.replace(seen, 0)) {}
  return seen;
}

template <class Once> queue_mark last_borrowed_write(device where) {
  borrowed_use const* const use = borrowed_use_of(where);
  return use == nullptr ? mark_of(where) : use->written.peek();
}
template <class Once> void note_borrowed_write(device where, queue_mark complete) {
  borrowed_use* const use = borrowed_use_of(where);
  if (use == nullptr) return;
  queue_mark seen = use->written.peek();
  while (seen < complete && !use->written.replace(seen, complete)) {}
}

template <class Once> void buffer::read_by(device reader) const {
  if (kept_ == owned_by::pool) pool_of(where_).used_by(data_, logical(reader).work);
  std::uint64_t const bit = std::uint64_t{1} << reader.index % 64;
  readers_.add_bits(bit);
  borrowed_use* const use = borrowed() ? borrowed_use_of(where_) : nullptr;
  if (use != nullptr) use->readers.add_bits(bit);
}

template <class Once> void buffer::await_other_queues() const {
  std::uint64_t readers = readers_.peek();
  if (borrowed()) readers |= take_borrowed_readers(where_);
  for (int i = 0; i < this_machine().gpus; ++i)
    if ((readers >> i % 64 & 1) != 0 && i != where_.index)
      wait_for(where_, {kind::gpu, i}, mark_of({kind::gpu, i}));
  readers_.set(0);
}

template <class Once> void buffer::last_owner_left() noexcept {
  if (!is_recorded()) destroy();
}

template <class Once> [[noreturn]] void refuse_host(std::size_t size, holder const& who) try {
  if (pool_table const* const pools = pools_of_process.load(std::memory_order_acquire))
    pools->for_each([&](pool& p) {
      if (p.where().id == cpu0) p.refuse_for_heap(size, who);
    });
  throw out_of_memory("placement: out of memory on the host: asked for " + std::to_string(size) +
                      " B" + (who == holder{} ? std::string() : " by " + to_string(who)) +
                      ". Free tensors or use smaller batches.");
} catch (...) { rethrow_as_error(); }

}  // namespace placement::inline v0_1::detail
