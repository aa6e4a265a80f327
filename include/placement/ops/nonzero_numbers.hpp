#pragma once
/// Counts and finds the elements in host memory that are not zero.

#include <placement/expr/host_view.hpp>
#include <placement/ops/sort.hpp>

#include <cstdint>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// How many elements are not zero.
template <class T> index_t count_of_nonzero(T const* x, index_t n) {
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
/// Writes the row-major numbers of the `count` elements that are not zero.
template <class T> void write_nonzero(T const* x, index_t count, std::int64_t* to) {
  for (index_t i = 0, k = 0; k != count; ++i) {  // without a branch that masks mispredict
    to[k] = i;
    k += x[i] != T{} ? 1 : 0;
  }
}

/// Row-major numbers of the elements that are not zero, in host memory.
template <class T> class nonzero_numbers {
 public:
  nonzero_numbers(T const* x, index_t n) : count_(count_of_nonzero(x, n)), numbers_(count_) {
    write_nonzero(x, count_, numbers_.data());
  }
  index_t count() const { return count_; }
  std::int64_t* data() const { return numbers_.data(); }
  host_scratch<std::int64_t> release() { return std::move(numbers_); }

 private:
  index_t count_;
  host_scratch<std::int64_t> numbers_;
};
template <class T, class X> nonzero_numbers<T> nonzero_of(host_view<T, X> const& h) {
  return {h.data(), static_cast<index_t>(h.size())};
}

}}}  // namespace placement::v0_1::detail
