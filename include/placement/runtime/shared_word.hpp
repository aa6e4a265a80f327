#pragma once
/// A word that threads share: of std::atomic what every file needs, without <atomic>, which would
/// be a sixth of what compiled.hpp takes to parse.

#include <placement/version.hpp>

namespace placement::inline v0_1::detail {

/// A number, a pointer or a bool. Thread: safe.
template <class T> class shared_word {
 public:
  constexpr explicit shared_word(T v) noexcept : value_(v) {}
  shared_word(shared_word const&) = delete;
  shared_word& operator=(shared_word const&) = delete;
  ~shared_word() = default;

  /// The value, and all that was written before it was published.
  T load() const noexcept { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }
  void publish(T v) noexcept { __atomic_store_n(&value_, v, __ATOMIC_RELEASE); }

  /// The value alone: nothing is said of other memory.
  T peek() const noexcept { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
  void set(T v) noexcept { __atomic_store_n(&value_, v, __ATOMIC_RELAXED); }
  /// Sets it where it still is `seen`; else tells what it is by then.
  bool replace(T& seen, T v) noexcept {
    return __atomic_compare_exchange_n(&value_, &seen, v, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
  }

  /// Adds, and gives what it was: what was written before is seen by who adds next.
  T add(T by) noexcept { return __atomic_fetch_add(&value_, by, __ATOMIC_ACQ_REL); }

  void add_bits(T bits) noexcept { __atomic_fetch_or(&value_, bits, __ATOMIC_RELAXED); }

 private:
  T value_;
};

}  // namespace placement::inline v0_1::detail
