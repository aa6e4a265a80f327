// error: placement: an op has no GPU kernel for this element type, and the scope is strict.
#include <placement/placement.hpp>

using namespace placement;

struct next_op {
  static constexpr std::string_view name = "Next";
  using pattern = map;
  using kernels = cpu_only;
  float operator()(float x) const noexcept { return x + 1; }
};
template <operand X> auto next(X&& x) -> unary<next_op, X> { return {{}, {}, std::forward<X>(x)}; }

int main() {
#ifdef CONTROL
  tensor const a{1.f, 2.f};
  with_device const scope(gpu<0>, strict);
  tensor const b = scope(relu(relu(on("/cpu:0", next(relu(a))) * a) + a));
#else
  tensor const a{1.f, 2.f};
  with_device const scope(gpu<0>, strict);
  tensor const b = scope(relu(relu(next(relu(a)) * a) + a));
#endif
}
