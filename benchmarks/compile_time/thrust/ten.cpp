#include "arrays.hpp"

#include <cmath>

void first(array& out, array const& a, array const& b, array const& c) {
  transformed(out, FORMULA(float x, float y, float z) { return x + y * z; }, a, b, c);
}
void second(array& out, array const& a, array const& b, array const& c) {
  transformed(out, FORMULA(float x, float y, float z) { return (x - y) / z; }, a, b, c);
}
void third(array& out, array const& a, array const& b) {
  transformed(out, FORMULA(float x, float y) { return std::exp(x) * y; }, a, b);
}
void fourth(array& out, array const& a, array const& b) {
  transformed(out, FORMULA(float x, float y) { return std::sqrt(x * x + y * y); }, a, b);
}
void fifth(array& out, array const& a, array const& c) {
  transformed(out, FORMULA(float x, float z) { return std::tanh(x) - z; }, a, c);
}
void sixth(array& out, array const& a, array const& b) {
  transformed(out, FORMULA(float x, float y) { return std::fmax(x, y) * 2.f; }, a, b);
}
void seventh(array& out, array const& a, array const& b) {
  transformed(out, FORMULA(float x, float y) { return std::abs(x) + std::log(y); }, a, b);
}
void eighth(array& out, array const& a, array const& b, array const& c) {
  transformed(out, FORMULA(float x, float y, float z) { return x * 2.f + y * 3.f - z; }, a, b, c);
}
void ninth(float& out, array const& a, array const& b) {
  auto const begin = zipped(a, b);
  out = thrust::transform_reduce(
      begin, begin + static_cast<long>(a.size()),
      thrust::make_zip_function(FORMULA(float x, float y) { return x * y; }), 0.f,
      FORMULA(float x, float y) { return x + y; });
}
void tenth(array& out, array const& a, array const& b, array const& c) {
  transformed(out, FORMULA(float x, float y, float z) { return x > y ? x : z; }, a, b, c);
}
