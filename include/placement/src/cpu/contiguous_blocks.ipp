#pragma once
/// Definitions: the driver of block kernels whose operands are contiguous.

#include <placement/config.hpp>
#include <placement/cpu/local_array.hpp>
#include <placement/cpu/map_blocks.hpp>
#include <placement/cpu/parallel_for.hpp>
#include <placement/cpu/stream.hpp>
#include <placement/math/complex_traits.hpp>

#include <cstddef>
#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

/// Elements [chunk.begin, chunk.end) of a result whose operands are contiguous.
class contiguous_blocks {
 public:
  contiguous_blocks(block_call const& call, work_chunk const& chunk)
      : call_(call), chunk_(chunk), in_(call.operands) {}

  void run() {
    start(chunk_.begin);
    call_.compute(result(chunk_.begin), in_.data(), chunk_.end - chunk_.begin);
  }
  /// By non-temporal stores.
  void stream() {
    if (call_.more_results != 0) return stream_all();
    alignas(64) unsigned char some[streamed_block_bytes];
    auto const length = static_cast<index_t>(streamed_block_bytes / call_.result_bytes);
    for (index_t i = chunk_.begin; i < chunk_.end; i += length) {
      index_t const n = chunk_.end - i < length ? chunk_.end - i : length;
      start(i);
      call_.run(call_.expr, some, in_.data(), n);
      prefetch(i + length, length);
      stream_to(result(i), some, static_cast<std::size_t>(n) * call_.result_bytes);
    }
  }

  /// The same for several results.
  void stream_all() {
    constexpr index_t length = 128;
    alignas(64) unsigned char some[max_results][static_cast<std::size_t>(length) * max_element_bytes];
    void* to[max_results];
    for (unsigned k = 0; k != max_results; ++k) to[k] = some[k];
    for (index_t i = chunk_.begin; i < chunk_.end; i += length) {
      index_t const n = chunk_.end - i < length ? chunk_.end - i : length;
      auto const count = static_cast<std::size_t>(n);
      start(i);
      call_.run(call_.expr, static_cast<void*>(to), in_.data(), n);
      prefetch(i + length, length);
      stream_to(result(i), some[0], count * call_.result_bytes);
      for (unsigned k = 0; k != call_.more_results; ++k) {
        block_result const& more = call_.more[k];
        stream_to(static_cast<unsigned char*>(more.data) + i * more.bytes, some[k + 1],
                  count * more.bytes);
      }
    }
  }

 private:
  void start(index_t i) {
    for (unsigned k = 0; k != call_.operands; ++k) {
      block_operand const& o = call_.operand[k];
      if (o.bytes == 0) in_[k].first = i;
      else if (o.is_single) in_[k].data = o.data;
      else in_[k].data = static_cast<unsigned char const*>(o.data) + i * o.bytes;
    }
  }
  /// Reads the operands of n elements ahead, if the chunk has so many.
  PLACEMENT_ALWAYS_INLINE void prefetch(index_t i, index_t n) const {
    if (chunk_.end - i < n) return;
    for (unsigned k = 0; k != call_.operands; ++k) {
      block_operand const& o = call_.operand[k];
      if (o.bytes != 0 && !o.is_single)
        prefetch_bytes(static_cast<unsigned char const*>(o.data) + i * o.bytes,
                       static_cast<std::size_t>(n) * o.bytes);
    }
  }
  void* result(index_t i) const {
    return static_cast<unsigned char*>(call_.out) + i * call_.result_bytes;
  }

  block_call const& call_;
  work_chunk const& chunk_;
  local_array<block_input> in_;
};

PLACEMENT_INLINE void run_contiguous_chunk(block_call const& call, work_chunk const& chunk) {
  contiguous_blocks blocks(call, chunk);
  if (chunk.streamed) blocks.stream();
  else blocks.run();
}

/// Whether a result may be written by non-temporal stores: it is in no cache as an operand.
inline bool is_streamable(block_call const& call, void const* result) {
  for (unsigned k = 0; k != call.operands; ++k)
    if (!call.operand[k].is_single && call.operand[k].data == result) return false;
  return reinterpret_cast<std::uintptr_t>(result) % 64 == 0;
}
PLACEMENT_INLINE void run_contiguous_blocks(block_call const& call, index_t n, par on) {
  auto const count = static_cast<std::size_t>(n);
  std::size_t bytes = call.result_bytes;
  bool may_stream = is_streamable(call, call.out);
  for (unsigned k = 0; k != call.operands; ++k)
    if (!call.operand[k].is_single) bytes += call.operand[k].bytes;
  for (unsigned k = 0; k != call.more_results; ++k) {
    bytes += call.more[k].bytes;
    may_stream = may_stream && is_streamable(call, call.more[k].data);
  }
  on.parallel_for({n, block_length, count * call.cost_per_element, count * bytes, may_stream},
                  [&](work_chunk const& chunk) { run_contiguous_chunk(call, chunk); });
}

}}}  // namespace placement::v0_1::detail
