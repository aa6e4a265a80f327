#pragma once
/// The CPU kernel of a fused element-wise region: one loop over dense operands, one over rows.

#include <placement/cpu/loop.hpp>
#include <placement/cpu/parallel_for.hpp>
#include <placement/cpu/row_partition.hpp>
#include <placement/cpu/staging_buffer.hpp>
#include <placement/kernels/cost.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement::inline v0_1 {

namespace detail {

/// Ops whose function is a call for some numbers of type T, which no vector loop can make: such an
/// op says `template <class T> static constexpr bool has_far = ...`, for which numbers,
/// `far(x) != 0`, and has an op for all others, `near_op`.
template <class Op, class... A> inline constexpr bool has_far_op = false;
template <class Op, class A> requires requires { typename Op::near_op; }
inline constexpr bool has_far_op<Op, A> =
    Op::template has_far<std::remove_cvref_t<decltype(std::declval<A const&>()(index_t{}))>>;

/// Is there such an op in the region?
template <class F> inline constexpr bool has_far = false;
template <bool Gpu, class Op, class... A>
inline constexpr bool has_far<bound_expr<Gpu, Op, A...>> =
    has_far_op<Op, A...> || (has_far<A> || ...);

template <class Op, bool HasFar> struct near_op_of {
  using type = Op;
};
template <class Op> struct near_op_of<Op, true> {
  using type = typename Op::near_op;
};

/// The region with the ops for near numbers.
template <class F> constexpr F near_expr(F const& f) { return f; }
template <bool Gpu, class Op, class... A> requires(has_far<bound_expr<Gpu, Op, A...>>)
constexpr auto near_expr(bound_expr<Gpu, Op, A...> const& f) {
  using near = typename near_op_of<Op, has_far_op<Op, A...>>::type;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    near op{};
    if constexpr (std::is_same_v<near, Op>) op = f.op;
    return bound_expr<Gpu, near, decltype(near_expr(f.args.template get<I>()))...>{
        op, {{near_expr(f.args.template get<I>())}...}};
  }(std::index_sequence_for<A...>{});
}

/// Not 0 where one of the region's ops would be given a far number at i.
template <class F> [[gnu::always_inline]] constexpr std::uint64_t far_at(F const&, index_t) {
  return 0;
}
template <bool Gpu, class Op, class... A> requires(has_far<bound_expr<Gpu, Op, A...>>)
[[gnu::always_inline]] constexpr std::uint64_t far_at(bound_expr<Gpu, Op, A...> const& f,
                                                      index_t i) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    std::uint64_t const below = (far_at(f.args.template get<I>(), i) | ...);
    if constexpr (has_far_op<Op, A...>) return below | Op::far(f.args.template get<0>()(i));
    else return below;
  }(std::index_sequence_for<A...>{});
}

}  // namespace detail

/// T: the operands' element type. The result's may be another: comparisons give bool.
template <class Op, class T> struct kernel<cpu_kernels, map, Op, T> {
  static constexpr bool exists = true;

  static constexpr index_t piece = 1024;        ///< elements that one thread computes
  static constexpr index_t stream_block = 128;  ///< elements on their way past the caches
  static constexpr index_t short_block = 64;    ///< elements that are not worth a window

  /// out[i] = f(i) for every i. Cost: one pass, no allocation.
  /// Inlined, so that a length in the type is a constant of the loop.
  template <class On, class R, class F>
  [[gnu::always_inline]] static inline void contiguous(On const& on, R* out, index_t n,
                                                       F const& f) {
    if constexpr (std::is_same_v<On, seq>) {
      detail::write_each(out, n, f);
    } else if (n <= piece) {
      write(out, 0, n, f);
    } else {
      auto const count = static_cast<std::size_t>(n);
      constexpr std::size_t bytes = sizeof(R) + detail::bytes_of<F>;
      bool const aligned = reinterpret_cast<std::size_t>(out) % 64 == 0;
      on.parallel_for({n, piece, count * detail::cost_per_element_of<F>, count * bytes, aligned},
                      [&](work_chunk const& chunk) {
                        if (chunk.streamed && !detail::reads_at(f, out)) stream(out, chunk, f);
                        else write(out + chunk.begin, chunk.begin, chunk.end, f);
                      });
    }
  }

  /// The element of `out` at each position of a layout, f.row(c)(j), for every row c of shape x.
  /// Cost: one pass, no allocation.
  template <class On, class R, class Where, class F, class X>
  static void strided(On const& on, R* out, Where const& where, X const& x, F const& f) {
    if constexpr (is_static_and_short<X>()) {
      rows_one_by_one(out, where, x, f);
    } else {
      constexpr index_t together = X::rank > 1 ? transposed_rows : 1;
      row_partition<X::rank, together> const partition(x);
      index_t const grain =
          partition.columns == 0 ? 1 : (partition.length - 1) / partition.columns + 1;
      // elements may be copied one by one
      constexpr std::size_t gathered =
          std::is_same_v<Where, layout<X::rank>> && X::rank > 1 ? 8 : 1;
      on.parallel_for({partition.count(), grain,
                       x.count() * detail::cost_per_element_of<F> * gathered, 0, false},
                      [&](work_chunk const& chunk) {
                        strided_chunk<together>(out, where, partition, chunk, f);
                      });
    }
  }

 private:
  template <class X> static constexpr bool is_static_and_short() {
    if constexpr (X::is_static) return X::count() <= static_cast<std::size_t>(short_block);
    else return false;
  }

  /// Elements [begin, end) of f.
  template <class R, class F>
  [[gnu::noinline]] static void write(R* to, index_t begin, index_t end, F const& whole) {
    F const f = whole;  // a copy that nothing else can point to: its numbers stay in registers
    if constexpr (detail::has_far<F>) write_near(to, begin, end, f, detail::near_expr(f));
    else
      detail::write_each(to, end - begin,
                         [&](index_t j) __attribute__((always_inline)) { return f(begin + j); });
  }
  /// The same where f calls a function for numbers that are seldom there: not in most blocks.
  template <class R, class F, class Near>
  static void write_near(R* to, index_t begin, index_t end, F const& f, Near const& near) {
    for (; begin < end; begin += short_block, to += short_block) {
      std::uint64_t far = end - begin < short_block ? 1 : 0;
      if (far == 0)
        for (index_t j = 0; j < short_block; ++j) far |= detail::far_at(f, begin + j);
      if (far == 0) detail::write_each(to, short_block, [&](index_t j) { return near(begin + j); });
      else
        for (index_t i = begin; i < end && i < begin + short_block; ++i) to[i - begin] = f(i);
    }
  }
  /// The same past the caches, to their places in `out`.
  template <class R, class F>
  [[gnu::noinline]] static void stream(R* out, work_chunk const& chunk, F const& f) {
    alignas(64) R stream_buffer[static_cast<std::size_t>(stream_block)];
    for (index_t i = chunk.begin; i < chunk.end; i += stream_block) {
      index_t const end = chunk.end - i < stream_block ? chunk.end : i + stream_block;
      write(stream_buffer, i, end, f);
      detail::stream_to(out + i, stream_buffer, static_cast<std::size_t>(end - i) * sizeof(R));
    }
  }

  template <class R, class F, class X>
  static void rows_one_by_one(R* out, layout<X::rank> const& where, X const& x, F const& f) {
    index_t const n = row_length(x), step = where.step();
    for_each_row(x, [&](coordinates<X::rank> const& c) {
      auto const row = f.row(c);
      R* const to = out + where.row(c);
      for (index_t j = 0; j != n; ++j) to[j * step] = row(j);
    });
  }

  /// Some strips of rows.
  template <index_t Together, class R, std::size_t N, class F>
  static void strided_chunk(R* out, layout<N> const& where,
                            row_partition<N, Together> const& partition, work_chunk const& chunk,
                            F const& f) {
    if (chunk.begin == chunk.end) return;
    staging_buffer<F> staged(f);
    bool const transposed = staged.is_transposed(), copied = staged.is_copied(partition.columns);
    index_t const step_length = staged.reach();
    auto at = partition.from(chunk.begin);
    for (index_t unit = chunk.begin; unit != chunk.end; ++unit, partition.next(at)) {
      index_t const rows = partition.rows_at(at), left = partition.columns - at.column;
      index_t const end = at.column + (left < partition.length ? left : partition.length);
      index_t const strip = transposed ? transposed_length : end - at.column;
      for (index_t begin = at.column; begin < end; begin += strip) {
        index_t const stop = end - begin < strip ? end : begin + strip;
        if (transposed) staged.transpose(at.row, rows, begin, stop - begin);
        coordinates<N> c = at.row;
        for (index_t r = 0, step = copied ? 1 : rows; r != rows; r += step) {
          if constexpr (N > 1) c.at[N - 2] = at.row.at[N - 2] + r;
          staged.row(c, partition.columns, step);
          for (index_t j = begin; j < stop; j += step_length) {
            index_t const width = stop - j < step_length ? stop - j : step_length;
            staged.to(j, width);
            write_rows(out + where.row(c) + j * where.step(), where, step, width, staged);
          }
        }
      }
    }
  }
  /// What is seen of some rows, from their place `to` on.
  template <class R, std::size_t N, class Staged>
  static void write_rows(R* to, layout<N> const& where, index_t rows, index_t width,
                         Staged const& staged) {
    index_t const step = where.step();
    for (index_t r = 0; r != rows; ++r) {
      auto const row = staged.in_place(r);
      if (step == 1) detail::write_each(to, width, row);
      else scatter(to, step, width, row);
      if constexpr (N > 1) to += where.stride[N - 2];
    }
  }
  template <class R, class F>
  [[gnu::noinline]] static void scatter(R* to, index_t step, index_t width, F const& f) {
    R row[static_cast<std::size_t>(piece)];
    for (index_t j = 0; j < width; j += piece) {
      index_t const end = width - j < piece ? width : j + piece;
      write(row, j, end, f);
      for (index_t i = j; i < end; ++i) to[i * step] = row[i - j];
    }
  }
};

}  // namespace placement::inline v0_1
