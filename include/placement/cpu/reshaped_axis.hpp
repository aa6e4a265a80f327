#pragma once
/// A reduction of a reshape along one axis, as a reduction of the reshaped operands along several
/// dimensions. Their elements are then read by strides, without a division for each.

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/local_array.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Whether an operand has the layout of a reshape.
inline bool reads_reshape(block_call const& call) {
  for (unsigned k = 0; k != call.operands; ++k)
    if (call.operand[k].level != nullptr && call.operand[k].level->outer != nullptr) return true;
  return false;
}

/// The call and the shape without the reshape. It exists if all operands are dense or reshaped from
/// one shape, some of whose dimensions are the axis.
class reshaped_axis {
 public:
  reshaped_axis(block_call const& call, any_shape const& x, std::size_t axis)
      : call_(call), operand_(call.operands), level_(call.operands) {
    exists_ = x.extent[axis] > 1 && find_shape(x) && find_dimensions(x, axis);
  }

  reshaped_axis(reshaped_axis const&) = delete;
  reshaped_axis& operator=(reshaped_axis const&) = delete;

  bool exists() const { return exists_; }
  block_call const& call() const { return call_; }
  any_shape shape() const { return {rank_, extent_}; }
  /// The last of the reduced dimensions, which are adjacent. Neighbours that all operands step
  /// through as through one are joined.
  std::size_t axis() const { return axis_; }
  std::size_t reduced() const { return reduced_; }
  /// Moves the reduced dimensions back, until so many others follow.
  void move_back(std::size_t following);

 private:
  struct own_level {
    layout_level layout;
    index_t stride[max_rank];
  };
  struct dimensions;

  bool find_shape(any_shape const& x);
  bool find_dimensions(any_shape const& x, std::size_t axis);
  index_t stride_of(unsigned k, std::size_t d) const;
  bool joins(std::size_t source) const;
  void add(dimensions const& from, std::size_t first, std::size_t end);

  block_call call_;
  local_array<block_operand> operand_;
  local_array<own_level> level_;
  any_shape from_{0, nullptr};  ///< the shape that was reshaped
  index_t dense_[max_rank];     ///< strides of dense elements of that shape
  index_t extent_[max_rank]{};
  std::size_t rank_ = 0, axis_ = 0, reduced_ = 0;
  bool exists_ = false;
};

}}}  // namespace placement::v0_1::detail
