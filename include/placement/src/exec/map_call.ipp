#pragma once
/// Definitions of map_call.hpp.

#include <placement/config.hpp>
#include <placement/cpu/local_array.hpp>
#include <placement/exec/map_call.hpp>
#include <placement/src/cpu/map_blocks.ipp>
#include <placement/src/exec/launch_on.ipp>

#include <cassert>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void run_long_contiguous_map(block_call const& call, block_input const* in,
                                              index_t n) {
  local_array<block_operand> operands(call.operands);
  for (unsigned k = 0; k != call.operands; ++k) {
    operands[k] = call.operand[k];
    operands[k].data = in[k].data;
  }
  block_call whole = call;
  whole.operand = operands.data();
  run_contiguous_blocks(whole, n, {});
}

PLACEMENT_INLINE void run_map(map_call const& call, par on) {
  if (call.is_contiguous) run_contiguous_blocks(call.blocks, call.elements, on);
  else run_strided_blocks(call.blocks, call.where, call.shape, on);
}

/// A copy of a kernel with its operands in the queue of a simulated GPU.
class queued_map final : public host_work {
 public:
  /// Throws: std::bad_alloc.
  queued_map(map_launch_type const& type, map_call const& call)
      : type_(type),
        call_(call),
        operands_(call.blocks.operand, call.blocks.operand + call.blocks.operands),
        levels_(call.level, call.level + call.levels),
        expr_(::operator new(type.expr_bytes, slot_alignment)) {
    try {
      if (type_.copy == nullptr) std::memcpy(expr_, call.blocks.expr, type_.expr_bytes);
      else type_.copy(expr_, call.blocks.expr);
    } catch (...) {
      ::operator delete(expr_, slot_alignment);
      throw;
    }
    for (block_operand& o : operands_) o.level = copy_of(o.level);
    for (table_level& l : levels_) {
      l.layout.stride = l.stride;
      l.layout.extent = copy_of(l.layout.extent);
      l.layout.outer = copy_of(l.layout.outer);
    }
    for (std::size_t d = 0; d != call.shape.rank; ++d) {
      extent_[d] = call.shape.extent[d];
      stride_[d] = call.where.stride[d];
    }
    call_.blocks.expr = expr_;
    call_.blocks.operand = operands_.data();
    call_.level = levels_.data();
    call_.shape = {call.shape.rank, extent_};
    call_.where.stride = stride_;
  }
  ~queued_map() override {
    if (type_.copy != nullptr) type_.copy(expr_, nullptr);
    ::operator delete(expr_, slot_alignment);
  }
  queued_map(queued_map const&) = delete;
  queued_map& operator=(queued_map const&) = delete;

  void run() noexcept override {
    gate_.enter();
    run_map(call_, {.is_parallel = false});
    gate_.leave();
  }
  std::size_t bytes() const noexcept override {
    return sizeof(*this) + type_.expr_bytes + operands_.size() * sizeof(block_operand) +
           levels_.size() * sizeof(table_level);
  }

 private:
  /// The same place in the copied layouts.
  template <class P> P const* copy_of(P const* p) const {
    if (p == nullptr) return nullptr;
    auto const* const from = reinterpret_cast<unsigned char const*>(call_.level);
    auto const* const to = reinterpret_cast<unsigned char const*>(levels_.data());
    return reinterpret_cast<P const*>(to + (reinterpret_cast<unsigned char const*>(p) - from));
  }

  map_launch_type const& type_;
  op_gate& gate_ = gate_of_process();
  map_call call_;
  std::vector<block_operand> operands_;
  std::vector<table_level> levels_;
  index_t extent_[max_rank], stride_[max_rank];
  void* expr_;
};

PLACEMENT_INLINE void launch_map(device where, std::string_view op, map_launch_type const& type,
                                 map_call const& call) {
  if (where.is_cpu()) return run_map(call, {});
  logical_device const& on = logical(where);
  auto const cost = static_cast<std::size_t>(call.elements);
  if (!on.owner->simulated()) {
    launcher const own_launcher = type.own != nullptr ? type.own() : type.others->peek();
    assert(own_launcher != nullptr && "the placer sends nothing to a GPU that cannot be launched");
    own_launcher(on, &call);
  } else if (type.may_throw) {
    on.owner->synchronise(on.work);
    run_map(call, {.is_parallel = false});
  } else if (on.owner->should_run_inline(on.work, cost)) {
    run_map(call, {.is_parallel = false});
  } else {
    on.owner->run(on.work, new queued_map(type, call));
  }
  on.owner->launched(on.work, op);
}

}}}  // namespace placement::v0_1::detail
