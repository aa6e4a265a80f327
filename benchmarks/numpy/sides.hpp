#pragma once
/// The ops of table.py: a registry of functions that compute one op of NumPy's arrays.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// NumPy's arrays, of `size` elements each. `small` is between 0 and 99.
struct arrays {
  std::int64_t size;
  float const *x, *y, *positive;
  double const* wide;
  std::int32_t const* whole;  ///< between -1000 and 1000
  std::int64_t const *index, *small;
  bool const* mask;
};

/// An op of one side. `prepare` copies the arrays once, and returns what is measured.
struct op {
  std::string side, name;
  std::function<std::function<void()>(arrays const&)> prepare;
};

inline std::vector<op>& ops() {
  static std::vector<op> all;
  return all;
}

/// The compiler must compute x.
template <class X> void keep(X const& x) { asm volatile("" : : "r"(&x) : "memory"); }

}  // namespace bench
