#pragma once
/// Computes a value ahead, on a thread of its own.

#include <placement/runtime/mutex.hpp>

#include <csignal>
#include <exception>
#include <memory>
#include <utility>

#include <pthread.h>
#include <unistd.h>

namespace placement { inline namespace v0_1 { namespace detail {

/// Make: make(Value&, Request const&) computes a value; the thread has a copy of it. One of the two
/// copies runs at a time. Thread: one at a time calls members. The child of a fork() has no such
/// thread, and computes each value on the calling thread.
template <class Value, class Request, class Make> class prefetcher {
 public:
  explicit prefetcher(Make const& make) : make_(make), shared_(std::make_unique<shared>(make)) {}
  ~prefetcher() {
    if (!is_own_process()) {  // its state may be in use by a thread that does not exist here
      static_cast<void>(shared_.release());
      return;
    }
    if (!shared_->started) return;
    {
      mutex_guard const held(shared_->access);
      shared_->stops = true;
      shared_->changed.notify_all();
    }
    ::pthread_join(shared_->thread, nullptr);
  }
  prefetcher(prefetcher const&) = delete;
  prefetcher& operator=(prefetcher const&) = delete;

  /// The value for a request: the one computed ahead, or else computed here. It is valid until the
  /// next call. Throws: what make throws, on either thread.
  Value const& get(Request const& r) {
    if (is_own_process() && take(r)) return value_;
    make_(value_, r);
    return value_;
  }
  /// Begins to compute the value that the next get() will ask for. Without a thread get() does it.
  void prefetch(Request const& r) noexcept {
    if (!is_own_process() || !start()) return;
    mutex_guard const held(shared_->access);
    shared_->request = r;
    shared_->state = pending;
    shared_->changed.notify_all();
  }

 private:
  enum progress { idle, pending, ready };

  struct shared {
    explicit shared(Make const& m) : make(m) {}

    mutex access;
    condition_variable changed;
    Make make;
    progress state = idle;  ///< guarded, as are the next four
    Request request{};
    Value value{};
    std::exception_ptr error;
    bool stops = false;
    bool started = false;
    pthread_t thread{};
  };

  bool is_own_process() const noexcept { return ::getpid() == process_; }

  /// Waits for the thread. Whether it had computed the value for this request, which is now taken.
  bool take(Request const& r) {
    mutex_guard held(shared_->access);
    while (shared_->state == pending) shared_->changed.wait(held);
    bool const is_there = std::exchange(shared_->state, idle) == ready && shared_->request == r;
    auto const error = std::exchange(shared_->error, nullptr);
    if (is_there && error) std::rethrow_exception(error);
    if (is_there) std::swap(value_, shared_->value);
    return is_there;
  }
  bool start() noexcept {
    if (shared_->started) return true;
    sigset_t all, before;
    ::sigfillset(&all);  // signals are handled by the program's own threads
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    shared_->started = ::pthread_create(&shared_->thread, nullptr, run, shared_.get()) == 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return shared_->started;
  }
  static void* run(void* self) noexcept {
    auto& s = *static_cast<shared*>(self);
    mutex_guard held(s.access);
    for (;;) {
      while (s.state != pending && !s.stops) s.changed.wait(held);
      if (s.stops) return nullptr;
      held.unlock();
      std::exception_ptr error;
      try {
        s.make(s.value, s.request);
      } catch (...) { error = std::current_exception(); }
      held.lock();
      s.error = std::move(error);
      s.state = ready;
      s.changed.notify_all();
    }
  }

  pid_t const process_ = ::getpid();
  Make make_;
  Value value_{};
  std::unique_ptr<shared> shared_;
};

}}}  // namespace placement::v0_1::detail
