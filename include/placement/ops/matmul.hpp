#pragma once

#include <placement/expr/operand.hpp>
#include <placement/ops/cast.hpp>
#include <placement/ops/expand_dims.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/squeeze.hpp>
#include <placement/ops/sum.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void no_product(std::string const& a,
                                                              std::string const& b) {
  throw shape_error(
      "placement: matmul of shapes " + a + " and " + b +
      ": the columns of the left side must be as many as the rows of the right. Transpose one side, or check the shapes.");
}
/// The shape of a batch of products: NumPy's rule for the dimensions before the last two.
template <class A, class B, std::size_t... D>
auto product_type(std::index_sequence<D...>)
    -> extents<joined_static(padded_static_extent<A, sizeof...(D) + 2>(D),
                             padded_static_extent<B, sizeof...(D) + 2>(D))...,
               A::static_extent(A::rank - 2), B::static_extent(B::rank - 1)>;
template <class A, class B> constexpr bool batches_broadcast() {
  constexpr std::size_t R = joined_rank<A, B>;
  for (std::size_t d = 0; d + 2 < R; ++d)
    if (joined_static(padded_static_extent<A, R>(d), padded_static_extent<B, R>(d)) == -2)
      return false;
  return true;
}
template <class A, class B> constexpr bool inner_extents_agree() {
  index_t const k = A::static_extent(A::rank - 1), rows = B::static_extent(B::rank - 2);
  return k == dyn || rows == dyn || k == rows;
}
}  // namespace detail

/// Matrix product over the last two dimensions; those before are a batch, broadcast as NumPy does.
/// Shape: (..., m, k), (..., k, n) -> (..., m, n).  Type: any arithmetic, the same on both sides;
/// integers wrap.
/// Kernels: CPU all types; GPU floating point.  Throws: shape_error.
struct matmul_op {
  static constexpr std::string_view name = "MatMul";
  using pattern = gemm;

  template <class A, class B> static constexpr auto result(A const& a, B const& b) {
    static_assert(
        A::rank >= 2 && B::rank >= 2,
        "placement: matmul takes vectors, matrices and batches of them. Write a * b for a scalar.");
    static_assert(
        detail::inner_extents_agree<A, B>(),
        "placement: matmul's inner extents differ. Transpose one side, or check the shapes.");
    static_assert(
        detail::batches_broadcast<A, B>(),
        "placement: matmul's batches do not broadcast. Their extents must be equal or 1.");
    constexpr std::size_t R = detail::joined_rank<A, B>;
    if (a.at(A::rank - 1) != b.at(B::rank - 2)) detail::no_product(to_string(a), to_string(b));
    using shape = decltype(detail::product_type<A, B>(std::make_index_sequence<R - 2>{}));
    shape x{};
    for (std::size_t d = 0; d != R; ++d) {
      index_t n = d + 2 == R ? a.at(A::rank - 2) : b.at(B::rank - 1);
      if (d + 2 < R) {
        index_t const p = detail::padded_extent<R>(a, d), q = detail::padded_extent<R>(b, d);
        if (p != q && p != 1 && q != 1) detail::no_broadcast(a, b);
        n = p == 1 ? q : p;
      }
      if constexpr (!shape::is_static) x.n[d] = n;
    }
    return x;
  }

  using pullback_reads = reads_other_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& a, auto const& b) {
    if constexpr (I == 0) return matmul(g, transpose(b));
    else return matmul(transpose(a), g);
  }
};

namespace detail {

template <class X> using element_type_of = typename bare<X>::value_type;

/// Whether products of T are summed in float, because a product rounded to 16 bits loses digits.
template <class T>
inline constexpr bool is_widened = real_number<T> && !std::is_same_v<T, computed_in<T>>;

template <class A, class B> constexpr void check_factors() {
  static_assert(
      std::is_same_v<element_type_of<A>, element_type_of<B>>,
      "placement: these operands have different element types. Write cast<T>(x) on one of them.");
  static_assert(!std::is_same_v<element_type_of<A>, bool>,
                "placement: products are of numbers. Write cast<int>(x), or a && b.");
}

/// The products of two operands, element by element. K: the kernel set of the file, here and below.
template <class K, class A, class B> auto products_of(A&& a, B&& b, site at) {
  using T = element_type_of<A>;
  if constexpr (is_widened<T>)
    return multiply(cast<float>(std::forward<A>(a), at), cast<float>(std::forward<B>(b), at), at);
  else return multiply(std::forward<A>(a), std::forward<B>(b), at);
}
/// The sum along an axis as elements of T, or of all elements without an axis. Integers wrap.
template <class K, class T, class X, class... Axis> auto sum_to(X&& x, site at, Axis... axis) {
  if constexpr (std::is_integral_v<T>) return sum<T>(std::forward<X>(x), axis..., at);
  else if constexpr (std::is_same_v<T, element_type_of<X>>)
    return sum(std::forward<X>(x), axis..., at);
  else return cast<T>(sum(std::forward<X>(x), axis..., at), at);
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_different_lengths(std::string_view op,
                                                                           any_shape const& a,
                                                                           any_shape const& b,
                                                                           site at) {
  throw shape_error("placement: " + std::string(op) + " of vectors of shapes " + text_of(a) +
                    " and " + text_of(b) + ": they must have equally many elements." +
                    location_text({}, at));
}
/// The inner product of two vectors, as an array of rank 0.
template <class K, class A, class B>
auto inner_product(std::string_view op, A&& a, B&& b, site at) {
  check_factors<A, B>();
  using X = typename bare<A>::extents_type;
  using Y = typename bare<B>::extents_type;
  static_assert(may_convert<X, Y>(),
                "placement: these vectors have different numbers of elements. Check the shapes.");
  if (!(a.shape() == b.shape())) throw_different_lengths(op, a.shape(), b.shape(), at);
  return sum_to<K, element_type_of<A>>(products_of<K>(std::forward<A>(a), std::forward<B>(b), at),
                                       at);
}

template <class X> inline constexpr bool is_vector = bare<X>::extents_type::rank == 1;
template <class X> inline constexpr bool has_rows = bare<X>::extents_type::rank >= 2;
/// Whether matmul makes a row of the left vector, or a column of the right one.
template <class A, class B>
inline constexpr bool has_vector =
    (is_vector<A> && (is_vector<B> || has_rows<B>)) || (has_rows<A> && is_vector<B>);
}  // namespace detail

template <operand A, operand B> requires(!detail::has_vector<A, B>)
auto matmul(A&& a, B&& b, site at = site::here()) -> node<matmul_op, A, B> {
  return {{}, at, std::forward<A>(a), std::forward<B>(b)};
}
/// With a vector, by NumPy's rules: on the left it is a row, on the right a column, and the result
/// has no dimension for it.
/// Shape: (k), (..., k, n) -> (..., n); (..., m, k), (k) -> (..., m); (k), (k) -> [].
/// Type: that of matrices.  Throws: shape_error.
/// Kernels: those of matrices; of two vectors a sum of products, by which GPUs multiply integers,
/// too.
template <operand A, operand B, class K = kernels_here> requires detail::has_vector<A, B>
auto matmul(A&& a, B&& b, site at = site::here()) {
  if constexpr (detail::is_vector<A> && detail::is_vector<B>)
    return detail::inner_product<K>("matmul", std::forward<A>(a), std::forward<B>(b), at);
  else if constexpr (detail::is_vector<A>)
    return squeeze(matmul(expand_dims(std::forward<A>(a), axis<0>, at), std::forward<B>(b), at),
                   axis<-2>, at);
  else
    return squeeze(matmul(std::forward<A>(a), expand_dims(std::forward<B>(b), axis<-1>, at), at),
                   axis<-1>, at);
}

}}  // namespace placement::v0_1
