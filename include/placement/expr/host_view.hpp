#pragma once
/// Reads a tensor's elements on the host.

#include <placement/memory/buffer.hpp>
#include <placement/place/location.hpp>
#include <placement/shape/extents.hpp>

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void bad_index(std::string const& given,
                                                             std::string const& shape, site read) {
  throw shape_error("placement: index " + given + " is outside of a tensor of shape " + shape +
                    ". Each index is at least 0 and below its extent." +
                    location_text("read()", read));
}
}  // namespace detail

/// The elements of a tensor in host memory, readable while the view lives. A later write to the
/// tensor does not change them. Indices are checked. Cost: nothing for a tensor on a CPU, else one
/// counted copy.
template <class T, class X> class host_view {
 public:
  using value_type = T;

  /// `at`: the location of read(), for errors about indices out of range.
  host_view(detail::buffer_ref keep, T const* data, X shape, site at = {})
      : keep_(std::move(keep)), data_(data), shape_(shape), read_at_(at) {}

  /// Element (i, j, ...). Throws: shape_error for an index out of range.
  template <std::convertible_to<index_t>... I> T const& operator()(I... i) const {
    static_assert(sizeof...(I) == X::rank, "placement: one index per dimension. Check the rank.");
    index_t number = 0;
    if constexpr (X::rank > 0) {
      index_t const at[] = {static_cast<index_t>(i)...};
      for (std::size_t d = 0; d != X::rank; ++d) {
        if (at[d] < 0 || at[d] >= shape_.at(d))
          detail::bad_index(to_string(dextents<X::rank>{{static_cast<index_t>(i)...}}),
                            to_string(shape_), read_at_);
        number = number * shape_.at(d) + at[d];
      }
    }
    return data_[number];
  }
  /// Element i in row-major order. Throws: shape_error for an index out of range.
  T const& operator[](std::size_t i) const {
    if (i >= size()) detail::bad_index(std::to_string(i), to_string(shape_), read_at_);
    return data_[i];
  }

  T const* data() const noexcept { return data_; }
  T const* begin() const noexcept { return data_; }
  T const* end() const noexcept { return data_ + size(); }
  std::size_t size() const noexcept { return shape_.count(); }
  X shape() const noexcept { return shape_; }

  /// Rejected: a copy of all elements must be written explicitly.
  template <class U, class A> operator std::vector<U, A>() const {
    static_assert(
        !std::is_same_v<A, A>,
        "placement: a host view is no vector. Write std::vector<float> v(h.begin(), h.end()) for a "
        "copy of the view h.");
    return {};
  }

 private:
  detail::buffer_ref keep_;
  T const* data_;
  [[no_unique_address]] X shape_;
  site read_at_;
};

}}  // namespace placement::v0_1
