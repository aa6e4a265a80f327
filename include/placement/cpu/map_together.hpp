#pragma once
/// The CPU kernel of several element-wise expressions of one shape. It computes them in one pass,
/// and their common expressions once.

#include <placement/cpu/map_blocks.hpp>
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

  /// The same for strided expressions of shape x, whose results are dense.
  template <class On, class Shared, class Out, class X, class All, class... F>
  static void strided(On const& on, Shared, Out const& out, X const& x, All const& f,
                      detail::expr_list<F...>) {
    blocks_together<Shared, Out, F...> const kernel(out, f);
    constexpr std::size_t cost = (0 + ... + detail::cost_per_element_of<F>);
    detail::run_dense_blocks(kernel.call(cost), x, detail::as_par(on));
  }

 private:
  /// Writes n elements of each expression, from i on, to the results from `at` on.
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

  /// The block kernel of several expressions. The first result selects the elements: the kernel
  /// writes those of the same numbers in the other results.
  template <class Shared, class Out, class... F> class blocks_together {
    struct expression {
      Out out;
      pack<detail::block_expr<F>...> each;
    };
    static constexpr unsigned operands = (0U + ... + detail::slots_in<detail::block_expr<F>>);
    static constexpr unsigned levels = (0U + ... + detail::levels_in<F>);
    static constexpr auto indices = std::index_sequence_for<F...>{};

   public:
    template <class All>
    blocks_together(Out const& out, All const& f) : expr_(expression_of(out, f, indices)) {
      detail::operand_lister list{operand_, level_};
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (list.add(f.template get<I>(), nullptr, nullptr), ...);
      }(indices);
    }
    blocks_together(blocks_together const&) = delete;
    blocks_together& operator=(blocks_together const&) = delete;

    detail::block_call call(std::size_t cost_per_element) const {
      auto* const first = expr_.out.template get<0>();
      return {&run, &expr_, operand_, operands, sizeof *first, cost_per_element, first};
    }

   private:
    template <class All, std::size_t... I>
    static expression expression_of(Out const& out, All const& f, std::index_sequence<I...>) {
      return {out, {{detail::slotted<F>::of(f.template get<I>())}...}};
    }
    static void run(void const* expr, void* out, detail::block_input const* in, index_t n) {
      expression const& all = *static_cast<expression const*>(expr);
      auto* const first = all.out.template get<0>();
      index_t const at = static_cast<decltype(+first)>(out) - first;
      if constexpr ((detail::has_generator<detail::block_expr<F>> || ...)) {
        detail::block_input const* next = in;
        if (any_numbers(all, next, indices)) return run_bound<false>(all, at, in, n, indices);
      }
      run_bound<true>(all, at, in, n, indices);
    }
    template <std::size_t... I>
    static bool any_numbers(expression const& all, detail::block_input const*& in,
                            std::index_sequence<I...>) {
      bool found = false;
      ((found = detail::has_numbers(all.each.template get<I>(), in) || found), ...);
      return found;
    }
    template <bool Consecutive, std::size_t... I>
    static void run_bound(expression const& all, index_t at, detail::block_input const* in,
                          index_t n, std::index_sequence<I...>) {
      pack<decltype(detail::bind_block<Consecutive>(all.each.template get<I>(), in))...> const f{
          {detail::bind_block<Consecutive>(all.each.template get<I>(), in)}...};
      Out const to = all.out;
      write(Shared{}, detail::expr_list<F...>{}, to, at, n, 0, f);
    }

    expression expr_;
    detail::block_operand operand_[operands != 0 ? operands : 1];
    detail::layout_level level_[levels != 0 ? levels : 1];
  };
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
template <class Op, class T, class Shared, class Out, class X, class F, class Exprs>
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
    Kernel::strided(on..., Shared{}, out, shape, f, Exprs{});
  }
};

}}  // namespace placement::v0_1
