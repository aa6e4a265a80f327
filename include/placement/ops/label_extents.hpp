#pragma once
/// Checks that dimensions with one label have one extent.

#include <placement/error.hpp>
#include <placement/place/location.hpp>
#include <placement/shape/subscripts.hpp>

#include <initializer_list>
#include <string>

namespace placement { inline namespace v0_1 { namespace detail {

constexpr bool is_of_ellipsis(int label) { return label >= subscript_list::first_of_ellipsis; }

/// Whether extents of one label agree: they are equal, or of an ellipsis and one of them is 1.
constexpr bool extents_agree(int label, index_t m, index_t n) {
  return m == n || (is_of_ellipsis(label) && (m == 1 || n == 1));
}

/// Whether extents in the types of the operands' shapes agree, where both are known.
template <class... X> constexpr bool static_extents_agree(subscript_list const* operand) {
  subscript_list seen;
  index_t extent[subscript_list::capacity * 8]{};
  bool agree = true;
  auto const compare = [&]<class Y>(std::type_identity<Y>) {
    for (int i = 0; i != operand->size; ++i) {
      index_t const n = Y::static_extent(static_cast<std::size_t>(i));
      int const l = operand->label[i], at = seen.position(l);
      if (at < 0) extent[seen.size] = n;
      if (at < 0) seen.add(l);
      else if (extent[at] == dyn || (extent[at] == 1 && is_of_ellipsis(l))) extent[at] = n;
      else agree = agree && (n == dyn || extents_agree(l, extent[at], n));
    }
    ++operand;
  };
  (compare(std::type_identity<X>{}), ...);
  return agree;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_different_extents(
    std::string const& what, int label, std::string const& first, std::string const& second,
    site at) {
  std::string const which = is_of_ellipsis(label)
                                ? std::string("a dimension of ...")
                                : "subscript " + std::string(1, static_cast<char>(label));
  throw shape_error("placement: " + what + ": " + which + " is " + first + " and " + second +
                    ". Extents of one subscript are equal; check the shapes." +
                    location_text({}, at));
}
inline std::string extent_text(any_shape const& x, int dimension, std::size_t operand) {
  return std::to_string(x.extent[dimension]) + " in operand " + std::to_string(operand) +
         " of shape " + text_of(x);
}

/// Throws: shape_error if extents of one label differ. what: the op, for the message.
inline void check_label_extents(std::string const& what, subscript_list const* operand,
                                std::initializer_list<any_shape> shapes, site at) {
  struct position {
    std::size_t operand;
    int dimension;
  };
  for (std::size_t k = 0; k != shapes.size(); ++k)
    for (int i = 0; i != operand[k].size; ++i)
      for (std::size_t j = 0; j <= k; ++j)
        for (int d = 0; d != (j == k ? i : operand[j].size); ++d) {
          int const l = operand[k].label[i];
          any_shape const &x = shapes.begin()[j], &y = shapes.begin()[k];
          if (operand[j].label[d] == l && !extents_agree(l, x.extent[d], y.extent[i]))
            throw_different_extents(what, l, extent_text(x, d, j), extent_text(y, i, k), at);
        }
}

}}}  // namespace placement::v0_1::detail
