#pragma once

#include <placement/gradient/tape_core.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

/// A backward pass of a tape, which does not record it, and gives up its records at the end.
class backward_pass {
 public:
  /// of: the elements of the loss. Throws: invalid_argument for one that was not recorded, unless
  /// the gradients by it are zeros.
  backward_pass(tape_core& tape, buffer const* of, bool zeros)
      : tape_(tape), loss(tape.number_of_loss(of, zeros)) {}
  ~backward_pass() { tape_.clear(); }
  backward_pass(backward_pass const&) = delete;
  backward_pass& operator=(backward_pass const&) = delete;

 private:
  gradient_pause const pause_;
  tape_core& tape_;

 public:
  std::uint32_t const loss;  ///< its number; tape_core::none if it was not recorded
};

}}}  // namespace placement::v0_1::detail
