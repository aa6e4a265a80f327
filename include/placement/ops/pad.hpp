#pragma once

#include <placement/ops/box_op.hpp>

namespace placement { inline namespace v0_1 {

/// What pad puts around the elements. constant: a value. edge: the nearest element. reflect: the
/// elements in opposite order, without the nearest one.
enum class pad_mode : unsigned char { constant, edge, reflect };

/// The number of elements before and after those of a dimension.
struct pad_width {
  index_t before = 0, after = 0;
};

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void no_pad_gradient() {
  throw invalid_argument(
      "placement: pad by edge or reflect has no derivative. Pad with a constant, or write "
      "stop_gradient(x) around its operand.");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void bad_pad_width(pad_width w, std::size_t d) {
  throw shape_error("placement: pad of dimension " + std::to_string(d) + " by " +
                    std::to_string(w.before) + " and " + std::to_string(w.after) +
                    ". Widths are zero or more.");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void nothing_to_repeat(std::size_t d,
                                                                     std::string const& shape) {
  throw shape_error("placement: pad of dimension " + std::to_string(d) + " of a tensor of shape " +
                    shape +
                    ", which is empty. Without elements, only a constant can be put there.");
}
}  // namespace detail

/// x with more elements around it. R: the rank.
/// Shape: the extents with both widths added.  Type: any.  Kernels: CPU, GPU (pattern custom).
/// Cost: each element is written once; on a GPU two launches for each dimension that is padded.
/// Throws: shape_error for a negative width, too many elements, or an empty dimension to extend by
/// edge or reflect.
template <class T, std::size_t R> struct pad_op : detail::box_op<pad_op<T, R>> {
  static constexpr std::string_view name = "PadV2";

  T value;
  pad_mode mode;
  pad_width width[R];

  constexpr pad_op(T v, pad_mode m) : value(v), mode(m), width{} {}

  template <class X> constexpr dextents<R> result(X const& x) const {
    dextents<R> y;
    for (std::size_t d = 0; d != R; ++d) {
      pad_width const w = width[d];
      if (w.before < 0 || w.after < 0) detail::bad_pad_width(w, d);
      if (mode != pad_mode::constant && x.at(d) == 0 && (w.before != 0 || w.after != 0))
        detail::nothing_to_repeat(d, to_string(x));
      y.n[d] = detail::added_extents(detail::added_extents(w.before, x.at(d)), w.after);
    }
    return detail::addressable(y);
  }
  template <class Y, class X, class Boxes>
  void each_box(dense_view<T, Y> const& out, dense_view<T const, X> const& in,
                Boxes const& f) const {
    area done{row_major(out.shape), detail::values_of(in.shape)};
    for (std::size_t d = 0; d != R; ++d) done.where.base += width[d].before * done.where.stride[d];
    f.copy(out.data, done.where, in.data, row_major(in.shape), done.extent);
    for (std::size_t d = R; d-- > 0;) {
      if (mode == pad_mode::constant) fill_around(out.data, done, d, f);
      else if (mode == pad_mode::edge || done.extent.n[d] == 1) stretch(out.data, done, d, f);
      else reflect(out.data, done, d, f);
      done.where.base -= width[d].before * done.where.stride[d];
      done.extent.n[d] = out.shape.at(d);
    }
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> auto pullback(auto const& g, auto const&, auto const& x) const {
    static_assert(I == 0);
    if (mode != pad_mode::constant) detail::no_pad_gradient();
    return [&]<std::size_t... D>(std::index_sequence<D...>) {
      return slice(g, range{width[D].before, width[D].before + x.shape().at(D)}...);
    }(std::make_index_sequence<R>{});
  }

 private:
  /// The part of the result that is written.
  struct area {
    layout<R> where;
    dextents<R> extent;

    /// Positions from `first` on along dimension d.
    constexpr area part(std::size_t d, index_t first, index_t n) const {
      area a = *this;
      a.where.base += first * where.stride[d];
      a.extent.n[d] = n;
      return a;
    }
  };

  template <class Boxes>
  void fill_around(T* out, area const& done, std::size_t d, Boxes const& f) const {
    for (auto const& a : {done.part(d, -width[d].before, width[d].before),
                          done.part(d, done.extent.n[d], width[d].after)})
      f.fill(out, a.where, value, a.extent);
  }
  template <class Boxes>
  void stretch(T* out, area const& done, std::size_t d, Boxes const& f) const {
    auto const copy = [&](area const& to, index_t edge) {
      auto from = done.part(d, edge, 1).where;
      from.stride[d] = 0;
      f.copy(out, to.where, static_cast<T const*>(out), from, to.extent);
    };
    copy(done.part(d, -width[d].before, width[d].before), 0);
    copy(done.part(d, done.extent.n[d], width[d].after), done.extent.n[d] - 1);
  }
  /// Reflects at both ends, one extent less one at a time.
  template <class Boxes>
  void reflect(T* out, area const& done, std::size_t d, Boxes const& f) const {
    index_t const last = done.extent.n[d] - 1;
    auto const copy = [&](index_t first, index_t mirror, index_t n) {
      area const to = done.part(d, first, n);
      auto from = done.part(d, mirror, n).where;
      from.stride[d] = -from.stride[d];
      f.copy(out, to.where, static_cast<T const*>(out), from, to.extent);
    };
    for (index_t at = 0; at != width[d].after;) {
      index_t const n = width[d].after - at < last ? width[d].after - at : last;
      copy(last + 1 + at, last - 1 + at, n);
      at += n;
    }
    for (index_t at = 0; at != width[d].before;) {
      index_t const n = width[d].before - at < last ? width[d].before - at : last;
      copy(-at - n, -at + n, n);
      at += n;
    }
  }
};

namespace detail {
template <operand X> using pad_node = node<pad_op<typename bare<X>::value_type, bare<X>::rank>, X>;
template <operand X, class Width>
pad_node<X> make_pad(X&& x, typename bare<X>::value_type value, pad_mode mode, site at,
                     Width const& width) {
  static_assert(bare<X>::rank > 0, "placement: pad takes a vector or more.");
  pad_op<typename bare<X>::value_type, bare<X>::rank> op{value, mode};
  for (std::size_t d = 0; d != bare<X>::rank; ++d) op.width[d] = width(d);
  return {op, at, std::forward<X>(x)};
}
/// The value around, which is a number: 0 unless said.
template <class X, class V> constexpr auto pad_value(V value) {
  return as_element<typename stored_t<V, X>::value_type>(value);
}
}  // namespace detail

/// `pad(x, 2)`, `pad(x, 2, -1.f)`: so many elements at both ends of each dimension, of a value.
template <operand X, number V = int>
auto pad(X&& x, index_t n, V value = 0, site at = site::here()) -> detail::pad_node<X> {
  return detail::make_pad(std::forward<X>(x), detail::pad_value<X>(value), pad_mode::constant, at,
                          [&](std::size_t) { return pad_width{n, n}; });
}
/// `pad(x, 2, pad_mode::edge)`.
template <operand X>
auto pad(X&& x, index_t n, pad_mode mode, site at = site::here()) -> detail::pad_node<X> {
  return detail::make_pad(std::forward<X>(x), {}, mode, at,
                          [&](std::size_t) { return pad_width{n, n}; });
}
/// `pad(x, {{0, 0}, {1, 2}})`: the widths of each dimension.
template <operand X, std::size_t R, number V = int>
auto pad(X&& x, pad_width const (&widths)[R], V value = 0, site at = site::here())
    -> detail::pad_node<X> {
  static_assert(R == bare<X>::rank,
                "placement: pad takes widths for each dimension. Check the rank.");
  return detail::make_pad(std::forward<X>(x), detail::pad_value<X>(value), pad_mode::constant, at,
                          [&](std::size_t d) { return widths[d < R ? d : 0]; });
}
/// `pad(x, {{0, 0}, {1, 2}}, pad_mode::reflect)`.
template <operand X, std::size_t R>
auto pad(X&& x, pad_width const (&widths)[R], pad_mode mode, site at = site::here())
    -> detail::pad_node<X> {
  static_assert(R == bare<X>::rank,
                "placement: pad takes widths for each dimension. Check the rank.");
  return detail::make_pad(std::forward<X>(x), {}, mode, at,
                          [&](std::size_t d) { return widths[d < R ? d : 0]; });
}

}}  // namespace placement::v0_1
