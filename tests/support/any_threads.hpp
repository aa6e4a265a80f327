#pragma once

#include <placement/runtime/executor.hpp>

/// An executor with any number of threads; it runs chunks in opposite order.
class any_threads final : public placement::executor {
 public:
  explicit any_threads(int n) : n_(n) {}
  int threads() noexcept override { return n_; }
  void run(int count, chunk each, void* work) noexcept override {
    while (count-- > 0) each(work, count);
  }

 private:
  int n_;
};
