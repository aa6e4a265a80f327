// Element-wise work, compared with the bandwidth of a device copy.
#include "measure.hpp"
#include "sides.hpp"

#include <cstddef>

namespace bench {

namespace {

constexpr pl::index_t large = pl::index_t{1} << 28, middle = pl::index_t{1} << 26;
constexpr int threads = 256;

template <class T> double bytes_of(pl::index_t elements) {
  return static_cast<double>(elements) * sizeof(T);
}

// ---- raw CUDA: loads of 16 bytes, one per thread

template <class T> struct alignas(16) chunk {
  static constexpr int size = static_cast<int>(16 / sizeof(T));
  T v[16 / sizeof(T)];
};
template <class T> __device__ T triad_of(T x, T y) { return x + T(3) * y; }

template <class T> __global__ void raw_negate(T const* x, T* out) {
  std::size_t const i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  chunk<T> const a = reinterpret_cast<chunk<T> const*>(x)[i];
  chunk<T> r;
  for (int k = 0; k != chunk<T>::size; ++k) r.v[k] = -a.v[k];
  reinterpret_cast<chunk<T>*>(out)[i] = r;
}
template <class T> __global__ void raw_triad(T const* x, T const* y, T* out) {
  std::size_t const i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  chunk<T> const a = reinterpret_cast<chunk<T> const*>(x)[i];
  chunk<T> const b = reinterpret_cast<chunk<T> const*>(y)[i];
  chunk<T> r;
  for (int k = 0; k != chunk<T>::size; ++k) r.v[k] = triad_of(a.v[k], b.v[k]);
  reinterpret_cast<chunk<T>*>(out)[i] = r;
}
template <class T> unsigned blocks_for(pl::index_t n) {
  return static_cast<unsigned>(n / (threads * chunk<T>::size));
}

// ---- rows

template <class K = pl::kernels_here> void ceiling() {
  if (!is_wanted("copy")) return;
  auto x = random_sets<float>(pl::shape(large)), y = random_sets<float>(pl::shape(large));
  compare("device copy 2^28", {2 * bytes_of<float>(large)},
          {{"cudaMemcpyAsync", [&](int r) {
              check(cudaMemcpyAsync(of_round(y, r).data(), std::as_const(of_round(x, r)).data(),
                                    sizeof(float) * large, cudaMemcpyDeviceToDevice, stream()),
                    "cudaMemcpyAsync");
            }}});
}

template <class T, class K = pl::kernels_here> void of_type() {
  std::string const type = sizeof(T) == 4 ? "f32" : "f64";
  if (!is_wanted("negate " + type) && !is_wanted("add " + type) && !is_wanted("triad " + type))
    return;
  auto x = random_sets<T>(pl::shape(large)), y = random_sets<T>(pl::shape(large)),
       z = random_sets<T>(pl::shape(large));
  auto const in = [](std::vector<vector<T>>& all, int r) {
    return std::as_const(of_round(all, r)).data();
  };
  auto const out = [&](int r) { return of_round(z, r).data(); };
  compare("negate " + type + " 2^28", {2 * bytes_of<T>(large)},
          {{"placement", [&](int r) { of_round(z, r) = -of_round(x, r); }},
           {"raw CUDA",
            [&](int r) {
              raw_negate<<<blocks_for<T>(large), threads, 0, stream()>>>(in(x, r), out(r));
            }},
           {"cub", [&](int r) { cub_side::negate(in(x, r), out(r), large, stream()); }}});
  compare("add " + type + " 2^28", {3 * bytes_of<T>(large)},
          {{"placement", [&](int r) { of_round(z, r) = of_round(x, r) + of_round(y, r); }},
           {"cub", [&](int r) { cub_side::add(in(x, r), in(y, r), out(r), large, stream()); }}});
  std::vector<side> sides{
      {"placement", [&](int r) { of_round(z, r) = of_round(x, r) + T(3) * of_round(y, r); }},
      {"raw CUDA",
       [&](int r) {
         raw_triad<<<blocks_for<T>(large), threads, 0, stream()>>>(in(x, r), in(y, r), out(r));
       }},
      {"cub", [&](int r) { cub_side::triad(in(x, r), in(y, r), out(r), large, stream()); }}};
  if constexpr (sizeof(T) == 4)
    sides.push_back({"thrust", [&](int r) {
                       thrust_side::triad(in(x, r), in(y, r), out(r), large, stream());
                     }});
  compare("triad " + type + " 2^28", {3 * bytes_of<T>(large)}, sides);
}

/// 16-bit floats, which no other library here supports.
template <class T, class K = pl::kernels_here> void of_half(std::string const& type) {
  if (!is_wanted("triad " + type) && !is_wanted("negate " + type)) return;
  auto const narrow = [] {
    std::vector<vector<T>> all;
    for (auto const& wide : random_sets<float>(pl::shape(large)))
      all.emplace_back(pl::cast<T>(wide));
    return all;
  };
  auto x = narrow(), y = narrow(), z = narrow();
  compare("negate " + type + " 2^28", {2 * bytes_of<T>(large)},
          {{"placement", [&](int r) { of_round(z, r) = -of_round(x, r); }}});
  compare("triad " + type + " 2^28", {3 * bytes_of<T>(large)},
          {{"placement", [&](int r) { of_round(z, r) = of_round(x, r) + 3.f * of_round(y, r); }}});
}

template <class K = pl::kernels_here> void chain() {
  if (!is_wanted("chain")) return;
  auto x = random_sets<float>(pl::shape(middle)), y = random_sets<float>(pl::shape(middle)),
       z = random_sets<float>(pl::shape(middle)), out = random_sets<float>(pl::shape(middle));
  auto const in = [](std::vector<vector<float>>& all, int r) {
    return std::as_const(of_round(all, r)).data();
  };
  compare("chain of 8 ops f32 2^26", {4 * bytes_of<float>(middle)},
          {{"placement",
            [&](int r) {
              auto const &a = of_round(x, r), &b = of_round(y, r), &c = of_round(z, r);
              of_round(out, r) = (((a + b) * c - a * 0.25f) * b + c) * (a - b);
            }},
           {"cub", [&](int r) {
              cub_side::chain(in(x, r), in(y, r), in(z, r), of_round(out, r).data(), middle,
                              stream());
            }}});
}

template <class K = pl::kernels_here> void layouts() {
  if (!is_wanted("bias") && !is_wanted("strided") && !is_wanted("transposed")) return;
  constexpr pl::index_t rows = 16384, columns = 8192;
  auto x = random_sets<float>(pl::shape(rows, columns));
  auto y = random_sets<float>(pl::shape(rows, columns));
  auto const bias = random_sets<float>(pl::shape(columns));
  compare(
      "bias + relu f32 16384 x 8192", {2 * bytes_of<float>(rows * columns)},
      {{"placement", [&](int r) { of_round(y, r) = pl::relu(of_round(x, r) + bias.front()); }}});
  auto half = random_sets<float>(pl::shape(rows / 2, columns));
  compare("strided rows f32 8192 x 8192", {2 * bytes_of<float>(rows / 2 * columns)},
          {{"placement", [&](int r) {
              of_round(half, r) =
                  pl::slice(of_round(x, r), pl::range(0, rows, 2), pl::everything) * 2.f;
            }}});
  auto square = random_sets<float>(pl::shape(columns, columns));
  compare("transposed operand f32 8192 x 8192", {3 * bytes_of<float>(columns * columns)},
          {{"placement", [&](int r) {
              of_round(square, r) =
                  pl::transpose(of_round(square, r + 1)) + of_round(square, r + 2);
            }}});
}

}  // namespace

void elementwise() {
  measure([] { ceiling(); });
  measure([] { of_type<float>(); });
  measure([] { of_type<double>(); });
  measure([] { of_half<pl::bfloat16>("bf16"); });
  measure([] { of_half<pl::float16>("f16"); });
  measure([] { chain(); });
  measure([] { layouts(); });
}

}  // namespace bench
