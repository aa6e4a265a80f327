#pragma once
/// Softmax cross entropy, the loss of classifiers, and its gradient. placement.hpp does not include
/// this header.

#include <placement/cpu/cross_entropy.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/ops/constant.hpp>
#include <placement/ops/expand_dims.hpp>
#include <placement/ops/log_softmax.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/softmax.hpp>
#include <placement/ops/subtract.hpp>
#include <placement/ops/sum.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_label_outside(std::string const& label,
                                                                       index_t row, index_t n) {
  throw shape_error("placement: label " + label + " of row " + std::to_string(row) +
                    " is no class: the logits have " + std::to_string(n) +
                    ". Labels are at least 0 and below the number of classes.");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_label_shape(std::string const& labels,
                                                                     std::string const& logits,
                                                                     std::string const& wanted) {
  throw shape_error("placement: softmax_cross_entropy of logits of shape " + logits +
                    " with labels of shape " + labels + ". Give labels of shape " + wanted + ".");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_gradient_shape(std::string const& g,
                                                                        std::string const& wanted) {
  throw shape_error("placement: softmax_cross_entropy_gradient with a gradient of shape " + g +
                    " for losses of shape " + wanted + ". Give one per loss, or a scalar.");
}
template <class A, class B> constexpr bool same_extents(A const& a, B const& b) {
  if constexpr (A::rank != B::rank) return false;
  else
    for (std::size_t d = 0; d != A::rank; ++d)
      if (a.at(d) != b.at(d)) return false;
  return true;
}
/// A shape without its last dimension.
template <class X> constexpr auto rows_shape(X const& x) {
  return make_shape<X::rank - 1>([](std::size_t d) { return X::static_extent(d); },
                                 [&](std::size_t d) { return x.at(d); });
}
template <class X> constexpr void check_logits() {
  static_assert(real_number<typename bare<X>::value_type>,
                "placement: softmax_cross_entropy takes floating point. Write cast<float>(x).");
  static_assert(bare<X>::extents_type::rank > 0,
                "placement: logits are a vector or more. A scalar has no classes.");
}
template <class X, class L> constexpr void check_probabilities() {
  check_logits<X>();
  static_assert(
      std::is_same_v<typename bare<X>::value_type, typename bare<L>::value_type>,
      "placement: labels are probabilities of the logits' element type, or integers. Write cast<T>(labels).");
}
template <class L> concept classes = std::is_integral_v<typename bare<L>::value_type> &&
                                     !std::is_same_v<typename bare<L>::value_type, bool>;

/// The labels of a kernel, checked. Throws: shape_error for a class out of range.
template <class T, class X>
probability_labels<T> labels_of(dense_view<T const, X> labels, index_t n, index_t) {
  return {labels.data, n};
}
template <class T, std::integral Index, class X>
class_labels<T, Index> labels_of(dense_view<Index const, X> labels, index_t n, index_t rows) {
  for (index_t r = 0; r != rows; ++r)
    if (!std::in_range<index_t>(labels[r]) || static_cast<index_t>(labels[r]) < 0 ||
        static_cast<index_t>(labels[r]) >= n)
      throw_label_outside(std::to_string(labels[r]), r, n);
  return {labels.data, n};
}

/// The partition of rows of n classes among threads.
inline work_size rows_of_classes(index_t rows, index_t n) {
  constexpr index_t together = 16, cost_per_element = 16;
  return {.units = rows,
          .grain = together,
          .cost = static_cast<std::size_t>(rows) * static_cast<std::size_t>(n) * cost_per_element};
}

}  // namespace detail

/// How labels are given: `probabilities` of each class, or the number of one class per row.
struct probabilities_t {
  static constexpr std::string_view name = "SoftmaxCrossEntropyWithLogits";
  static constexpr bool sparse = false;
  struct gradient {
    static constexpr std::string_view name = "SoftmaxCrossEntropyWithLogitsGrad";
  };
};
struct class_numbers_t {
  static constexpr std::string_view name = "SparseSoftmaxCrossEntropyWithLogits";
  static constexpr bool sparse = true;
  struct gradient {
    static constexpr std::string_view name = "SparseSoftmaxCrossEntropyWithLogitsGrad";
  };
};

namespace detail {
template <class Kind, class X, class L> constexpr void check_label_shape(X const& x, L const& l) {
  if constexpr (Kind::sparse) {
    static_assert(
        L::rank + 1 == X::rank,
        "placement: integer labels are class numbers, one for each row of the logits. Give "
        "one dimension less than the logits, or cast<float>(labels) for one-hot labels.");
    static_assert(L::rank + 1 != X::rank || may_convert<L, decltype(rows_shape(x))>(),
                  "placement: softmax_cross_entropy's logits and class numbers differ in their "
                  "extents. Give one class number for each row of the logits.");
    if (!same_extents(l, rows_shape(x)))
      throw_label_shape(to_string(l), to_string(x), to_string(rows_shape(x)));
  } else {
    static_assert(L::rank == X::rank,
                  "placement: floating point labels are probabilities, one for each logit. Give "
                  "the rank of the logits, or cast<int>(labels) for class numbers.");
    static_assert(L::rank != X::rank || may_convert<L, X>(),
                  "placement: softmax_cross_entropy's logits and probabilities differ in their "
                  "extents. Give one probability for each logit.");
    if (!same_extents(l, x)) throw_label_shape(to_string(l), to_string(x), to_string(x));
  }
}
}  // namespace detail

template <class Kind> struct softmax_cross_entropy_gradient_op;

/// The cross entropy of labels and softmax(logits), for each row: -sum(labels * log_softmax).
/// Kind: probabilities_t or class_numbers_t.
template <class Kind> struct softmax_cross_entropy_op {
  static constexpr std::string_view name = Kind::name;
  using pattern = custom;
  using gpu_lowering = lowered::cross_entropy;
  static constexpr bool partitions = true;
  template <class T> static constexpr bool has_gpu_kernel = real_number<T>;

  template <class X, class L> static constexpr auto result(X const& logits, L const& labels) {
    detail::check_label_shape<Kind>(logits, labels);
    return detail::rows_shape(logits);
  }
  template <class On, class T, class Y, class X, class Label, class L>
  void run(On const& on, dense_view<T, Y> out, dense_view<T const, X> logits,
           dense_view<Label const, L> labels) const {
    index_t const n = logits.shape.at(X::rank - 1), rows = out.size();
    auto const checked = detail::labels_of<T>(labels, n, rows);
    on.parallel_for(detail::rows_of_classes(rows, n), [&](work_chunk const& chunk) {
      detail::cross_entropy_of_rows(out.data, logits.data, checked, chunk);
    });
  }
  template <class T, class Y, class X, class Label, class L>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> logits,
                  dense_view<Label const, L> labels) const noexcept(!Kind::sparse) {
    run(seq{}, out, logits, labels);
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& logits, auto const& labels) {
    if constexpr (I == 0)
      return detail::node_with<K>(softmax_cross_entropy_gradient_op<Kind>{}, logits, labels, g);
    else return -(expand_dims(g, axis<-1>) * log_softmax(logits));
  }
};

/// The gradient of those losses with respect to the logits: (softmax(logits) - labels) * g.
template <class Kind> struct softmax_cross_entropy_gradient_op {
  static constexpr std::string_view name = Kind::gradient::name;
  using pattern = custom;
  using gpu_lowering = lowered::cross_entropy_gradient;
  static constexpr bool partitions = true;
  template <class T> static constexpr bool has_gpu_kernel = real_number<T>;

  template <class X, class L, class G>
  static constexpr X result(X const& logits, L const& labels, G const& g) {
    detail::check_label_shape<Kind>(logits, labels);
    static_assert(G::rank == 0 || G::rank + 1 == X::rank,
                  "placement: the gradient of the losses has their shape, or is a scalar.");
    if constexpr (G::rank != 0)
      if (!detail::same_extents(g, detail::rows_shape(logits)))
        detail::throw_gradient_shape(to_string(g), to_string(detail::rows_shape(logits)));
    return logits;
  }
  template <class On, class T, class X, class Label, class L, class G>
  void run(On const& on, dense_view<T, X> out, dense_view<T const, X> logits,
           dense_view<Label const, L> labels, dense_view<T const, G> g) const {
    index_t const n = logits.shape.at(X::rank - 1);
    if (n == 0) return;
    index_t const rows = logits.size() / n;
    auto const checked = detail::labels_of<T>(labels, n, rows);
    on.parallel_for(detail::rows_of_classes(rows, n), [&](work_chunk const& chunk) {
      detail::cross_entropy_gradient_of_rows(out.data, logits.data, checked, g.data,
                                             G::rank == 0 ? index_t{0} : index_t{1}, chunk);
    });
  }
  template <class T, class X, class Label, class L, class G>
  void operator()(dense_view<T, X> out, dense_view<T const, X> logits,
                  dense_view<Label const, L> labels, dense_view<T const, G> g) const
      noexcept(!Kind::sparse) {
    run(seq{}, out, logits, labels, g);
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& h, auto const&, auto const& logits, auto const& labels,
                       auto const& g) {
    using G = bare<decltype(g)>;
    using T = typename G::value_type;
    auto const each = [&] {
      if constexpr (G::rank == 0) return h * g;
      else return h * expand_dims(g, axis<-1>);
    };
    if constexpr (I == 0) {
      auto const p = softmax(logits);
      return p * (each() - sum(each() * p, keep_dim(axis<-1>)));
    } else if constexpr (I == 1) {
      return -each();
    } else {
      auto const one = detail::node_with<K>(constant_op<T, extents<>>{{}, T{1}});
      auto const products =
          h * detail::node_with<K>(softmax_cross_entropy_gradient_op{}, logits, labels, one);
      if constexpr (G::rank == 0) return sum(products);
      else return sum(products, axis<-1>);
    }
  }
};

/// The cross entropy of each row: `mean(softmax_cross_entropy(logits, labels))` is the loss of a
/// classifier. Labels are probabilities of the logits' shape, or class numbers without the last
/// dimension. The probabilities of a row should sum to 1. A probability of 0 adds 0, also beside a
/// logit of -inf.
/// Shape: (..., classes) -> (...).  Type: floating point; class numbers are any integers.
/// Kernels: CPU, GPU (pattern custom).  Cost: one pass over a row, from the largest logit, so that
/// nothing overflows; the terms are summed in double.
/// Throws: shape_error; when evaluated also for a class out of range, with its row.
template <operand X, operand L> requires(!detail::classes<L>)
auto softmax_cross_entropy(X&& logits, L&& labels, site at = site::here())
    -> node<softmax_cross_entropy_op<probabilities_t>, X, L> {
  detail::check_probabilities<X, L>();
  return {{}, at, std::forward<X>(logits), std::forward<L>(labels)};
}
template <operand X, operand L> requires detail::classes<L>
auto softmax_cross_entropy(X&& logits, L&& labels, site at = site::here())
    -> node<softmax_cross_entropy_op<class_numbers_t>, X, L> {
  detail::check_logits<X>();
  return {{}, at, std::forward<X>(logits), std::forward<L>(labels)};
}

/// The gradient of softmax_cross_entropy with respect to the logits, for the gradient g of the
/// losses: (softmax(logits) - labels) * g, in one pass. As in TensorFlow, this is the derivative
/// for probabilities that sum to 1.
/// Shape: that of the logits. g: one number per loss, or a scalar for all.
/// Type, Kernels, Throws: those of softmax_cross_entropy.
template <operand X, operand L, operand G> requires(!detail::classes<L>)
auto softmax_cross_entropy_gradient(X&& logits, L&& labels, G&& g, site at = site::here())
    -> node<softmax_cross_entropy_gradient_op<probabilities_t>, X, L, G> {
  detail::check_probabilities<X, L>();
  return {{}, at, std::forward<X>(logits), std::forward<L>(labels), std::forward<G>(g)};
}
template <operand X, operand L, operand G> requires detail::classes<L>
auto softmax_cross_entropy_gradient(X&& logits, L&& labels, G&& g, site at = site::here())
    -> node<softmax_cross_entropy_gradient_op<class_numbers_t>, X, L, G> {
  detail::check_logits<X>();
  return {{}, at, std::forward<X>(logits), std::forward<L>(labels), std::forward<G>(g)};
}

}}  // namespace placement::v0_1

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/cpu/cross_entropy_loops.ipp>
#endif
