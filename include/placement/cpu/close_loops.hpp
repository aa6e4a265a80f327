#pragma once
/// The loop of isclose, which is compiled once for several levels of x86-64. Block kernels of files
/// for plain x86-64 call it (cpu/block_stages.hpp).

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// to[i]: is |x[i] - y[i]| <= atol + rtol |y[i]|, or are both equal, or both NaN where NaN counts?
/// T: float or double.
template <class T> struct close_loops {
  struct tolerance {
    T rtol, atol;
    bool equal_nan;
  };
  static void isclose(bool* to, T const* x, T const* y, index_t n, tolerance const& within);
  static void isclose(bool* to, T const* x, T y, index_t n, tolerance const& within);
};

}}}  // namespace placement::v0_1::detail
