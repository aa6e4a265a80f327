#include "arrays.hpp"

void first(array& out, array const& a, array const& b, array const& c) { out = a + b * c; }
void second(array& out, array const& a, array const& b, array const& c) { out = (a - b) / c; }
void third(array& out, array const& a, array const& b) { out = placement::exp(a) * b; }
void fourth(array& out, array const& a, array const& b) { out = placement::sqrt(a * a + b * b); }
void fifth(array& out, array const& a, array const& c) { out = placement::tanh(a) - c; }
void sixth(array& out, array const& a, array const& b) { out = placement::maximum(a, b) * 2.f; }
void seventh(array& out, array const& a, array const& b) {
  out = placement::abs(a) + placement::log(b);
}
void eighth(array& out, array const& a, array const& b, array const& c) {
  out = a * 2.f + b * 3.f - c;
}
void ninth(number& out, array const& a, array const& b) { out = placement::sum(a * b); }
void tenth(array& out, array const& a, array const& b, array const& c) {
  out = placement::where(a > b, a, c);
}
