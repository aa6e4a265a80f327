#pragma once
/// Where elements are not zero. placement.hpp does not include this header.

#include <placement/ops/host_operand.hpp>
#include <placement/ops/nonzero_numbers.hpp>
#include <placement/ops/select_on_gpu.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {
namespace no_adl {
/// The row-major numbers of the elements that are not zero, `count` of them.
struct flatnonzero_op {
  static constexpr std::string_view name = "FlatNonzero";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = registered_selects;
  using value_type = std::int64_t;

  index_t count;

  template <class X> dextents<1> result(X const&) const { return {{count}}; }
  template <class T, class X>
  void operator()(dense_view<std::int64_t, dextents<1>> out, dense_view<T const, X> in) const {
    write_nonzero(in.data, count, out.data);
  }
  template <class T, class X>
  void run_by_library(logical_device const& on, dense_view<std::int64_t, dextents<1>> out,
                      dense_view<T const, X> in) const {
    if (count != 0)
      gpu_library::engine().find_nonzero(on, name, elements_on_gpu(in.data, in.size()), out.data);
  }
};
/// The coordinates of row-major numbers along a dimension.
struct nonzero_op {
  static constexpr std::string_view name = "Nonzero";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = registered_selects;
  using numbers = dense_view<std::int64_t const, dextents<1>>;

  index_t after, extent;

  dextents<1> result(dextents<1> const& x) const { return x; }
  void operator()(dense_view<std::int64_t, dextents<1>> out, numbers in) const {
    for (index_t i = 0; i != out.size(); ++i) out[i] = in[i] / after % extent;
  }
  void run_by_library(logical_device const& on, dense_view<std::int64_t, dextents<1>> out,
                      numbers in) const {
    if (out.size() != 0)
      gpu_library::engine().coordinates_of(on, name, in.data, in.size(), after, extent, out.data);
  }
};
}  // namespace no_adl
using no_adl::flatnonzero_op;
using no_adl::nonzero_op;

/// The numbers of x's elements that are not zero, on its GPU; none if the host finds them.
template <class K, class T, class X>
std::optional<tensor<std::int64_t, dextents<1>>> nonzero_on_gpu(tensor<T, X> const& x,
                                                                std::string_view op, site at) {
  using node = expr<flatnonzero_op, K, tensor<T, X>>;
  if (!is_selected_on<node>(x.where(), {{static_cast<index_t>(x.size())}}, at)) return std::nullopt;
  index_t const count = nonzero_count(x, op, at);
  return selected(node{{count}, at, x}, at);
}
}  // namespace detail

/// The row-major numbers of the elements that are not zero, in order: `flatnonzero(x > 0.f)`. NaN
/// is not zero.
/// Shape: (...) -> (count). The count depends on the values, so this computes at once and returns a
/// tensor, which is placed like the op Const.  Type: any -> int64.
/// Kernels: at once, on the host; GPU by CUB. A hardware GPU computes where x is, if the op is
/// placed there.
/// Cost: two passes on the host; from a GPU a counted copy. By CUB that copy is 8 bytes, for which
/// the host waits.
template <operand X, class K = kernels_here>
tensor<std::int64_t, dextents<1>> flatnonzero(X const& x, site at = site::here()) {
  auto const value = detail::value_of(x, "FlatNonzero", at);
  if (auto there = detail::nonzero_on_gpu<K>(value, "FlatNonzero", at)) return *std::move(there);
  auto found = detail::nonzero_of(value.read(at));
  dextents<1> const shape{{found.count()}};
  return detail::host_result<K>(found.release(), shape, at);
}
/// The indices of the elements that are not zero: one vector for each dimension.
/// Shape, Type, Kernels, Cost: those of flatnonzero.
template <operand X, class K = kernels_here>
std::array<tensor<std::int64_t, dextents<1>>, X::rank> nonzero(X const& x, site at = site::here()) {
  static_assert(X::rank > 0, "placement: nonzero takes a vector or more. A scalar has no indices.");
  auto const value = detail::value_of(x, "Nonzero", at);
  auto const each = [&](auto const& along) {
    return [&]<std::size_t... D>(std::index_sequence<D...>) {
      return std::array<tensor<std::int64_t, dextents<1>>, X::rank>{along(D)...};
    }(std::make_index_sequence<X::rank>{});
  };
  auto const shape = value.shape();
  if (auto const numbers = detail::nonzero_on_gpu<K>(value, "Nonzero", at)) {
    return each([&]([[maybe_unused]] std::size_t d) {
      using node = expr<detail::nonzero_op, K, tensor<std::int64_t, dextents<1>>>;
      if constexpr (X::rank == 1) return *numbers;
      else
        return detail::selected(node{{detail::sides_of(shape, d).after, shape.at(d)}, at, *numbers},
                                at);
    });
  }
  auto const found = detail::nonzero_of(value.read(at));
  detail::host_scratch<std::int64_t> const scratch(found.count() + 1);
  return each([&](std::size_t d) {
    index_t const n = shape.at(d), after = detail::sides_of(shape, d).after;
    for (index_t i = 0; i != found.count(); ++i) scratch.data()[i] = found.data()[i] / after % n;
    return detail::host_result<K>(static_cast<std::int64_t const*>(scratch.data()), found.count(),
                                  at);
  });
}

}}  // namespace placement::v0_1
