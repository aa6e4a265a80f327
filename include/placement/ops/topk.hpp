#pragma once
/// The largest elements. placement.hpp does not include this header.

#include <placement/ops/sort.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_k(std::string_view op, index_t k,
                                                                 index_t extent) {
  throw shape_error("placement: " + std::string(op) + " of " + std::to_string(k) +
                    " elements of an axis of extent " + std::to_string(extent) +
                    ". Ask for 0 to as many.");
}
}  // namespace detail

/// The k largest elements along an axis, or their indices. R: the result's element type.
template <class R, bool Indices, class Axis> struct topk_op {
  static constexpr std::string_view name = "TopKV2";
  using pattern = custom;
  using order = descending_t;
  static constexpr bool gives_indices = Indices;
  using gpu_lowering = lowered::topk;
  template <class T> static constexpr bool has_gpu_kernel = !std::is_same_v<T, bool>;
  using value_type = R;

  [[no_unique_address]] Axis axis;
  index_t k;

  template <class X> constexpr dextents<X::rank> result(X const& x) const {
    std::size_t const along = detail::dimension_of<X::rank>(axis);
    if (k < 0 || k > x.at(along)) detail::throw_wrong_k(name, k, x.at(along));
    dextents<X::rank> y;
    for (std::size_t d = 0; d != X::rank; ++d) y.n[d] = d == along ? k : x.at(d);
    return y;
  }
  template <class T, class Y, class X>
  void operator()(dense_view<R, Y> out, dense_view<T const, X> in) const {
    std::size_t const d = detail::dimension_of<X::rank>(axis);
    index_t const n = in.shape.at(d);
    if (k == 0) return;
    using key = descending_t::key<T>;
    if constexpr (!Indices)
      if (k >= n / 16) return sort_best<key>(out, in, d);
    best_places<T, typename key::type> best(n, k);
    detail::host_scratch<detail::keyed_index> const scratch(2 * k);
    detail::keyed_index* const items = scratch.data();
    detail::for_each_fiber(in.shape, d, [&](index_t first, index_t step) {
      index_t const* const places = best.of(in.data + first, step);
      for (index_t i = 0; i != k; ++i)
        items[i] = {key::of_value(in[first + places[i] * step]), places[i]};
      detail::sort_keyed(items, items + k, k);
      index_t const row = first / (n * step), column = first % (n * step);
      for (index_t i = 0; i != k; ++i) {
        R& to = out[(row * k + i) * step + column];
        if constexpr (Indices) to = items[i].index;
        else to = in[first + items[i].index * step];
      }
    });
  }

 private:
  /// The k largest of not many more.
  template <class Key, class T, class Y, class X>
  void sort_best(dense_view<T, Y> out, dense_view<T const, X> in, std::size_t d) const {
    index_t const n = in.shape.at(d);
    if constexpr (detail::sorts_as_number<T>) {
      constexpr detail::number_order best_first{sizeof(T), detail::kind_of_number<T>,
                                                order::direction};
      detail::host_scratch<T> const scratch(detail::sides_of(in.shape, d).after == 1 ? 2 * n
                                                                                     : 4 * n);
      T* const row = scratch.data() + 2 * n;
      detail::for_each_fiber(in.shape, d, [&](index_t first, index_t step) {
        if (step == 1) {
          detail::first_numbers(out.data + first / n * k, in.data + first, scratch.data(), n, k,
                                best_first);
          return;
        }
        for (index_t i = 0; i != n; ++i) row[i] = in[first + i * step];
        detail::first_numbers(row + n, row, scratch.data(), n, k, best_first);
        write(out, first, step, n, [&](index_t i) { return row[n + i]; });
      });
    } else {
      using key_type = typename Key::type;
      detail::host_scratch<key_type> const scratch(2 * n);
      key_type* const keys = scratch.data();
      detail::for_each_fiber(in.shape, d, [&](index_t first, index_t step) {
        for (index_t i = 0; i != n; ++i) keys[i] = Key::of(in[first + i * step]);
        detail::sort_keys(keys, keys + n, n, k);
        detail::restore_equal<Key, T>(keys, k, n, [&](index_t i) { return in[first + i * step]; });
        write(out, first, step, n, [&](index_t i) { return Key::element(keys[i]); });
      });
    }
  }
  /// Writes the results of the fiber of n elements from `first` on.
  template <class Y, class At>
  void write(dense_view<R, Y> out, index_t first, index_t step, index_t n, At const& at) const {
    index_t const row = first / (n * step), column = first % (n * step);
    for (index_t i = 0; i != k; ++i) out[(row * k + i) * step + column] = at(i);
  }
  /// The places of the k largest of n elements, in ascending order. Of equal elements the first are
  /// chosen. Elements that are smaller than k others are skipped, in blocks.
  template <class T, class Key> class best_places {
   public:
    best_places(index_t n, index_t k)
        : n_(n),
          k_(k),
          most_(k < n / 16 ? 4 * k + 16 * block : n),
          places_(most_),
          keys_(2 * most_) {}

    index_t const* of(T const* x, index_t step) {
      index_t* const places = places_.data();
      index_t count = 0, i = 0;
      for (; i != most_ && i != n_; ++i) places[count++] = i;
      T worst = keep(x, step, count);
      for (; n_ - i >= block; i += block) {
        if (!has_better(x + i * step, step, worst)) continue;
        for (index_t j = i; j != i + block; ++j)
          if (descending_t::before(x[j * step], worst)) places[count++] = j;
        if (count > most_ - block) worst = keep(x, step, count);
      }
      for (; i != n_; ++i) places[count++] = i;
      if (count != k_) keep(x, step, count);
      return places;
    }

   private:
    static constexpr index_t block = 64;

    /// Whether one of `block` elements comes before `worst`.
    static bool has_better(T const* x, index_t step, T worst) {
      int found = 0;
      if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
        if (step == 1 && worst == worst) {  // a loop that compilers vectorise
          for (index_t l = 0; l < block; ++l) found |= x[l] > worst ? 1 : 0;
          return found != 0;
        }
      }
      for (index_t l = 0; l < block; ++l) found |= descending_t::before(x[l * step], worst) ? 1 : 0;
      return found != 0;
    }

    /// Keeps the k best of `count` places. Returns the worst element of them.
    T keep(T const* x, index_t step, index_t& count) {
      using key = descending_t::key<T>;
      index_t* const places = places_.data();
      Key* const keys = keys_.data();
      auto const key_at = [&](index_t place) { return key::of_value(x[place * step]); };
      for (index_t i = 0; i != count; ++i) keys[i] = key_at(places[i]);
      Key const last = detail::nth_key(keys, keys + count, count, k_ - 1);
      index_t before = 0, kept = 0;
      for (index_t i = 0; i != count; ++i) before += key_at(places[i]) < last ? 1 : 0;
      index_t equal = k_ - before;
      for (index_t i = 0; i != count; ++i) {  // without a branch that keys mispredict
        index_t const place = places[i];
        Key const own = key_at(place);
        bool const is_equal = own == last && equal != 0;
        places[kept] = place;
        kept += own < last || is_equal ? 1 : 0;
        equal -= is_equal ? 1 : 0;
      }
      count = kept;
      return key::element(last);
    }

    index_t n_, k_, most_;
    detail::host_scratch<index_t> places_;
    detail::host_scratch<Key> keys_;
  };
};

/// The k largest elements along an axis, the largest first; the last axis unless said. NaN comes
/// last, as in sort(x, descending).
/// Shape: the operand's, with extent k along the axis.  Type: any.  Throws: shape_error for a k
/// below 0 or above the extent.
/// Kernels: CPU all types; GPU all but bool (pattern custom).
/// Cost: on the CPU linear on average, and the sort of k elements; on a GPU a sort of all.
template <operand X, axis_like A = axis_t<-1>>
auto topk(X&& x, index_t k, A along = {}, site at = site::here())
    -> node<topk_op<typename bare<X>::value_type, false, decltype(detail::as_axis(along))>, X> {
  return {{detail::as_axis(along), k}, at, std::forward<X>(x)};
}
/// The indices along the axis of the elements of topk(x, k). Of equal elements the first come
/// first.
/// Type: any -> int64.  Shape, Throws, Kernels, Cost: those of topk.
template <operand X, axis_like A = axis_t<-1>>
auto argtopk(X&& x, index_t k, A along = {}, site at = site::here())
    -> node<topk_op<std::int64_t, true, decltype(detail::as_axis(along))>, X> {
  return {{detail::as_axis(along), k}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
