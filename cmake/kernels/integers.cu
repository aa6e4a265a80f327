// Element-wise kernels of int, std::int64_t and bool, and their views, fills and assignments.
#include "expressions.hpp"

namespace placement { inline namespace v0_1 { namespace common_kernels {

template <class T> void of_integer() {
  unary_of_numbers<T>();
  arithmetic<T>();
  comparisons<T>();
  binary<T>([](auto const& a, auto const& b) { return a % b; });
  views<T>();
  fills<T>();
}
template <class K = kernels_here> void of_integers() {
  of_integer<int>();
  of_integer<std::int64_t>();
  using yes = dense<bool, 1>;
  make<decltype(!of<yes>()), decltype(cast<float>(of<yes>())), decltype(cast<int>(of<yes>()))>();
  make<decltype(of<yes>() && of<yes>()), decltype(of<yes>() || of<yes>())>();
}
template void of_integers<>();

}}}  // namespace placement::v0_1::common_kernels
