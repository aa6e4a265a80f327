// The file that does not record gradients.
#include "expressions.hpp"

namespace shared {

vec layer_there(vec const& x, vec const& b) { return layer<>(x, b); }
vec product_there(vec const& x) { return product<>(x); }
void clear_first_there(vec& x) { clear_first<>(x); }
float total_there(vec const& x) { return total<>(x); }
void assign_both_there(vec& a, vec& b) {
  placement::evaluate(placement::into(a) = a + b, placement::into(b) = a * b);
}

}  // namespace shared
