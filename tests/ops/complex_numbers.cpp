// Complex elements: arithmetic, functions, views of 8 and 16 bytes, reductions, products, files and
// text. In a GPU scope they run on the CPU, visibly.
#include <placement/expr/array2string.hpp>
#include <placement/interop/dlpack.hpp>
#include <placement/interop/npz.hpp>
#include <placement/ops/array_equal.hpp>
#include <placement/ops/complex.hpp>
#include <placement/ops/dot.hpp>
#include <placement/ops/einsum.hpp>
#include <placement/ops/flip.hpp>
#include <placement/ops/full.hpp>
#include <placement/ops/hstack.hpp>
#include <placement/ops/moveaxis.hpp>
#include <placement/ops/norm.hpp>
#include <placement/ops/pad.hpp>
#include <placement/ops/repeat.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/tile.hpp>
#include <placement/ops/unique.hpp>
#include <placement/placement.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

using namespace placement;

namespace {

using c64 = std::complex<float>;
using c128 = std::complex<double>;
using both = types_of_run<types<c64, c128>, types<c64>>;
template <class C> using real_of = typename C::value_type;

/// Numbers that differ in both parts, as a tensor of the shape.
template <class C, class X> tensor<C, X> mixed(X const& shape, int seed = 1) {
  std::vector<C> all(shape.count());
  auto word = static_cast<std::uint32_t>(seed);
  auto const next = [&] {
    word = word * 1664525u + 1013904223u;
    return static_cast<real_of<C>>(static_cast<int>(word >> 24) - 128) / 16;
  };
  for (C& x : all) {
    auto const re = next();
    x = C(re, next());
  }
  return tensor_of(all, shape);
}
template <class C> bool same_bytes(C a, C b) { return std::memcmp(&a, &b, sizeof a) == 0; }
template <class C, class X>
index_t wrong_elements(tensor<C, X> const& got, std::vector<C> const& expected, double most = 0) {
  auto const h = got.read();
  if (h.size() != expected.size()) return -1;
  index_t wrong = 0;
  for (std::size_t i = 0; i != h.size(); ++i)
    if (!(std::abs(h[i] - expected[i]) <= most * (1 + std::abs(expected[i])))) ++wrong;
  return wrong;
}
template <class C> constexpr double few_ulps = 8 * std::numeric_limits<real_of<C>>::epsilon();

/// Whether the parts of the complex elements are these numbers.
template <class C, class X>
bool has_parts(tensor<C, X> const& z, tensor<real_of<C>, X> const& re,
               tensor<real_of<C>, X> const& im) {
  auto const h = z.read();
  auto const r = re.read(), i = im.read();
  if (z.shape() != re.shape() || z.shape() != im.shape()) return false;
  for (std::size_t k = 0; k != h.size(); ++k)
    if (h.data()[k].real() != r.data()[k] || h.data()[k].imag() != i.data()[k]) return false;
  return true;
}
/// Moving elements moves both parts alike: real(f(z)) is f(real(z)).
template <class C, class F, class X> bool moves_both_parts(F const& f, tensor<C, X> const& z) {
  tensor<real_of<C>, X> const re = real(z), im = imag(z);
  return has_parts(tensor(f(z)), tensor(f(re)), tensor(f(im)));
}

}  // namespace

TEST_CASE("arithmetic of complex numbers is that of std::complex") {
  each<both>([]<class C>() {
    INFO(element_name<C>());
    auto const x = mixed<C>(shape(7, 30)), y = mixed<C>(shape(7, 30), 9);
    auto const a = to_vector(reshape<-1>(x)), b = to_vector(reshape<-1>(y));
    std::vector<C> sums, differences_of, products, quotients, negatives;
    for (std::size_t i = 0; i != a.size(); ++i) {
      sums.push_back(a[i] + b[i]);
      differences_of.push_back(a[i] - b[i]);
      products.push_back(a[i] * b[i]);
      quotients.push_back(a[i] / b[i]);
      negatives.push_back(-a[i]);
    }
    on_each_device([&](device) {
      CHECK(wrong_elements(tensor(x + y), sums) == 0);
      CHECK(wrong_elements(tensor(x - y), differences_of) == 0);
      CHECK(wrong_elements(tensor(x * y), products) == 0);
      CHECK(wrong_elements(tensor(x / y), quotients, few_ulps<C>) == 0);
      CHECK(wrong_elements(tensor(-x), negatives) == 0);
      CHECK(wrong_elements(tensor(square(x) - x * x), std::vector<C>(a.size())) == 0);
      CHECK(wrong_elements(tensor(reciprocal(y) * y), std::vector<C>(a.size(), C(1)),
                           few_ulps<C>) == 0);
      CHECK(item(all(x == x)));
      CHECK(item(any(x != y)));
      CHECK(tensor(x + y).where() == cpu0);  // no GPU kernel has complex elements
    });
  });
}

TEST_CASE("quotients do not overflow where the result does not") {
  each<both>([]<class C>() {
    using R = real_of<C>;
    R const large = std::numeric_limits<R>::max() / 64, inf = std::numeric_limits<R>::infinity();
    tensor const x{C(large, large), C(large, 0), C(1, 1), C(1, 0), C(0, 0)};
    tensor const y{C(large, large), C(large, large), C(0, 2), C(0, 0), C(0, 0)};
    auto const q = tensor(x / y).read();
    CHECK(same_bytes(q[0], C(1, 0)));
    CHECK(same_bytes(q[1], C(R(0.5), R(-0.5))));
    CHECK(same_bytes(q[2], C(R(0.5), R(-0.5))));
    CHECK(q[3].real() == inf);
    CHECK(q[4].real() != q[4].real());
  });
}

TEST_CASE("functions of complex numbers give both parts") {
  each<both>([]<class C>() {
    using R = real_of<C>;
    auto const z = mixed<C>(shape(100));
    auto const v = to_vector(z);
    auto const check = [&](auto const& op, auto const& expected) {
      using T = decltype(expected(C{}));
      std::vector<T> all;
      for (C x : v) all.push_back(expected(x));
      tensor<T, dextents<1>> const got = op(z);
      CHECK(wrong_elements(tensor(cast<C>(got)), std::vector<C>(all.begin(), all.end()),
                           few_ulps<C>) == 0);
    };
    check([](auto const& x) { return real(x); }, [](C x) { return x.real(); });
    check([](auto const& x) { return imag(x); }, [](C x) { return x.imag(); });
    check([](auto const& x) { return conj(x); }, [](C x) { return std::conj(x); });
    check([](auto const& x) { return abs(x); }, [](C x) { return std::abs(x); });
    check([](auto const& x) { return arg(x); }, [](C x) { return std::arg(x); });
    check([](auto const& x) { return angle(x); }, [](C x) { return std::arg(x); });
    check([](auto const& x) { return exp(x); }, [](C x) { return std::exp(x); });
    check([](auto const& x) { return log(x); }, [](C x) { return std::log(x); });
    check([](auto const& x) { return sqrt(x); }, [](C x) { return std::sqrt(x); });
    CHECK(array_equal(make_complex(real(z), imag(z)), z));
    CHECK(item(abs(tensor{C(std::numeric_limits<R>::infinity(), NAN)})(0)) ==
          std::numeric_limits<R>::infinity());
    CHECK(array_equal(cast<bool>(tensor{C(0, 0), C(0, 1), C(1, 0)}), tensor{false, true, true}));
  });
  CHECK(to_string(cast<c128>(tensor{c64(1, 2)})) == "[1+2j]");
  CHECK(to_string(cast<c64>(tensor{1, 2})) == "[1+0j 2+0j]");
  CHECK(to_string(cast<c64>(tensor{true, false})) == "[1+0j 0+0j]");
}

TEST_CASE("expressions of complex tensors have the bits of single elements at any length") {
  each<both>([]<class C>() {
    using R = real_of<C>;
    R const inf = std::numeric_limits<R>::infinity();
    C const edges[] = {C(-0., 0), C(0, -0.), C(inf, 1), C(1, -inf), C(R(NAN), 2)};
    for (index_t n : {0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 100, 255, 256, 257, 1000}) {
      INFO(element_name<C>() << ", " << n << " elements");
      auto x = mixed<C>(shape(n));
      for (index_t i = 3; i < n; i += 7) x(i) = edges[i % 5];
      auto const y = tensor(x * C(R(0.5), R(2)) + C(1, -3));
      auto const a = to_vector(x), b = to_vector(y);
      auto const check = [&](auto const& got, auto const& expected) {
        auto const values = to_vector(got);
        for (std::size_t i = 0; i != values.size(); ++i) {
          auto const want = expected(a[i], b[i]);
          bool const nan = values[i] != values[i] && want != want;
          if (!nan) CHECK(same_bytes(values[i], want));
        }
      };
      using m = placement::detail::complex_math<C>;
      check(tensor(x + y), m::add);
      check(tensor(x - y), m::subtract);
      check(tensor(x * y), m::multiply);
      check(tensor(-x), [](C p, C) { return m::negative(p); });
      check(tensor(conj(x)), [](C p, C) { return m::conj(p); });
      check(tensor(real(x)), [](C p, C) { return m::real(p); });
      check(tensor(imag(x)), [](C p, C) { return m::imag(p); });
      check(tensor(conj(x) * y - x),
            [](C p, C q) { return m::subtract(m::multiply(m::conj(p), q), p); });
      check(tensor(real(x * y) + imag(y)),
            [](C p, C q) { return m::real(m::multiply(p, q)) + m::imag(q); });
      auto own = x;
      own = own * y;  // in place
      check(own, m::multiply);
      auto const reversed = tensor(abs(slice(x, range{.step = -1})));
      check(tensor(reverse(reversed, 0)), [](C p, C) { return item(abs(tensor{p, p})(0)); });
    }
  });
}

TEST_CASE("numbers beside complex tensors take their type, and updates keep it") {
  tensor z{c64(1, 2), c64(3, 4)};
  CHECK(to_string(z * 2.f + 1) == "[3+4j 7+8j]");
  CHECK(to_string(z * c64(0, 1)) == "[-2+1j -4+3j]");
  CHECK(to_string(where(real(z) > 2.f, z, 0)) == "[0+0j 3+4j]");
  z *= c64(0, 1);
  z += z;
  z -= 1;
  z /= c64(0, 2);
  CHECK(to_string(z) == "[1+2.5j 3+4.5j]");
  CHECK(to_string(full(shape(2), c128(1, 1)) == ones<c128>(2)) == "[False False]");
  CHECK(item(sum(zeros<c64>(3))) == c64());
  tensor<c128, extents<2, 2>, dev<kind::cpu, 0>> const small{{c128(1, 1), 2}, {3, c128(0, 1)}};
  CHECK(to_string(tensor(small + transpose(small))) == "[[2+2j 5+0j]\n [5+0j 0+2j]]");
  CHECK(z(1) == c64(3, 4.5f));
}

TEST_CASE("views and copies of complex elements move both parts alike") {
  each<both>([]<class C>() {
    INFO(element_name<C>());
    tensor<int, dextents<1>> const some{2, 0, 1};
    for (auto const& [m, n] : {std::pair{3, 5}, {64, 33}, {257, 130}, {1, 1}, {1, 700}, {0, 4}}) {
      INFO(m << " x " << n);
      auto const z = mixed<C>(shape(index_t{m}, index_t{n}));
      auto const moves = [&](auto const& f) { return moves_both_parts(f, z); };
      CHECK(moves([](auto const& x) { return transpose(x); }));
      CHECK(moves([](auto const& x) { return -transpose(x); }));
      CHECK(moves([](auto const& x) { return flip(x); }));
      CHECK(moves([](auto const& x) { return flip(x, 1); }));
      CHECK(moves([](auto const& x) {
        return x + broadcast_to(slice(x, everything, range{0, 1}), x.shape());
      }));
      CHECK(moves(
          [&](auto const& x) { return reshape(transpose(x), shape(index_t{m}, index_t{n})); }));
      CHECK(moves([](auto const& x) { return roll(x, 1, 1); }));
      CHECK(moves([](auto const& x) { return tile(x, shape(2, 3)); }));
      CHECK(moves([](auto const& x) { return repeat(x, 2, 0); }));
      CHECK(moves([](auto const& x) { return pad(x, 1); }));
      CHECK(moves([](auto const& x) { return hstack(x, x); }));
      CHECK(moves([](auto const& x) { return vstack(x, -x); }));
      CHECK(moves([](auto const& x) { return sum(x, 0); }));
      CHECK(moves([](auto const& x) { return sum(x, 1); }));
      CHECK(moves([](auto const& x) { return sum(transpose(x), 1); }));
      CHECK(moves([](auto const& x) { return cumsum(x); }));
      CHECK(moves([](auto const& x) { return sum(x); }));
      if (m > 2) CHECK(moves([&](auto const& x) { return gather(x, some); }));
    }
    auto const cube = mixed<C>(shape(20, 30, 40));
    CHECK(moves_both_parts([](auto const& x) { return moveaxis(x, 0, 2) + 0; }, cube));
    CHECK(moves_both_parts([](auto const& x) { return permute<2, 1, 0>(x); }, cube));
    CHECK(moves_both_parts([](auto const& x) { return sum(x, 1); }, cube));
    CHECK(moves_both_parts([](auto const& x) { return sum(permute<2, 0, 1>(x), 0, 2); }, cube));
    CHECK(moves_both_parts([](auto const& x) { return sum(reshape<600, 40>(x), 0); }, cube));
  });
}

TEST_CASE("writes through views of complex tensors, also to the memory that is read") {
  each<both>([]<class C>() {
    auto const z = mixed<C>(shape(70, 70));
    tensor t = z;
    transpose(view(t)) = t;  // in place, by a copy
    CHECK(array_equal(t, transpose(z)));
    slice(view(t), everything, range{0, 70, 2}) = C(0, 1);
    CHECK(array_equal(slice(t, everything, range{1, 70, 2}),
                      slice(tensor(transpose(z)), everything, range{1, 70, 2})));
    CHECK(item(all(slice(t, everything, range{0, 70, 2}) == C(0, 1))));
  });
}

TEST_CASE("large complex results are written on all threads, past the caches") {
  auto const z = mixed<c128>(shape(1 << 21));
  tensor const w = z * c128(0, 1) + z;
  CHECK(array_equal(real(w), real(z) - imag(z)));
  CHECK(array_equal(imag(w), real(z) + imag(z)));
  tensor s = z, d = z;
  evaluate(into(s) = z + w, into(d) = z - w);
  CHECK(array_equal(s + d, z + z));
}

TEST_CASE("complex numbers sum, multiply and average in double") {
  each<both>([]<class C>() {
    using R = real_of<C>;
    auto const z = mixed<C>(shape(1000));
    c128 total = 0;
    for (C x : to_vector(z)) total += c128(x);
    CHECK(item(sum(z)) == C(total));
    CHECK(std::abs(c128(item(mean(z))) - total / 1000.) <= few_ulps<C> * 100);
    CHECK(item(sum<c128>(z)) == total);
    CHECK(item(prod(tensor{C(0, 1), C(0, 1), C(2, 0)})) == C(-2, 0));
    CHECK(to_string(prod(tensor{{C(0, 1), C(1, 1)}, {C(0, 1), C(1, 1)}}, 0)) == "[-1+0j 0+2j]");
    CHECK(item(count_nonzero(tensor{C(0, 0), C(0, 1)})) == 1);
    C const none = item(mean(zeros<C>(0)));
    CHECK((none.real() != none.real()));
    static_assert(std::is_same_v<typename decltype(sum(z))::value_type, C>);
    static_assert(std::is_same_v<typename decltype(abs(z))::value_type, R>);
  });
}

TEST_CASE("products of complex matrices are those of plain loops") {
  each<both>([]<class C>() {
    for (auto const& [m, k, n] : {std::tuple{1, 1, 1},
                                  {3, 4, 5},
                                  {8, 8, 8},
                                  {1, 300, 200},
                                  {200, 300, 1},
                                  {61, 70, 83},
                                  {130, 129, 131},
                                  {100, 100, 3},
                                  {2, 0, 3}}) {
      INFO(element_name<C>() << " " << m << " x " << k << " x " << n);
      auto const a = mixed<C>(shape(index_t{m}, index_t{k}));
      auto const b = mixed<C>(shape(index_t{k}, index_t{n}), 5);
      auto const x = to_vector(reshape<-1>(a)), y = to_vector(reshape<-1>(b));
      std::vector<C> expected;
      for (int i = 0; i != m; ++i)
        for (int j = 0; j != n; ++j) {
          c128 sum = 0;
          for (int l = 0; l != k; ++l)
            sum += c128(x[static_cast<std::size_t>(i * k + l)]) *
                   c128(y[static_cast<std::size_t>(l * n + j)]);
          expected.push_back(C(sum));
        }
      double const most = few_ulps<C> * 200;
      CHECK(wrong_elements(tensor(matmul(a, b)), expected, most) == 0);
      tensor const left = transpose(a), right = transpose(b);
      CHECK(wrong_elements(tensor(matmul(transpose(left), transpose(right))), expected, most) == 0);
      for (C& e : expected) e = std::conj(e) + C(1);
      CHECK(wrong_elements(tensor(conj(matmul(a, b)) + 1), expected, most) == 0);
    }
    auto const batch = mixed<C>(shape(3, 4, 4));
    CHECK(array_equal(matmul(batch, batch)[1], matmul(batch[1], batch[1])));
    auto const large = mixed<C>(shape(3, 20, 20));
    CHECK(array_equal(matmul(large, large)[1], matmul(large[1], large[1])));
    CHECK(
        array_equal(matmul(large, transpose(large[2]))[1], matmul(large[1], transpose(large[2]))));
    tensor const v{C(1, 2), C(3, -1)};
    CHECK(item(dot(v, conj(v))) == C(15, 0));
    CHECK(to_string(einsum<"i,j->ij">(v, v)) == "[[-3+4j 5+5j]\n [5+5j 8-6j]]");
    tensor<C, extents<4, 4>, dev<kind::cpu, 0>> const fixed = reshape<4, 4>(mixed<C>(shape(16)));
    tensor<C, dextents<2>> const loose = fixed;
    CHECK(array_equal(matmul(fixed, fixed), matmul(loose, loose)));
  });
}

TEST_CASE("complex elements in a GPU scope run on the CPU and say so") {
  log_lines log;
  with_device const scope("/gpu:1");
  tensor const z{c64(1, 2), c64(3, 4)};
  CHECK(z.where() == gpu1);
  tensor const w = abs(z * z) + 1.f;
  CHECK(to_string(w) == "[6 26]");
  CHECK(w.where() == gpu1);  // of the real numbers at the end
  auto const lines = log.take_all();
  REQUIRE(!lines.empty());
  CHECK(lines[0].find("<complex64> [2] asked for /GPU:1, runs on /CPU:0: no GPU kernel for this op "
                      "and element type") != std::string::npos);
}

TEST_CASE("complex arrays are written and read as NumPy's") {
  temporary_folder const folder;
  each<both>([&]<class C>() {
    auto const z = mixed<C>(shape(5, 3));
    auto const path = folder / "z.npy";
    save_npy(path, z);
    CHECK(read_npy_info(path).dtype == (sizeof(C) == 8 ? "<c8" : "<c16"));
    CHECK(array_equal(load_npy<C, 2>(path), z));
    save_npy(path, z, npy_order::fortran);
    CHECK(array_equal(load_npy<C, 2>(path), z));
    npz_writer archive(folder / "z.npz");
    archive.add("z", z);
    archive.close();
    CHECK(array_equal(npz_file(folder / "z.npz").load<C, 2>("z"), z));
    CHECK(error_message<invalid_argument>([&] { load_npy<float, 2>(path); })
              .find(sizeof(C) == 8 ? "load_npy<std::complex<float>, 2>"
                                   : "load_npy<std::complex<double>, 2>") != std::string::npos);
  });
}

TEST_CASE("complex tensors are exchanged through DLPack") {
  tensor const z{c128(1, 2), c128(3, 4)};
  auto* const out = to_dlpack(z);
  CHECK(out->tensor.type.code == dlpack::complex_real);
  CHECK(out->tensor.type.bits == 128);
  CHECK(array_equal(from_dlpack<c128, dextents<1>>(out), z));
}

TEST_CASE("complex numbers are printed with both parts") {
  double const inf = std::numeric_limits<double>::infinity();
  CHECK(to_string(tensor{c128(1, -0.0), c128(-0.5, inf), c128(0, -inf)}) ==
        "[1-0j -0.5+infj 0-infj]");
  CHECK(array2string(tensor{c64(1, 2), c64(-3.25f, -4)}) == "[ 1.  +2.j -3.25-4.j]");
  CHECK(array2string(tensor<c64, extents<>>(c64(1, 2))) == "(1+2j)");
  CHECK(array2string(tensor<c64, extents<>>(c64(0, 2))) == "2j");
}

TEST_CASE("variance, std_dev and norm of complex numbers are real") {
  // numpy.var, numpy.std and numpy.linalg.norm of [[1+2j, 3-1j], [-2+0.5j, 4j]]
  auto const check = [](auto part) {
    using R = decltype(part);
    using Z = std::complex<R>;
    matrix<Z> const x{{Z(1, 2), Z(3, -1)}, {Z(-2, R(0.5)), Z(0, 4)}};
    static_assert(std::is_same_v<typename decltype(variance(x))::value_type, R>);
    CHECK(to_vector(variance(x)) == std::vector<R>{R(6.671875)});
    CHECK(to_vector(variance(x, axis<0>)) == std::vector<R>{R(2.8125), R(8.5)});
    CHECK(to_vector(variance(x, axis<1>)) == std::vector<R>{R(3.25), R(4.0625)});
    CHECK(to_vector(variance(x + x)) == std::vector<R>{4 * R(6.671875)});
    CHECK(std::abs(to_vector(std_dev(x))[0] - std::sqrt(R(6.671875))) < R(1e-6));
    CHECK(std::abs(to_vector(norm(x))[0] - std::sqrt(R(35.25))) < R(1e-5));
    CHECK(std::abs(to_vector(norm<1>(x, axis<0>))[1] - (std::sqrt(R(10)) + 4)) < R(1e-5));
    CHECK(to_vector(norm<norm_inf>(x)) == std::vector<R>{4});
  };
  check(0.f);
#ifdef PLACEMENT_EVERY_COMBINATION
  check(0.);
#endif
}

TEST_CASE("unique orders complex numbers by the real part, then by the imaginary one") {
  auto const check = [](auto part) {
    using R = decltype(part);
    using Z = std::complex<R>;
    vector<Z> const x{Z(1, 2), Z(-1, 5), Z(1, -2), Z(1, 2), Z(R(-0.0), 0), Z(0, R(-0.0)), Z(-1, 5)};
    auto const [values, counts] = unique_counts(x);
    CHECK(to_vector(values) == std::vector<Z>{Z(-1, 5), Z(0, 0), Z(1, -2), Z(1, 2)});
    CHECK(to_vector(counts) == std::vector<std::int64_t>{2, 2, 1, 2});
    CHECK(array_equal(unique(x), values));
    vector<Z> const none = zeros<Z>(shape(0));
    CHECK(unique(none).size() == 0);

    std::vector<Z> many, expected;
    for (int i = 0; i != 2000; ++i) many.emplace_back(R(i * 7 % 900), R(i * 3 % 5));
    expected = many;
    auto const before = [](Z a, Z b) {
      return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
    };
    std::sort(expected.begin(), expected.end(), before);
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    CHECK(to_vector(unique(from(many))) == expected);
  };
  check(0.f);
#ifdef PLACEMENT_EVERY_COMBINATION
  check(0.);
#endif
}
