#pragma once
/// Where elements are not zero. placement.hpp does not include this header.

#include <placement/ops/host_operand.hpp>

#include <array>
#include <cstdint>

namespace placement { inline namespace v0_1 {

namespace detail {

/// Row-major numbers of the elements that are not zero, in host memory.
template <class T> class nonzero_numbers {
 public:
  nonzero_numbers(T const* x, index_t n) : count_(count_of(x, n)), numbers_(count_ + 1) {
    std::int64_t* const to = numbers_.data();
    for (index_t i = 0, k = 0; k != count_; ++i) {  // without a branch that masks mispredict
      to[k] = i;
      k += x[i] != T{} ? 1 : 0;
    }
  }
  index_t count() const { return count_; }
  std::int64_t* data() const { return numbers_.data(); }

 private:
  static index_t count_of(T const* x, index_t n) {
    constexpr index_t block = 128;  // of a constant length, so that compilers vectorise the loop
    index_t count = 0, i = 0;
    for (; n - i >= block; i += block) {
      unsigned char some = 0;
      for (index_t l = 0; l < block; ++l)
        some = static_cast<unsigned char>(some + (x[i + l] != T{} ? 1 : 0));
      count += some;
    }
    for (; i != n; ++i) count += x[i] != T{} ? 1 : 0;
    return count;
  }
  index_t count_;
  host_scratch<std::int64_t> numbers_;
};
template <class T, class X> nonzero_numbers<T> nonzero_of(host_view<T, X> const& h) {
  return {h.data(), static_cast<index_t>(h.size())};
}

}  // namespace detail

/// The row-major numbers of the elements that are not zero, in order: `flatnonzero(x > 0.f)`. NaN
/// is not zero.
/// Shape: (...) -> (count). The count depends on the values, so this computes at once and returns a
/// tensor, which is placed like the op Const.  Type: any -> int64.
/// Cost: two passes on the host; from a GPU a counted copy.
template <operand X, class K = kernels_here>
tensor<std::int64_t, dextents<1>> flatnonzero(X const& x, site at = site::here()) {
  auto const found = detail::nonzero_of(detail::host_operand(x, "FlatNonzero", at));
  return detail::host_result<K>(found.data(), found.count(), at);
}
/// The indices of the elements that are not zero: one vector for each dimension.
/// Shape, Type, Cost: those of flatnonzero.
template <operand X, class K = kernels_here>
std::array<tensor<std::int64_t, dextents<1>>, X::rank> nonzero(X const& x, site at = site::here()) {
  static_assert(X::rank > 0, "placement: nonzero takes a vector or more. A scalar has no indices.");
  auto const h = detail::host_operand(x, "Nonzero", at);
  auto const found = detail::nonzero_of(h);
  detail::host_scratch<std::int64_t> const scratch(found.count() + 1);
  auto const along = [&](std::size_t d) {
    index_t const n = h.shape().at(d), after = detail::sides_of(h.shape(), d).after;
    for (index_t i = 0; i != found.count(); ++i) scratch.data()[i] = found.data()[i] / after % n;
    return detail::host_result<K>(static_cast<std::int64_t const*>(scratch.data()), found.count(),
                                  at);
  };
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return std::array<tensor<std::int64_t, dextents<1>>, X::rank>{along(D)...};
  }(std::make_index_sequence<X::rank>{});
}

}}  // namespace placement::v0_1
