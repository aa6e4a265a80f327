// Computes products and comparisons of arrays for arrays_products.py, which compares them with
// NumPy's.
//
//   arrays_products FOLDER DEVICE    writes operands and results, and cases.txt:
//   function|argument|operands|result
#include "cases.hpp"

#include <placement/ops/dot.hpp>
#include <placement/ops/einsum.hpp>
#include <placement/ops/inner.hpp>
#include <placement/ops/isclose.hpp>
#include <placement/ops/outer.hpp>
#include <placement/ops/tensordot.hpp>
#include <placement/placement.hpp>

#include <iostream>
#include <limits>
#include <string>

namespace {

using namespace placement;

/// Small numbers that no two dimensions repeat in the same way; their products are exact.
template <class T, class X> tensor<T, X> numbers(X const& shape) {
  return cast<T>(iota(shape, 0) * 7 % 11 - 4);
}

template <detail::fixed_string S, class... X> void add_einsum(cases& to, X const&... x) {
  to.add("einsum", std::string(S.view()), einsum<S>(x...), x...);
}

template <class T> void add_vector_rules(cases& to) {
  auto const v = numbers<T>(shape(3));
  auto const w = numbers<T>(shape(4));
  auto const a = numbers<T>(shape(3, 4));
  auto const b = numbers<T>(shape(4, 2));
  auto const batch = numbers<T>(shape(5, 3, 4));
  auto const other = numbers<T>(shape(2, 1, 4, 3));
  auto const add_matmul = [&](auto const& x, auto const& y) {
    to.add("matmul", "", matmul(x, y), x, y);
  };
  add_matmul(v, v);
  add_matmul(v, a);
  add_matmul(a, w);
  add_matmul(a, b);
  add_matmul(batch, w);
  add_matmul(v, batch);
  add_matmul(batch, b);
  add_matmul(batch, other);
  add_matmul(transpose(a), v);
  add_matmul(w, transpose(a));
}
template <class T> void add_dots(cases& to) {
  auto const scalar = numbers<T>(shape());
  auto const v = numbers<T>(shape(4));
  auto const a = numbers<T>(shape(3, 4));
  auto const b = numbers<T>(shape(4, 2));
  auto const x = numbers<T>(shape(2, 3, 4));
  auto const y = numbers<T>(shape(5, 4, 2));
  auto const none = numbers<T>(shape(0, 4));
  auto const no_depth = numbers<T>(shape(3, 0));
  auto const add_dot = [&](auto const& l, auto const& r) { to.add("dot", "", dot(l, r), l, r); };
  auto const add_inner = [&](auto const& l, auto const& r) {
    to.add("inner", "", inner(l, r), l, r);
  };
  auto const add_outer = [&](auto const& l, auto const& r) {
    to.add("outer", "", outer(l, r), l, r);
  };
  add_dot(scalar, scalar);
  add_dot(scalar, a);
  add_dot(a, scalar);
  add_dot(v, v);
  add_dot(a, v);
  add_dot(a, b);
  add_dot(v, b);
  add_dot(x, v);
  add_dot(x, b);
  add_dot(x, y);
  add_dot(v, y);
  add_dot(none, b);
  add_dot(no_depth, numbers<T>(shape(0, 2)));
  add_inner(scalar, x);
  add_inner(v, v);
  add_inner(a, v);
  add_inner(x, a);
  add_inner(x, x);
  add_inner(no_depth, no_depth);
  add_outer(v, v);
  add_outer(a, v);
  add_outer(transpose(a), x);
  add_outer(scalar, v);
  add_outer(none, v);
}
template <class T> void add_tensordots(cases& to) {
  auto const x = numbers<T>(shape(2, 3, 4));
  auto const y = numbers<T>(shape(3, 4, 5));
  auto const z = numbers<T>(shape(4, 3, 2));
  to.add("tensordot", "2", tensordot(x, y), x, y);
  to.add("tensordot", "1", tensordot<1>(x, z), x, z);
  to.add("tensordot", "0", tensordot<0>(x, z), x, z);
  to.add("tensordot", "3", tensordot<3>(x, x), x, x);
  to.add("tensordot", "([1, 2], [0, 1])", tensordot(x, y, {1, 2}, {0, 1}), x, y);
  to.add("tensordot", "([2, 1], [1, 0])", tensordot(x, y, {2, 1}, {1, 0}), x, y);
  to.add("tensordot", "([0, -1], [2, 0])", tensordot(x, z, {0, -1}, {2, 0}), x, z);
  to.add("tensordot", "([1], [1])", tensordot(x, z, {1}, {1}), x, z);
  to.add("tensordot", "([0, 1, 2], [2, 1, 0])", tensordot(x, z, {0, 1, 2}, {2, 1, 0}), x, z);
}
template <class T> void add_einsums_of_one(cases& to) {
  auto const a = numbers<T>(shape(3, 4));
  auto const s = numbers<T>(shape(4, 4));
  auto const x = numbers<T>(shape(2, 3, 4));
  auto const d = numbers<T>(shape(3, 2, 3, 3));
  add_einsum<"ij">(to, a);
  add_einsum<"ba">(to, a);
  add_einsum<"ij->ji">(to, a);
  add_einsum<"ij->">(to, a);
  add_einsum<"ij->j">(to, a);
  add_einsum<"ii">(to, s);
  add_einsum<"ii->i">(to, s);
  add_einsum<"i j k -> k i">(to, x);
  add_einsum<"ijk->j">(to, x);
  add_einsum<"ijii->ji">(to, d);
  add_einsum<"ijkk->ij">(to, d);
  add_einsum<"...i->...">(to, x);
  add_einsum<"i...->...i">(to, x);
  add_einsum<"...ii->...">(to, d);
  add_einsum<"Zab">(to, x);
}
template <class T> void add_einsums_of_two(cases& to) {
  auto const v = numbers<T>(shape(4));
  auto const w = numbers<T>(shape(3));
  auto const a = numbers<T>(shape(3, 4));
  auto const b = numbers<T>(shape(4, 2));
  auto const s = numbers<T>(shape(4, 4));
  auto const x = numbers<T>(shape(2, 3, 4));
  auto const y = numbers<T>(shape(2, 4, 5));
  auto const q = numbers<T>(shape(2, 3, 4, 5));
  auto const k = numbers<T>(shape(2, 6, 4, 5));
  add_einsum<"i,i">(to, v, v);
  add_einsum<"i,j">(to, v, w);
  add_einsum<"i,j->ji">(to, v, w);
  add_einsum<"ij,jk">(to, a, b);
  add_einsum<"ij,jk->ki">(to, a, b);
  add_einsum<"ij,kj->ik">(to, a, a);
  add_einsum<"ij,ij->ij">(to, a, a);
  add_einsum<"ij,ij->i">(to, a, a);
  add_einsum<"ij,ij">(to, a, a);
  add_einsum<"ij,j->i">(to, a, v);
  add_einsum<"i,ij->j">(to, w, a);
  add_einsum<"ij,k->">(to, a, w);
  add_einsum<"ij,k->jk">(to, a, w);
  add_einsum<"ii,ij->j">(to, s, b);
  add_einsum<"ii,i->i">(to, s, v);
  add_einsum<"ij,ji->">(to, s, s);
  add_einsum<"bij,bjk->bik">(to, x, y);
  add_einsum<"bij,bjk->bki">(to, x, y);
  add_einsum<"bij,bjk->ibk">(to, x, y);
  add_einsum<"bij,bjk->ik">(to, x, y);
  add_einsum<"bij,jk->bik">(to, x, b);
  add_einsum<"bij,bij->j">(to, x, x);
  add_einsum<"bij,bkj->jik">(to, x, x);
  add_einsum<"bijc,bkjc->bik">(to, q, q);
  add_einsum<"bqhd,bkhd->bhqk">(to, q, k);
  add_einsum<"bhqk,bkhd->bqhd">(to, numbers<T>(shape(2, 4, 3, 6)), k);
  add_einsum<"abcd,abed->ce">(to, q, q);
  add_einsum<"abcd,bacd->abcd">(to, q, permute(q, 1, 0, 2, 3));
  add_einsum<"abcd,dcab->">(to, q, permute(q, 3, 2, 0, 1));
  add_einsum<"...ij,...jk->...ik">(to, x, y);
  add_einsum<"...ij,jk">(to, x, b);
  add_einsum<"...,...">(to, x, a);
  add_einsum<"i...,i...->...">(to, a, w);
  add_einsum<"...i,...i->...">(to, numbers<T>(shape(2, 1, 4)), numbers<T>(shape(3, 4)));
  add_einsum<"...ij,...kj->...ik">(to, numbers<T>(shape(2, 1, 3, 4)), numbers<T>(shape(5, 3, 4)));
  add_einsum<",ij">(to, numbers<T>(shape()), a);
  add_einsum<"ij,jk->ik">(to, numbers<T>(shape(3, 0)), numbers<T>(shape(0, 2)));
}
template <class T> void add_einsums_of_many(cases& to) {
  auto const v = numbers<T>(shape(3));
  auto const w = numbers<T>(shape(2));
  auto const a = numbers<T>(shape(3, 4));
  auto const b = numbers<T>(shape(4, 2));
  auto const c = numbers<T>(shape(2, 3));
  add_einsum<"ij,jk,kl->il">(to, a, b, c);
  add_einsum<"ij,jk,ki->">(to, a, b, c);
  add_einsum<"i,ij,jk->k">(to, v, a, b);
  add_einsum<"i,j,k->kij">(to, v, w, v);
  add_einsum<"ij,ij,ij->j">(to, a, a, a);
  add_einsum<"i,ij,jk,k">(to, v, a, b, w);
}

/// Values around the limits of a tolerance, infinities and NaN, each with each.
template <class T> void add_isclose(cases& to) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  tensor<T, dextents<1>> const x{T(0),     T(1e-8),     T(-1e-8), T(2e-8), T(1), T(1.000009),
                                 T(1.001), T(-1.00001), T(1e5),   inf,     -inf, nan};
  auto const add = [&](std::string const& argument, tolerance within) {
    tensor const column = reshape(x, shape(12, 1));
    to.add("isclose", argument, isclose(column, x, within), column, x);
  };
  add("(1e-05, 1e-08, False)", {});
  add("(1e-05, 1e-08, True)", {.equal_nan = true});
  add("(0.01, 0, False)", {.rtol = 0.01, .atol = 0});
  add("(0, 1, True)", {.rtol = 0, .atol = 1, .equal_nan = true});
}
void add_isclose_of_integers(cases& to) {
  tensor const x = cast<int>(iota(shape(9), 0) * 1000 - 4000);
  tensor const y = tensor(reshape(x, shape(9, 1))) + 1;
  to.add("isclose", "(0.001, 0, False)", isclose(x, y, {.rtol = 0.001, .atol = 0}), x, y);
}

template <class T> void add_all(cases& to) {
  add_vector_rules<T>(to);
  add_dots<T>(to);
  add_tensordots<T>(to);
  add_einsums_of_one<T>(to);
  add_einsums_of_two<T>(to);
  add_einsums_of_many<T>(to);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) return 2;
  placement::with_device const scope(arguments[2]);
  cases to(arguments[1]);
  add_all<double>(to);
  add_all<int>(to);
  add_isclose<float>(to);
  add_isclose<double>(to);
  add_isclose_of_integers(to);
  return 0;
} catch (error const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
