#pragma once
/// One kernel with all that it needs, as a value: it can be run at once, wait in a queue, be
/// launched on a GPU, or be looked up by its type.
///
/// A job holds addresses, not tensors: memory that it reads and writes stays in place until the
/// queue has done it. `cost()` says about how much work it is, `may_throw` whether the op's own
/// loop can throw; what is thrown by element is the region's to say. `run<Kernel>(on...)` calls the
/// kernel; `on` is the logical device for kernels of GPUs, and who does it for those of the CPU.

#include <placement/kernels/bound_expr.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement::inline v0_1 {

// ---- what follows a product or reduction in the same kernel

struct no_epilogue {
  PLACEMENT_HD constexpr void operator()(index_t, index_t) const noexcept {}
};
/// Reworks the finished elements [first, first + n), which lie in one row of the shape.
template <class T, class F> struct contiguous_epilogue {
  T* out;
  F f;
  PLACEMENT_HD_AS_GIVEN constexpr void operator()(index_t first, index_t n) const {
    for (index_t i = first; i != first + n; ++i) out[i] = f(i);
  }
};
/// The same for a region in rows.
template <class T, class F, class X> struct strided_epilogue {
  T* out;
  F f;
  [[no_unique_address]] X shape;
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

// ---- the jobs. Op, T: what the kernel is looked up by.

/// out[i] = f(i) for i below n.
template <class Op, class T, class R, class F> struct contiguous_map_launch {
  using pattern = map;
  using op_type = Op;
  using element = T;
  static constexpr bool may_throw = false;

  R* out;
  index_t n;
  F f;

  constexpr std::size_t cost() const noexcept { return static_cast<std::size_t>(n); }
  template <class Kernel, class... On>
  [[gnu::always_inline]] constexpr void run(On const&... on) const {
    Kernel::contiguous(on..., out, n, f);
  }
};
/// The element of `out` at each position of a layout, from f in rows. Where: untransposed_layout,
/// where the types tell so much.
template <class Op, class T, class R, class X, class F, class Where = layout<X::rank>>
struct strided_map_launch {
  using pattern = map;
  using op_type = Op;
  using element = T;
  static constexpr bool may_throw = false;

  R* out;
  Where where;
  [[no_unique_address]] X shape;
  F f;

  constexpr std::size_t cost() const noexcept { return shape.count(); }
  template <class Kernel, class... On>
  [[gnu::always_inline]] constexpr void run(On const&... on) const {
    Kernel::strided(on..., out, where, shape, f);
  }
};

/// *out = f(0) ... f(n - 1), folded.
template <class Op, class T, class R, class F, class Epilogue> struct contiguous_reduce_launch {
  using pattern = reduce;
  using op_type = Op;
  using element = T;
  static constexpr bool may_throw = false;

  [[no_unique_address]] Op op;
  R* out;
  index_t n;
  F f;
  [[no_unique_address]] Epilogue epilogue;

  constexpr std::size_t cost() const noexcept { return static_cast<std::size_t>(n); }
  template <class Kernel, class... On>
  [[gnu::always_inline]] constexpr void run(On const&... on) const {
    Kernel::contiguous(on..., op, out, n, f, epilogue);
  }
};
/// The same of all elements of a region in rows.
template <class Op, class T, class R, class X, class F, class Epilogue>
struct strided_reduce_launch {
  using pattern = reduce;
  using op_type = Op;
  using element = T;
  static constexpr bool may_throw = false;

  [[no_unique_address]] Op op;
  R* out;
  [[no_unique_address]] X shape;
  F f;
  [[no_unique_address]] Epilogue epilogue;

  constexpr std::size_t cost() const noexcept { return shape.count(); }
  template <class Kernel, class... On>
  [[gnu::always_inline]] constexpr void run(On const&... on) const {
    Kernel::strided(on..., op, out, shape, f, epilogue);
  }
};
/// One result for each line of the shape along an axis.
template <class Op, class T, class R, class X, class F, class Epilogue> struct axis_reduce_launch {
  using pattern = reduce;
  using op_type = Op;
  using element = T;
  static constexpr bool may_throw = false;

  [[no_unique_address]] Op op;
  R* out;
  [[no_unique_address]] X shape;
  std::size_t axis;
  F f;
  [[no_unique_address]] Epilogue epilogue;

  constexpr std::size_t cost() const noexcept { return shape.count(); }
  template <class Kernel, class... On>
  [[gnu::always_inline]] constexpr void run(On const&... on) const {
    if (axis + 1 == X::rank) Kernel::last_axis(on..., op, out, shape, f, epilogue);
    else Kernel::inner_axis(on..., op, out, shape, axis, f, epilogue);
  }
};

/// out = a b for every matrix of the batch.
template <class Op, class T, class X, class Epilogue> struct matmul_launch {
  using pattern = gemm;
  using op_type = Op;
  using element = T;
  static constexpr bool may_throw = false;

  T* out;
  [[no_unique_address]] X shape;
  index_t depth;
  strided_view<T const, X::rank> a, b;
  [[no_unique_address]] Epilogue epilogue;

  constexpr std::size_t cost() const noexcept {
    return shape.count() * static_cast<std::size_t>(depth);
  }
  template <class Kernel, class... On>
  [[gnu::always_inline]] constexpr void run(On const&... on) const {
    Kernel::run(on..., out, shape, depth, a, b, epilogue);
  }
};

/// The op's own loop over dense views.
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

}  // namespace placement::inline v0_1
