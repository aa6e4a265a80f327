#pragma once

#include <memory>
#include <new>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// n objects of type T: on the stack up to `Local`, else on the heap. Throws: std::bad_alloc.
template <class T, unsigned Local = 16> class local_array {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  explicit local_array(unsigned n) {
    if (n > Local) heap_ = std::make_unique<T[]>(n);
    else
      for (unsigned i = 0; i != n; ++i) ::new (static_cast<void*>(local_ + i * sizeof(T))) T;
  }

  T* data() { return heap_ ? heap_.get() : std::launder(reinterpret_cast<T*>(local_)); }
  T const* data() const {
    return heap_ ? heap_.get() : std::launder(reinterpret_cast<T const*>(local_));
  }
  T& operator[](unsigned i) { return data()[i]; }
  T const& operator[](unsigned i) const { return data()[i]; }

 private:
  std::unique_ptr<T[]> heap_;
  alignas(T) unsigned char local_[Local * sizeof(T)];
};

}}}  // namespace placement::v0_1::detail
