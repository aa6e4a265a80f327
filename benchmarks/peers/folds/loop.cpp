#include "rows.hpp"

#include <cmath>

struct loop {
  static constexpr char const* name = "loop";
  using floats = std::vector<float>;

  static floats array(benchmark::State const& state) { return bench::mixed(state); }
  static float sum(floats const& a) {
    float s = 0;
    for (float x : a) s += x;
    return s;
  }
  static float mean(floats const& a) { return sum(a) / static_cast<float>(a.size()); }
  static float max(floats const& a) {
    float m = a[0];
    for (float x : a) m = x > m ? x : m;
    return m;
  }
  static float min(floats const& a) {
    float m = a[0];
    for (float x : a) m = x < m ? x : m;
    return m;
  }
  static std::size_t argmax(floats const& a) {
    std::size_t at = 0;
    for (std::size_t i = 1; i != a.size(); ++i)
      if (a[i] > a[at]) at = i;
    return at;
  }
  static float norm(floats const& a) {
    float s = 0;
    for (float x : a) s += x * x;
    return std::sqrt(s);
  }
  static bool any(floats const& a) {
    for (float x : a)
      if (x > 2) return true;
    return false;
  }
  static bool all(floats const& a) {
    for (float x : a)
      if (!(x < 2)) return false;
    return true;
  }
};
static bench::reduction_rows<loop> const rows;
