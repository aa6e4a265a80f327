#pragma once
/// What the transforms have in common: lengths, scales and layouts.

#include <placement/cpu/parallel_for.hpp>
#include <placement/expr/operand.hpp>
#include <placement/fft/plan_cache.hpp>
#include <placement/kernels/transform_engine.hpp>
#include <placement/ops/complex.hpp>
#include <placement/ops/sort.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 {

/// Which transform is scaled, for n elements. backward: the inverse by 1 / n, as NumPy does unless
/// said. forward: the other one by 1 / n. ortho: both by 1 / sqrt(n).
enum class fft_norm { backward, ortho, forward };

/// The number of elements that a transform takes along its axis: `fft(x, axis<-1>, fft_length{8})`.
/// Fewer elements are followed by zeros, and of more the last ones are not read. For irfft: the
/// number of elements of the result.
struct fft_length {
  index_t n;
};

namespace detail {

namespace no_adl {
/// The length that the operand's extent gives.
struct own_length {};
}  // namespace no_adl
using no_adl::own_length;
template <class L> inline constexpr bool is_own_length = std::is_same_v<L, own_length>;

template <class T> struct fft_real {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "placement: FFTW transforms float, double and complex numbers. Write "
                "cast<double>(x).");
  using type = T;
};
template <class R> struct fft_real<std::complex<R>> {
  using type = R;
};
/// The type of the parts of T.
template <class T> using fft_real_t = typename fft_real<T>::type;

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_no_transform(std::string_view op,
                                                                      index_t n,
                                                                      any_shape const& x) {
  throw shape_error("placement: " + std::string(op) + " of " + std::to_string(n) +
                    " elements, of a tensor of shape " + text_of(x) +
                    ". A transform takes at least one element along its axis.");
}

/// The factor of a transform of n elements.
inline double fft_scale(fft_norm norm, bool is_inverse, index_t n) {
  if (norm == fft_norm::ortho) return 1 / std::sqrt(static_cast<double>(n));
  return (norm == fft_norm::backward) == is_inverse ? 1 / static_cast<double>(n) : 1;
}
template <class T> void scale_all(T* x, index_t n, double factor) {
  if (factor == 1) return;
  auto const by = static_cast<fft_real_t<T>>(factor);
  for (index_t i = 0; i != n; ++i) x[i] *= by;
}

/// The shape of x with extent n along an axis. StaticN: n in the type, from a static extent.
template <class Axis, class StaticN, class X>
constexpr auto with_extent(Axis axis, StaticN static_n, X const& x, index_t n) {
  std::size_t const along = dimension_of<X::rank>(axis);
  return make_shape<X::rank>(
      [](std::size_t d) {
        if constexpr (std::is_same_v<Axis, run_time_axis>) {
          return static_cast<void>(d), dyn;
        } else {
          index_t const own = X::static_extent(d);
          if (d != dimension_of<X::rank>(Axis{})) return own;
          return own == dyn ? dyn : StaticN{}(own);
        }
      },
      [&](std::size_t d) {
        static_cast<void>(static_n);
        return d == along ? n : x.at(d);
      });
}

/// Elements along an axis, with `in` of them in the operand and `out` in the result, of n that are
/// transformed.
struct fft_fibers {
  sides around;
  index_t n, in, out;

  /// The elements of the result.
  index_t results() const { return around.before * out * around.after; }
  fft_shape shape(index_t sign) const {
    fft_shape s;
    s.rank = 1;
    s.loops = 2;
    s.along[0] = {n, around.after, around.after};
    s.loop[0] = {around.before, in * around.after, out * around.after};
    s.loop[1] = {around.after, 1, 1};
    s.sign = sign;
    return s;
  }
};

/// The rows of a block: some 65,536 elements. Blocks depend on the shape alone, and so do the bits
/// of a result, because FFTW may choose another algorithm for another number of fibers.
inline index_t rows_of_block(index_t width) {
  constexpr index_t elements = 1 << 16;
  return std::max<index_t>(1, elements / std::max<index_t>(width, 1));
}

/// Runs the transform of fibers, by the engine of GPUs. R: the type of the parts.
template <class R>
void transform_by_library(logical_device const& on, transform_kind kind, bool is_inverse,
                          fft_fibers const& f, double scale, void const* from, void* to) {
  fiber_transform t{kind, std::is_same_v<R, double>, is_inverse};
  t.before = f.around.before;
  t.after = f.around.after;
  t.n = f.n;
  t.in = f.in;
  t.out = f.out;
  t.scale = scale;
  registered_transforms::engine().run(on, t, from, to);
}

/// One block of transform_fibers.
template <class In, class Out>
void transform_block(fft_fibers fibers, index_t needed, index_t sign, In const* from, Out* to) {
  fft_plans<In, Out>& plans = fft_plans_of_process<In, Out>();
  if (fibers.in >= needed) return plans.run(fibers.shape(sign), from, to);
  index_t const rows = fibers.around.before, filled = fibers.in * fibers.around.after,
                width = needed * fibers.around.after;
  host_scratch<In> const padded(rows * width);
  for (index_t i = 0; i != rows; ++i) {
    In* const row = padded.data() + i * width;
    std::copy_n(from + i * filled, filled, row);
    std::fill(row + filled, row + width, In{});
  }
  fibers.in = needed;
  plans.run(fibers.shape(sign), static_cast<In const*>(padded.data()), to);
}
/// Transforms fibers of `from` by blocks, on several threads if there are many. `needed`: the
/// elements of each fiber that are read; where there are fewer, zeros follow.
/// Throws: out_of_memory.
template <class On, class In, class Out>
void transform_fibers(On const& on, fft_fibers const& fibers, index_t needed, index_t sign,
                      In const* from, Out* to) {
  index_t const rows = fibers.around.before, after = fibers.around.after;
  index_t const width = std::max(fibers.n, fibers.out) * after, block = rows_of_block(width);
  work_size size{(rows + block - 1) / block};
  size.cost = static_cast<std::size_t>(rows * width) * 16;
  on.parallel_for(size, [&](work_chunk const& chunk) {
    for (index_t b = chunk.begin; b != chunk.end; ++b) {
      fft_fibers part = fibers;
      part.around.before = std::min(block, rows - b * block);
      transform_block(part, needed, sign, from + b * block * fibers.in * after,
                      to + b * block * fibers.out * after);
    }
  });
}

/// The axis, length and scale of a transform.
template <class Axis, class Length> struct fft_parameters {
  [[no_unique_address]] Axis axis;
  [[no_unique_address]] Length length;
  fft_norm norm;

  /// The elements that are transformed, where the operand suggests `own`.
  /// Throws: shape_error if there are none.
  template <class X> constexpr index_t count(std::string_view op, index_t own, X const& x) const {
    index_t n = own;
    if constexpr (!is_own_length<Length>) n = length.n;
    if (n < 1) throw_no_transform(op, n, x);
    return n;
  }
  template <class X> constexpr index_t extent(X const& x) const {
    return x.at(dimension_of<X::rank>(axis));
  }
  /// The result's shape for n elements along the axis. StaticN: n from a static extent.
  template <class StaticN, class X>
  constexpr auto shape(StaticN static_n, X const& x, index_t n) const {
    if constexpr (is_own_length<Length>) return with_extent(axis, static_n, x, n);
    else
      return with_extent(run_time_axis{static_cast<int>(dimension_of<X::rank>(axis))}, static_n, x,
                         n);
  }
};

}  // namespace detail
}}  // namespace placement::v0_1
