#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// n objects of type T on the heap, with the value of T{}; none for n = 0. Throws: std::bad_alloc.
/// As std::unique_ptr<T[]>, without the parse time of <memory>.
template <class T> class heap_array {
 public:
  explicit heap_array(std::size_t n) : first_(n == 0 ? nullptr : new T[n]()) {}
  ~heap_array() { delete[] first_; }
  heap_array(heap_array const&) = delete;
  heap_array& operator=(heap_array const&) = delete;

  T* data() const noexcept { return first_; }

 private:
  T* first_;
};

/// n objects of type T: on the stack up to `Local`, else on the heap. Throws: std::bad_alloc.
template <class T, unsigned Local = 16> class local_array {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  explicit local_array(unsigned n) : heap_(n > Local ? n : 0) {
    if (heap_.data() == nullptr)
      for (unsigned i = 0; i != n; ++i) ::new (static_cast<void*>(local_ + i * sizeof(T))) T;
  }

  T* data() {
    return heap_.data() != nullptr ? heap_.data() : std::launder(reinterpret_cast<T*>(local_));
  }
  T const* data() const {
    return heap_.data() != nullptr ? heap_.data()
                                   : std::launder(reinterpret_cast<T const*>(local_));
  }
  T& operator[](unsigned i) { return data()[i]; }
  T const& operator[](unsigned i) const { return data()[i]; }

 private:
  heap_array<T> heap_;
  alignas(T) unsigned char local_[Local * sizeof(T)];
};

}}}  // namespace placement::v0_1::detail
