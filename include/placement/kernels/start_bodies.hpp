#pragma once
/// Jobs in the queues of GPUs.

#include <placement/device/platform.hpp>
#include <placement/device/registry_bodies.hpp>
#include <placement/kernels/start.hpp>

#include <cassert>
#include <cstddef>
#include <cstring>

namespace placement::inline v0_1::detail {

/// A copy of a job in the queue of a simulated GPU.
class queued_job final : public host_work {
 public:
  /// Throws: std::bad_alloc.
  explicit queued_job(any_job const& j) : j_(j), copy_(::operator new(j.bytes)) {
    try {
      if (j.keep == nullptr) std::memcpy(copy_, j.job, j.bytes);
      else j.keep(copy_, j.job);
    } catch (...) {
      ::operator delete(copy_);
      throw;
    }
  }
  ~queued_job() override {
    if (j_.keep != nullptr) j_.keep(copy_, nullptr);
    ::operator delete(copy_);
  }

  void run() noexcept override { j_.run(copy_); }

 private:
  any_job j_;
  void* copy_;  ///< aligned as new does: no job asks for more
};

template <class Once> void start_in_queue(device where, std::string_view op, any_job const& j) {
  logical_device const& on = logical(where);
  if (!on.owner->simulated()) {
    assert(j.launch != nullptr && "the placer sends nothing to a GPU that cannot be launched");
    j.launch(on, j.job);
  } else if (j.throws) {
    on.owner->synchronise(on.work);
    j.run(j.job);
  } else if (on.owner->at_once(on.work, j.steps)) {
    j.run(j.job);
  } else {
    on.owner->run(on.work, new queued_job(j));
  }
  on.owner->launched(on.work, op);
}

}  // namespace placement::inline v0_1::detail
