#pragma once
/// Definitions of fused_call.hpp.

#include <placement/config.hpp>
#include <placement/cpu/local_array.hpp>
#include <placement/exec/fused_call.hpp>
#include <placement/src/cpu/map_blocks.ipp>
#include <placement/src/exec/launch_on.ipp>

#include <cassert>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE block_call call_of_inputs(block_call const& call, block_input const* in,
                                           block_operand* operands) {
  for (unsigned k = 0; k != call.operands; ++k) {
    operands[k] = call.operand[k];
    operands[k].data = in[k].data;
  }
  block_call whole = call;
  whole.operand = operands;
  return whole;
}
PLACEMENT_INLINE void run_long_contiguous(block_call const& call, block_input const* in,
                                          index_t n) {
  local_array<block_operand> operands(call.operands);
  run_contiguous_blocks(call_of_inputs(call, in, operands.data()), n, {});
}

PLACEMENT_INLINE void run_fused(fused_launch_type const& type, fused_call const& call, par on) {
  if (type.reduce != nullptr) type.reduce(call, on);
  else if (call.is_contiguous) run_contiguous_blocks(call.blocks, call.elements, on);
  else run_strided_blocks(call.blocks, call.where, call.shape, on);
}

/// A copy of a kernel with its operands in the queue of a simulated GPU.
class queued_kernel final : public host_work {
 public:
  /// Throws: std::bad_alloc.
  queued_kernel(fused_launch_type const& type, fused_call const& call)
      : type_(type),
        call_(call),
        operands_(call.blocks.operand, call.blocks.operand + call.blocks.operands),
        levels_(call.level, call.level + call.levels),
        ops_(static_cast<unsigned char*>(::operator new(type.bytes, slot_alignment))) {
    void const* const from = static_cast<unsigned char const*>(call.blocks.expr) - type.expr_at;
    try {
      if (type_.copy == nullptr) std::memcpy(ops_, from, type_.bytes);
      else type_.copy(ops_, from);
    } catch (...) {
      ::operator delete(ops_, slot_alignment);
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
      if (type_.reduce == nullptr) stride_[d] = call.where.stride[d];
    }
    call_.blocks.expr = ops_ + type_.expr_at;
    call_.op = ops_;
    call_.blocks.operand = operands_.data();
    call_.level = levels_.data();
    call_.shape = {call.shape.rank, extent_};
    call_.where.stride = stride_;
  }
  ~queued_kernel() override {
    if (type_.copy != nullptr) type_.copy(ops_, nullptr);
    ::operator delete(ops_, slot_alignment);
  }
  queued_kernel(queued_kernel const&) = delete;
  queued_kernel& operator=(queued_kernel const&) = delete;

  void run() noexcept override {
    gate_.enter();
    run_fused(type_, call_, {.is_parallel = false});
    gate_.leave();
  }
  std::size_t bytes() const noexcept override {
    return sizeof(*this) + type_.bytes + operands_.size() * sizeof(block_operand) +
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

  fused_launch_type const& type_;
  op_gate& gate_ = gate_of_process();
  fused_call call_;
  std::vector<block_operand> operands_;
  std::vector<table_level> levels_;
  index_t extent_[max_rank], stride_[max_rank];
  unsigned char* ops_;
};

PLACEMENT_INLINE void launch_fused(device where, std::string_view op, fused_launch_type const& type,
                                   fused_call const& call) {
  if (where.is_cpu()) return run_fused(type, call, {});
  logical_device const& on = logical(where);
  auto const cost = static_cast<std::size_t>(call.elements);
  if (!on.owner->simulated()) {
    launcher const own_launcher = type.own != nullptr ? type.own() : type.others->peek();
    assert(own_launcher != nullptr && "the placer sends nothing to a GPU that cannot be launched");
    own_launcher(on, &call);
  } else if (type.may_throw) {
    on.owner->synchronise(on.work);
    run_fused(type, call, {.is_parallel = false});
  } else if (on.owner->should_run_inline(on.work, cost)) {
    run_fused(type, call, {.is_parallel = false});
  } else {
    on.owner->run(on.work, new queued_kernel(type, call));
  }
  on.owner->launched(on.work, op);
}

}}}  // namespace placement::v0_1::detail
