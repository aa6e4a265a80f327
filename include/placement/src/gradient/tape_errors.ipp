#pragma once
/// The errors of gradient tapes.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/gradient/tape_core.hpp>
#include <placement/memory/transfer.hpp>
#include <placement/place/log.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

[[noreturn]] PLACEMENT_INLINE void tape_core::throw_unknown_loss() const {
  throw invalid_argument(
      has_given_up_
          ? "placement: this gradient_tape gave up its records with its first gradient(). Write "
            "gradient_tape tape(persistent, w) to ask for several."
          : "placement: the loss was not recorded by this gradient_tape. Compute it after the tape "
            "is made, from a watched tensor, in a file that includes placement/gradient.hpp. An "
            "expression that was kept as `auto` reads the tensors it was made of.");
}
[[noreturn]] PLACEMENT_INLINE void tape_core::throw_unconnected(std::string const& shape,
                                                                buffer const* elements) {
  throw unconnected_tensor("placement: the loss does not depend on a tensor of shape " + shape +
                               " whose gradient was asked for. Watch it before it is used, ask "
                               "before it is assigned a new value, or write "
                               "tape.gradient(unconnected_zeros, loss, w).",
                           elements);
}
[[noreturn]] PLACEMENT_INLINE void tape_core::throw_watched_twice(std::string const& shape) {
  throw invalid_argument("placement: a tensor of shape " + shape +
                         " shares its elements with another tensor that the gradient_tape "
                         "watches. Watch each tensor once. Where two are meant, copy one before: "
                         "tensor b = a + 0.f.");
}
[[noreturn]] PLACEMENT_INLINE void tape_core::throw_borrowed(std::string_view what,
                                                             std::string const& shape) {
  throw invalid_argument("placement: " + std::string(what) + " a tensor of shape " + shape +
                         " in borrowed memory, whose elements others may change. Use a tensor "
                         "with memory of its own.");
}

PLACEMENT_INLINE element_faults faults_in(buffer const& b, fault_finder find,
                                          std::size_t element_size) {
  buffer_ref const copy = b.where().is_gpu() ? copied_to(cpu0, b) : buffer_ref{};
  return find(copy ? copy->data() : b.data(), b.size() / element_size);
}
[[noreturn]] PLACEMENT_INLINE void throw_faults(std::string_view what, site at,
                                                element_faults const& faults,
                                                std::string const& shape, buffer const* of) {
  auto const counted = [](std::size_t n, char const* name) {
    return n == 0 ? std::string() : std::to_string(n) + " " + name;
  };
  std::string const nans = counted(faults.nans, "NaN"),
                    infinities = counted(faults.infinities, "infinite");
  throw faulty_elements("placement: " + std::string(what) + place_text(at) + " has " + nans +
                            (nans.empty() || infinities.empty() ? "" : " and ") + infinities +
                            (faults.count() == 1 ? " element" : " elements") +
                            (shape.empty() ? "" : " in shape " + shape) +
                            "; the first is element " + std::to_string(faults.first) +
                            ". Look at its operands: a division by 0, a logarithm or root of a "
                            "number below 0, or an overflow.",
                        of);
}
PLACEMENT_INLINE void tape_core::check_gradient(tape_value const& v) const {
  element_faults const faults =
      faults_in(*v.gradient.get(), v.functions->find_faults, v.functions->element_size);
  if (faults.count() == 0) return;
  std::string const op = pulled_->op.empty() ? "a statement" : std::string(pulled_->op);
  throw_faults("the derivative of " + op, pulled_->at, faults, {},
               v.is_result ? nullptr : v.elements.get());
}

[[noreturn]] PLACEMENT_INLINE void throw_inline_result(std::string_view op, site at) {
  throw invalid_argument("placement: " + std::string(op) + place_text(at) +
                         " reads a tensor that a gradient_tape watches, and its result is a small "
                         "static tensor on CPU:0, which no tape records. Leave the device out of "
                         "its type.");
}
[[noreturn]] PLACEMENT_INLINE void throw_second_order(site at) {
  throw invalid_argument("placement: the statement" + place_text(at) +
                         " reads a gradient under a gradient_tape, which is of first order. Write "
                         "no_gradient around an update, or gradient<0>(e), an expression that can "
                         "be differentiated again.");
}

}}}  // namespace placement::v0_1::detail
