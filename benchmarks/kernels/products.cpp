// Matrix products on one thread, or on PLACEMENT_INTRA_OP_THREADS threads of the library, beside
// direct calls of Eigen, OpenBLAS and BLIS. Names are row/side/extent. "placement_by_blas" is the
// component placement::blas, beside the "blas" that it found.

#include <placement/placement.hpp>
#if PLACEMENT_BENCH_BLAS
#  include <placement/interop/blas.hpp>
#endif

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <dlfcn.h>

#if PLACEMENT_BENCH_EIGEN
#  include <Eigen/Core>
#endif

namespace pl = placement;

namespace {

template <class T> char const* name_of() { return sizeof(T) == 4 ? "f32" : "f64"; }

/// The extents of a product, and the operands of all sides.
template <class T> struct product {
  std::int64_t m, n, k, batch = 1;
  bool right_is_transposed = false, left_is_transposed = false;

  double operations() const { return 2. * static_cast<double>(m * n * k * batch); }
  double bytes() const { return static_cast<double>((m * k + k * n) * batch) * sizeof(T); }
  std::vector<T> left() const { return numbers(m * k * batch); }
  std::vector<T> right() const { return numbers(k * n * batch); }
  std::vector<T> out() const { return numbers(m * n * batch); }

 private:
  static std::vector<T> numbers(std::int64_t count) {
    std::vector<T> v(static_cast<std::size_t>(count));
    T x = T(0.5);
    for (T& y : v) y = x = x > 1 ? x - T(0.73) : x + T(0.31);
    return v;
  }
};

/// Repeats the work. Reports operations per second, or bytes of a matrix per second.
template <class T, class F>
void repeat(benchmark::State& state, product<T> const& p, F const& work) {
  for (auto _ : state) {
    work();
    benchmark::ClobberMemory();
  }
  auto const rate = [&](double of_one) {
    return benchmark::Counter(of_one * static_cast<double>(state.iterations()),
                              benchmark::Counter::kIsRate);
  };
  if (p.m == 1 || p.n == 1) state.counters["bytes_per_second"] = rate(p.bytes());
  else state.counters["FLOP/s"] = rate(p.operations());
}

// ---- the sides

enum class follows { nothing, bias_and_relu };

template <class T>
void by_placement(benchmark::State& state, product<T> p, follows f, pl::product_engine* library) {
  pl::set_cpu_products(library);
  auto const left = p.left(), right = p.right();
  pl::tensor<T, pl::dextents<3>> const a = pl::from(
      left, p.left_is_transposed ? pl::shape(p.batch, p.k, p.m) : pl::shape(p.batch, p.m, p.k));
  pl::tensor<T, pl::dextents<3>> const b = pl::from(
      right, p.right_is_transposed ? pl::shape(p.batch, p.n, p.k) : pl::shape(p.batch, p.k, p.n));
  pl::tensor<T, pl::dextents<1>> const bias = pl::iota(p.n, T{});
  pl::tensor<T, pl::dextents<3>> c = pl::zeros<T>(p.batch, p.m, p.n);
  repeat(state, p, [&] {
    if (f == follows::bias_and_relu) c = pl::relu(pl::matmul(a, b) + bias);
    else if (p.right_is_transposed) c = pl::matmul(a, pl::transpose(b));
    else if (p.left_is_transposed) c = pl::matmul(pl::transpose(a), b);
    else c = pl::matmul(a, b);
  });
}

#if PLACEMENT_BENCH_EIGEN
template <class T, int N = Eigen::Dynamic> void by_eigen(benchmark::State& state, product<T> p) {
  constexpr int columns_first = N == 1 ? Eigen::ColMajor : Eigen::RowMajor;
  using matrix = Eigen::Matrix<T, N, N, columns_first>;
  using map = Eigen::Map<matrix const>;
  auto const left = p.left(), right = p.right();
  auto out = p.out();
  repeat(state, p, [&] {
    for (std::int64_t i = 0; i != p.batch; ++i) {
      map const a(left.data() + i * p.m * p.k, p.m, p.k);
      Eigen::Map<matrix> c(out.data() + i * p.m * p.n, p.m, p.n);
      T const* const b = right.data() + i * p.k * p.n;
      if (p.right_is_transposed) c.noalias() = a * map(b, p.n, p.k).transpose();
      else if (p.left_is_transposed)
        c.noalias() = map(left.data(), p.k, p.m).transpose() * map(b, p.k, p.n);
      else if (p.n == 1)
        c.col(0).noalias() = a * Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1> const>(b, p.k);
      else if (p.m == 1)
        c.row(0).noalias() =
            Eigen::Map<Eigen::Matrix<T, 1, Eigen::Dynamic> const>(left.data(), p.k) *
            map(b, p.k, p.n);
      else c.noalias() = a * map(b, p.k, p.n);
    }
  });
}
#endif

/// CBLAS constants: row-major order, not transposed, transposed.
constexpr int rows_first = 101, as_it_is = 111, turned = 112;

/// A BLAS that is loaded from a file and calls its own functions, so that several can be loaded.
struct loaded_blas {
  template <class T>
  using gemm = void (*)(int, int, int, int, int, int, T, T const*, int, T const*, int, T, T*, int);
  template <class T>
  using gemv = void (*)(int, int, int, int, T, T const*, int, T const*, int, T, T*, int);

  explicit loaded_blas(char const* file)
      : library(dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) {
    if (auto const set = found<void (*)(int)>("openblas_set_num_threads")) set(1);
    if (auto const set = found<void (*)(std::ptrdiff_t)>("bli_thread_set_num_threads")) set(1);
  }
  template <class F> F found(char const* name) const {
    return library == nullptr ? nullptr : reinterpret_cast<F>(dlsym(library, name));
  }

  void* library;
};
template <class T> void by_blas(benchmark::State& state, product<T> p, loaded_blas const& from) {
  bool const f32 = sizeof(T) == 4;
  auto const gemm = from.found<loaded_blas::gemm<T>>(f32 ? "cblas_sgemm" : "cblas_dgemm");
  auto const gemv = from.found<loaded_blas::gemv<T>>(f32 ? "cblas_sgemv" : "cblas_dgemv");
  auto const left = p.left(), right = p.right();
  auto out = p.out();
  int const m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  repeat(state, p, [&] {
    for (std::int64_t i = 0; i != p.batch; ++i) {
      T const* const a = left.data() + i * p.m * p.k;
      T const* const b = right.data() + i * p.k * p.n;
      T* const c = out.data() + i * p.m * p.n;
      if (p.n == 1) gemv(rows_first, as_it_is, m, k, 1, a, k, b, 1, 0, c, 1);
      else if (p.m == 1) gemv(rows_first, turned, k, n, 1, b, n, a, 1, 0, c, 1);
      else
        gemm(rows_first, p.left_is_transposed ? turned : as_it_is,
             p.right_is_transposed ? turned : as_it_is, m, n, k, 1, a, p.left_is_transposed ? m : k,
             b, p.right_is_transposed ? k : n, 0, c, n);
    }
  });
}

// ---- the rows

struct peer {
  char const* name;
  loaded_blas library;
};
std::vector<peer>& libraries() {
  static std::vector<peer> all;
  return all;
}

template <class T, class F>
void add(std::string const& row, char const* who, std::int64_t extent, F const& f) {
  benchmark::RegisterBenchmark(
      (row + '_' + name_of<T>() + '/' + who + '/' + std::to_string(extent)).c_str(), f);
}
template <class T>
void add_row(std::string const& row, std::int64_t extent, product<T> p,
             follows f = follows::nothing) {
  add<T>(row, "placement", extent, [=](auto& state) { by_placement(state, p, f, nullptr); });
#if PLACEMENT_BENCH_BLAS
  add<T>(row, "placement_by_blas", extent,
         [=](auto& state) { by_placement(state, p, f, &pl::blas_of_process()); });
#endif
  if (f != follows::nothing)  // beside the plain product, which is all that peers have
    return add<T>(row, "placement_plain", extent,
                  [=](auto& state) { by_placement(state, p, follows::nothing, nullptr); });
#if PLACEMENT_BENCH_EIGEN
  add<T>(row, "eigen", extent, [=](auto& state) {
    if (p.batch != 1 && p.n == 3) by_eigen<T, 3>(state, p);
    else if (p.batch != 1 && p.n == 4) by_eigen<T, 4>(state, p);
    else if (p.batch != 1 && p.n == 6) by_eigen<T, 6>(state, p);
    else if (p.batch != 1 && p.n == 8) by_eigen<T, 8>(state, p);
    else if (p.batch != 1 && p.n == 12) by_eigen<T, 12>(state, p);
    else if (p.batch != 1 && p.n == 16) by_eigen<T, 16>(state, p);
    else by_eigen<T>(state, p);
  });
#endif
  for (peer const& l : libraries())
    add<T>(row, l.name, extent, [=](auto& state) { by_blas(state, p, l.library); });
}
template <class T> void add_rows() {
  for (std::int64_t const n : {64, 256, 512, 1024, 2048}) {
    add_row<T>("matmul", n, {n, n, n});
    add_row<T>("matmul_transposed", n, {n, n, n, 1, true});
    add_row<T>("matmul_bias_relu", n, {n, n, n}, follows::bias_and_relu);
  }
  // Products of the digits example: the logits, and the gradient of the weights.
  for (std::int64_t const batch : {40, 640}) {
    add_row<T>("matmul_narrow", batch, {batch, 10, 784});
    add_row<T>("matmul_narrow_left_transposed", batch, {784, 10, batch, 1, false, true});
  }
  for (std::int64_t const n : {256, 1024, 4096}) {
    add_row<T>("matrix_vector", n, {n, 1, n});
    add_row<T>("vector_matrix", n, {1, n, n});
  }
  for (std::int64_t const n : {3, 4, 6, 8, 12, 16, 32})
    add_row<T>("batched", n, {n, n, n, 20000 / (n * n)});
}

}  // namespace

int main(int count, char** arguments) {
  if (std::getenv("PLACEMENT_INTRA_OP_THREADS") == nullptr) pl::set_intra_op_threads(1);
#if PLACEMENT_BENCH_BLAS
  libraries().push_back({"blas", loaded_blas(nullptr)});  // the linked BLAS
#endif
#if defined(PLACEMENT_BENCH_OPENBLAS)
  libraries().push_back({"openblas", loaded_blas(PLACEMENT_BENCH_OPENBLAS)});
#endif
#if defined(PLACEMENT_BENCH_BLIS)
  libraries().push_back({"blis", loaded_blas(PLACEMENT_BENCH_BLIS)});
#endif
  add_rows<float>();
  add_rows<double>();
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
