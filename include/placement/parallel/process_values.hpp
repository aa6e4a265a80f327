#pragma once
/// What the towers of a process bring to an exchange among the towers of all tasks.

#include <placement/memory/buffer.hpp>
#include <placement/place/site.hpp>
#include <placement/shape/extents.hpp>

#include <cstddef>
#include <cstdint>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

struct process_values {
  placement::detail::buffer_ref elements;  ///< of the towers, one after another, on the host
  std::size_t element;                     ///< bytes
  placement::detail::any_shape shape;      ///< the number of towers, then that of a tower's value
  std::uint64_t number;                    ///< another one that all processes agree on
};
/// Gathers the elements of all towers in their order, on the host.
using gather_towers = placement::detail::buffer_ref (*)(process_values const& mine, site at);

}}}}  // namespace placement::v0_1::parallel::detail
