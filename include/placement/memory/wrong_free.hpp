#pragma once
/// A wrong deallocation, which is an error of the program: its description, and the handler that
/// decides how the program goes on.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/memory/call_site.hpp>

#include <cstddef>
#include <string>

namespace placement { inline namespace v0_1 {

/// The kinds of wrong deallocation.
enum class free_fault : unsigned char {
  free_already,    ///< The pool's memory, but free: mostly freed twice.
  inside_a_block,  ///< The address is not the beginning of its block.
  other_size,      ///< The block there was allocated with another size.
  other_pool,      ///< The memory belongs to another pool.
  unknown_address  ///< No pool of the process has the address.
};

/// A wrong deallocation. Nothing was freed, and the pool is unchanged. Units: bytes.
struct wrong_free {
  free_fault fault{};
  device where{};  ///< The pool's device; none for an arena_resource.
  void const* address = nullptr;
  std::size_t size = 0;         ///< As the caller passed it.
  device owner{};               ///< The device of the pool with the address, if any.
  void const* block = nullptr;  ///< The start of the block with the address, if any.
  std::size_t block_size = 0;   ///< A multiple of 256.
  call_site allocated_by{};     ///< The op and line that allocated the block.
};

/// Decides how the program goes on after a wrong deallocation; called with no lock held. If the
/// handler returns, the program continues, and the memory stays allocated.
using wrong_free_handler = void (*)(wrong_free const&) noexcept;

/// Example: "placement: pool /GPU:0: deallocate of 256 B at 0x7f...: this memory is free already.
/// ...".
std::string to_string(wrong_free const& w);

/// Sets the handler of wrong deallocations for all threads. nullptr sets the default, which writes
/// one line to standard error and calls std::abort. Returns the previous handler.
wrong_free_handler set_wrong_free_handler(wrong_free_handler handler) noexcept;

}}  // namespace placement::v0_1
