#pragma once
/// Definitions of fused_call.hpp.

#include <placement/config.hpp>
#include <placement/cpu/local_array.hpp>
#include <placement/cpu/map_blocks.hpp>
#include <placement/exec/fused_call.hpp>
#include <placement/src/exec/launch_on.ipp>

#include <cassert>
#include <cstddef>
#include <cstring>
#include <optional>
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
  if (fused_producer const* const p = call.producer) {
    block_epilogue const epilogue{call.blocks, call.shape, call.is_contiguous, p->recognized};
    p->type->produce(*p->call, &epilogue, on);
  } else if (type.produce != nullptr) {
    type.produce(call, nullptr, on);
  } else if (call.is_contiguous) {
    run_contiguous_blocks(call.blocks, call.elements, on);
  } else {
    run_strided_blocks(call.blocks, call.where, call.shape, on);
  }
}

/// A copy of a call with its operands, its ops and its layouts.
class copied_call {
 public:
  /// Throws: std::bad_alloc; exceptions of copying an op.
  copied_call(fused_launch_type const& t, fused_call const& from)
      : type(t),
        call(from),
        operands_(from.blocks.operand, from.blocks.operand + from.blocks.operands),
        more_(from.blocks.more, from.blocks.more + from.blocks.more_results),
        levels_(from.level, from.level + from.levels),
        ops_(static_cast<unsigned char*>(::operator new(t.bytes, slot_alignment))) {
    void const* const ops = static_cast<unsigned char const*>(from.blocks.expr) - type.expr_at;
    try {
      if (type.copy == nullptr) std::memcpy(ops_, ops, type.bytes);
      else type.copy(ops_, ops);
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
    for (std::size_t d = 0; d != from.shape.rank; ++d) {
      extent_[d] = from.shape.extent[d];
      if (type.produce == nullptr) stride_[d] = from.where.stride[d];
    }
    call.blocks.expr = ops_ + type.expr_at;
    call.op = ops_;
    call.blocks.operand = operands_.data();
    call.blocks.more = more_.data();
    call.level = levels_.data();
    call.shape = {from.shape.rank, extent_};
    call.where.stride = stride_;
  }
  ~copied_call() {
    if (type.copy != nullptr) type.copy(ops_, nullptr);
    ::operator delete(ops_, slot_alignment);
  }
  copied_call(copied_call const&) = delete;
  copied_call& operator=(copied_call const&) = delete;

  std::size_t bytes() const noexcept {
    return type.bytes + operands_.size() * sizeof(block_operand) +
           levels_.size() * sizeof(table_level);
  }

  fused_launch_type const& type;
  fused_call call;

 private:
  /// The same place in the copied layouts.
  template <class P> P const* copy_of(P const* p) const {
    if (p == nullptr) return nullptr;
    auto const* const from = reinterpret_cast<unsigned char const*>(call.level);
    auto const* const to = reinterpret_cast<unsigned char const*>(levels_.data());
    return reinterpret_cast<P const*>(to + (reinterpret_cast<unsigned char const*>(p) - from));
  }

  std::vector<block_operand> operands_;
  std::vector<block_result> more_;
  std::vector<table_level> levels_;
  index_t extent_[max_rank], stride_[max_rank];
  unsigned char* ops_;
};

/// A kernel in the queue of a simulated GPU, with its producer if it has one.
class queued_kernel final : public host_work {
 public:
  queued_kernel(fused_launch_type const& type, fused_call const& call) : kernel_(type, call) {
    if (call.producer == nullptr) return;
    producer_.emplace(*call.producer->type, *call.producer->call);
    produces_ = {&producer_->type, &producer_->call, call.producer->recognized};
    kernel_.call.producer = &produces_;
  }

  void run() noexcept override {
    gate_.enter();
    begin_traced_work_now();
    run_fused(kernel_.type, kernel_.call, {.is_parallel = false});
    gate_.leave();
  }
  std::size_t bytes() const noexcept override {
    return sizeof(*this) + kernel_.bytes() + (producer_ ? producer_->bytes() : 0);
  }

 private:
  op_gate& gate_ = gate_of_process();
  copied_call kernel_;
  std::optional<copied_call> producer_;
  fused_producer produces_{};
};

PLACEMENT_INLINE void launch_fused(device where, std::string_view op, fused_launch_type const& type,
                                   fused_call const& call) {
  bool const is_map = type.produce == nullptr && call.producer == nullptr;
  traced_launch const traced(
      {op, where, call.blocks.result_bytes, is_map ? call.shape.extent : nullptr, call.shape.rank});
  if (where.is_cpu()) return run_fused(type, call, {});
  logical_device const& on = logical(where);
  fused_call const& longest = call.producer != nullptr ? *call.producer->call : call;
  auto const cost = static_cast<std::size_t>(longest.elements);
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
