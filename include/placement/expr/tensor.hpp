#pragma once
/// Tensors have value semantics: each is a handle to elements on one device, shared until an owner
/// is written to.

#include <placement/expr/check_target.hpp>
#include <placement/expr/expr.hpp>
#include <placement/expr/host_view.hpp>
#include <placement/expr/reference.hpp>
#include <placement/expr/rows.hpp>
#include <placement/memory/buffer_copy.hpp>

#include <initializer_list>

namespace placement { inline namespace v0_1 {

namespace detail {

template <class T, class X, class E>
void evaluate_into(tensor<T, X>& out, E const& e, bool is_rvalue, site at);
/// The op Const: copies host memory to the elements of `out`, on the requested device.
template <class K, class T, class X>
void constant_into(tensor<T, X>& out, T const* from, X const& shape, site at);

/// Copies an element of a GPU to the host. The second call of the process writes a line to the log.
/// Units: bytes.
[[gnu::cold]] void read_element(void* to, buffer const& from, std::size_t begin, std::size_t size,
                                site at);

}  // namespace detail

/// An array of T with shape X on one logical device: `tensor a{{1.f, 2.f}, {3.f, 4.f}}`.
///
/// A value: copies share elements until one of them is written to. Elements are dense and
/// row-major. `a(1, 2)` reads one element, read() gives a host view of all. Tensors are made from
/// rows of numbers, from an expression, or with zeros, ones, constant, iota, from; no constructor
/// takes a shape. A tensor that was moved from keeps its shape and has no elements. It can be
/// destroyed, moved and assigned to, which makes it usable again. Any other use of its elements
/// throws shape_error.
/// Thread: different tensors may be used on different threads, also if they share elements.
template <class T, class X> class tensor<T, X, any_device> {
  static_assert(
      element<T>,
      "placement: this is no element type. Use bool, int8/16/32/64, uint8/16/32/64, float, double, float16, bfloat16 or, with placement/ops/complex.hpp, std::complex.");
  static_assert(
      is_extents<X>,
      "placement: the second argument of tensor is its shape. Write dextents<2> or extents<2, 3>.");

 public:
  using value_type = T;
  using extents_type = X;
  static constexpr std::size_t rank = X::rank;

  /// No elements: every extent is 0.
  tensor() noexcept requires(!X::is_static && X::rank > 0)
  = default;

  /// A scalar.
  template <class K = kernels_here>
  explicit tensor(T v, site at = site::here()) requires(rank == 0)
  {
    detail::constant_into<K>(*this, &v, X{}, at);
  }

  /// A vector from its elements.
  template <class... U, class K = kernels_here>
  requires(rank == 1 && sizeof...(U) > 0 && (any_number<U> && ...))
  explicit(sizeof...(U) == 1) tensor(U... v) {
    fill_from<K>(detail::written_row<X, T>(v...));
  }

  /// A matrix from its rows. Ragged rows do not compile; nor do other shapes, for static extents.
  template <std::size_t... N, class K = kernels_here> requires(rank == 2 && sizeof...(N) > 0)
  tensor(T const (&... rows)[N]) {
    fill_from<K>(detail::written_rows<X, T>(rows...));
  }

  /// A rank-3 tensor from its planes of rows.
  template <std::size_t... M, std::size_t... N, class K = kernels_here>
  requires(rank == 3 && sizeof...(N) > 0)
  tensor(T const (&... planes)[M][N]) {
    fill_from<K>(detail::written_planes<X, T>(planes...));
  }

  /// The value of an expression, computed immediately. Throws: exceptions of the ops; shape_error
  /// if static extents differ.
  template <lazy E> tensor(E&& e, site at = site::here()) {
    static_assert(detail::check_used_once<E>());
    if constexpr (detail::check_target<T, X, bare<E>>())
      detail::evaluate_into(*this, e, !std::is_lvalue_reference_v<E>, at);
  }
  /// The same elements with another type of shape. Throws: shape_error if static extents differ.
  template <class Y> requires(!std::is_same_v<X, Y> && Y::rank == X::rank)
  tensor(tensor<T, Y> const& other, site at = site::here())
      : elements_(detail::tensor_access::elements(other)),
        requested_(other.requested()),
        shape_(detail::converted<X>(other.shape(), {}, at)) {
    static_assert(detail::may_convert<X, Y>(),
                  "placement: these tensors have different extents. Slice or reshape one.");
    check_elements();
  }
  /// A copy of an inline tensor, on CPU:0.
  template <class Y> requires(detail::lives_inline<Y, dev<kind::cpu, 0>>() && Y::rank == X::rank)
  tensor(tensor<T, Y, dev<kind::cpu, 0>> const& other, site at = site::here()) {
    if constexpr (detail::check_target<T, X, tensor<T, Y, dev<kind::cpu, 0>>>())
      detail::evaluate_into(*this, detail::inline_ref<T, Y>(other), false, at);
  }
  /// A copy of the tensor that a reference names. Throws: shape_error for a stale view.
  tensor(reference<T, X> const& r, site at = site::here())
      : tensor(detail::target_now(r, "Copy", at)) {}

  tensor(tensor const& other) : tensor(other, detail::handle_for_node{}) { check_elements(); }
  tensor(tensor const& other, detail::handle_for_node) noexcept
      : elements_(other.elements_), requested_(other.requested_), shape_(other.shape_) {}
  tensor(tensor&& other) noexcept = default;
  tensor& operator=(tensor const& other) {
    other.check_elements();
    if (is_external() && this != &other) detail::evaluate_into(*this, other, false, {});
    else elements_ = other.elements_, requested_ = other.requested_, shape_ = other.shape_;
    return *this;
  }
  // NOLINTNEXTLINE(performance-noexcept-move-constructor): into borrowed memory it copies
  tensor& operator=(tensor&& other) {
    if (this == &other) return *this;
    if (is_external()) {
      detail::evaluate_into(*this, other, false, {});
    } else {
      elements_ = std::move(other.elements_);
      requested_ = other.requested_;
      shape_ = other.shape_;
    }
    return *this;
  }
  PLACEMENT_ALWAYS_INLINE ~tensor() = default;

  /// Assigns the value of e, in place if that is safe. Strong exception guarantee.
  template <lazy E> tensor& operator=(E&& e) {
    static_assert(detail::check_used_once<E>());
    if constexpr (detail::check_target<T, X, bare<E>>())
      detail::evaluate_into(*this, e, !std::is_lvalue_reference_v<E>, {});
    return *this;
  }

  /// Rejects another element type or rank, and extents in place of elements: see rejected.hpp.
  template <stored S> requires(detail::differs_in_type<T, X, bare<S>>)
  explicit(!detail::both_static_or_both_dynamic<X, typename bare<S>::extents_type>)
      tensor(S const&) {
    static_cast<void>(detail::check_target<T, X, bare<S>>());
  }
  template <stored S> requires(detail::differs_in_type<T, X, bare<S>>)
  tensor& operator=(S const&) {
    static_cast<void>(detail::check_target<T, X, bare<S>>());
    return *this;
  }
  template <detail::integer... N> requires(rank > 1 && sizeof...(N) > 0)
  explicit tensor(N...) {
    detail::reject_shape<detail::extents_as_arguments, tensor>();
  }

  X shape() const noexcept { return shape_; }
  index_t extent(std::size_t d) const noexcept { return shape_.at(d); }
  std::size_t size() const noexcept { return shape_.count(); }

  /// The device of the elements.
  device where() const noexcept { return elements_ ? elements_->where() : cpu0; }
  /// The device requested when the elements were computed or moved. `to_string()` of it is empty if
  /// there was no request.
  device_spec requested() const noexcept { return elements_ ? requested_ : device_spec{}; }

  /// A host view of the elements. Cost: one counted copy if they are on a GPU.
  host_view<T, X> read(site at = site::here()) const {
    check_elements();
    if (!elements_) return {{}, nullptr, shape_, at};
    detail::buffer_ref keep = elements_->where().is_cpu()
                                  ? elements_
                                  : detail::copied_to_host(*elements_.get(), at.file, at.line);
    T const* const p = static_cast<T const*>(keep->data());
    return {std::move(keep), p, shape_, at};
  }

  /// Row i: a view of rank - 1, or element i of a vector. A negative i counts from the end.
  /// Throws: shape_error for an index out of range.
  template <class K = kernels_here> auto operator[](located_index i) const {
    if constexpr (rank == 1) return (*this)(i);
    else return detail::make_row<K, tensor>(*this, i);
  }
  /// Element (i, j, ...). Negative indices count from the end. Cost: on a GPU, a wait for its work
  /// and a counted copy; from the second such read on, the log says so once.
  /// Throws: shape_error for an index out of range.
  template <class... I> T operator()(located_index i, I... more) const {
    static_assert(1 + sizeof...(I) == rank, "placement: one index per dimension. Check the rank.");
    index_t const index[] = {i.value, located_index(more, i.where).value...};
    index_t const position = detail::position_of(shape_, index, "element access", i.where);
    check_elements();
    if (elements_->where().is_cpu()) [[likely]]
      return static_cast<T const*>(elements_->data())[position];
    T element;
    detail::read_element(&element, *elements_.get(), static_cast<std::size_t>(position) * sizeof(T),
                         sizeof(T), i.where);
    return element;
  }

  /// The elements as memory of device where(); null for a tensor without elements. On a GPU, the
  /// work that computes them may still be queued: call synchronize(where()) first.
  T const* data() const {
    check_elements();
    return elements_ ? static_cast<T const*>(elements_->data()) : nullptr;
  }
  /// The same for writing; other owners keep the old elements. Throws: out_of_memory.
  T* data() {
    check_elements();
    if (elements_ && !elements_->is_external() && elements_->owners() != 1)
      elements_ = detail::copied_to(elements_->where(), *elements_.get());
    return elements_ ? static_cast<T*>(elements_->data()) : nullptr;
  }

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

 protected:
  explicit tensor(detail::tensor_access::nothing) noexcept {}

 private:
  friend struct detail::tensor_access;

  bool is_external() const noexcept { return elements_ && elements_->is_external(); }
  template <class K, class Written> void fill_from(Written const& values) {
    using given = typename Written::shape_type;
    detail::constant_into<K>(*this, values.v, detail::converted<X>(given{}), {});
  }
  void check_elements() const {
    if (!elements_ && size() != 0) [[unlikely]]
      detail::moved_from();
  }

  detail::buffer_ref elements_;
  device_spec requested_;
  [[no_unique_address]] X shape_{};
};

// Braces contain elements. Integers in parentheses are treated as extents.
template <element T> tensor(std::initializer_list<T>) -> tensor<T, dextents<1>>;
template <element T>
tensor(std::initializer_list<std::initializer_list<T>>) -> tensor<T, dextents<2>>;
template <element T>
tensor(std::initializer_list<std::initializer_list<std::initializer_list<T>>>)
    -> tensor<T, dextents<3>>;
template <element T, std::same_as<T>... U> requires(!detail::integer<T>)
tensor(T, U...) -> tensor<T, dextents<1>>;
template <detail::integer T, detail::integer... U>
tensor(T, U...) -> tensor<T, detail::extents_as_arguments>;
template <element T, std::size_t... N> tensor(T const (&... rows)[N]) -> tensor<T, dextents<2>>;
template <element T, std::size_t... M, std::size_t... N>
tensor(T const (&... planes)[M][N]) -> tensor<T, dextents<3>>;
template <lazy E>
tensor(E) -> tensor<typename E::value_type, typename E::extents_type, detail::device_in_type<E>>;
template <lazy E>
tensor(E, site)
    -> tensor<typename E::value_type, typename E::extents_type, detail::device_in_type<E>>;
template <class T, class X> tensor(reference<T, X>) -> tensor<T, X>;

/// `tensor<float>` and `tensor(2, 3)`: rejected, see rejected.hpp. The class derives from a vector,
/// so that the sentence is the only error.
template <class T, detail::rejected_shape X>
class tensor<T, X, any_device> : public tensor<T, dextents<1>> {
  static_assert(detail::reject_shape<X>());

 public:
  template <class... A> tensor(A const&...) {}
};

}}  // namespace placement::v0_1
