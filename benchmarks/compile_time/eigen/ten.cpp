#include "arrays.hpp"

void first(array& out, array const& a, array const& b, array const& c) { out = a + b * c; }
void second(array& out, array const& a, array const& b, array const& c) { out = (a - b) / c; }
void third(array& out, array const& a, array const& b) { out = Eigen::exp(a) * b; }
void fourth(array& out, array const& a, array const& b) { out = Eigen::sqrt(a * a + b * b); }
void fifth(array& out, array const& a, array const& c) { out = Eigen::tanh(a) - c; }
void sixth(array& out, array const& a, array const& b) { out = a.max(b) * 2.f; }
void seventh(array& out, array const& a, array const& b) { out = Eigen::abs(a) + Eigen::log(b); }
void eighth(array& out, array const& a, array const& b, array const& c) {
  out = a * 2.f + b * 3.f - c;
}
void ninth(number& out, array const& a, array const& b) { out = (a * b).sum(); }
void tenth(array& out, array const& a, array const& b, array const& c) {
  out = (a > b).select(a, c);
}
