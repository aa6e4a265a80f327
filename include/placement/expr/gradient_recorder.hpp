#pragma once
/// The interface by which a gradient tape sees the evaluations of its thread.

#include <placement/config.hpp>
#include <placement/expr/copied_operands.hpp>
#include <placement/memory/buffer.hpp>
#include <placement/place/site.hpp>

#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

namespace no_adl {
/// What records the evaluations of a thread for gradients.
class gradient_recorder {
 public:
  /// Whether gradients flow through these elements.
  virtual bool watches(buffer const& b) const noexcept = 0;
  /// Records that `to` has the elements of `from`, which it watches.
  virtual void note_copy(buffer_ref const& from, buffer_ref const& to, site at) = 0;

  gradient_recorder(gradient_recorder const&) = delete;
  gradient_recorder& operator=(gradient_recorder const&) = delete;

 protected:
  gradient_recorder() = default;
  ~gradient_recorder() = default;
};
}  // namespace no_adl
using no_adl::gradient_recorder;

/// The innermost gradient tape of this thread; null while none records.
PLACEMENT_PROCESS_STATE inline constinit thread_local gradient_recorder* gradients_here = nullptr;

class gradient_pause;
/// The innermost pause of this thread.
PLACEMENT_PROCESS_STATE inline constinit thread_local gradient_pause* pauses_here = nullptr;

/// Stops recording on this thread while the object lives.
class gradient_pause {
 public:
  gradient_pause() noexcept { begin(); }
  /// Copies of operands that kernels make are added to `made`.
  explicit gradient_pause(copied_operands& made) noexcept {
    begin();
    made_copies = &made;
  }
  /// For the gradient of a statement: its kernels read the copies that those of the statement made.
  gradient_pause(copied_operands const& kept, std::string_view forward) noexcept {
    begin();
    kept_copies = &kept;
    forward_op = forward;
  }
  ~gradient_pause() { end(); }
  gradient_pause(gradient_pause const&) = delete;
  gradient_pause& operator=(gradient_pause const&) = delete;

  gradient_recorder* recorder = nullptr;  ///< records again after the pause
  gradient_pause* outer = nullptr;
  copied_operands* made_copies = nullptr;
  copied_operands const* kept_copies = nullptr;
  std::string_view forward_op{};  ///< of the statement

 private:
  void begin() noexcept;
  void end() const noexcept;
};

/// Throws the error for an evaluation that reads watched elements and is not recorded.
[[noreturn, gnu::cold]] void throw_not_recorded(std::string_view op, site at);
/// Throws the error for an op that has no derivative.
[[noreturn, gnu::cold]] void throw_no_derivative(std::string_view op, site at);
/// Throws: invalid_argument if a tape watches these elements. For code that does not record.
inline void throw_if_watched(buffer const* b, std::string_view op, site at) {
  if (gradients_here != nullptr && b != nullptr && gradients_here->watches(*b)) [[unlikely]]
    throw_not_recorded(op, at);
}

}}}  // namespace placement::v0_1::detail
