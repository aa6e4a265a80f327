#pragma once
/// A shared library with hidden visibility that uses placement internally.

#include <placement/placement.hpp>
#include <placement/src/all.ipp>

#define LIBRARY_API __attribute__((visibility("default")))

namespace library {

LIBRARY_API placement::vector<float> doubled(placement::vector<float> const& x);
LIBRARY_API placement::device device_of_an_op();
LIBRARY_API void set_log_off();

/// Addresses of objects that a process has once.
struct facts {
  void const* registry;
  void const* pools;
  void const* log;
  void const* copies;
  void const* settings;
  void const* labels;
  void const* scope;  ///< the scope of this thread
  void const* current_device;

  friend bool operator==(facts const&, facts const&) = default;
};
LIBRARY_API facts facts_inside();

inline facts facts_here() {
  namespace inner = placement::detail;
  return {&inner::registry_of_process(),
          &inner::all_pools(),
          &inner::the_log(),
          &inner::copy_counts(),
          &inner::process_settings,
          &inner::all_labels(),
          &inner::this_scope,
          &inner::device_of_thread};
}

}  // namespace library
