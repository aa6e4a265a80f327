#pragma once
/// The CPU kernel of several element-wise regions of one shape: all of them in one pass, and what
/// they share computed once.

#include <placement/kernels/map.hpp>
#include <placement/kernels/sharing.hpp>

namespace placement::inline v0_1 {

/// Several maps at once.
struct map_together {};

template <class Op, class T> struct kernel<cpu_kernels, map_together, Op, T> {
  static constexpr bool exists = true;

  static constexpr index_t chunk = PLACEMENT_LOOP_CHUNK;
  static constexpr index_t granule = 1024;  ///< elements that one thread computes
  static constexpr index_t piece = 128;     ///< elements of a result on their way past the caches

  /// out<k>[i] = f<k>(i) for every k and i. Out: a pack of pointers; All: a pack of the regions F.
  /// Shared: those of their regions that are the same wherever they are. Each element is read
  /// before any result is written at its index.
  template <class On, class Shared, class Out, class All, class... F>
  static void flat(On const& on, Shared shared, Out const& out, index_t n, All const& f,
                   detail::regions<F...> of) {
    constexpr std::size_t bytes = sizeof(T) * Out::size + (0 + ... + detail::bytes_of<F>);
    constexpr auto each = std::make_index_sequence<Out::size>{};
    auto const count = static_cast<std::size_t>(n);
    on.share({n, granule, count * (0 + ... + detail::steps_of<F>), count * bytes,
              may_stream(out, f, each)},
             [&](work_part const& part) {
               if (part.streamed) stream(shared, of, out, part, f, each);
               else write_flat(shared, of, out, part.begin, part.end - part.begin, part.begin, f);
             });
  }

  /// The same of regions in rows. Turned: may an operand lie another way than the results do?
  template <bool Turned, class On, class Shared, class Out, class X, class All, class... F>
  static void rows(On const& on, Shared shared, Out const& out, X const& x, All const& f,
                   detail::regions<F...> of) {
    constexpr index_t together = Turned && X::rank > 1 ? turned_rows : 1;
    row_strips<X::rank, together> const strips(x);
    index_t const grain = strips.columns == 0 ? 1 : (strips.length - 1) / strips.columns + 1;
    on.share({strips.count(), grain, x.count() * (0 + ... + detail::steps_of<F>), 0},
             [&](work_part const& part) { rows_part(shared, out, x, strips, part, f, of); });
  }

 private:
  /// n elements of each region from i on, as they are seen, to the results from `at` on.
  template <class Shared, class... F, class Out, class Seen>
  [[gnu::always_inline]] static inline void write(Shared shared, detail::regions<F...> of,
                                                  Out const& out, index_t at, index_t n, index_t i,
                                                  Seen const& seen) {
    auto const one = [&](index_t j) __attribute__((always_inline)) {
      auto const known = detail::values_known(shared, of, seen, i + j);
      write_one(of, out, at + j, i + j, seen, known, std::index_sequence_for<F...>{});
    };
    index_t const whole = n / chunk * chunk;
    for (index_t j = 0; j != whole; j += chunk) {
      PLACEMENT_SAME_INDEX_ONLY
      for (index_t k = 0; k < chunk; ++k) one(j + k);
    }
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t j = whole; j < n; ++j) one(j);
  }
  template <class... F, class Out, class Seen, class Known, std::size_t... I>
  [[gnu::always_inline]] static inline void write_one(detail::regions<F...>, Out const& out,
                                                      index_t at, index_t i, Seen const& seen,
                                                      Known const& known,
                                                      std::index_sequence<I...>) {
    auto const values = pack<decltype(detail::value_of<F>(seen.template get<I>(), i, known))...>{
        {detail::value_of<F>(seen.template get<I>(), i, known)}...};
    ((out.template get<I>()[at] = values.template get<I>()), ...);
  }
  template <class Shared, class... F, class Out, class All>
  [[gnu::noinline]] static void write_flat(Shared shared, detail::regions<F...> of, Out const& out,
                                           index_t at, index_t n, index_t i, All const& f) {
    All const own = f;  // nothing else can point to it: its numbers stay in registers
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
  /// Elements that are on their way to a result.
  template <class R> struct on_its_way {
    alignas(64) R element[static_cast<std::size_t>(piece)];
  };
  /// A part of the results past the caches: each piece of them is computed before it is written.
  template <class Shared, class... F, class Out, class All, std::size_t... I>
  [[gnu::noinline]] static void stream(Shared shared, detail::regions<F...> of, Out const& out,
                                       work_part const& part, All const& f,
                                       std::index_sequence<I...>) {
    pack<on_its_way<std::remove_pointer_t<decltype(+out.template get<I>())>>...> some;
    Out const to{{some.template get<I>().element}...};
    for (index_t i = part.begin; i < part.end; i += piece) {
      index_t const n = part.end - i < piece ? part.end - i : piece;
      write_flat(shared, of, to, 0, n, i, f);
      (detail::stream_to(out.template get<I>() + i, to.template get<I>(),
                         static_cast<std::size_t>(n) * sizeof(*to.template get<I>())),
       ...);
    }
  }

  template <class Shared, class Out, class X, class Strips, class All, class... F>
  static void rows_part(Shared shared, Out const& out, X const& x, Strips const& strips,
                        work_part const& part, All const& f, detail::regions<F...> of) {
    if (part.begin == part.end) return;
    auto seen = windows_on(f, of, std::index_sequence_for<F...>{});
    layout<X::rank> const where = row_major(x);
    index_t const n = strips.columns;
    bool const turned =
        Strips::rows_together != 1 && any_turned(seen, std::index_sequence_for<F...>{});
    index_t const at_once = turned ? turned_length : window_length;
    auto at = strips.from(part.begin);
    for (index_t unit = part.begin; unit != part.end; ++unit, strips.next(at)) {
      index_t const end = at.column + strips.length < n ? at.column + strips.length : n;
      index_t const rows = strips.rows_at(at);
      for (index_t j = at.column; j < end; j += at_once) {
        index_t const width = end - j < at_once ? end - j : at_once;
        if (turned) turn(seen, at.row, rows, j, width, std::index_sequence_for<F...>{});
        for (index_t r = 0; r != rows; ++r) {
          coordinates<X::rank> c = at.row;
          if constexpr (X::rank > 1) c.at[X::rank - 2] += r;
          see(seen, c, n, j, width, std::index_sequence_for<F...>{});
          write(shared, of, out, where.row(c) + j, width, 0, seen);
        }
      }
    }
  }
  template <class All, class... F, std::size_t... I>
  static auto windows_on(All const& f, detail::regions<F...>, std::index_sequence<I...>) {
    return pack<window<F>...>{{window<F>{f.template get<I>()}}...};
  }
  template <class Seen, std::size_t... I>
  static bool any_turned(Seen const& seen, std::index_sequence<I...>) {
    return (seen.template get<I>().is_turned() || ...);
  }
  template <class Seen, class C, std::size_t... I>
  static void turn(Seen& seen, C const& c, index_t rows, index_t j, index_t width,
                   std::index_sequence<I...>) {
    (seen.template get<I>().turn(c, rows, j, width), ...);
  }
  template <class Seen, class C, std::size_t... I>
  static void see(Seen& seen, C const& c, index_t row_length, index_t j, index_t width,
                  std::index_sequence<I...>) {
    (seen.template get<I>().row(c, row_length), ...);
    (seen.template get<I>().to(j, width), ...);
  }
};

/// Jobs of it. Op, T: the first region's. Regions: the types in F.
template <class Op, class T, class Shared, class Out, class F, class Regions> struct flat_maps_job {
  using pattern = map_together;
  using op_type = Op;
  using element = T;
  static constexpr bool may_throw = false;

  Out out;
  index_t n;
  F f;

  constexpr std::size_t steps() const noexcept { return static_cast<std::size_t>(n); }
  template <class Kernel, class... On> void run(On const&... on) const {
    Kernel::flat(on..., Shared{}, out, n, f, Regions{});
  }
};
template <class Op, class T, class Shared, class Out, class X, class F, class Regions, bool Turned>
struct rows_maps_job {
  using pattern = map_together;
  using op_type = Op;
  using element = T;
  static constexpr bool may_throw = false;

  Out out;
  [[no_unique_address]] X shape;
  F f;

  constexpr std::size_t steps() const noexcept { return shape.count(); }
  template <class Kernel, class... On> void run(On const&... on) const {
    Kernel::template rows<Turned>(on..., Shared{}, out, shape, f, Regions{});
  }
};

}  // namespace placement::inline v0_1
