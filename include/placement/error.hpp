#pragma once
/// Every exception of the library: one hierarchy, so that one catch clause takes them all.
///
/// A message says what was asked, what there is, and what to do. Whatever throws leaves the objects
/// it was called on as they were.

#include <placement/version.hpp>

#include <stdexcept>
#include <string>

namespace placement::inline v0_1 {

/// The root of all exceptions this library throws.
struct error : std::runtime_error {
  using runtime_error::runtime_error;
};

/// A device name, an environment variable or a configuration call that makes no sense here.
struct invalid_argument : error {
  using error::error;
};

/// Shapes that do not go together, or an index outside of a shape.
struct shape_error : error {
  using error::error;
};

/// An op that may not or cannot run where it was asked to.
struct placement_error : error {
  using error::error;
};

/// A device whose memory, or whose configured part of it, is full. Nothing was changed; a smaller
/// request may work.
struct out_of_memory : error {
  using error::error;
};

}  // namespace placement::inline v0_1
