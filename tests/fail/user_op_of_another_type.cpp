// error: placement: this op does not take this element type. Write cast<T>(x), or use another op.
#include <placement/placement.hpp>

using namespace placement;

struct half_op {
  static constexpr std::string_view name = "Half";
  using pattern = map;
  template <class T> requires std::is_floating_point_v<T>
  PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    return x / 2;
  }
};
template <operand X> auto half(X&& x) -> unary<half_op, X> { return {{}, {}, std::forward<X>(x)}; }

int main() {
#ifdef CONTROL
  tensor const a{1.f, 2.f};
  tensor const b = half(a);
#else
  tensor const a{1, 2};
  tensor const b = half(a);
#endif
}
