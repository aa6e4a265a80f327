// dot, inner, outer, tensordot, einsum, and matmul's rules for vectors. Their values are compared
// with NumPy's in tests/numpy/arrays_products.cpp.
#include <placement/ops/dot.hpp>
#include <placement/ops/einsum.hpp>
#include <placement/ops/inner.hpp>
#include <placement/ops/outer.hpp>
#include <placement/ops/tensordot.hpp>
#include <placement/placement.hpp>

#include <support/elementwise.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

using namespace placement;

namespace {

template <class T, class X> tensor<T, X> numbered(X const& shape) {
  std::vector<T> all;
  for (int i = 0; i != static_cast<int>(shape.count()); ++i)
    all.push_back(static_cast<T>(static_cast<float>(i * 7 % 11 - 4)));
  return from(all, shape);
}
template <class F> std::string message_of(F const& f) {
  try {
    f();
  } catch (shape_error const& e) { return e.what(); }
  return "no error";
}
bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}
template <class X, class E> bool has_extents(E const&) {
  return std::is_same_v<typename E::extents_type, X>;
}

}  // namespace

TEST_CASE("products of vectors run on each device, for each element type") {
  using nightly = types<std::int8_t, int, std::int64_t, float16, bfloat16, float, double>;
  each<types_of_run<nightly, types<std::int8_t, bfloat16, double>>>([]<class T>() {
    INFO("element type " << element_name<T>());
    on_each_device([&](device d) {
      auto const v = numbered<T>(shape(3));     // -4 3 -1
      auto const a = numbered<T>(shape(2, 3));  // and 6 2 -2
      tensor const vv = matmul(v, v);
      tensor const av = matmul(a, v);
      tensor const dots = einsum<"ij,ij->i">(a, a);
      CHECK(static_cast<int>(item(vv)) == 26);
      CHECK(vv.where() == d);
      CHECK(static_cast<int>(av.read()[1]) == -16);
      CHECK(static_cast<int>(dots.read()[1]) == 44);
      CHECK(dots.where() == d);
      CHECK(std::is_same_v<typename decltype(vv)::value_type, T>);
      CHECK(static_cast<int>(tensor(outer(v, v)).read()[1]) == -12);
    });
  });
}

TEST_CASE("sums of products of integers wrap, those of 16-bit numbers are summed in float") {
  tensor const x{std::int8_t{100}, std::int8_t{100}};
  CHECK(static_cast<int>(item(dot(x, x))) == 32);  // 20,000 modulo 256
  // 1 + 1/1024 has an odd last bit; its square needs more digits than float16 has.
  float16 const f(1.f + 1.f / 1024);
  tensor const h{f, f};
  float const square = static_cast<float>(f) * static_cast<float>(f);
  CHECK(item(dot(h, h)) == float16(square + square));
}

TEST_CASE("static extents of products stay static") {
  tensor const a = zeros<float>(extents<2, 3>{});
  tensor const b = zeros<float>(extents<3, 4>{});
  tensor const c = zeros<float>(extents<5, 2, 3>{});
  tensor const v = zeros<float>(extents<3>{});
  CHECK(has_extents<extents<2, 4>>(dot(a, b)));
  CHECK(has_extents<extents<2>>(matmul(a, v)));
  CHECK(has_extents<extents<4>>(matmul(v, b)));
  CHECK(has_extents<extents<>>(matmul(v, v)));
  CHECK(has_extents<extents<5, 2, 2>>(inner(c, a)));
  CHECK(has_extents<extents<30, 3>>(outer(c, v)));
  CHECK(has_extents<dextents<1>>(tensordot(c, a, {1, 2}, {0, 1})));  // the axes are values
  CHECK(has_extents<extents<5, 2, 4>>(tensordot<1>(c, b)));
  CHECK(has_extents<extents<4, 5, 2>>(einsum<"bij,jk->kbi">(c, b)));
  CHECK(has_extents<extents<5, 2, 4>>(einsum<"...j,jk">(c, b)));
  CHECK(has_extents<extents<3, dyn>>(einsum<"ij,jk->jk">(a, numbered<float>(shape(3, 6)))));
}

TEST_CASE("operands of einsum are not copied where their strides suffice") {
  auto const q = numbered<float>(shape(2, 3, 4, 5));
  auto const k = numbered<float>(shape(2, 6, 4, 5));
  auto const w = numbered<float>(shape(5, 7));
  CHECK(plan_of(einsum<"bqhd,bkhd->bhqk">(q, k)).kernels == 1);       // a batch of transposed
  CHECK(plan_of(einsum<"abcd,abce->de">(q, q)).kernels == 1);         // three dimensions as one
  CHECK(plan_of(einsum<"ij,jk->ki">(w, transpose(w))).kernels == 1);  // sides are exchanged
  CHECK(plan_of(einsum<"abcd,de->abce">(q, w)).kernels == 2);         // and the result's reshape
  CHECK(plan_of(einsum<"abcd,abcd->c">(q, q)).kernels == 1);          // one sum
  CHECK(plan_of(relu(einsum<"abcd,abed->abced">(q, q)) + 1.f).kernels == 1);       // fuses
  CHECK(plan_of(einsum<"abcd,bace->de">(q, permute<1, 0, 2, 3>(q))).kernels > 1);  // not in order
}

TEST_CASE("einsum has diagonals and sums of one operand") {
  tensor const s{{1, 2}, {3, 4}};
  CHECK(to_string(einsum<"ii->i">(s)) == to_string(tensor{1, 4}));
  CHECK(item(einsum<"ii">(s)) == 5);
  CHECK(to_string(einsum<"ij->j">(s)) == to_string(tensor{4, 6}));
  CHECK(to_string(einsum<"ji">(s)) == to_string(tensor{{1, 3}, {2, 4}}));
  CHECK(std::is_same_v<decltype(einsum<"ii">(s))::value_type, int>);
}

TEST_CASE("products of arrays without elements are zero or have no elements") {
  auto const none = numbered<float>(shape(3, 0));
  CHECK(to_string(einsum<"ij,kj->ik">(none, none)) == to_string(tensor(zeros<float>(3, 3))));
  CHECK(item(einsum<"ij,ij->">(none, none)) == 0.f);
  CHECK(tensor(dot(transpose(none), none)).size() == 0);
}

TEST_CASE("extents that do not match in a product are an error with both shapes") {
  auto const a = numbered<float>(shape(2, 3));
  auto const b = numbered<float>(shape(4, 5));
  auto const v = numbered<float>(shape(3));
  auto const w = numbered<float>(shape(4));
  std::string const text = message_of([&] { (void)dot(a, b); });
  CHECK(contains(text,
                 "placement: dot of shapes [2, 3] and [4, 5]: axis 1 of the left and axis 0 of "
                 "the right are multiplied, but have extents 3 and 4."));
  CHECK(contains(text, "products.cpp"));
  CHECK(contains(message_of([&] { (void)inner(a, b); }), "inner of shapes"));
  CHECK(contains(message_of([&] { (void)tensordot<1>(a, b); }), "tensordot of shapes"));
  CHECK(
      contains(message_of([&] { (void)matmul(v, w); }), "matmul of vectors of shapes [3] and [4]"));
  CHECK(contains(message_of([&] { (void)matmul(a, w); }), "matmul of shapes [2, 3] and [4, 1]"));
  CHECK(contains(message_of([&] { (void)einsum<"ij,jk->ik">(a, b); }),
                 "einsum of \"ij,jk->ik\": subscript j is 3 in operand 0 of shape [2, 3] and 4 in "
                 "operand 1 of shape [4, 5]."));
  CHECK(contains(message_of([&] { (void)einsum<"ij,jk">(a, b); }), "products.cpp:"));
  CHECK(contains(message_of([&] { (void)einsum<"ii">(a); }), "subscript i is 2"));
  CHECK(contains(message_of([&] { (void)einsum<"...i,...i->...">(a, w); }), "subscript i"));
  CHECK(contains(message_of([&] { (void)einsum<"...,...">(a, b); }), "a dimension of ..."));
  tensor const one{{1.f}};  // 1 is broadcast in an ellipsis only
  CHECK(contains(message_of([&] { (void)einsum<"ij,jk">(reshape(one, shape(1, 1)), b); }),
                 "subscript j is 1"));
}

TEST_CASE("wrong axes of tensordot are errors with the axis") {
  auto const a = numbered<float>(shape(2, 3));
  CHECK(contains(message_of([&] { (void)tensordot(a, a, {2}, {0}); }),
                 "tensordot's left operand of rank 2 has no axis 2."));
  CHECK(contains(message_of([&] { (void)tensordot(a, a, {0}, {-3}); }),
                 "tensordot's right operand of rank 2 has no axis -3."));
  CHECK(contains(message_of([&] { (void)tensordot(a, a, {1, -1}, {0, 1}); }),
                 "has axis -1 twice in its list"));
  CHECK(contains(message_of([&] { (void)tensordot(a, a, {0}, {1}); }),
                 "axis 0 of the left and axis 1 of the right"));
}

TEST_CASE("subscripts are read as NumPy reads them") {
  using placement::detail::subscript_error;
  auto const read = [](std::string_view text, auto... rank) {
    int const ranks[] = {rank...};
    return placement::detail::subscript_parser(text, ranks, sizeof...(rank)).parse();
  };
  auto const out = read("c a,b", 2, 1).out;  // alphabetical
  REQUIRE(out.size == 3);
  CHECK((out.label[0] == 'a' && out.label[1] == 'b' && out.label[2] == 'c'));
  CHECK(read("ij,jk->ik", 2, 2).error == subscript_error::none);
  CHECK(read("...,...->...", 0, 2).error == subscript_error::none);
  CHECK(read("i1,jk->ik", 2, 2).error == subscript_error::characters);
  CHECK(read("ij,jk->ik->", 2, 2).error == subscript_error::characters);
  CHECK(read("ij,jk-ik", 2, 2).error == subscript_error::characters);
  CHECK(read("i..j", 2).error == subscript_error::characters);
  CHECK(read("...i...", 3).error == subscript_error::characters);
  CHECK(read("ij,jk,kl", 2, 2).error == subscript_error::operands);
  CHECK(read("ij", 2, 2).error == subscript_error::operands);
  CHECK(read("ij", 3).error == subscript_error::rank);
  CHECK(read("ijk", 2).error == subscript_error::rank);
  CHECK(read("...ijk", 2).error == subscript_error::rank);
  CHECK(read("ij->ii", 2).error == subscript_error::repeated_output);
  CHECK(read("ij->ik", 2).error == subscript_error::unknown_output);
  CHECK(read("...i->i", 2).error == subscript_error::no_ellipsis_in_output);
}
