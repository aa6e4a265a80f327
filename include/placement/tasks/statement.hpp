#pragma once
/// The statements that concern several tasks. All tasks count the same statements, so that each
/// message can say which one it belongs to.

#include <placement/place/site.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/shape/extents.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// One statement: its number, the hash of all statements so far, its op and its line.
struct statement {
  std::uint64_t number = 0, hash = 0;
  std::uint32_t line = 0;     ///< of the statement, or of the last one before with a line
  std::int16_t home = 0;      ///< the task that runs it, or every_task
  std::int16_t is_after = 0;  ///< the line is of a statement before
  char file[40] = {};         ///< the end of the path
  char what[32] = {};         ///< op and shape

  /// "7 (Add [2, 2]) at train.cpp:12".
  std::string text() const;
};
static_assert(sizeof(statement) == 96 && std::is_trivially_copyable_v<statement>);

/// The statements of this process, of which the last ones are kept.
class statement_stream {
 public:
  static constexpr std::size_t kept = 64;

  /// Counts a statement. `detail`: another number that must be equal on all tasks. The hash has
  /// names, numbers and shapes, and no address.
  void count(std::string_view op, int home, site at, any_shape const& shape, std::uint64_t detail);
  /// The current one. For the thread that counts.
  statement const& now() const noexcept { return now_; }
  /// Returns to an earlier state.
  void restore(statement const& before) noexcept { now_ = before; }

  /// A statement by its number, on any thread; number 0 if it is not kept any more.
  statement at(std::uint64_t number) const noexcept {
    lock_guard const guard(guard_);
    statement const& s = all_[number % kept];
    return s.number == number ? s : statement{};
  }
  /// The current one, on any thread.
  statement latest() const noexcept {
    lock_guard const guard(guard_);
    return now_;
  }

 private:
  statement now_;
  std::array<statement, kept> all_{};
  mutable lock guard_;
};

/// The hash of bytes, continued from `h`.
std::uint64_t hash_bytes(void const* data, std::size_t size, std::uint64_t h) noexcept;

}}}  // namespace placement::v0_1::detail
