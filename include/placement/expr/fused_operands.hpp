#pragma once
/// The operands of a fused kernel as they are listed, so that all else about them is compiled once.

#include <placement/exec/operand_table.hpp>
#include <placement/expr/tensor.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

struct read_collector;

/// Where the elements of an operand are before the kernel reads them. `elements` is null for a
/// tensor without elements; `data` is set for an inline tensor.
struct operand_source {
  buffer const* elements;
  void const* data;
  std::size_t count;

  /// What identifies the memory; null for a tensor without elements.
  void const* memory() const { return data != nullptr ? data : elements; }
  /// The size of the memory. element: bytes.
  std::size_t bytes(std::size_t element) const {
    return elements != nullptr ? elements->size() : count * element;
  }
};
/// The source of a stored operand. `op`, `at`: the op that reads it.
/// Throws: shape_error for a stale view.
template <class X> operand_source source_of(X const& x, std::string_view op, site at) {
  if constexpr (is_reference<X>) return source_of(target_now(x, op, at), op, at);
  else if constexpr (is_inline<X>) return {nullptr, x.data(), X::extents_type::count()};
  else return {tensor_access::elements(x).get(), nullptr, x.size()};
}

/// The operands of a fused kernel.
class fused_operands {
 public:
  fused_operands(operand_table& t, operand_source* sources, read_collector& c,
                 std::string_view root, site at)
      : table(t), collected(c), source_(sources), root_(root), at_(at) {}

  operand_table& table;
  read_collector& collected;
  bool are_views = false;    ///< what is added now lies below a view op
  bool are_factors = false;  ///< of a product: they have a layout, also if their rank is 0

  /// Adds an operand in memory. `as`: the shape it is read with.
  template <class T, class X> void add(tensor<T, X> const& t, any_shape const& as) {
    add_buffer(tensor_access::elements(t).get(), t.size(), sizeof(T), true, as);
  }
  template <class T, class X> void add(reference<T, X> const& r, any_shape const& as) {
    tensor<T, X> const& t = target_now(r, root_, at_);
    add_buffer(tensor_access::elements(t).get(), t.size(), sizeof(T), false, as);
  }
  template <class T, class X> requires(is_inline<inline_tensor<T, X>>)
  void add(inline_tensor<T, X> const& t, any_shape const& as) {
    add_inline(t.data(), t.size(), sizeof(T), as);
  }
  template <class T, class X> void add(inline_ref<T, X> const& r, any_shape const& as) {
    add(*r.target, as);
  }
  /// Adds an operand that is computed later.
  void add_computed(unsigned bytes, any_shape const& as);

  operand_source const& source(unsigned k) const { return source_[k]; }
  /// The bytes that are copied for operand k, whose memory `from` is on another device: from the
  /// first to the last that the kernel reads. They include ranges of later operands that touch
  /// them, so that no byte is copied twice.
  byte_range copied_bytes(unsigned k, operand_source const& from) const;

 private:
  void add_buffer(buffer const* b, std::size_t count, unsigned bytes, bool is_handle,
                  any_shape const& as);
  void add_inline(void const* data, std::size_t count, unsigned bytes, any_shape const& as);
  operand_source& add_slot(unsigned bytes, any_shape const& as);

  operand_source* source_;
  std::string_view root_;
  site at_;
};

}}}  // namespace placement::v0_1::detail
