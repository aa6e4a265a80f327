#pragma once
/// The CPU kernel of an op with a loop of its own. The op is called with views of the result and
/// the operands.

#include <placement/cpu/parallel_for.hpp>
#include <placement/kernels/cost.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/shape/strided_view.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {

/// True for an op with `static constexpr bool by_rows = true;`. Each row of its result, along the
/// last dimension, depends only on the same row of the operands. All have one shape.
template <class Op> concept declares_by_rows = requires { requires Op::by_rows; };
/// True for an op that also has `static constexpr bool may_stream = true;`. The op then takes a
/// last argument that selects non-temporal stores. If it is true, rows begin at multiples of 16
/// bytes.
template <class Op> concept declares_may_stream = requires { requires Op::may_stream; };

/// True for an op that partitions its work itself: it has run(policy, out, in...), which calls
/// policy.parallel_for.
template <class Op> concept declares_partition = requires { requires Op::partitions; };

/// A range of rows of a view, as a matrix.
template <class T, class X>
dense_view<T, dextents<2>> rows_of(dense_view<T, X> const& v, work_chunk const& chunk) {
  index_t const n = row_length(v.shape);
  return {v.data + chunk.begin * n, {{chunk.end - chunk.begin, n}}};
}

}  // namespace detail

template <class Op, class T> struct kernel<cpu_kernels, custom, Op, T> {
  static constexpr bool exists = true;

  /// Calls op(out, operands...) with dense views of CPU-accessible memory. An op that declares
  /// `by_rows` is called for chunks of rows.
  /// One that declares `partitions` gets the policy.
  template <class On, class Out, class... In>
  static void run(On const& on, Op const& op, Out const& out, In const&... in) {
    if constexpr (detail::declares_by_rows<Op> && !std::is_same_v<On, seq>) {
      index_t const n = row_length(out.shape);
      if (out.size() == 0) return;
      auto const count = static_cast<std::size_t>(out.size());
      work_size size{out.size() / n, 1, count * detail::cost_of_op<Op>};
      if constexpr (detail::declares_may_stream<Op>) {
        constexpr std::size_t element = sizeof(*out.data);
        size.bytes = count * element * (1 + sizeof...(In));
        size.may_stream = reinterpret_cast<std::size_t>(out.data) % 16 == 0 &&
                          static_cast<std::size_t>(n) * element % 16 == 0;
        on.parallel_for(size, [&](work_chunk const& chunk) {
          op(detail::rows_of(out, chunk), detail::rows_of(in, chunk)..., chunk.streamed);
        });
      } else {
        on.parallel_for(size, [&](work_chunk const& chunk) {
          op(detail::rows_of(out, chunk), detail::rows_of(in, chunk)...);
        });
      }
    } else if constexpr (detail::declares_partition<Op>) {
      op.run(detail::as_par(on), out, in...);
    } else {
      op(out, in...);
    }
  }
};

}}  // namespace placement::v0_1
