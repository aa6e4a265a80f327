#pragma once
/// Bodies: how buffers wait for the queues of others, and the error of a host without memory.

#include <placement/device/registry_bodies.hpp>
#include <placement/error.hpp>
#include <placement/memory/buffer.hpp>
#include <placement/memory/pools.hpp>
#include <placement/memory/transfer_bodies.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace placement::inline v0_1::detail {

template <class Once> void buffer::read_by(device reader) const {
  if (kept_ == owned_by::pool) pool_of(where_).used_by(data_, logical(reader).work);
  readers_.add_bits(std::uint64_t{1} << reader.index % 64);
}

template <class Once> void buffer::await_other_queues() const {
  std::uint64_t const readers = readers_.peek();
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
