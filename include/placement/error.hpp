#pragma once
/// Every exception of the library: `catch (placement::error const& e)` takes them all.
///
/// Each is also an exception of the standard: out_of_memory a std::bad_alloc, all others a
/// std::runtime_error. So `error` is a second base beside that one, and no std::exception itself:
/// an exception with two bases of that type would be caught by no `catch (std::exception const&)`.
///
/// A message says what was asked, what there is, and what to do. Whatever throws leaves the objects
/// it was called on as they were.

#include <placement/version.hpp>

#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

namespace placement::inline v0_1 {

/// What all exceptions of the library have in common.
class error {
 public:
  virtual char const* what() const noexcept = 0;
  /// The same object, for functions that take a std::exception.
  operator std::exception const&() const noexcept { return as_standard(); }

 protected:
  error() = default;
  error(error const&) = default;
  error& operator=(error const&) = default;
  ~error() = default;

 private:
  virtual std::exception const& as_standard() const noexcept = 0;
};

namespace detail {

/// An exception of the standard that is an error of the library, too.
template <class Standard> class error_beside : public Standard, public error {
 public:
  using Standard::Standard;
  char const* what() const noexcept override { return Standard::what(); }

 private:
  std::exception const& as_standard() const noexcept final { return *this; }
};

}  // namespace detail

/// A device name, an environment variable or a configuration call that makes no sense here.
struct invalid_argument : detail::error_beside<std::runtime_error> {
  using error_beside::error_beside;
};

/// Shapes that do not go together, or an index outside of a shape.
struct shape_error : detail::error_beside<std::runtime_error> {
  using error_beside::error_beside;
};

/// An op that may not or cannot run where it was asked to.
struct placement_error : detail::error_beside<std::runtime_error> {
  using error_beside::error_beside;
};

/// A device whose memory, or whose configured part of it, is full, or a host whose heap is. Nothing
/// was changed; a smaller request may work.
class out_of_memory : public detail::error_beside<std::bad_alloc> {
 public:
  /// The host's heap has failed, and may not have memory for a longer text either.
  out_of_memory() noexcept = default;
  out_of_memory(out_of_memory const&) noexcept = default;
  out_of_memory& operator=(out_of_memory const&) noexcept = default;
  explicit out_of_memory(std::string const& text) noexcept {
    try {
      text_.emplace(text);
    } catch (std::bad_alloc const&) {  // and the text that needs none says enough
    }
  }
  char const* what() const noexcept override {
    return text_
               ? text_->what()
               : "placement: out of memory on the host: its heap has no more. Free tensors or use "
                 "smaller batches.";
  }

 private:
  std::optional<std::runtime_error> text_;  ///< for its text, which it copies without failing
};

namespace detail {

/// In a handler: throws what it caught; where that is the failure of the host's heap,
/// out_of_memory.
[[noreturn, gnu::cold, gnu::noinline]] inline void rethrow_as_error() {
  try {
    throw;
  } catch (error const&) { throw; } catch (std::bad_alloc const&) {
    throw out_of_memory();
  }
}

}  // namespace detail

}  // namespace placement::inline v0_1
