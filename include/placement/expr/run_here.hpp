#pragma once
/// Kernels whose device and shapes are in their types: the operands become a bound expression, and
/// its loop is inlined where the expression is written.

#include <placement/cpu/parallel_for.hpp>
#include <placement/expr/bind.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// The layout of E's result. Without transposed operands, its dimensions stay in order.
template <class E>
using layout_of_result =
    std::conditional_t<changes_layouts<E, fused_nodes::all>, layout<E::extents_type::rank>,
                       untransposed_layout<E::extents_type::rank>>;

template <class E, class Set, class T>
PLACEMENT_ALWAYS_INLINE inline void run_map_here(E const& e, Set& set, T* out) {
  auto const shape = e.shape();
  bind_fusion(e, shape, set, [&]<class Form, class F>(Form, F const& f) PLACEMENT_ALWAYS_INLINE {
    if constexpr (std::is_same_v<Form, contiguous_form>)
      cpu_kernel<E>::contiguous(seq{}, out, static_cast<index_t>(shape.count()), f);
    else cpu_kernel<E>::strided(seq{}, out, layout_of_result<E>{row_major(shape)}, shape, f);
  });
}

/// An operand of a product, broadcast over the batch of the result's shape.
template <class T, std::size_t R, class X, class To>
strided_view<T, To::rank> batch_of(strided_view<T, R> const& v, X const& x, To const& to) {
  strided_view<T, To::rank> r{v.data, {}};
  r.where.base = v.where.base;
  for (std::size_t d = 0; d != R; ++d) {
    std::size_t const t = d + To::rank - R;
    r.where.stride[t] = d + 2 < R && x.at(d) == 1 && to.at(t) != 1 ? 0 : v.where.stride[d];
  }
  return r;
}
template <class E, class Set, class T, class Epilogue>
PLACEMENT_ALWAYS_INLINE inline void multiply_here(E const& e, Set& set, T* out,
                                                  Epilogue const& epilogue) {
  auto const& left = e.template arg<0>();
  auto const& right = e.template arg<1>();
  auto const a = strided_operand(left, set);
  auto const b = strided_operand(right, set);
  auto const shape = e.shape();
  index_t const depth = left.shape().at(bare<decltype(left)>::extents_type::rank - 1);
  cpu_kernel<E>::run(seq{}, out, shape, depth, batch_of(a, left.shape(), shape),
                     batch_of(b, right.shape(), shape), epilogue);
}

template <class E, class Set, class T, class Epilogue>
PLACEMENT_ALWAYS_INLINE inline void reduce_here(E const& e, Set& set, T* out,
                                                Epilogue const& epilogue) {
  using loops = cpu_kernel<E>;
  auto const& input = e.template arg<0>();
  auto const shape = input.shape();
  if constexpr (E::op_type::reduces_all) {
    bind_fusion(
        input, shape, set, [&]<class Form, class F>(Form, F const& f) PLACEMENT_ALWAYS_INLINE {
          if constexpr (std::is_same_v<Form, contiguous_form>)
            loops::contiguous(seq{}, e.op, out, static_cast<index_t>(shape.count()), f, epilogue);
          else loops::strided(seq{}, e.op, out, shape, f, epilogue);
        });
  } else {
    loops::inner_axis(seq{}, e.op, out, shape, e.op.axis_of(shape), bind_strided(input, set, shape),
                      epilogue);
  }
}

}}}  // namespace placement::v0_1::detail
