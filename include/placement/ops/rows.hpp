#pragma once

#include <placement/expr/operand.hpp>

#include <cstddef>
#include <iterator>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The rows of A, which is a handle, a reference or an expression.
template <class A> class row_range {
 public:
  /// Iterates over x[0], x[1], ..., which are made when the iterator is dereferenced. Refers to the
  /// range.
  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = decltype(std::declval<A const&>()[located_index(0)]);

    iterator() = default;
    iterator(A const& of, index_t at, site where) : of_(&of), at_(at), where_(where) {}
    value_type operator*() const { return (*of_)[located_index(at_, where_)]; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) {
      iterator const old = *this;
      ++at_;
      return old;
    }
    friend bool operator==(iterator const& a, iterator const& b) { return a.at_ == b.at_; }

   private:
    A const* of_ = nullptr;
    index_t at_ = 0;
    site where_;
  };

  template <class X> row_range(X&& x, site at) : of_(std::forward<X>(x)), where_(at) {}
  iterator begin() const { return {of_, 0, where_}; }
  iterator end() const { return {of_, of_.shape().at(0), where_}; }
  std::size_t size() const { return static_cast<std::size_t>(of_.shape().at(0)); }

 private:
  A of_;
  site where_;
};

}  // namespace detail

/// `for (auto row : rows(x))`: x[0], x[1], ... Rows of `rows(view(x))` are assignable. Elements of
/// a vector for rank 1.
/// Shape: (m, ...) -> m times (...).  Type: any.  Kernels: CPU, GPU (pattern view_op).
/// Cost: nothing for a row, which is a view; an expression is computed row by row.
template <operand X> auto rows(X&& x, site at = site::here()) -> detail::row_range<bare<X>> {
  static_assert(bare<X>::rank > 0, "placement: a scalar has no rows. Write item(x).");
  static_assert(detail::check_lifetime<X>());
  return {std::forward<X>(x), at};
}

}}  // namespace placement::v0_1
