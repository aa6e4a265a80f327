// One kernel for each line of expected.py, which finds the kernels by the names of their ops.

#include <placement/math/float16.hpp>
#include <placement/placement.hpp>

#include <cstdint>

namespace ptx {

using namespace placement;
using gpu = gpu_kernels<__CUDA_ARCH_LIST__>;

struct copied_op {
  static constexpr std::string_view name = "Copied";
  using pattern = map;
  template <class T> PLACEMENT_HD T operator()(T x) const { return x; }
};
struct triad_op : copied_op {
  template <class T> PLACEMENT_HD T operator()(T x, T y) const { return x + T{3} * y; }
};
struct twice_op : copied_op {
  template <class T> PLACEMENT_HD T operator()(T x) const { return x + x; }
};
struct shifted_op : copied_op {
  PLACEMENT_HD float operator()(float x, float y) const { return x + y; }
};
struct chain_op : copied_op {
  PLACEMENT_HD float operator()(float x, float y, float z) const {
    return (((x + y) * z - x / 4) * y + z) * (x - y) + 2;
  }
};
struct bias_op : copied_op {
  PLACEMENT_HD float operator()(float x, float y) const { return x + y > 0 ? x + y : 0; }
};
struct transposed_op : copied_op {
  PLACEMENT_HD float operator()(float x, float y) const { return x * y; }
};
struct summed_op : copied_op {
  template <class T> PLACEMENT_HD T operator()(T x) const { return x; }
};
/// Fill ops as a program may write them: one is empty, one has only a member that takes no bytes.
struct squares_op {
  static constexpr std::string_view name = "Squares";
  using pattern = fill;
  PLACEMENT_HD float operator()(index_t i) const { return static_cast<float>(i * i); }
};
struct static_squares_op {
  static constexpr std::string_view name = "StaticSquares";
  using pattern = fill;
  [[no_unique_address]] extents<4096> shape;
  PLACEMENT_HD float operator()(index_t i) const { return static_cast<float>(i * i); }
};
struct nothing {
  PLACEMENT_HD void operator()(index_t, index_t) const {}
};

template <class Op, class... A> bound_expr<true, Op, A...> bound(Op op, A... a) {
  return {op, {{a}...}};
}
template <class T> dense_leaf<T> dense(T const* p) { return {p}; }
strided_load<dense_leaf<float>, 2> rows(float const* p, layout<2> const& where) {
  return {{p}, where};
}

template <class T> void copy(logical_device const& on, T* out, T const* x, index_t n) {
  kernel<gpu, map, copied_op, T>::contiguous(on, out, n, bound(copied_op{}, dense(x)));
}
template <class T> void triad(logical_device const& on, T* out, T const* x, index_t n) {
  kernel<gpu, map, triad_op, T>::contiguous(on, out, n, bound(triad_op{}, dense(x), dense(x + n)));
}
template void copy(logical_device const&, float*, float const*, index_t);
template void copy(logical_device const&, double*, double const*, index_t);
template void copy(logical_device const&, std::int8_t*, std::int8_t const*, index_t);
template void copy(logical_device const&, float16*, float16 const*, index_t);
template void copy(logical_device const&, bfloat16*, bfloat16 const*, index_t);
template void triad(logical_device const&, float*, float const*, index_t);
template void triad(logical_device const&, double*, double const*, index_t);

void twice(logical_device const& on, bfloat16* out, bfloat16 const* x, index_t n) {
  kernel<gpu, map, twice_op, bfloat16>::contiguous(on, out, n, bound(twice_op{}, dense(x)));
}
void twice(logical_device const& on, float16* out, float16 const* x, index_t n) {
  kernel<gpu, map, twice_op, float16>::contiguous(on, out, n, bound(twice_op{}, dense(x)));
}
void chain(logical_device const& on, float* out, float const* x, index_t n) {
  kernel<gpu, map, chain_op, float>::contiguous(
      on, out, n, bound(chain_op{}, dense(x), dense(x + n), dense(x + 2 * n)));
}
template <class Fill> void filled(logical_device const& on, float* out, float const* x, index_t n) {
  kernel<gpu, map, shifted_op, float>::contiguous(
      on, out, n, bound(shifted_op{}, index_generator<Fill>{}, dense(x)));
}
template void filled<squares_op>(logical_device const&, float*, float const*, index_t);
template void filled<static_squares_op>(logical_device const&, float*, float const*, index_t);
void bias(logical_device const& on, float* out, float const* x, dextents<2> const& s) {
  kernel<gpu, map, bias_op, float>::strided(
      on, out, row_major(s), s, bound(bias_op{}, rows(x, row_major(s)), rows(x, {0, {0, 1}})));
}
void turned(logical_device const& on, float* out, float const* x, dextents<2> const& s) {
  kernel<gpu, map, transposed_op, float>::strided(
      on, out, row_major(s), s,
      bound(transposed_op{}, rows(x, row_major(s)), rows(x, {0, {1, 64}})));
}
void sum(logical_device const& on, float* out, float const* x, index_t n) {
  kernel<gpu, reduce, sum_op<>, float>::contiguous(on, {}, out, n, bound(summed_op{}, dense(x)),
                                                   nothing{});
}
void spread(logical_device const& on, float* out, float const* x, index_t n) {
  kernel<gpu, reduce, std_dev_op<>, float>::contiguous(on, {}, out, n, bound(summed_op{}, dense(x)),
                                                       nothing{});
}
void softmax(logical_device const& on, dense_view<float, dextents<2>> out,
             dense_view<float const, dextents<2>> x) {
  kernel<gpu, custom, softmax_op, float>::run(on, {}, out, x);
}
/// A custom op of two-dimensional tensors.
template <class Op, class T, class R, class... In>
void custom_of(logical_device const& on, Op const& op, R* out, dextents<2> const& s, T const* x,
               In const&... in) {
  kernel<gpu, custom, Op, T>::run(on, op, dense_view<R, dextents<2>>{out, s},
                                  dense_view<T const, dextents<2>>{x, s}, in...);
}
void along_rows(logical_device const& on, float* out, std::int64_t* from, dextents<2> const& s,
                float const* x) {
  using second = axis_t<1>;
  custom_of(on, sort_op<second, ascending_t>{}, out, s, x);
  custom_of(on, argsort_op<second, ascending_t>{}, from, s, x);
  custom_of(on, cumsum_op<float, second>{}, out, s, x);
  custom_of(on, gather_op<second>{}, out, s, x, dense_view<std::int64_t const, dextents<1>>{});
  custom_of(on, concat_op<second>{}, out, s, x, dense_view<float const, dextents<2>>{x, s});
  kernel<gpu, reduce, sum_op<>, float>::last_axis(
      on, {}, out, s, bound(summed_op{}, rows(x, row_major(s))), nothing{});
}
template <class T>
void product(logical_device const& on, T* out, dextents<2> const& s, strided_view<T const, 2> x) {
  kernel<gpu, gemm, matmul_op, T>::run(on, out, s, 64, x, x, nothing{});
}
template void product(logical_device const&, float*, dextents<2> const&,
                      strided_view<float const, 2>);
template void product(logical_device const&, double*, dextents<2> const&,
                      strided_view<double const, 2>);
template void product(logical_device const&, float16*, dextents<2> const&,
                      strided_view<float16 const, 2>);
void batch(logical_device const& on, float* out, dextents<3> const& s,
           strided_view<float const, 3> x) {
  kernel<gpu, gemm, matmul_op, float>::run(on, out, s, 64, x, x, nothing{});
}
void layer(logical_device const& on, float* out, dextents<2> const& s,
           strided_view<float const, 2> x) {
  auto const f = bound(bias_op{}, rows(out, row_major(s)), rows(x.data, {0, {0, 1}}));
  strided_epilogue<float, bare<decltype(f)>, dextents<2>> const epilogue{s, out, f};
  kernel<gpu, gemm, matmul_op, float>::run(on, out, s, 64, x, x, epilogue);
}

}  // namespace ptx
