#pragma once
/// Tiles of a convolution: sums of products in registers. Only the extents of a tile are constants.

#include <placement/cpu/lanes.hpp>
#include <placement/cpu/processor.hpp>
#include <placement/cpu/transpose_lanes.hpp>
#include <placement/kernels/kernel_set.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

/// Sums for rows p and vectors v, which are written to `out[p * out_step + v * out_vector]`. Each
/// is the sum over runs r and steps k of a number times a vector. The number is at `x[run[r] *
/// x_list + r * x_run + k * x_next + p * x_step]`, and the vector likewise in w.
template <class S> struct conv2d_tile {
  S* out;
  index_t out_step, out_vector;
  S const* x;
  index_t x_list, x_run, x_next, x_step;
  S const* w;
  index_t w_list, w_run, w_next, w_step;
  index_t const* run;
  index_t runs, length;
  index_t channels;  ///< of all vectors, that are written; ignored with `adds`
  bool adds;         ///< adds to `out`, which has whole vectors
};

/// Copies n < 2 Half elements.
template <std::size_t Half, class S>
PLACEMENT_ALWAYS_INLINE inline void copy_first(S* to, S const* from, index_t n) {
  if constexpr (Half != 0) {
    constexpr auto half = static_cast<index_t>(Half);
    bool const is_long = n >= half;
    if (is_long) std::memcpy(to, from, Half * sizeof(S));
    index_t const done = is_long ? half : 0;
    copy_first<Half / 2>(to + done, from + done, n - done);
  }
}

/// Writes the first `channels` numbers of each row of a tile. `sums`: rows of vectors of N numbers.
/// K: the instructions of the file.
template <int N, class K, class S>
[[gnu::noinline]] void write_first_channels(conv2d_tile<S> const& t, S const* sums, int rows,
                                            int vectors) {
  for (int p = 0; p != rows; ++p, sums += vectors * N)
    for (index_t v = 0, left = t.channels; v != vectors && left > 0; ++v, left -= N) {
      S* const to = t.out + p * t.out_step + v * t.out_vector;
      if (left >= N) std::memcpy(to, sums + v * N, N * sizeof(S));
      else copy_first<static_cast<std::size_t>(N) / 2>(to, sums + v * N, left);
    }
}

/// One tile of `Rows` rows of `Vectors` vectors. Vectors are never passed by value, so that this
/// function can be part of functions for other processors.
template <int Bytes, int Rows, int Vectors, class S>
PLACEMENT_ALWAYS_INLINE inline void compute_tile(conv2d_tile<S> const& t) {
  constexpr int N = Bytes / static_cast<int>(sizeof(S));
  using vector = lanes<S, N>;
  lane_array<S, N, Rows * Vectors> sum{};
  if (t.adds)
    each<Rows * Vectors>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      __builtin_prefetch(t.out + i / Vectors * t.out_step + i % Vectors * t.out_vector, 1);
    });
  for (index_t r = 0; r != t.runs; ++r) {
    S const* x = t.x + t.run[r] * t.x_list + r * t.x_run;
    S const* w = t.w + t.run[r] * t.w_list + r * t.w_run;
    for (index_t k = 0; k != t.length; ++k) {
      lane_array<S, N, Vectors> y;
      each<Vectors>([&](auto v) PLACEMENT_ALWAYS_INLINE {
        std::memcpy(&y[v], w + v * t.w_step, sizeof(vector));
      });
      each<Rows * Vectors>([&](auto i) PLACEMENT_ALWAYS_INLINE {
        sum[i] += x[i / Vectors * t.x_step] * y[i % Vectors];
      });
      x += t.x_next;
      w += t.w_next;
    }
  }
  bool const whole = t.adds || t.channels >= index_t{Vectors} * N;
  each<Rows * Vectors>([&](auto i) PLACEMENT_ALWAYS_INLINE {
    S* const to = t.out + i / Vectors * t.out_step + i % Vectors * t.out_vector;
    if (t.adds) {
      vector before;
      std::memcpy(&before, to, sizeof before);
      sum[i] += before;
    }
    if (whole) std::memcpy(to, &sum[i], sizeof(vector));
  });
  if (whole) return;
  S some[static_cast<std::size_t>(Rows * Vectors * N)];
  each<Rows * Vectors>(
      [&](auto i) PLACEMENT_ALWAYS_INLINE { std::memcpy(some + i * N, &sum[i], sizeof(vector)); });
  write_first_channels<N, cpu_kernels>(t, some, Rows, Vectors);
}

/// The address of p[n], which may lie outside of the array: for prefetches.
template <class S> PLACEMENT_ALWAYS_INLINE inline void const* address_of(S const* p, index_t n) {
  auto const at = reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(n) * sizeof(S);
  // Arithmetic of pointers is undefined outside of the array.
  return reinterpret_cast<void const*>(at);  // NOLINT(performance-no-int-to-ptr)
}

/// Transposes rows of n elements, N of them, to n vectors of N elements, or back.
template <class S> struct conv2d_transpose_call {
  S *row, *vector;
  index_t pitch;  ///< elements from row to row
  index_t n;
  index_t step;  ///< elements from vector to vector
};
template <int Bytes, bool ToVectors, class S>
PLACEMENT_ALWAYS_INLINE inline void transpose_images(conv2d_transpose_call<S> const& t) {
  constexpr int N = Bytes / static_cast<int>(sizeof(S));
  constexpr index_t ahead = 256 / static_cast<index_t>(sizeof(S));
  index_t k = 0;
  for (; k + N <= t.n; k += N) {
    lane_array<S, N, N> x;
    // The processor loads no more than some sequences of addresses ahead. These are N.
    each<N>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      __builtin_prefetch(address_of(t.row, i * t.pitch + k + ahead), ToVectors ? 0 : 1);
    });
    each<N>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      std::memcpy(&x[i], ToVectors ? t.row + i * t.pitch + k : t.vector + (k + i) * t.step,
                  sizeof x[i]);
    });
    transpose_lanes<N, 1, S>(x);
    each<N>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      std::memcpy(ToVectors ? t.vector + (k + i) * t.step : t.row + i * t.pitch + k, &x[i],
                  sizeof x[i]);
    });
  }
  for (; k != t.n; ++k)
    for (int i = 0; i != N; ++i) {
      S &row = t.row[i * t.pitch + k], &vector = t.vector[k * t.step + i];
      if constexpr (ToVectors) vector = row;
      else row = vector;
    }
}

template <class S> using conv2d_tile_function = void (*)(conv2d_tile<S> const&);
template <class S> using conv2d_transpose_function = void (*)(conv2d_transpose_call<S> const&);

/// The tiles for one kind of processor.
template <class S> struct conv2d_tiles {
  static constexpr int max_rows = 8, max_vectors = 4;

  index_t lanes;              ///< numbers in a vector
  index_t vectors;            ///< the most in a row of a tile
  index_t rows[max_vectors];  ///< the most of a tile with 1, 2 ... vectors
  conv2d_tile_function<S> tile[max_vectors][max_rows];
  conv2d_transpose_function<S> to_vectors, from_vectors;

  constexpr index_t rows_of(index_t count) const { return rows[count - 1]; }
  void compute(conv2d_tile<S> const& t, index_t count, index_t row_count) const {
    tile[count - 1][row_count - 1](t);
  }
};

/// The rows of tiles with 1, 2, 3 and 4 vectors that fit the registers; 0 for a tile that does not.
constexpr int rows_in_registers(int bytes, bool many_registers, int vectors) {
  constexpr int many[] = {8, 8, 8, 6}, wide[] = {8, 6, 4, 0}, narrow[] = {8, 6, 0, 0};
  return (many_registers ? many : bytes > 16 ? wide : narrow)[vectors - 1];
}

/// The instructions that this file is compiled for.
template <int Bytes, bool ManyRegisters> struct processor_of_file {
  static constexpr int bytes = Bytes;
  static constexpr bool many_registers = ManyRegisters;

  template <int Rows, int Vectors, class S> static void run(conv2d_tile<S> const& t) {
    compute_tile<bytes, Rows, Vectors>(t);
  }
  template <bool ToVectors, class S> static void transpose(conv2d_transpose_call<S> const& t) {
    transpose_images<bytes, ToVectors>(t);
  }
};
using baseline_processor = processor_of_file<PLACEMENT_VECTOR_BYTES, PLACEMENT_MANY_VECTORS>;
/// x86-64 with AVX2 and FMA.
struct avx2_processor {
  static constexpr int bytes = 32;
  static constexpr bool many_registers = false;

  template <int Rows, int Vectors, class S>
  PLACEMENT_FOR_AVX2 static void run(conv2d_tile<S> const& t) {
    compute_tile<bytes, Rows, Vectors>(t);
  }
  template <bool ToVectors, class S>
  PLACEMENT_FOR_AVX2 static void transpose(conv2d_transpose_call<S> const& t) {
    transpose_images<bytes, ToVectors>(t);
  }
};
/// x86-64 with AVX-512.
struct avx512_processor {
  static constexpr int bytes = 64;
  static constexpr bool many_registers = true;

  template <int Rows, int Vectors, class S>
  PLACEMENT_FOR_AVX512 static void run(conv2d_tile<S> const& t) {
    compute_tile<bytes, Rows, Vectors>(t);
  }
  template <bool ToVectors, class S>
  PLACEMENT_FOR_AVX512 static void transpose(conv2d_transpose_call<S> const& t) {
    transpose_images<bytes, ToVectors>(t);
  }
};

template <class Processor, class S, int Vectors, int... Row>
constexpr void set_tiles(conv2d_tiles<S>& t, std::integer_sequence<int, Row...>) {
  if constexpr (sizeof...(Row) != 0) t.vectors = Vectors;
  t.rows[Vectors - 1] = sizeof...(Row);
  ((t.tile[Vectors - 1][Row] = &Processor::template run<Row + 1, Vectors, S>), ...);
}
template <class Processor, class S> constexpr conv2d_tiles<S> make_tiles() {
  conv2d_tiles<S> t{};
  t.lanes = Processor::bytes / static_cast<int>(sizeof(S));
  auto const set = [&]<int Vectors>(std::integral_constant<int, Vectors>) {
    constexpr int rows = rows_in_registers(Processor::bytes, Processor::many_registers, Vectors);
    set_tiles<Processor, S, Vectors>(t, std::make_integer_sequence<int, rows>{});
  };
  set(std::integral_constant<int, 1>{});
  set(std::integral_constant<int, 2>{});
  set(std::integral_constant<int, 3>{});
  set(std::integral_constant<int, 4>{});
  t.to_vectors = &Processor::template transpose<true, S>;
  t.from_vectors = &Processor::template transpose<false, S>;
  return t;
}
template <class Processor, class S>
inline constexpr conv2d_tiles<S> tiles_of = make_tiles<Processor, S>();

/// The tiles for the processor that runs this.
template <class S> conv2d_tiles<S> const& tiles_here() {
  if constexpr (PLACEMENT_HAS_LEVELS) {
    cpu_level const level = cpu_level_in_use();
    if (level == cpu_level::avx512) return tiles_of<avx512_processor, S>;
    if constexpr (PLACEMENT_X86_LEVEL < 3)
      if (level == cpu_level::avx2) return tiles_of<avx2_processor, S>;
  }
  return tiles_of<baseline_processor, S>;
}

}}}  // namespace placement::v0_1::detail
