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
  explicit queued_job(any_job const& j) : type_(j.type), copy_(::operator new(j.type.bytes)) {
    try {
      if (type_.keep == nullptr) std::memcpy(copy_, j.job, type_.bytes);
      else type_.keep(copy_, j.job);
    } catch (...) {
      ::operator delete(copy_);
      throw;
    }
  }
  ~queued_job() override {
    if (type_.keep != nullptr) type_.keep(copy_, nullptr);
    ::operator delete(copy_);
  }

  void run() noexcept override { type_.run(copy_, {.shares = false}); }

 private:
  job_type const& type_;
  void* copy_;  ///< aligned as new does: no job asks for more
};

template <class Once> void start_in_queue(device where, std::string_view op, any_job const& j) {
  logical_device const& on = logical(where);
  if (!on.owner->simulated()) {
    launcher const launch = j.type.own != nullptr ? j.type.own() : j.type.others->peek();
    assert(launch != nullptr && "the placer sends nothing to a GPU that cannot be launched");
    launch(on, j.job);
  } else if (j.type.throws) {
    on.owner->synchronise(on.work);
    j.type.run(j.job, {.shares = false});
  } else if (on.owner->at_once(on.work, j.steps)) {
    j.type.run(j.job, {.shares = false});
  } else {
    on.owner->run(on.work, new queued_job(j));
  }
  on.owner->launched(on.work, op);
}

}  // namespace placement::inline v0_1::detail
