#include "arrays.hpp"

void first(array& out, array const& a, array const& b, array const& c) {
  transformed(out, FORMULA(float x, float y, float z) { return x + y * z; }, a, b, c);
}
