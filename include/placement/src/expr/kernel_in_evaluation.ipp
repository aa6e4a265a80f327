#pragma once
/// Definitions: one kernel of an evaluation, with its operands and its ops.

#include <placement/cpu/local_array.hpp>
#include <placement/exec/fused_call.hpp>
#include <placement/expr/bind.hpp>
#include <placement/expr/fused_kernel.hpp>
#include <placement/expr/fused_operands.hpp>
#include <placement/expr/reads.hpp>

#include <cstddef>
#include <new>

namespace placement { inline namespace v0_1 { namespace detail {

/// The ops and numbers of a kernel, in memory of their own.
class slot_memory {
 public:
  /// write(from, to): constructs them.
  slot_memory(fused_launch_type const& t, void (*write)(void const*, void*), void const* from)
      : type_(t) {
    if (type_.bytes > sizeof(local_)) heap_ = ::operator new(type_.bytes, slot_alignment);
    try {
      write(from, get());
    } catch (...) {
      ::operator delete(heap_, slot_alignment);
      throw;
    }
  }
  ~slot_memory() {
    if (type_.copy != nullptr) type_.copy(get(), nullptr);
    ::operator delete(heap_, slot_alignment);
  }
  slot_memory(slot_memory const&) = delete;
  slot_memory& operator=(slot_memory const&) = delete;

  unsigned char* get() { return heap_ != nullptr ? static_cast<unsigned char*>(heap_) : local_; }

 private:
  fused_launch_type const& type_;
  void* heap_ = nullptr;
  alignas(static_cast<std::size_t>(slot_alignment)) unsigned char local_[256];
};

/// One kernel of an evaluation, its operand table, and its ops.
class kernel_in_evaluation {
 public:
  /// e: its root. x: what it computes with.
  kernel_in_evaluation(fused_kernel const& k, void const* e, kernel_extents const& x,
                       read_collector& collected, site at)
      : kernel_(k),
        root_(e),
        extents_(x),
        operands_(k.size.operands),
        levels_(k.size.levels),
        sources_(k.size.operands),
        table_(operands_.data(), levels_.data(), x.shape),
        listed_(table_, sources_.data(), collected, k.type.root, at),
        ops_(k.launch, k.write, e) {
    k.list(e, listed_);
  }

  /// Brings the operands to the device, except for the one that a producer computes at `result`.
  void bring(void const* pin, kernel_operands& kept, int produced_slot, void const* result) {
    operand_binder binder(kept, table_, listed_, produced_slot);
    if (kernel_.compute != nullptr) {
      kernel_.compute(root_, pin, binder);
    } else {
      for (unsigned i = 0; i != table_.operands; ++i)
        if (operands_[i].bytes != 0) binder.bring(i);
    }
    if (produced_slot >= 0) operands_[static_cast<unsigned>(produced_slot)].data = result;
  }

  operand_table const& table() const { return table_; }
  fused_call call(std::size_t elements, void* out) {
    std::size_t const cost =
        kernel_.cost_per_element + (table_.is_contiguous ? 0 : kernel_.cost_of_reshapes);
    any_shape const& x = extents_.shape;
    return {{kernel_.run, ops_.get() + kernel_.launch.expr_at, operands_.data(), table_.operands,
             kernel_.element_bytes, cost, out, kernel_.form, kernel_.run_rows},
            {0, row_major_strides(x, strides_), x.rank, nullptr, nullptr},
            x,
            static_cast<index_t>(elements),
            table_.is_contiguous,
            levels_.data(),
            table_.levels,
            ops_.get(),
            extents_.axis,
            extents_.depth};
  }

 private:
  fused_kernel const& kernel_;
  void const* root_;
  kernel_extents const& extents_;
  local_array<block_operand, 8> operands_;
  local_array<table_level, 8> levels_;
  local_array<operand_source, 8> sources_;
  operand_table table_;
  fused_operands listed_;
  slot_memory ops_;
  index_t strides_[max_rank];
};

}}}  // namespace placement::v0_1::detail
