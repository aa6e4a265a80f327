#pragma once
/// All exceptions of the library: `catch (placement::error const& e)` catches each of them.
///
/// Each type also derives from an exception of the standard: out_of_memory from std::bad_alloc, all
/// others from std::runtime_error. So `error` is a second base and does not derive from
/// std::exception. An exception with two bases of type std::exception would not match `catch
/// (std::exception const&)`.
///
/// A message names the request, the available options and the remedy. A function that throws leaves
/// its objects unchanged.

#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

namespace placement { inline namespace v0_1 {

/// The common base of all exceptions of the library.
class error {
 public:
  virtual char const* what() const noexcept = 0;
  /// The same object as a std::exception, for functions that take one.
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

namespace no_adl {
/// An exception of the standard that is also an error of the library.
template <class Standard> class error_beside : public Standard, public error {
 public:
  using Standard::Standard;
  char const* what() const noexcept override { return Standard::what(); }

 private:
  std::exception const& as_standard() const noexcept final { return *this; }
};
}  // namespace no_adl
using no_adl::error_beside;

}  // namespace detail

/// A device name, an environment variable or a configuration call that is invalid here.
struct invalid_argument : detail::error_beside<std::runtime_error> {
  using error_beside::error_beside;
};

/// Shapes that do not match, or an index outside of a shape.
struct shape_error : detail::error_beside<std::runtime_error> {
  using error_beside::error_beside;
};

/// An element that is infinite or NaN, where a program asked for numbers.
struct numerics_error : detail::error_beside<std::runtime_error> {
  using error_beside::error_beside;
};

/// An op that may not or cannot run on the requested device.
struct placement_error : detail::error_beside<std::runtime_error> {
  using error_beside::error_beside;
};

/// A device's memory, its configured part, or the host's heap is full. Nothing was changed; a
/// smaller request may succeed.
class out_of_memory : public detail::error_beside<std::bad_alloc> {
 public:
  /// For a failure of the host's heap, which may not have memory for a longer text either.
  out_of_memory() noexcept = default;
  out_of_memory(out_of_memory const&) noexcept = default;
  out_of_memory& operator=(out_of_memory const&) noexcept = default;
  explicit out_of_memory(std::string const& text) noexcept {
    try {
      text_.emplace(text);
    } catch (std::bad_alloc const&) {  // what() then returns its fixed text
    }
  }
  char const* what() const noexcept override {
    return text_
               ? text_->what()
               : "placement: out of memory on the host: its heap has no more. Free tensors or use "
                 "smaller batches.";
  }

 private:
  std::optional<std::runtime_error> text_;  ///< a std::runtime_error copies without throwing
};

namespace detail {

/// Call in a handler: throws the caught exception again. A std::bad_alloc of the host's heap
/// becomes out_of_memory.
[[noreturn, gnu::cold, gnu::noinline]] inline void rethrow_as_error() {
  try {
    throw;
  } catch (error const&) { throw; } catch (std::bad_alloc const&) {
    throw out_of_memory();
  }
}

}  // namespace detail

}}  // namespace placement::v0_1
