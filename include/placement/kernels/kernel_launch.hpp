#pragma once
/// Epilogues of products and reductions with their types, and the launch of a custom op.
///
/// A launch is one kernel with all its arguments as a value. It runs immediately, waits in a
/// queue, or starts on a GPU, and its type names the kernel. It holds addresses, not tensors: its
/// memory stays in place until the queue has run it. `cost()` estimates the work in additions.
/// `may_throw` states whether the loop of a custom op can throw. `run<Kernel>(on...)` calls the
/// kernel; `on` is the logical device of a GPU kernel, or the executor of a CPU kernel.

#include <placement/kernels/bound_expr.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement { inline namespace v0_1 {

// ---- epilogues of products and reductions

struct no_epilogue {
  PLACEMENT_HD constexpr void operator()(index_t, index_t) const noexcept {}
};
/// Applies f to the finished elements [first, first + n), which lie in one row of the shape.
template <class T, class F> struct contiguous_epilogue {
  T* out;
  F f;
  PLACEMENT_HD_AS_GIVEN constexpr void operator()(index_t first, index_t n) const {
    for (index_t i = first; i != first + n; ++i) out[i] = f(i);
  }
};
/// The same for a strided expression.
template <class T, class F, class X> struct strided_epilogue {
  [[no_unique_address]] X shape;  // first: see docs/decisions/0033-parameters-of-kernels.md
  T* out;
  F f;
  PLACEMENT_HD_AS_GIVEN constexpr void operator()(index_t first, index_t n) const {
    auto c = coordinates_of(first, shape);
    index_t from = 0;
    if constexpr (X::rank != 0) {
      from = c.at[X::rank - 1];
      c.at[X::rank - 1] = 0;
    }
    auto const row = f.row(c);
    for (index_t j = 0; j != n; ++j) out[first + j] = row(from + j);
  }
};

namespace detail {

struct contiguous_form {};
struct strided_form {};

/// The element-wise expression around a product or reduction whose elements are in `out`.
template <class T, class F, class X>
contiguous_epilogue<T, F> make_epilogue(contiguous_form, T* out, F const& f, X const&) {
  return {out, f};
}
template <class T, class F, class X>
strided_epilogue<T, F, X> make_epilogue(strided_form, T* out, F const& f, X const& shape) {
  return {shape, out, f};
}

}  // namespace detail

// ---- the launch of a custom op. Op, T: the key of the kernel.

/// A custom op's loop over dense views.
template <class Op, class T, class Out, class... In> struct custom_launch {
  using pattern = custom;
  using op_type = Op;
  using element = T;
  static constexpr bool may_throw = !noexcept(
      std::declval<Op const&>()(std::declval<Out const&>(), std::declval<In const&>()...));

  [[no_unique_address]] Op op;
  Out out;
  pack<In...> in;

  std::size_t cost() const noexcept { return static_cast<std::size_t>(out.size()); }
  template <class Kernel, class... On> void run(On const&... on) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      Kernel::run(on..., op, out, in.template get<I>()...);
    }(std::index_sequence_for<In...>{});
  }
};

}}  // namespace placement::v0_1
