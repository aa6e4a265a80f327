#pragma once
/// Tensors of at most 64 elements that are statically on CPU:0. They hold their elements inline.
///
/// Evaluating an expression of such tensors only is resolved at compile time: no registry, no
/// allocation, no log. The plan is a constant.

#include <placement/expr/operand.hpp>
#include <placement/expr/tensor.hpp>

#include <cstring>

namespace placement { inline namespace v0_1 {

namespace detail {

template <class T, class X, class E>
PLACEMENT_ALWAYS_INLINE inline void evaluate_inline(inline_tensor<T, X>& out, E const& e);

namespace no_adl {
/// A pointer to an inline tensor, as the operand of a node that does not outlive the tensor.
template <class T, class X> struct inline_ref {
  using value_type = T;
  using extents_type = X;
  static constexpr std::size_t rank = X::rank;

  constexpr inline_ref(inline_tensor<T, X> const& t) noexcept : target(&t) {}

  static constexpr X shape() noexcept { return {}; }
  constexpr T const* data() const noexcept { return target->data(); }

  inline_tensor<T, X> const* target;
};
}  // namespace no_adl
using no_adl::inline_ref;

}  // namespace detail

/// A tensor of at most 64 elements, held inline: `tensor<float, extents<2, 3>, dev<kind::cpu, 0>>`.
///
/// Copying copies the elements. An expression refers to a named inline tensor by address, so it
/// must be evaluated in the statement that contains it. A larger result, or one on another device,
/// is a handle.
template <class T, class X, class D> requires(detail::lives_inline<X, D>())
class tensor<T, X, D> {
  static_assert(
      element<T>,
      "placement: this is no element type. Use bool, int8/16/32/64, uint8/16/32/64, float, double, float16, bfloat16 or, with placement/ops/complex.hpp, std::complex.");

 public:
  using value_type = T;
  using extents_type = X;
  static constexpr std::size_t rank = X::rank;

  /// All elements are zero.
  constexpr tensor() noexcept = default;

  /// A scalar.
  constexpr explicit tensor(T v) noexcept requires(rank == 0)
      : elements_{v} {}
  /// A vector from its elements.
  template <class... U> requires(rank == 1 && sizeof...(U) > 0 && (any_number<U> && ...))
  constexpr explicit(sizeof...(U) == 1) tensor(U... v) {
    fill_from(detail::written_row<X, T>(v...).v);
  }
  /// A matrix from its rows. Ragged rows and other shapes do not compile.
  template <std::size_t... N> requires(rank == 2 && sizeof...(N) > 0)
  constexpr tensor(T const (&... rows)[N]) {
    fill_from(detail::written_rows<X, T>(rows...).v);
  }
  /// A rank-3 tensor from its planes of rows.
  template <std::size_t... M, std::size_t... N> requires(rank == 3 && sizeof...(N) > 0)
  constexpr tensor(T const (&... planes)[M][N]) {
    fill_from(detail::written_planes<X, T>(planes...).v);
  }

  /// The value of an expression or of another tensor, computed immediately on CPU:0. Throws:
  /// exceptions of the ops; shape_error if extents differ.
  template <class E> requires(operand<E> && !std::is_same_v<bare<E>, tensor>)
  tensor(E&& e) {
    assign(std::forward<E>(e));
  }
  /// Assigns the value of e. e may read this tensor at any index.
  template <class E> requires(operand<E> && !std::is_same_v<bare<E>, tensor>)
  PLACEMENT_ALWAYS_INLINE tensor& operator=(E&& e) {
    assign(std::forward<E>(e));
    return *this;
  }

  static constexpr X shape() noexcept { return {}; }
  static constexpr index_t extent(std::size_t d) noexcept { return X::at(d); }
  static constexpr std::size_t size() noexcept { return X::count(); }
  static constexpr device where() noexcept { return cpu0; }
  static constexpr device_spec requested() noexcept { return device_spec{cpu0}; }

  /// A view of the elements, valid while this tensor lives. Cost: nothing.
  host_view<T, X> read(site at = site::here()) const& noexcept { return {{}, elements_, X{}, at}; }
  /// A copy of the elements of a temporary. Cost: one allocation.
  host_view<T, X> read(site at = site::here()) const&& {
    detail::buffer_ref keep{detail::buffer::make(cpu0, size() * sizeof(T))};
    std::memcpy(keep->data(), elements_, size() * sizeof(T));
    T const* const p = static_cast<T const*>(keep->data());
    return {std::move(keep), p, X{}, at};
  }

  /// Row i, which refers to this tensor, or element i of a vector. A negative i counts from the
  /// end.
  /// Throws: shape_error for an index out of range.
  template <class K = kernels_here> constexpr auto operator[](located_index i) const& {
    if constexpr (rank == 1) return (*this)(i);
    else return detail::make_row<K, detail::inline_ref<T, X>>(*this, i);
  }
  template <class K = kernels_here> constexpr auto operator[](located_index i) const&& {
    if constexpr (rank == 1) return (*this)(i);
    else return detail::make_row<K, tensor>(*this, i);
  }
  /// Element (i, j, ...). Throws: as above. Cost: two comparisons for each index.
  template <class... I> constexpr T operator()(located_index i, I... more) const {
    static_assert(1 + sizeof...(I) == rank, "placement: one index per dimension. Check the rank.");
    index_t const index[] = {i.value, located_index(more, i.where).value...};
    return elements_[detail::position_of(X{}, index, "element access", i.where)];
  }

  constexpr T const* data() const noexcept { return elements_; }
  constexpr T* data() noexcept { return elements_; }

  // Rejected, see rejected.hpp.
  explicit operator bool() const { return detail::reject_bool<tensor>(); }
  template <std::same_as<value_type> B>
  operator B() const requires std::same_as<B, bool>
  {
    return detail::reject_bool<tensor>();
  }
  operator detail::number_of<value_type>() const
      requires(rank == 0 && !std::is_same_v<value_type, bool>)
  {
    return detail::reject_number<tensor>();
  }
  template <std::same_as<detail::number_of<value_type>> N>
  operator N() const requires(rank != 0 && !std::is_same_v<value_type, bool>)
  {
    return detail::reject_number<tensor>();
  }

 private:
  constexpr void fill_from(T const* from) {
    for (std::size_t i = 0; i != size(); ++i) elements_[i] = from[i];
  }
  template <class E> PLACEMENT_ALWAYS_INLINE void assign(E&& e) {
    detail::check_lifetime<E>();
    if constexpr (detail::check_target<T, X, bare<E>>()) detail::evaluate_inline(*this, e);
  }

  T elements_[size() > 0 ? size() : 1]{};
};

/// Does not compile: view() needs a tensor that is a handle.
template <class T, class X> requires(is_inline<detail::inline_tensor<T, X>>)
reference<T, X> view(detail::inline_tensor<T, X>& t) {
  static_assert(
      X::rank > max_rank,
      "placement: a tensor that holds its elements itself has no views. Write tensor<T, X> x = t, or assign to it.");
  return view(t);
}

}}  // namespace placement::v0_1
