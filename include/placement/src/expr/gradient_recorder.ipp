#pragma once
/// Definitions of pauses, and of the errors for evaluations that cut a gradient.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/expr/gradient_recorder.hpp>
#include <placement/place/log.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void gradient_pause::begin() noexcept {
  recorder = std::exchange(gradients_here, nullptr);
  outer = std::exchange(pauses_here, this);
  if (outer == nullptr) return;
  made_copies = outer->made_copies;
  kept_copies = outer->kept_copies;
  forward_op = outer->forward_op;
}
PLACEMENT_INLINE void gradient_pause::end() const noexcept {
  gradients_here = recorder;
  pauses_here = outer;
}

[[noreturn]] PLACEMENT_INLINE void throw_not_recorded(std::string_view op, site at) {
  throw invalid_argument(
      "placement: " + std::string(op) + place_text(at) +
      " reads a tensor that a gradient_tape watches, and cannot be recorded. "
      "In its file include placement/gradient.hpp before placement.hpp, or write "
      "no_gradient around code without gradients.");
}

[[noreturn]] PLACEMENT_INLINE void throw_no_derivative(std::string_view op, site at) {
  throw invalid_argument("placement: " + std::string(op) + place_text(at) +
                         " has no derivative. Write stop_gradient(x) around its operand, or give "
                         "the op a pullback.");
}

}}}  // namespace placement::v0_1::detail
