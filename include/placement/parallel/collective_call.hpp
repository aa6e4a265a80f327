#pragma once
/// What all collectives share and what does not depend on an element type: errors and copies.

#include <placement/kernels/all_reduce_engine.hpp>
#include <placement/memory/buffer_copy.hpp>
#include <placement/place/site.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

using placement::detail::buffer;
using placement::detail::buffer_ref;

/// An operand in a message.
struct operand_name {
  std::size_t position;
  std::string shape;
  device where;
};
[[noreturn, gnu::cold]] void throw_no_operands(std::string_view function, site at);
[[noreturn, gnu::cold]] void throw_moved_from(std::string_view function, operand_name const& x,
                                              site at);
[[noreturn, gnu::cold]] void throw_different_shapes(std::string_view function,
                                                    operand_name const& a, operand_name const& b,
                                                    site at);
[[noreturn, gnu::cold]] void throw_same_device(std::string_view function, operand_name const& a,
                                               operand_name const& b, site at);
/// `what`: the reduction or form of floating point; `instead`: the one to write.
[[noreturn, gnu::cold]] void throw_floating_point_only(std::string_view function,
                                                       std::string_view element,
                                                       std::string_view what,
                                                       std::string_view instead, site at);
[[noreturn, gnu::cold]] void throw_no_equal_parts(std::string_view function, operand_name const& x,
                                                  std::size_t count, site at);
[[noreturn, gnu::cold]] void throw_needs_fast(site at);

/// The call that a copy belongs to, for budgets, for the log and for messages.
struct collective_call {
  std::string_view function;
  site at;
};
/// New memory on a device. Throws: out_of_memory.
buffer_ref new_elements(device where, std::size_t bytes, collective_call const& call);
/// Copies elements to a buffer of the same size. Counted, logged and limited like the copy of an
/// operand. Does not wait, except for copies to the host.
/// Throws: placement_error for a copy that a policy or a budget forbids.
void copy_elements(buffer_ref const& to, buffer_ref const& from, collective_call const& call);
/// The elements themselves if they are on the device, else a copy.
buffer_ref brought_to(device where, buffer_ref const& x, collective_call const& call);

// ---- the engine of hardware GPUs

/// An operand of an all-reduce by the engine; its result is not known yet.
all_reduce_member member_of(device where, void const* in);
/// Whether there is an engine, all members are hardware GPUs, and no setting asks for each copy.
bool may_use_engine(std::vector<all_reduce_member> const& members);
bool run_engine(std::vector<all_reduce_member> const& members, all_reduce_call const& call);

}}}}  // namespace placement::v0_1::parallel::detail
