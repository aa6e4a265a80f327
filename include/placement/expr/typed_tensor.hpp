#pragma once
/// Tensors with their device in the type: handles whose elements are always requested on D.

#include <placement/expr/evaluate.hpp>

namespace placement { inline namespace v0_1 {

/// `tensor<float, dextents<2>, dev<kind::gpu, 1>>`: a tensor<float, dextents<2>> whose values are
/// always computed on D or copied there, in any scope.
///
/// It converts to and from the tensor without a device in its type; elements already on D are
/// shared. where() differs from D only if D does not exist and placement is soft.
template <class T, class X, class D> class tensor : public tensor<T, X> {
  static_assert(device_tag<D>,
                "placement: the third argument of tensor is its device. Write dev<kind::gpu, 0>.");
  static_assert(
      D::value.has_value() && D::value.index != any_index,
      "placement: a tensor's device is one device. Write dev<kind::gpu, 0>, or leave it out.");
  using open = tensor<T, X>;
  using nothing = detail::tensor_access::nothing;

 public:
  tensor() noexcept requires(!X::is_static && X::rank > 0)
  = default;
  /// Never called. Lets g++ 12 distinguish tensor{2, 3}, a vector, from tensor(2, 3), which is
  /// rejected.
  tensor(std::initializer_list<T>) requires(X::rank > max_rank);

  /// A scalar.
  template <class K = kernels_here>
  explicit tensor(T v, site at = site::here()) requires(X::rank == 0)
      : open(nothing{}) {
    fill_from<K>(&v, X{}, at);
  }
  /// A vector from its elements.
  template <class... U, class K = kernels_here>
  requires(X::rank == 1 && sizeof...(U) > 0 && (any_number<U> && ...))
  explicit(sizeof...(U) == 1) tensor(U... v) : open(nothing{}) {
    fill_from<K>(detail::written_row<X, T>(v...));
  }
  /// A matrix from its rows.
  template <std::size_t... N, class K = kernels_here> requires(X::rank == 2 && sizeof...(N) > 0)
  tensor(T const (&... rows)[N]) : open(nothing{}) {
    fill_from<K>(detail::written_rows<X, T>(rows...));
  }
  /// A rank-3 tensor from its planes of rows.
  template <std::size_t... M, std::size_t... N, class K = kernels_here>
  requires(X::rank == 3 && sizeof...(N) > 0)
  tensor(T const (&... planes)[M][N]) : open(nothing{}) {
    fill_from<K>(detail::written_planes<X, T>(planes...));
  }

  tensor(tensor const&) = default;
  tensor(tensor const& other, detail::handle_for_node h) noexcept : open(other, h) {}
  tensor(tensor&&) noexcept = default;
  tensor& operator=(tensor const&) = default;
  tensor& operator=(tensor&&) = default;
  ~tensor() = default;

  /// The value of an expression, computed on D, or a copy of a tensor on D. Throws: exceptions of
  /// the ops; shape_error if static extents differ; placement_error for a missing D under hard
  /// placement; out_of_memory.
  template <class E> requires(operand<E> && !std::is_same_v<bare<E>, tensor>)
  tensor(E&& e, site at = site::here()) : open(nothing{}) {
    assign(std::forward<E>(e), at);
  }
  template <class E> requires(operand<E> && !std::is_same_v<bare<E>, tensor>)
  tensor& operator=(E&& e) {
    assign(std::forward<E>(e), {});
    return *this;
  }

  /// As for the tensor without a device in its type, whose views have none either.
  template <class K = kernels_here> auto operator[](located_index i) const {
    if constexpr (X::rank == 1) return (*this)(i);
    else return detail::make_row<K, tensor>(*this, i);
  }

 private:
  template <class E> void assign(E&& e, site at) {
    detail::check_lifetime<E>();
    if constexpr (detail::check_target<T, X, bare<E>>())
      detail::evaluate_onto<D>(static_cast<open&>(*this), e, !std::is_lvalue_reference_v<E>, at);
  }
  template <class K> void fill_from(T const* from, X const& shape, site at) {
    assign(expr<detail::const_op<T, X>, K>{{from, shape, {}}, at}, at);
  }
  template <class K, class Written> void fill_from(Written const& values) {
    using given = typename Written::shape_type;
    fill_from<K>(values.v, detail::converted<X>(given{}), {});
  }
};

/// Tensors of rank 1 and 2 with run-time extents. The element type must be given: g++ 12 deduces no
/// arguments of an alias from an expression. Write `tensor x = e` there.
template <class T> using vector = tensor<T, dextents<1>>;
template <class T> using matrix = tensor<T, dextents<2>>;

}}  // namespace placement::v0_1
