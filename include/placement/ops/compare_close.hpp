#pragma once
/// Comparison of arrays for tests: which elements differ, and by how much.

#include <placement/expr/print.hpp>
#include <placement/ops/isclose.hpp>

#include <string>

namespace placement { inline namespace v0_1 {

/// The result of compare_close() and compare_equal(). True where the arrays agree; its text lists
/// the first differences. Testing frameworks print it: `CHECK(compare_close(x, y))`.
struct comparison {
  std::size_t elements = 0;      ///< compared
  std::size_t different = 0;     ///< of these
  double max_absolute = 0;       ///< the largest |actual - desired| of different elements
  double max_relative = 0;       ///< the largest |actual - desired| / |desired| of them
  std::string text = "equal";    ///< "equal", or a report of several lines
  bool shapes_are_equal = true;  ///< otherwise nothing is compared

  explicit operator bool() const { return shapes_are_equal && different == 0; }
};
inline std::string to_string(comparison const& c) { return c.text; }
template <class C, class Traits> requires std::is_same_v<C, char>
std::basic_ostream<C, Traits>& operator<<(std::basic_ostream<C, Traits>& out, comparison const& c) {
  return out << c.text;
}

namespace detail {

/// The number of differences that a report lists.
inline constexpr std::size_t listed_differences = 5;

/// Whether x is close to y. Without a tolerance integers are compared exactly.
template <class T> bool is_close(T x, T y, tolerance const& within) {
  if (within.rtol == 0 && within.atol == 0) return x == y || (within.equal_nan && x != x && y != y);
  if constexpr (std::is_same_v<T, bool>) return x == y;
  else return isclose_op{within}(x, y);
}
/// "[0, 1]" for element i of shape x; "[]" for rank 0.
inline std::string index_text(any_shape const& x, std::size_t i) {
  index_t index[max_rank + 1]{};
  for (std::size_t d = x.rank; d-- > 0; i /= static_cast<std::size_t>(x.extent[d]))
    index[d] = static_cast<index_t>(i % static_cast<std::size_t>(x.extent[d]));
  return list_text(index, x.rank);
}
inline void add_difference(comparison& to, double actual, double desired) {
  double const difference = actual < desired ? desired - actual : actual - desired;
  double const size = desired < 0 ? -desired : desired;
  if (difference > to.max_absolute) to.max_absolute = difference;
  if (size > 0 && difference / size > to.max_relative) to.max_relative = difference / size;
}
inline std::string report_text(comparison const& c, tolerance const& within,
                               std::string const& listed) {
  std::size_t const permille = (c.different * 1000 + c.elements / 2) / c.elements;
  std::string text = "Not equal";
  if (within.rtol != 0 || within.atol != 0)
    text += " to tolerance rtol=" + number_text(within.rtol) + ", atol=" + number_text(within.atol);
  text += "\nMismatched elements: " + std::to_string(c.different) + " / " +
          std::to_string(c.elements) + " (" + std::to_string(permille / 10) + "." +
          std::to_string(permille % 10) + "%)\n" + listed;
  if (c.different > listed_differences) text += " ...\n";
  return text + "Max absolute difference: " + number_text(c.max_absolute) +
         "\nMax relative difference: " + number_text(c.max_relative);
}

}  // namespace detail

/// Compares like isclose, and reports the first differences with index and both values, how many
/// elements differ, and the largest differences: `CHECK(compare_close(actual, desired))`.
/// Shape: equal; other shapes are reported.  Type: any, the same on both sides.
/// Throws: exceptions of the ops.  Cost: both arrays are copied to the host.
template <operand A, operand B, class K = kernels_here>
comparison compare_close(A&& actual, B&& desired, tolerance within = {}) {
  using T = typename bare<A>::value_type;
  static_assert(
      std::is_same_v<T, typename bare<B>::value_type>,
      "placement: these operands have different element types. Write cast<T>(x) on one of them.");
  comparison c;
  std::string const shapes = to_string(actual.shape()) + " and " + to_string(desired.shape());
  if (to_string(actual.shape()) != to_string(desired.shape())) {
    c.shapes_are_equal = false;
    c.text = "Shapes " + shapes + " differ";
    return c;
  }
  tensor const x = std::forward<A>(actual);
  tensor const y = std::forward<B>(desired);
  auto const left = x.read();
  auto const right = y.read();
  c.elements = x.size();
  std::string listed;
  for (std::size_t i = 0; i != c.elements; ++i) {
    if (detail::is_close<T>(left[i], right[i], within)) continue;
    if (c.different++ < detail::listed_differences)
      listed += " " + detail::index_text(x.shape(), i) + ": " + detail::number_text<T>(left[i]) +
                " (actual), " + detail::number_text<T>(right[i]) + " (desired)\n";
    detail::add_difference(c, static_cast<double>(left[i]), static_cast<double>(right[i]));
  }
  if (c.different != 0) c.text = detail::report_text(c, within, listed);
  return c;
}
/// The same for equal elements, as numpy.testing.assert_array_equal: NaN equals NaN.
template <operand A, operand B, class K = kernels_here>
comparison compare_equal(A&& actual, B&& desired) {
  return compare_close(std::forward<A>(actual), std::forward<B>(desired),
                       {.rtol = 0, .atol = 0, .equal_nan = true});
}

}}  // namespace placement::v0_1
