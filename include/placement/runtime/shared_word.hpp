#pragma once
/// A word that threads share: the operations of std::atomic that every file needs. <atomic> itself
/// would take a sixth of the parse time of compiled.hpp.

namespace placement { inline namespace v0_1 { namespace detail {

/// A number, a pointer or a bool. Thread: safe.
template <class T> class shared_word {
 public:
  constexpr shared_word() noexcept : value_() {}
  constexpr explicit shared_word(T v) noexcept : value_(v) {}
  shared_word(shared_word const&) = delete;
  shared_word& operator=(shared_word const&) = delete;
  ~shared_word() = default;

  /// Acquire: the value, and all writes before its publish().
  T load() const noexcept { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }
  void publish(T v) noexcept { __atomic_store_n(&value_, v, __ATOMIC_RELEASE); }

  /// Relaxed: the value only, without an order of other memory.
  T peek() const noexcept { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
  void set(T v) noexcept { __atomic_store_n(&value_, v, __ATOMIC_RELAXED); }
  /// Stores v if the value equals `seen`; else writes the value to `seen`. Relaxed.
  bool replace(T& seen, T v) noexcept {
    return __atomic_compare_exchange_n(&value_, &seen, v, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
  }

  /// Adds and returns the value before. Acquire-release: the next add() sees all writes before this
  /// one.
  T add(T by) noexcept { return __atomic_fetch_add(&value_, by, __ATOMIC_ACQ_REL); }

  void add_bits(T bits) noexcept { __atomic_fetch_or(&value_, bits, __ATOMIC_RELAXED); }

 private:
  T value_;
};

}}}  // namespace placement::v0_1::detail
