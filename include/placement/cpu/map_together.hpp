#pragma once
/// The CPU kernel of several element-wise expressions of one shape. It computes them in one pass,
/// and their common expressions once.

#include <placement/cpu/loop.hpp>
#include <placement/cpu/parallel_for.hpp>
#include <placement/cpu/row_partition.hpp>
#include <placement/cpu/staging_buffer.hpp>
#include <placement/kernels/common_exprs.hpp>
#include <placement/kernels/cost.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement { inline namespace v0_1 {

/// The pattern of several maps in one kernel.
struct map_together {};

template <class Op, class T> struct kernel<cpu_kernels, map_together, Op, T> {
  static constexpr bool exists = true;

  static constexpr index_t loop_chunk = PLACEMENT_LOOP_CHUNK;
  static constexpr index_t granule = 1024;  ///< elements that one thread computes
  static constexpr index_t piece = 128;  ///< elements that are computed before a non-temporal store

  /// out<k>[i] = f<k>(i) for every k and i. Out: a pack of pointers. All: a pack of the expressions
  /// F. Shared: their common expressions. Every operand of index i is read before a result of index
  /// i is written.
  template <class On, class Shared, class Out, class All, class... F>
  static void contiguous(On const& on, Shared shared, Out const& out, index_t n, All const& f,
                         detail::expr_list<F...> of) {
    constexpr std::size_t bytes = sizeof(T) * Out::size + (0 + ... + detail::bytes_of<F>);
    constexpr auto each = std::make_index_sequence<Out::size>{};
    auto const count = static_cast<std::size_t>(n);
    on.parallel_for({n, granule, count * (0 + ... + detail::cost_per_element_of<F>), count * bytes,
                     may_stream(out, f, each)},
                    [&](work_chunk const& chunk) {
                      if (chunk.streamed) stream(shared, of, out, chunk, f, each);
                      else
                        write_contiguous(shared, of, out, chunk.begin, chunk.end - chunk.begin,
                                         chunk.begin, f);
                    });
  }

  /// The same for strided expressions. Transposed: an operand may lie in another order than the
  /// results.
  template <bool Transposed, class On, class Shared, class Out, class X, class All, class... F>
  static void strided(On const& on, Shared shared, Out const& out, X const& x, All const& f,
                      detail::expr_list<F...> of) {
    constexpr index_t together = Transposed && X::rank > 1 ? transposed_rows : 1;
    row_partition<X::rank, together> const partition(x);
    index_t const grain =
        partition.columns == 0 ? 1 : (partition.length - 1) / partition.columns + 1;
    on.parallel_for(
        {partition.count(), grain, x.count() * (0 + ... + detail::cost_per_element_of<F>), 0},
        [&](work_chunk const& chunk) { strided_chunk(shared, out, x, partition, chunk, f, of); });
  }

 private:
  /// Writes n elements of each staged expression, from i on, to the results from `at` on.
  template <class Shared, class... F, class Out, class Staged>
  [[gnu::always_inline]] static inline void write(Shared shared, detail::expr_list<F...> of,
                                                  Out const& out, index_t at, index_t n, index_t i,
                                                  Staged const& staged) {
    auto const one = [&](index_t j) __attribute__((always_inline)) {
      auto const known = detail::values_known(shared, of, staged, i + j);
      write_one(of, out, at + j, i + j, staged, known, std::index_sequence_for<F...>{});
    };
    index_t const whole = n / loop_chunk * loop_chunk;
    for (index_t j = 0; j != whole; j += loop_chunk) {
      PLACEMENT_SAME_INDEX_ONLY
      for (index_t k = 0; k < loop_chunk; ++k) one(j + k);
    }
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t j = whole; j < n; ++j) one(j);
  }
  template <class... F, class Out, class Staged, class Known, std::size_t... I>
  [[gnu::always_inline]] static inline void write_one(detail::expr_list<F...>, Out const& out,
                                                      index_t at, index_t i, Staged const& staged,
                                                      Known const& known,
                                                      std::index_sequence<I...>) {
    auto const values = pack<decltype(detail::value_of<F>(staged.template get<I>(), i, known))...>{
        {detail::value_of<F>(staged.template get<I>(), i, known)}...};
    ((out.template get<I>()[at] = values.template get<I>()), ...);
  }
  template <class Shared, class... F, class Out, class All>
  [[gnu::noinline]] static void write_contiguous(Shared shared, detail::expr_list<F...> of,
                                                 Out const& out, index_t at, index_t n, index_t i,
                                                 All const& f) {
    All const own = f;  // a local copy, so that its numbers stay in registers
    Out const to = out;
    write(shared, of, to, at, n, i, own);
  }

  template <class Out, class All, std::size_t... I>
  static bool may_stream(Out const& out, All const& f, std::index_sequence<I...> each) {
    auto const one = [&](void const* to) {
      return reinterpret_cast<std::size_t>(to) % 64 == 0 && !is_read(f, to, each);
    };
    return (one(out.template get<I>()) && ...);
  }
  template <class All, std::size_t... I>
  static bool is_read(All const& f, void const* p, std::index_sequence<I...>) {
    return (detail::reads_at(f.template get<I>(), p) || ...);
  }
  /// Elements that wait for a non-temporal store.
  template <class R> struct stream_buffer {
    alignas(64) R element[static_cast<std::size_t>(piece)];
  };
  /// Writes a chunk of the results by non-temporal stores, piece by piece.
  template <class Shared, class... F, class Out, class All, std::size_t... I>
  [[gnu::noinline]] static void stream(Shared shared, detail::expr_list<F...> of, Out const& out,
                                       work_chunk const& chunk, All const& f,
                                       std::index_sequence<I...>) {
    pack<stream_buffer<std::remove_pointer_t<decltype(+out.template get<I>())>>...> some;
    Out const to{{some.template get<I>().element}...};
    for (index_t i = chunk.begin; i < chunk.end; i += piece) {
      index_t const n = chunk.end - i < piece ? chunk.end - i : piece;
      write_contiguous(shared, of, to, 0, n, i, f);
      (detail::stream_to(out.template get<I>() + i, to.template get<I>(),
                         static_cast<std::size_t>(n) * sizeof(*to.template get<I>())),
       ...);
    }
  }

  template <class Shared, class Out, class X, class Partition, class All, class... F>
  static void strided_chunk(Shared shared, Out const& out, X const& x, Partition const& partition,
                            work_chunk const& chunk, All const& f, detail::expr_list<F...> of) {
    if (chunk.begin == chunk.end) return;
    auto staged = staging_buffers_on(f, of, std::index_sequence_for<F...>{});
    layout<X::rank> const where = row_major(x);
    index_t const n = partition.columns;
    bool const transposed =
        Partition::rows_together != 1 && any_transposed(staged, std::index_sequence_for<F...>{});
    index_t const step_length = transposed ? transposed_length : staging_length;
    auto at = partition.from(chunk.begin);
    for (index_t unit = chunk.begin; unit != chunk.end; ++unit, partition.next(at)) {
      index_t const end = at.column + partition.length < n ? at.column + partition.length : n;
      index_t const rows = partition.rows_at(at);
      for (index_t j = at.column; j < end; j += step_length) {
        index_t const width = end - j < step_length ? end - j : step_length;
        if (transposed) transpose(staged, at.row, rows, j, width, std::index_sequence_for<F...>{});
        for (index_t r = 0; r != rows; ++r) {
          coordinates<X::rank> c = at.row;
          if constexpr (X::rank > 1) c.at[X::rank - 2] += r;
          stage(staged, c, n, j, width, std::index_sequence_for<F...>{});
          write(shared, of, out, where.row(c) + j, width, 0, staged);
        }
      }
    }
  }
  template <class All, class... F, std::size_t... I>
  static auto staging_buffers_on(All const& f, detail::expr_list<F...>, std::index_sequence<I...>) {
    return pack<staging_buffer<F>...>{{staging_buffer<F>{f.template get<I>()}}...};
  }
  template <class Staged, std::size_t... I>
  static bool any_transposed(Staged const& staged, std::index_sequence<I...>) {
    return (staged.template get<I>().is_transposed() || ...);
  }
  template <class Staged, class C, std::size_t... I>
  static void transpose(Staged& staged, C const& c, index_t rows, index_t j, index_t width,
                        std::index_sequence<I...>) {
    (staged.template get<I>().transpose(c, rows, j, width), ...);
  }
  template <class Staged, class C, std::size_t... I>
  static void stage(Staged& staged, C const& c, index_t row_length, index_t j, index_t width,
                    std::index_sequence<I...>) {
    (staged.template get<I>().row(c, row_length), ...);
    (staged.template get<I>().to(j, width), ...);
  }
};

/// Its kernel launches. Op, T: of the first expression. Exprs: the types in F.
template <class Op, class T, class Shared, class Out, class F, class Exprs>
struct contiguous_maps_launch {
  using pattern = map_together;
  using op_type = Op;
  using element = T;
  static constexpr bool may_throw = false;

  Out out;
  index_t n;
  F f;

  constexpr std::size_t cost() const noexcept { return static_cast<std::size_t>(n); }
  template <class Kernel, class... On> void run(On const&... on) const {
    Kernel::contiguous(on..., Shared{}, out, n, f, Exprs{});
  }
};
template <class Op, class T, class Shared, class Out, class X, class F, class Exprs,
          bool Transposed>
struct strided_maps_launch {
  using pattern = map_together;
  using op_type = Op;
  using element = T;
  static constexpr bool may_throw = false;

  Out out;
  [[no_unique_address]] X shape;
  F f;

  constexpr std::size_t cost() const noexcept { return shape.count(); }
  template <class Kernel, class... On> void run(On const&... on) const {
    Kernel::template strided<Transposed>(on..., Shared{}, out, shape, f, Exprs{});
  }
};

}}  // namespace placement::v0_1
