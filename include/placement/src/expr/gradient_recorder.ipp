#pragma once
/// Definitions of gradient_recorder.hpp.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/expr/gradient_recorder.hpp>
#include <placement/place/log.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void copied_operands::add(copied_operand c) {
  if (all_ == nullptr) all_ = new std::vector<copied_operand>;
  all_->push_back(std::move(c));
}
PLACEMENT_INLINE void copied_operands::destroy() noexcept { delete all_; }

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
