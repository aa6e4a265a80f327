#pragma once
/// Contractions of one or two arrays by labels of their dimensions, lowered to views, products and
/// sums. dot, inner, tensordot and einsum are contractions.

#include <placement/ops/matmul.hpp>
#include <placement/ops/permute.hpp>
#include <placement/ops/regroup.hpp>
#include <placement/shape/subscripts.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The labels of two arrays and of the result.
struct contraction {
  subscript_list a, b, out;

  /// The labels that both arrays have and the result, in its order.
  constexpr subscript_list batch() const { return of_output(true, true); }
  constexpr subscript_list only_a() const { return of_output(true, false); }
  constexpr subscript_list only_b() const { return of_output(false, true); }
  /// The labels that are multiplied and summed, in the order of a.
  constexpr subscript_list contracted() const {
    subscript_list s;
    for (int i = 0; i != a.size; ++i)
      if (int const l = a.label[i]; b.has(l) && !out.has(l) && !s.has(l)) s.add(l);
    return s;
  }
  /// The labels of `x` that the result or the other array has, each once.
  constexpr subscript_list kept(subscript_list const& x, subscript_list const& other) const {
    subscript_list s;
    for (int i = 0; i != x.size; ++i)
      if (int const l = x.label[i]; (out.has(l) || other.has(l)) && !s.has(l)) s.add(l);
    return s;
  }
  /// Whether `x` has a label that only it has.
  constexpr bool sums_alone(subscript_list const& x, subscript_list const& other) const {
    for (int i = 0; i != x.size; ++i)
      if (!out.has(x.label[i]) && !other.has(x.label[i])) return true;
    return false;
  }
  /// Whether b a has the result's order rather than a b.
  constexpr bool is_turned() const {
    subscript_list const of_a = only_a(), of_b = only_b();
    return of_a.size != 0 && of_b.size != 0 && of_a.has(out.label[out.size - 1]);
  }

 private:
  constexpr subscript_list of_output(bool of_a, bool of_b) const {
    subscript_list s;
    for (int i = 0; i != out.size; ++i)
      if (int const l = out.label[i]; a.has(l) == of_a && b.has(l) == of_b) s.add(l);
    return s;
  }
};

/// Adds the dimensions of `labels` in an array with the labels `of`, each as a group.
constexpr void add_each(regrouping& to, subscript_list const& of, subscript_list const& labels) {
  for (int i = 0; i != labels.size; ++i) {
    to.add(of.dimensions(labels.label[i]));
    to.end_group(to.dimensions - 1);
  }
}
constexpr void add_group(regrouping& to, subscript_list const& of, subscript_list const& labels) {
  int const first = to.dimensions;
  for (int i = 0; i != labels.size; ++i) to.add(of.dimensions(labels.label[i]));
  to.end_group(first);
}
/// Each label of `each` as a dimension, then groups.
template <class... Groups>
constexpr regrouping regrouped(subscript_list const& of, subscript_list const& each,
                               Groups const&... groups) {
  regrouping by;
  add_each(by, of, each);
  (add_group(by, of, groups), ...);
  return by;
}

// ---- K: the kernel set of the file

/// An array with the labels From, summed over those that are not in To, in the order of To.
template <class K, subscript_list From, subscript_list To, class X>
auto sum_labels(X&& x, site at) {
  static constexpr contraction c{From, {}, To};
  static constexpr subscript_list summed = [] {
    subscript_list s;
    for (int i = 0; i != From.size; ++i)
      if (!To.has(From.label[i]) && !s.has(From.label[i])) s.add(From.label[i]);
    return s;
  }();
  using T = element_type_of<X>;
  if constexpr (!c.sums_alone(From, {})) {
    return walk_dimensions<K, regrouped(From, To)>(std::forward<X>(x), at);
  } else if constexpr (To.size == 0) {
    return sum_to<K, T>(reorder<K, regrouped(From, summed)>(std::forward<X>(x), at), at);
  } else {
    return sum_to<K, T>(regroup<K, regrouped(From, To, summed)>(std::forward<X>(x), at), at,
                        axis<-1>);
  }
}

/// A dimension of the product (0), of a (1) or of b (2).
struct source_dimension {
  int from;
  std::size_t dimension;
};
/// Where dimension i of (batch..., labels of a..., labels of b...) is.
constexpr source_dimension source_of(contraction const& c, int i) {
  subscript_list const of_a = c.only_a(), of_b = c.only_b();
  int const batch = c.batch().size;
  if (i < batch) return {0, static_cast<std::size_t>(i)};
  i -= batch;
  if (i < of_a.size) return {1, static_cast<std::size_t>(c.a.position(of_a.label[i]))};
  return {2, static_cast<std::size_t>(c.b.position(of_b.label[i - of_a.size]))};
}
template <class P, class A, class B> constexpr index_t static_extent_at(source_dimension s) {
  return s.from == 0   ? P::static_extent(s.dimension)
         : s.from == 1 ? A::static_extent(s.dimension)
                       : B::static_extent(s.dimension);
}
/// The shape (batch..., labels of a..., labels of b...) of a product.
template <contraction C, class P, class A, class B>
constexpr auto ungrouped_shape(P const& product, A const& a, B const& b) {
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    extents<static_extent_at<P, A, B>(source_of(C, static_cast<int>(D)))...> y{};
    if constexpr (!decltype(y)::is_static)
      for (std::size_t d = 0; d != sizeof...(D); ++d) {
        source_dimension const s = source_of(C, static_cast<int>(d));
        y.n[d] = s.from == 0   ? product.at(s.dimension)
                 : s.from == 1 ? a.at(s.dimension)
                               : b.at(s.dimension);
      }
    return y;
  }(std::make_index_sequence<static_cast<std::size_t>(C.out.size)>{});
}
/// Dimensions in the order of C.batch(), C.only_a(), C.only_b(), as the result has them.
template <class K, contraction C, class X> auto in_order_of_result(X&& x, site at) {
  static constexpr regrouping by = [] {
    subscript_list s = C.batch();
    subscript_list const of_a = C.only_a(), of_b = C.only_b();
    for (int i = 0; i != of_a.size; ++i) s.add(of_a.label[i]);
    for (int i = 0; i != of_b.size; ++i) s.add(of_b.label[i]);
    return regrouped(s, C.out);
  }();
  return reorder<K, by>(std::forward<X>(x), at);
}

/// Sums of products where neither array has a dimension of its own.
template <class K, contraction C, class A, class B> auto inner_products(A&& a, B&& b, site at) {
  static constexpr subscript_list order = [] {
    subscript_list s = C.batch();
    subscript_list const summed = C.contracted();
    for (int i = 0; i != summed.size; ++i) s.add(summed.label[i]);
    return s;
  }();
  auto products = products_of<K>(reorder<K, regrouped(C.a, order)>(std::forward<A>(a), at),
                                 reorder<K, regrouped(C.b, order)>(std::forward<B>(b), at), at);
  using T = element_type_of<A>;
  if constexpr (C.out.size == 0) return sum_to<K, T>(std::move(products), at);
  else
    return sum_to<K, T>(
        regroup<K, regrouped(order, C.batch(), C.contracted())>(std::move(products), at), at,
        axis<-1>);
}
/// Matrix products, one for each index of the batch.
template <class K, contraction C, class A, class B> auto batched_products(A&& a, B&& b, site at) {
  static constexpr regrouping of_a = regrouped(C.a, C.batch(), C.only_a(), C.contracted());
  static constexpr regrouping of_b = regrouped(C.b, C.batch(), C.contracted(), C.only_b());
  auto const x = a.shape();
  auto const y = b.shape();
  auto product = matmul(regroup<K, of_a>(std::forward<A>(a), at),
                        regroup<K, of_b>(std::forward<B>(b), at), at);
  if constexpr (C.only_a().size == 1 && C.only_b().size == 1) {
    return in_order_of_result<K, C>(std::move(product), at);
  } else {
    auto const to = ungrouped_shape<C>(product.shape(), x, y);
    return in_order_of_result<K, C>(reshape(std::move(product), to, at), at);
  }
}

/// The contraction of two arrays, whose extents of each label are equal, or 1 in an ellipsis.
template <class K, contraction C, class A, class B> auto contract(A&& a, B&& b, site at) {
  check_factors<A, B>();
  if constexpr (C.sums_alone(C.a, C.b)) {
    static constexpr subscript_list kept = C.kept(C.a, C.b);
    return contract<K, contraction{kept, C.b, C.out}>(
        sum_labels<K, C.a, kept>(std::forward<A>(a), at), std::forward<B>(b), at);
  } else if constexpr (C.sums_alone(C.b, C.a)) {
    static constexpr subscript_list kept = C.kept(C.b, C.a);
    return contract<K, contraction{C.a, kept, C.out}>(
        std::forward<A>(a), sum_labels<K, C.b, kept>(std::forward<B>(b), at), at);
  } else if constexpr (C.contracted().size == 0) {
    return multiply(reorder<K, regrouped(C.a, C.out)>(std::forward<A>(a), at),
                    reorder<K, regrouped(C.b, C.out)>(std::forward<B>(b), at), at);
  } else if constexpr (C.only_a().size == 0 && C.only_b().size == 0) {
    return inner_products<K, C>(std::forward<A>(a), std::forward<B>(b), at);
  } else if constexpr (C.is_turned()) {
    return batched_products<K, contraction{C.b, C.a, C.out}>(std::forward<B>(b), std::forward<A>(a),
                                                             at);
  } else {
    return batched_products<K, C>(std::forward<A>(a), std::forward<B>(b), at);
  }
}

// ---- dot, inner and tensordot: labels are numbers

/// The labels of arrays of ranks m and n, of which `count` dimensions are contracted: first_a and
/// those after it, with first_b and those after it.
constexpr contraction contraction_of(int m, int n, int first_a, int first_b, int count) {
  contraction c;
  auto const is_contracted = [count](int d, int first) { return d >= first && d < first + count; };
  for (int d = 0; d != m; ++d) {
    c.a.add(d);
    if (!is_contracted(d, first_a)) c.out.add(d);
  }
  for (int d = 0; d != n; ++d) {
    bool const shared = is_contracted(d, first_b);
    c.b.add(shared ? d - first_b + first_a : static_cast<int>(max_rank) + d);
    if (!shared) c.out.add(c.b.label[d]);
  }
  return c;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_contraction(std::string_view op,
                                                                     any_shape const& a, int of_a,
                                                                     any_shape const& b, int of_b,
                                                                     site at) {
  throw shape_error("placement: " + std::string(op) + " of shapes " + text_of(a) + " and " +
                    text_of(b) + ": axis " + std::to_string(of_a) + " of the left and axis " +
                    std::to_string(of_b) + " of the right are multiplied, but have extents " +
                    std::to_string(a.extent[of_a]) + " and " + std::to_string(b.extent[of_b]) +
                    ". Transpose one side, or check the shapes." + location_text({}, at));
}
/// Whether contracted extents in the types of the shapes agree.
template <contraction C, class X, class Y> constexpr bool static_extents_match() {
  for (int d = 0; d != C.a.size; ++d)
    if (int const e = C.b.position(C.a.label[d]); e >= 0) {
      index_t const m = X::static_extent(static_cast<std::size_t>(d));
      index_t const n = Y::static_extent(static_cast<std::size_t>(e));
      if (m != dyn && n != dyn && m != n) return false;
    }
  return true;
}
/// Throws: shape_error if contracted extents differ.
template <contraction C>
void check_contraction(std::string_view op, any_shape const& x, any_shape const& y, site at) {
  for (int d = 0; d != C.a.size; ++d)
    if (int const e = C.b.position(C.a.label[d]); e >= 0)
      if (x.extent[d] != y.extent[e]) throw_contraction(op, x, d, y, e, at);
}
/// The contraction under the name of an op, with its errors; static extents give a compile error.
template <class K, contraction C, class A, class B>
auto checked_contraction(std::string_view op, A&& a, B&& b, site at) {
  constexpr bool match =
      static_extents_match<C, typename bare<A>::extents_type, typename bare<B>::extents_type>();
  static_assert(match,
                "placement: the extents that this product sums over differ. Transpose one side, or "
                "check the shapes.");
  if constexpr (match) {
    check_contraction<C>(op, a.shape(), b.shape(), at);
    return contract<K, C>(std::forward<A>(a), std::forward<B>(b), at);
  } else {
    return std::forward<A>(a);  // after the assertion, so that no other error follows
  }
}
template <class X> inline constexpr int rank_of = static_cast<int>(bare<X>::extents_type::rank);

}}}  // namespace placement::v0_1::detail
