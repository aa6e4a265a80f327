#pragma once
/// Definitions of math_loops.hpp: tan, hyperbolic functions and their inverses, angles, logaddexp.

#include <placement/config.hpp>
#include <placement/cpu/formula_loop.hpp>
#include <placement/cpu/math_loops.hpp>
#include <placement/cpu/trigonometric_formulas.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void tan_loop(float* to, float const* x, index_t n) {
  run_formula<tan_formula>(n, to, x);
}
PLACEMENT_INLINE void tan_loop(double* to, double const* x, index_t n) {
  run_formula<tan_formula>(n, to, x);
}
PLACEMENT_INLINE void asin_loop(float* to, float const* x, index_t n) {
  run_formula<asin_formula>(n, to, x);
}
PLACEMENT_INLINE void asin_loop(double* to, double const* x, index_t n) {
  run_formula<asin_formula>(n, to, x);
}
PLACEMENT_INLINE void acos_loop(float* to, float const* x, index_t n) {
  run_formula<acos_formula>(n, to, x);
}
PLACEMENT_INLINE void acos_loop(double* to, double const* x, index_t n) {
  run_formula<acos_formula>(n, to, x);
}
PLACEMENT_INLINE void atan_loop(float* to, float const* x, index_t n) {
  run_formula<atan_formula>(n, to, x);
}
PLACEMENT_INLINE void atan_loop(double* to, double const* x, index_t n) {
  run_formula<atan_formula>(n, to, x);
}
PLACEMENT_INLINE void sinh_loop(float* to, float const* x, index_t n) {
  run_formula<sinh_formula>(n, to, x);
}
PLACEMENT_INLINE void sinh_loop(double* to, double const* x, index_t n) {
  run_formula<sinh_formula>(n, to, x);
}
PLACEMENT_INLINE void cosh_loop(float* to, float const* x, index_t n) {
  run_formula<cosh_formula>(n, to, x);
}
PLACEMENT_INLINE void cosh_loop(double* to, double const* x, index_t n) {
  run_formula<cosh_formula>(n, to, x);
}
PLACEMENT_INLINE void asinh_loop(float* to, float const* x, index_t n) {
  run_formula<asinh_formula>(n, to, x);
}
PLACEMENT_INLINE void asinh_loop(double* to, double const* x, index_t n) {
  run_formula<asinh_formula>(n, to, x);
}
PLACEMENT_INLINE void acosh_loop(float* to, float const* x, index_t n) {
  run_formula<acosh_formula>(n, to, x);
}
PLACEMENT_INLINE void acosh_loop(double* to, double const* x, index_t n) {
  run_formula<acosh_formula>(n, to, x);
}
PLACEMENT_INLINE void atanh_loop(float* to, float const* x, index_t n) {
  run_formula<atanh_formula>(n, to, x);
}
PLACEMENT_INLINE void atanh_loop(double* to, double const* x, index_t n) {
  run_formula<atanh_formula>(n, to, x);
}
PLACEMENT_INLINE void atan2_loop(float* to, float const* y, float const* x, index_t n) {
  run_formula<atan2_formula>(n, to, y, x);
}
PLACEMENT_INLINE void atan2_loop(double* to, double const* y, double const* x, index_t n) {
  run_formula<atan2_formula>(n, to, y, x);
}
PLACEMENT_INLINE void hypot_loop(float* to, float const* x, float const* y, index_t n) {
  run_formula<hypot_formula>(n, to, x, y);
}
PLACEMENT_INLINE void hypot_loop(double* to, double const* x, double const* y, index_t n) {
  run_formula<hypot_formula>(n, to, x, y);
}
PLACEMENT_INLINE void logaddexp_loop(float* to, float const* x, float const* y, index_t n) {
  run_formula<logaddexp_formula>(n, to, x, y);
}
PLACEMENT_INLINE void logaddexp_loop(double* to, double const* x, double const* y, index_t n) {
  run_formula<logaddexp_formula>(n, to, x, y);
}

}}}  // namespace placement::v0_1::detail
