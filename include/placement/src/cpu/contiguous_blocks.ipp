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

/// Writes results by non-temporal stores, a short block at a time. The operands of the next block
/// are read ahead.
class streamed_elements {
 public:
  /// in: the contiguous operands of the first element.
  streamed_elements(block_call const& call, block_input* in) : call_(call), in_(in) {}

  void run(void* out, index_t n) {
    alignas(64) unsigned char some[streamed_block_bytes];
    auto const length = static_cast<index_t>(streamed_block_bytes / call_.result_bytes);
    auto* to = static_cast<unsigned char*>(out);
    for (index_t left = n; left > 0; left -= length, to += streamed_block_bytes) {
      index_t const count = left < length ? left : length;
      call_.run(call_.expr, some, in_, count);
      advance(count, left);
      stream_to(to, some, static_cast<std::size_t>(count) * call_.result_bytes);
    }
  }
  /// The same for all results, from element `first` on.
  void run_all(index_t first, index_t n) {
    constexpr index_t length = 128;
    alignas(
        64) unsigned char some[max_results][static_cast<std::size_t>(length) * max_element_bytes];
    void* to[max_results];
    for (unsigned k = 0; k != max_results; ++k) to[k] = some[k];
    for (index_t i = 0; i < n; i += length) {
      index_t const count = n - i < length ? n - i : length;
      call_.run(call_.expr, static_cast<void*>(to), in_, count);
      advance(count, n - i);
      write({call_.out, call_.result_bytes}, first + i, some[0], count);
      for (unsigned k = 0; k != call_.more_results; ++k)
        write(call_.more[k], first + i, some[k + 1], count);
    }
  }

 private:
  static void write(block_result const& to, index_t first, unsigned char const* from, index_t n) {
    stream_to(static_cast<unsigned char*>(to.data) + first * static_cast<index_t>(to.bytes), from,
              static_cast<std::size_t>(n) * to.bytes);
  }
  /// Moves the operands on by `count` of the elements that are left.
  PLACEMENT_ALWAYS_INLINE void advance(index_t count, index_t left) {
    bool const has_next = left >= count + count;
    for (unsigned k = 0; k != call_.operands; ++k) {
      block_operand const& o = call_.operand[k];
      if (o.is_single) continue;
      if (in_[k].data == nullptr) {
        in_[k].first += count;
        continue;
      }
      index_t const bytes = count * static_cast<index_t>(o.bytes != 0 ? o.bytes : sizeof(index_t));
      auto const* const next = static_cast<unsigned char const*>(in_[k].data) + bytes;
      in_[k].data = next;
      if (has_next) prefetch_bytes(next, static_cast<std::size_t>(bytes));
    }
  }

  block_call const& call_;
  block_input* in_;
};

PLACEMENT_INLINE void stream_elements(block_call const& call, void* out, block_input* in,
                                      index_t n) {
  streamed_elements(call, in).run(out, n);
}

/// Elements [chunk.begin, chunk.end) of a result whose operands are contiguous.
class contiguous_blocks {
 public:
  contiguous_blocks(block_call const& call, work_chunk const& chunk)
      : call_(call), chunk_(chunk), in_(call.operands) {
    for (unsigned k = 0; k != call.operands; ++k) {
      block_operand const& o = call.operand[k];
      if (o.bytes == 0) in_[k].first = chunk.begin;
      else if (o.is_single) in_[k].data = o.data;
      else in_[k].data = static_cast<unsigned char const*>(o.data) + chunk.begin * o.bytes;
    }
  }

  void run() { call_.compute(result(), in_.data(), chunk_.end - chunk_.begin); }
  /// By non-temporal stores.
  void stream() {
    index_t const n = chunk_.end - chunk_.begin;
    streamed_elements elements(call_, in_.data());
    if (call_.more_results == 0) elements.run(result(), n);
    else elements.run_all(chunk_.begin, n);
  }

 private:
  void* result() const {
    return static_cast<unsigned char*>(call_.out) + chunk_.begin * call_.result_bytes;
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
PLACEMENT_INLINE bool is_streamable(block_call const& call, void const* result) {
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
