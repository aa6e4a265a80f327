#pragma once
/// Elements that a mask selects. placement.hpp does not include this header.

#include <placement/ops/host_operand.hpp>
#include <placement/ops/nonzero_numbers.hpp>
#include <placement/ops/select_on_gpu.hpp>

#include <cstring>
#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_mask(std::string const& mask,
                                                                    std::string const& x,
                                                                    std::string_view op, site at) {
  throw shape_error("placement: " + std::string(op) + " by a mask of shape " + mask +
                    " of a tensor of shape " + x +
                    ". The mask of extract has the tensor's shape, that of compress one element " +
                    "for each of the axis." + location_text(op, at));
}

namespace no_adl {
/// Keeps the elements where a mask is true, `count` of them.
struct extract_op {
  static constexpr std::string_view name = "Extract";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = registered_selects;

  index_t count;

  template <class X, class M> dextents<1> result(X const&, M const&) const { return {{count}}; }
  template <class T, class X, class M>
  void operator()(dense_view<T, dextents<1>> out, dense_view<T const, X> in,
                  dense_view<bool const, M> mask) const {
    index_t k = 0;
    for (index_t i = 0; k != count; ++i) {  // without a branch that masks mispredict
      out[k] = in[i];
      k += mask[i] ? 1 : 0;
    }
  }
  template <class T, class X, class M>
  void run_by_library(logical_device const& on, dense_view<T, dextents<1>> out,
                      dense_view<T const, X> in, dense_view<bool const, M> mask) const {
    slice_selection const s{mask.data, mask.size(), count, 1, 1, sizeof(T), in.data, out.data};
    if (count != 0) gpu_library::engine().select_slices(on, name, s);
  }
};

/// Keeps the slices along an axis where a mask is true, `count` of them.
struct compress_op {
  static constexpr std::string_view name = "Compress";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = registered_selects;

  std::size_t along;
  index_t count;

  template <class X, class M> dextents<X::rank> result(X const& x, M const&) const {
    dextents<X::rank> shape;
    for (std::size_t i = 0; i != X::rank; ++i) shape.n[i] = i == along ? count : x.at(i);
    return shape;
  }
  template <class T, class Y, class X, class M>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> in,
                  dense_view<bool const, M> mask) const {
    host_scratch<std::int64_t> const found(count + 1);
    write_nonzero(mask.data, count, found.data());
    auto const [before, after] = sides_of(in.shape, along);
    T* to = out.data;
    for (index_t b = 0; b != before; ++b)
      for (index_t i = 0; i != count; ++i, to += after)
        std::memcpy(static_cast<void*>(to), in.data + (b * mask.size() + found.data()[i]) * after,
                    static_cast<std::size_t>(after) * sizeof(T));
  }
  template <class T, class Y, class X, class M>
  void run_by_library(logical_device const& on, dense_view<T, Y> out, dense_view<T const, X> in,
                      dense_view<bool const, M> mask) const {
    if (out.size() == 0) return;
    auto const [before, after] = sides_of(in.shape, along);
    slice_selection const s{mask.data, mask.size(), count,   before,
                            after,     sizeof(T),   in.data, out.data};
    gpu_library::engine().select_slices(on, name, s);
  }
};
}  // namespace no_adl
using no_adl::compress_op;
using no_adl::extract_op;
}  // namespace detail

/// The elements where the mask is true, in row-major order: `extract(x > 0.f, x)`, NumPy's
/// `x[x > 0]`.
/// Shape: (count). The count depends on the mask, so this computes at once and returns a tensor,
/// which is placed like the op Const.  Type: any.
/// Kernels: at once, on the host; GPU by CUB. A hardware GPU computes where x is, if the op is
/// placed there.
/// Throws: shape_error unless the mask has the shape of x.
/// Cost: two passes on the host; from a GPU counted copies. By CUB a counted copy of 8 bytes, for
/// which the host waits.
template <operand M, operand X, class K = kernels_here>
tensor<typename X::value_type, dextents<1>> extract(M const& mask, X const& x,
                                                    site at = site::here()) {
  detail::check_mask<M>();
  using T = typename X::value_type;
  if (!(mask.shape() == x.shape()))
    detail::throw_wrong_mask(to_string(mask.shape()), to_string(x.shape()), "Extract", at);
  auto const chosen = detail::value_of(mask, "Extract", at);
  auto const elements = detail::undifferentiated(x, "Extract", at);
  using node = expr<detail::extract_op, K, bare<decltype(elements)>, bare<decltype(chosen)>>;
  auto const n = static_cast<index_t>(elements.size());
  if (detail::is_selected_on<node>(elements.where(), {{n}}, at)) {
    index_t const count = detail::nonzero_count(chosen, "Extract", at);
    return detail::selected(node{{count}, at, elements, chosen}, at);
  }
  auto const m = chosen.read(at);
  auto const in = elements.read(at);
  index_t const count = detail::count_of_nonzero(m.data(), n);
  auto room = detail::host_room<T>(count, at);
  detail::extract_op{count}(dense_view<T, dextents<1>>{room.data(), {{count}}},
                            dense_view<T const, typename X::extents_type>{in.data(), in.shape()},
                            dense_view<bool const, typename M::extents_type>{m.data(), m.shape()});
  return detail::host_result<K>(std::move(room), dextents<1>{{count}}, at);
}

/// The slices along an axis where the mask is true; the first axis unless said:
/// `compress(rows, x)`, NumPy's `x[rows]`.
/// Shape: the operand's, with the extent count along the axis; at once, as extract.  Type: any.
/// Kernels: those of extract.
/// Throws: shape_error unless the mask is a vector with an element for each slice.
template <operand M, operand X, axis_like A = axis_t<0>, class K = kernels_here>
tensor<typename X::value_type, dextents<X::rank>> compress(M const& mask, X const& x, A along = {},
                                                           site at = site::here()) {
  detail::check_mask<M>();
  static_assert(M::rank == 1, "placement: the mask of compress is a vector. See extract(mask, x).");
  using T = typename X::value_type;
  std::size_t const d = detail::dimension_of<X::rank>(detail::as_axis(along));
  if (mask.shape().at(0) != x.shape().at(d))
    detail::throw_wrong_mask(to_string(mask.shape()), to_string(x.shape()), "Compress", at);
  auto const chosen = detail::value_of(mask, "Compress", at);
  auto const elements = detail::undifferentiated(x, "Compress", at);
  using node = expr<detail::compress_op, K, bare<decltype(elements)>, bare<decltype(chosen)>>;
  if (detail::is_selected_on<node>(
          elements.where(), detail::compress_op{d, x.shape().at(d)}.result(x.shape(), mask.shape()),
          at)) {
    index_t const count = detail::nonzero_count(chosen, "Compress", at);
    return detail::selected(node{{d, count}, at, elements, chosen}, at);
  }
  auto const m = chosen.read(at);
  auto const in = elements.read(at);
  detail::compress_op const op{d,
                               detail::count_of_nonzero(m.data(), static_cast<index_t>(m.size()))};
  dextents<X::rank> const shape = op.result(x.shape(), mask.shape());
  auto room = detail::host_room<T>(static_cast<index_t>(shape.count()), at);
  op(dense_view<T, dextents<X::rank>>{room.data(), shape},
     dense_view<T const, typename X::extents_type>{in.data(), in.shape()},
     dense_view<bool const, typename M::extents_type>{m.data(), m.shape()});
  return detail::host_result<K>(std::move(room), shape, at);
}

}}  // namespace placement::v0_1
