#pragma once
/// Calls of block kernels whose results lie in another order than row-major, as those of transposed
/// and reversed views.

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/local_array.hpp>

#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// Are the strides of a result positive, and none less than one of a later dimension?
inline bool is_in_order(layout_level const& where, any_shape const& shape) {
  index_t last = 0;
  for (std::size_t d = shape.rank; d-- > 0;) {
    if (shape.extent[d] == 1) continue;
    if (where.stride[d] < last || where.stride[d] < 0) return false;
    last = where.stride[d];
  }
  return true;
}

/// The same elements with the dimensions in the order of the result's strides, all positive. The
/// result's rows are then written one after another. It exists for operands without reshapes.
class ordered_call {
 public:
  ordered_call(block_call const& call, layout_level const& where, any_shape const& shape)
      : call_(call), rank_(shape.rank), operands_(call.operands), levels_(call.operands) {
    for (unsigned k = 0; k != call.operands; ++k) {
      block_operand const& o = call.operand[k];
      if (!o.is_single && (o.level == nullptr || o.level->outer != nullptr)) return;
    }
    exists_ = true;
    take(where_, where);
    for (unsigned k = 0; k != call.operands; ++k) {
      operands_[k] = call.operand[k];
      if (!operands_[k].is_single) take(levels_[k], *call.operand[k].level);
    }
    for (std::size_t d = 0; d != rank_; ++d) extent_[d] = shape.extent[d];
    for (std::size_t d = 0; d != rank_; ++d)
      if (where_.stride[d] < 0) reverse(d);
    for (std::size_t i = 1; i < rank_; ++i)
      for (std::size_t d = i; d != 0 && is_inner(d - 1, d); --d) swap(d - 1, d);
    for (unsigned k = 0; k != call.operands; ++k)
      if (!operands_[k].is_single) operands_[k].level = levels_[k].point();
    where_.point();
    call_.operand = operands_.data();
  }

  bool exists() const { return exists_; }
  block_call const& call() const { return call_; }
  layout_level const& where() const { return where_.layout; }
  any_shape shape() const { return {rank_, extent_}; }

 private:
  struct own_level {
    layout_level layout;
    index_t stride[max_rank];

    layout_level const* point() {
      layout.stride = stride;
      return &layout;
    }
  };

  void take(own_level& to, layout_level const& from) const {
    to.layout = from;
    for (std::size_t d = 0; d != rank_; ++d) to.stride[d] = from.stride[d];
  }
  template <class F> void for_each_level(F const& f) {
    f(where_);
    for (unsigned k = 0; k != call_.operands; ++k)
      if (!operands_[k].is_single) f(levels_[k]);
  }
  void reverse(std::size_t d) {
    for_each_level([&](own_level& l) {
      l.layout.base += (extent_[d] - 1) * l.stride[d];
      l.stride[d] = -l.stride[d];
    });
  }
  /// Do elements along dimension a lie nearer to each other than along b? Extents of 1 go first.
  bool is_inner(std::size_t a, std::size_t b) const {
    if (extent_[a] == 1 || extent_[b] == 1) return extent_[a] != 1;
    return where_.stride[a] < where_.stride[b];
  }
  void swap(std::size_t a, std::size_t b) {
    std::swap(extent_[a], extent_[b]);
    for_each_level([&](own_level& l) { std::swap(l.stride[a], l.stride[b]); });
  }

  block_call call_;
  std::size_t rank_;
  local_array<block_operand> operands_;
  local_array<own_level> levels_;
  own_level where_{};
  index_t extent_[max_rank]{};
  bool exists_ = false;
};

}}}  // namespace placement::v0_1::detail
