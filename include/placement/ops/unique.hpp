#pragma once
/// The different elements. placement.hpp does not include this header.

#include <placement/cpu/sort_numbers.hpp>
#include <placement/ops/host_operand.hpp>
#include <placement/ops/sort_key.hpp>

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

namespace placement { inline namespace v0_1 {

/// The different elements, and how often each occurs.
template <class T> struct unique_elements {
  tensor<T, dextents<1>> values;
  tensor<std::int64_t, dextents<1>> counts;
};

namespace detail {
/// The different keys of elements and how often each occurs, if they are at most some hundred.
template <class Key> class distinct_keys {
 public:
  static constexpr index_t most = 512;

  /// Whether there are no more than `most` different ones. False also if the first elements all
  /// differ: then there are more, except in rare cases.
  template <class KeyAt> bool count(index_t n, KeyAt const& key_at) {
    for (index_t i = 0; i != n; ++i) {
      if (i == all_different && size_ == i) return false;
      Key const k = key_at(i);
      std::size_t at = static_cast<std::size_t>(k * factor >> (8 * sizeof(Key) - bits));
      while (number_[at] != 0 && keys_[number_[at] - 1] != k) at = (at + 1) % slots;
      if (number_[at] == 0) {
        if (size_ == most) return false;
        keys_[size_] = k;
        number_[at] = static_cast<std::uint16_t>(++size_);
      }
      ++times_[number_[at] - 1];
    }
    return true;
  }
  index_t size() const { return size_; }
  Key key(index_t i) const { return keys_[i]; }
  index_t times(index_t i) const { return times_[i]; }

 private:
  static constexpr index_t all_different = 128;
  static constexpr int bits = 12;
  static constexpr std::size_t slots = std::size_t{1} << bits;
  static constexpr Key factor = static_cast<Key>(0x9e3779b97f4a7c15u >> (64 - 8 * sizeof(Key)) | 1);

  std::uint16_t number_[slots]{};  ///< of the key in the slot, from 1 on; 0 for an empty slot
  Key keys_[most];
  index_t times_[most]{};
  index_t size_ = 0;
};

/// The different elements in order, in host memory.
template <class T> class sorted_unique {
 public:
  sorted_unique(T const* x, index_t n) : n_(n) {
    auto const key_at = [x](index_t i) { return key::of_value(x[i]); };
    if (some_.count(n, key_at)) sort_some();
    else sort_all(x, key_at);
  }
  index_t count() const { return count_; }
  T const* values() const { return values_->data(); }
  /// Writes how often each occurs.
  void write_counts(std::int64_t* out) const {
    if (!sorted_) {
      for (index_t i = 0; i != count_; ++i) out[i] = some_.times(items_[i].index);
      return;
    }
    index_t k = -1, begin = 0;
    for (index_t i = 0; i != n_; ++i) {  // a later element of a run replaces the count
      bool const is_new = i == 0 || sorted_->data()[i] != sorted_->data()[i - 1];
      k += is_new ? 1 : 0;
      begin = is_new ? i : begin;
      out[k] = i + 1 - begin;
    }
  }

 private:
  using key = sort_key<T>;
  using key_type = typename key::type;

  void sort_some() {
    count_ = some_.size();
    for (index_t i = 0; i != count_; ++i) items_[i] = {some_.key(i), i};
    sort_keyed(items_, items_ + count_, count_);
    values_.emplace(count_ + 1);
    for (index_t i = 0; i != count_; ++i)
      values_->data()[i] = key::element(static_cast<key_type>(items_[i].key));
  }
  template <class KeyAt> void sort_all(T const* x, KeyAt const& key_at) {
    sorted_.emplace(2 * n_);
    values_.emplace(n_ + 1);
    key_type* const keys = sorted_->data();
    T* const values = values_->data();
    if constexpr (sorts_as_number<T>) {
      constexpr number_order order{sizeof(T), kind_of_number<T>, sort_direction::ascending};
      count_ = unique_numbers(values, keys, x, n_, order);
    } else {
      for (index_t i = 0; i != n_; ++i) keys[i] = key_at(i);
      sort_keys(keys, keys + n_, n_);
      for (index_t i = 0; i != n_; ++i) {  // without a branch that the elements mispredict
        values[count_] = key::element(keys[i]);
        count_ += i == 0 || keys[i] != keys[i - 1] ? 1 : 0;
      }
    }
  }

  index_t n_, count_ = 0;
  distinct_keys<key_type> some_;
  keyed_index items_[2 * distinct_keys<key_type>::most];
  std::optional<host_scratch<key_type>> sorted_;
  std::optional<host_scratch<T>> values_;
};
/// The same for complex numbers of doubles, whose keys are pairs.
template <class T> requires(is_complex<T> && sizeof(T) == 16)
class sorted_unique<T> {
 public:
  sorted_unique(T const* x, index_t n) : values_(n), times_(n) {
    host_scratch<pair> const sorted(n);
    pair* const keys = sorted.data();
    for (index_t i = 0; i != n; ++i)
      ::new (keys + i) pair{part::of_value(x[i].real()), part::of_value(x[i].imag())};
    std::sort(keys, keys + n);
    for (index_t i = 0; i != n; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        values_.data()[count_] = {part::element(keys[i].first), part::element(keys[i].second)};
        times_.data()[count_++] = 0;
      }
      ++times_.data()[count_ - 1];
    }
  }
  index_t count() const { return count_; }
  T const* values() const { return values_.data(); }
  void write_counts(std::int64_t* out) const { std::copy_n(times_.data(), count_, out); }

 private:
  using part = sort_key<double>;
  using pair = std::pair<key64, key64>;

  index_t count_ = 0;
  host_scratch<T> values_;
  host_scratch<std::int64_t> times_;
};
template <class T, class X> sorted_unique<T> unique_of(host_view<T, X> const& h) {
  return {h.data(), static_cast<index_t>(h.size())};
}
}  // namespace detail

/// The different elements in ascending order. Of several NaN there is one, the last; -0 is 0.
/// Complex numbers are ordered by the real part, then by the imaginary one.
/// Shape: (...) -> (count). The count depends on the values, so this computes at once and returns a
/// tensor, which is placed like the op Const.  Type: any.
/// Cost: a table on the host for some hundred different elements, else a sort; from a GPU a
/// counted copy.
template <operand X, class K = kernels_here>
tensor<typename X::value_type, dextents<1>> unique(X const& x, site at = site::here()) {
  auto const found = detail::unique_of(detail::host_values(x, "Unique", at));
  return detail::host_result<K>(found.values(), found.count(), at);
}
/// The same, and how often each occurs.
template <operand X, class K = kernels_here>
unique_elements<typename X::value_type> unique_counts(X const& x, site at = site::here()) {
  auto const found = detail::unique_of(detail::host_values(x, "Unique", at));
  detail::host_scratch<std::int64_t> const counts(found.count() + 1);
  found.write_counts(counts.data());
  return {
      detail::host_result<K>(found.values(), found.count(), at),
      detail::host_result<K>(static_cast<std::int64_t const*>(counts.data()), found.count(), at)};
}

}}  // namespace placement::v0_1
