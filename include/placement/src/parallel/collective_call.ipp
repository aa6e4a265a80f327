#pragma once
/// Definitions of collective_call.hpp.

#include <placement/config.hpp>
#include <placement/device/fork.hpp>
#include <placement/error.hpp>
#include <placement/memory/recorder.hpp>
#include <placement/parallel/collective_call.hpp>
#include <placement/place/location.hpp>
#include <placement/place/log.hpp>
#include <placement/src/expr/decide.ipp>

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

inline std::string text_of(operand_name const& x) {
  return "tensor " + std::to_string(x.position) + " of shape " + x.shape + " on " +
         to_string(x.where);
}
inline std::string begin_of(std::string_view function) {
  return "placement: " + std::string(function);
}

[[noreturn]] PLACEMENT_INLINE void throw_no_operands(std::string_view function, site at) {
  throw invalid_argument(begin_of(function) + " of no tensors. Give one for each device." +
                         placement::detail::location_text({}, at));
}
[[noreturn]] PLACEMENT_INLINE void throw_moved_from(std::string_view function,
                                                    operand_name const& x, site at) {
  throw shape_error(begin_of(function) + " of a tensor without elements: tensor " +
                    std::to_string(x.position) + " of shape " + x.shape +
                    " was moved from. Assign to it before it is read." +
                    placement::detail::location_text({}, at));
}
[[noreturn]] PLACEMENT_INLINE void throw_different_shapes(std::string_view function,
                                                          operand_name const& a,
                                                          operand_name const& b, site at) {
  throw shape_error(begin_of(function) + " of different shapes: " + text_of(a) + ", " + text_of(b) +
                    ". Give tensors of one shape." + placement::detail::location_text({}, at));
}
[[noreturn]] PLACEMENT_INLINE void throw_same_device(std::string_view function,
                                                     operand_name const& a, operand_name const& b,
                                                     site at) {
  throw invalid_argument(begin_of(function) + " of two tensors on one device: " + text_of(a) +
                         ", " + text_of(b) +
                         ". Give one tensor for each device, or add them with add_n before." +
                         placement::detail::location_text({}, at));
}
[[noreturn]] PLACEMENT_INLINE void throw_floating_point_only(std::string_view function,
                                                             std::string_view element,
                                                             std::string_view what,
                                                             std::string_view instead, site at) {
  throw invalid_argument(begin_of(function) + " of " + std::string(element) + ": " +
                         std::string(what) + " is of floating point. Write " +
                         std::string(instead) + ", or cast<float>(x)." +
                         placement::detail::location_text({}, at));
}
[[noreturn]] PLACEMENT_INLINE void throw_no_equal_parts(std::string_view function,
                                                        operand_name const& x, std::size_t count,
                                                        site at) {
  throw shape_error(begin_of(function) + " over " + std::to_string(count) + " devices of " +
                    text_of(x) + ": the first extent is no multiple of " + std::to_string(count) +
                    ". Pad or slice the tensors." + placement::detail::location_text({}, at));
}
[[noreturn]] PLACEMENT_INLINE void throw_needs_fast(site at) {
  throw invalid_argument(
      "placement: all_reduce by a ring adds in another order than add_n. Write {fast, "
      "all_reduce_algorithm::ring}, or choose another algorithm." +
      placement::detail::location_text({}, at));
}

PLACEMENT_INLINE buffer_ref new_elements(device where, std::size_t bytes,
                                         collective_call const& call) {
  placement::detail::throw_if_forked(where);
  return buffer_ref{buffer::make(where, bytes, {call.function, call.at.file, call.at.line})};
}

PLACEMENT_INLINE void copy_elements(buffer_ref const& to, buffer_ref const& from,
                                    collective_call const& call) {
  if (from->size() == 0) return;
  placement::detail::throw_if_watched(from.get(), call.function, call.at);
  device const source = from->where(), target = to->where();
  placement::detail::settings_word const how = placement::detail::settings_here();
  if (!(source == target)) {
    if (how.moves() == transfers::refuse)
      throw placement_error("placement: explicit transfers: " + std::string(call.function) +
                            " copies elements from " + to_string(source) + " to " +
                            to_string(target) + placement::detail::place_text(call.at) +
                            ". Allow transfers.");
    placement::detail::charge_copy(how, call.function, source, target, call.at,
                                   placement::detail::names_here());
  }
  placement::detail::copy_into(*to.get(), {from->data(), source, from->size(), from.get()});
  if (source == target) return;
  if (how.moves() == transfers::warn || how.reports_copies()) [[unlikely]]
    placement::detail::log_copy(
        placement::detail::event_of_copy(call.function, source, target, from->size(), call.at,
                                         placement::detail::names_here()),
        how.moves());
}

PLACEMENT_INLINE buffer_ref brought_to(device where, buffer_ref const& x,
                                       collective_call const& call) {
  if (!x || x->where() == where) return x;
  buffer_ref made = new_elements(where, x->size(), call);
  copy_elements(made, x, call);
  return made;
}

// ---- the engine of hardware GPUs

PLACEMENT_INLINE all_reduce_member member_of(device where, void const* in) {
  return {&logical(where), in, nullptr};
}
PLACEMENT_INLINE bool may_use_engine(std::vector<all_reduce_member> const& members) {
  placement::detail::settings_word const how = placement::detail::settings_here();
  if (placement::detail::gpu_all_reduces.load(std::memory_order_acquire) == nullptr ||
      placement::detail::recorder_here != nullptr || how.copies_below() != 0 ||
      how.moves() != transfers::silent || how.reports_copies())
    return false;
  for (all_reduce_member const& m : members)
    if (m.on->id.is_cpu() || m.on->owner->simulated()) return false;
  return true;
}
PLACEMENT_INLINE bool run_engine(std::vector<all_reduce_member> const& members,
                                 all_reduce_call const& call) {
  all_reduce_engine* const engine =
      placement::detail::gpu_all_reduces.load(std::memory_order_acquire);
  return engine != nullptr && engine->all_reduce(members, call);
}

}}}}  // namespace placement::v0_1::parallel::detail
