#include "arrays.hpp"

void first(array& out, array const& a, array const& b, array const& c) { out = a + b * c; }
void second(array& out, array const& a, array const& b, array const& c) { out = (a - b) / c; }
void third(array& out, array const& a, array const& b) { out = xt::exp(a) * b; }
void fourth(array& out, array const& a, array const& b) { out = xt::sqrt(a * a + b * b); }
void fifth(array& out, array const& a, array const& c) { out = xt::tanh(a) - c; }
void sixth(array& out, array const& a, array const& b) { out = xt::maximum(a, b) * 2.f; }
void seventh(array& out, array const& a, array const& b) { out = xt::abs(a) + xt::log(b); }
void eighth(array& out, array const& a, array const& b, array const& c) {
  out = a * 2.f + b * 3.f - c;
}
void ninth(number& out, array const& a, array const& b) { out = xt::sum(a * b)(); }
void tenth(array& out, array const& a, array const& b, array const& c) {
  out = xt::where(a > b, a, c);
}
