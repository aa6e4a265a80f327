#pragma once
/// Definitions: descriptions of wrong deallocations, and their handler.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/error.hpp>
#include <placement/memory/wrong_free.hpp>

#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace placement { inline namespace v0_1 {

namespace detail {

/// Builds the text without an allocation: the heap may be corrupt.
struct wrong_free_text {
  char line[600];
  std::size_t length = 0;

  [[gnu::format(printf, 2, 3)]] void add(char const* form, ...) noexcept {
    std::va_list values;
    va_start(values, form);
    int const added = std::vsnprintf(line + length, sizeof line - length, form, values);
    va_end(values);
    if (added > 0) length += static_cast<std::size_t>(added);
    if (length >= sizeof line) length = sizeof line - 1;
  }
  void add_device(device d) noexcept { add("%s:%d", d.is_gpu() ? "/GPU" : "/CPU", d.index); }
  void add_block(wrong_free const& w) noexcept {
    add("a block of %zu B at %p", w.block_size, w.block);
    if (w.allocated_by == call_site{}) return;
    call_site const& by = w.allocated_by;
    add(", allocated");
    if (!by.name.empty()) add(" by %.*s", static_cast<int>(by.name.size()), by.name.data());
    if (!by.tag.empty())
      add(by.name.empty() ? " by %.*s" : " (%.*s)", static_cast<int>(by.tag.size()), by.tag.data());
    if (by.file != nullptr) add(" at %s:%u", by.file, by.line);
  }

  explicit wrong_free_text(wrong_free const& w) noexcept {
    if (w.where.has_value()) add("placement: pool "), add_device(w.where);
    else add("placement: arena_resource");
    add(": deallocate of %zu B at %p: ", w.size, w.address);
    switch (w.fault) {
      case free_fault::free_already: add("this memory is free already. Free a block once."); break;
      case free_fault::inside_a_block:
        add("it is inside of "), add_block(w), add(". Give the address that was allocated.");
        break;
      case free_fault::other_size:
        add("there is "), add_block(w), add(". Give the size that was allocated.");
        break;
      case free_fault::other_pool:
        add("it belongs to the pool of "), add_device(w.owner);
        if (w.block != nullptr) add(", in "), add_block(w);
        add(". Free it there.");
        break;
      case free_fault::unknown_address: add("no pool has this address."); break;
    }
  }
};

/// Aborts, as the C library does.
inline void abort_on_wrong_free(wrong_free const& w) noexcept {
  std::fprintf(stderr, "%s\n", wrong_free_text(w).line);
  std::abort();
}

PLACEMENT_PROCESS_STATE inline constinit std::atomic<wrong_free_handler> handler_of_wrong_frees{
    abort_on_wrong_free};

inline void handle_wrong_free(wrong_free const& w) noexcept {
  handler_of_wrong_frees.load(std::memory_order_acquire)(w);
}

/// The part of a pool's memory that has an address.
struct memory_part {
  device owner{};
  void const* begin = nullptr;  ///< nullptr: the pool does not have the address
  std::size_t size = 0;
  bool is_free = false;
  call_site allocated_by{};
};
/// Looks for an address in the pools of all devices; nullptr before there are any.
PLACEMENT_PROCESS_STATE inline constinit std::atomic<memory_part (*)(void const*) noexcept>
    find_in_all_pools{nullptr};

/// The wrong deallocation `w`, completed from the part that has its address.
inline wrong_free described(wrong_free w, memory_part const& part) noexcept {
  if (part.begin == nullptr) {
    w.fault = free_fault::unknown_address;
    return w;
  }
  w.owner = part.owner;
  if (!part.is_free) {
    w.block = part.begin;
    w.block_size = part.size;
    w.allocated_by = part.allocated_by;
  }
  w.fault = !(w.owner == w.where)     ? free_fault::other_pool
            : part.is_free            ? free_fault::free_already
            : part.begin == w.address ? free_fault::other_size
                                      : free_fault::inside_a_block;
  return w;
}

/// For an address that another queue would use.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_unknown_block(device of) {
  throw invalid_argument("placement: no block of the pool of " + to_string(of) +
                         " begins at the address that another queue would use. Give the address "
                         "that was allocated.");
}

}  // namespace detail

PLACEMENT_INLINE std::string to_string(wrong_free const& w) {
  return detail::wrong_free_text(w).line;
}
PLACEMENT_INLINE wrong_free_handler set_wrong_free_handler(wrong_free_handler handler) noexcept {
  return detail::handler_of_wrong_frees.exchange(
      handler == nullptr ? detail::abort_on_wrong_free : handler, std::memory_order_acq_rel);
}

}}  // namespace placement::v0_1
