#pragma once
/// Evaluation that is resolved at compile time: operands on CPU:0 and static extents. No registry,
/// log or decision remains at run time, only the loop.

#include <placement/cpu/lanes.hpp>
#include <placement/expr/destination.hpp>
#include <placement/expr/inline_tensor.hpp>
#include <placement/expr/run_custom.hpp>
#include <placement/expr/run_here.hpp>

#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

template <class T, class X, class E>
PLACEMENT_ALWAYS_INLINE inline void compute_here(inline_tensor<T, X>& out, E const& e);
template <class T, class X, class E>
void compute_here(tensor<T, X>& out, E const& e, bool is_rvalue);

/// The maximal number of kernels that run before the last one of E.
template <class E> constexpr std::size_t kernels_below() {
  std::size_t n = 0;
  if constexpr (is_placed<E>) {
    n = 1 + kernels_below<decltype(E::inner)>();
  } else if constexpr (is_expr<E>) {
    operands_of<E>::each([&]<class C>() {
      n += kernels_below<C>();
      constexpr bool takes_no_regions = matmul_node<E> || custom_node<E>;
      if constexpr (is_expr<C> && (!fusible_node<C> || takes_no_regions)) ++n;
    });
  }
  return n;
}

/// Results of kernels that a later kernel reads.
template <std::size_t N> struct results_here {
  struct result {
    alignas(buffer::alignment) std::byte inline_elements[max_inline_elements * max_element_bytes];
    buffer_ref heap_elements;
  };
  result all[N];
  std::size_t used = 0;
};
template <> struct results_here<0> {};

/// The operands of one kernel: their addresses, and the results of earlier kernels. N: the maximal
/// number of these results.
template <std::size_t N> class operands_here {
 public:
  /// `op`, `at`: the op that reads the operands, and its location.
  operands_here(std::string_view op, site at) : op_(op), at_(at) {}

  template <class T, class X> T const* bring(inline_ref<T, X> const& r) { return r.data(); }
  template <class T, class X> T const* bring(tensor<T, X, dev<kind::cpu, 0>> const& t) {
    if constexpr (!is_inline<inline_tensor<T, X>>)
      if (!tensor_access::elements(t) && t.size() != 0) [[unlikely]]
        moved_from(op_, at_);
    return t.data();
  }

  template <class X> auto compute(X const& x) {
    using T = typename X::value_type;
    using S = typename X::extents_type;
    if constexpr (is_inline<inline_tensor<T, S>>) {
      inline_tensor<T, S> value;
      compute_here(value, x);
      return value;
    } else {
      auto value = tensor_access::empty<tensor<T, S>>();
      compute_here(value, x, false);
      return value;
    }
  }
  template <class T, class X> requires(is_inline<inline_tensor<T, X>>)
  T const* keep(inline_tensor<T, X>&& t) {
    void* const to = results_.all[results_.used++].inline_elements;
    return static_cast<T const*>(std::memcpy(to, t.data(), X::count() * sizeof(T)));
  }
  template <class T, class X> T const* keep(tensor<T, X>&& t) {
    T const* const p = std::as_const(t).data();
    results_.all[results_.used++].heap_elements = std::move(tensor_access::elements(t));
    return p;
  }

  void set_produced(void const* node, void const* at) {
    produced_ = node;
    produced_at_ = at;
  }
  void const* produced(void const* node) const {
    return node == produced_ ? produced_at_ : nullptr;
  }

 private:
  std::string_view op_;
  site at_;
  results_here<N> results_;
  void const* produced_ = nullptr;
  void const* produced_at_ = nullptr;
};

/// Writes the elements of e to `out`, dense memory on CPU:0. `set` gives the operands.
template <class E, class Set, class T>
PLACEMENT_ALWAYS_INLINE inline void run_kernel_here(E const& e, Set& set, T* out) {
  if constexpr (has_epilogue<E, false>) {
    auto const* const producer = producer_of<E, false>(e);
    using C = bare<decltype(*producer)>;
    if (producer->shape() == e.shape()) {
      set.set_produced(producer, out);
      bind_fusion(e, e.shape(), set, [&](auto in_form, auto const& f) PLACEMENT_ALWAYS_INLINE {
        set.set_produced(nullptr, nullptr);  // a factor may lie at its address
        auto const epilogue = make_epilogue(in_form, out, f, e.shape());
        if constexpr (matmul_node<C>) multiply_here(*producer, set, out, epilogue);
        else reduce_here(*producer, set, out, epilogue);
      });
      return;
    }
  }
  if constexpr (fusible_node<E>) run_map_here(e, set, out);
  else if constexpr (matmul_node<E>) multiply_here(e, set, out, no_epilogue{});
  else if constexpr (reduce_node<E>) reduce_here(e, set, out, no_epilogue{});
  else if constexpr (literal_node<E>) copy_literal(e, cpu0, out);
  else run_custom(e, launch_inline{}, set, out);
}

/// Writes the elements of e to `out`, which e must not read.
template <class E, class T> PLACEMENT_ALWAYS_INLINE inline void run_here(E const& e, T* out) {
  if constexpr (is_placed<E>) {
    run_here(e.inner, out);
  } else if constexpr (stored<E>) {
    operands_here<0> set("Copy", {});
    if constexpr (E::extents_type::count() != 0)
      std::memcpy(out, set.bring(e), E::extents_type::count() * sizeof(T));
  } else {
    operands_here<kernels_below<E>()> set(E::op_type::name, e.from.where);
    run_kernel_here(e, set, out);
  }
}

/// Whether each element of e depends only on operands at its own index. Then e may overwrite an
/// operand.
template <class E> constexpr bool reads_its_index_only() {
  if constexpr (!fusible_node<E>) return false;
  else if constexpr (has_epilogue<E, false> || !kernel_is_noexcept<E, false>) return false;
  else return form_of<E, fused_nodes::all, typename E::extents_type>() == form::contiguous;
}

/// Computes e into `out`. If e may read `out` at other indices, the result is stored at the end.
template <class T, class X, class E>
inline void compute_here(inline_tensor<T, X>& out, E const& e) {
  if constexpr (reads_its_index_only<E>()) {
    run_here(e, out.data());
  } else if constexpr (X::count() != 0) {
    T result[X::count()];
    run_here(e, result);
    copy_by_lanes<PLACEMENT_VECTOR_BYTES, X::count()>(out.data(), result);
  }
}
/// Computes e into a tensor handle: in place if that is safe, else into a new buffer.
template <class T, class X, class E>
void compute_here(tensor<T, X>& out, E const& e, bool is_rvalue) {
  constexpr device_spec here{cpu0};
  if constexpr (is_placed<E>) {
    compute_here(out, e.inner, is_rvalue);
  } else if constexpr (is_tensor<E>) {
    store_copy(out, e, pinned_by_type<dev<kind::cpu, 0>>{}, {});
  } else {
    bool in_place = false;
    if constexpr (!stored<E>) in_place = may_overwrite(out, e, cpu0, is_rvalue);
    call_site requested_by;
    if constexpr (is_expr<E>) requested_by = call_site_of(e, {});
    destination<T, X> to(out, converted<X>(e.shape()), cpu0, here, in_place, requested_by);
    run_here(e, to.data());
    to.keep();
  }
}

}}}  // namespace placement::v0_1::detail
