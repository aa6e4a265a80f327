#pragma once
/// Definitions of math_loops.hpp: exponentials, logarithms, powers, sin, cos and shifts.

#include <placement/config.hpp>
#include <placement/cpu/formula_loop.hpp>
#include <placement/cpu/math_loops.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void exp_loop(float* to, float const* x, index_t n) {
  run_formula<exp_formula>(n, to, x);
}
PLACEMENT_INLINE void exp_loop(double* to, double const* x, index_t n) {
  run_formula<exp_formula>(n, to, x);
}
PLACEMENT_INLINE void expm1_loop(float* to, float const* x, index_t n) {
  run_formula<expm1_formula>(n, to, x);
}
PLACEMENT_INLINE void expm1_loop(double* to, double const* x, index_t n) {
  run_formula<expm1_formula>(n, to, x);
}
PLACEMENT_INLINE void log_loop(float* to, float const* x, index_t n) {
  run_formula<log_formula>(n, to, x);
}
PLACEMENT_INLINE void log_loop(double* to, double const* x, index_t n) {
  run_formula<log_formula>(n, to, x);
}
PLACEMENT_INLINE void log1p_loop(float* to, float const* x, index_t n) {
  run_formula<log1p_formula>(n, to, x);
}
PLACEMENT_INLINE void log1p_loop(double* to, double const* x, index_t n) {
  run_formula<log1p_formula>(n, to, x);
}
PLACEMENT_INLINE void tanh_loop(float* to, float const* x, index_t n) {
  run_formula<tanh_formula>(n, to, x);
}
PLACEMENT_INLINE void tanh_loop(double* to, double const* x, index_t n) {
  run_formula<tanh_formula>(n, to, x);
}
PLACEMENT_INLINE void sigmoid_loop(float* to, float const* x, index_t n) {
  run_formula<sigmoid_formula>(n, to, x);
}
PLACEMENT_INLINE void sigmoid_loop(double* to, double const* x, index_t n) {
  run_formula<sigmoid_formula>(n, to, x);
}
PLACEMENT_INLINE void sin_loop(float* to, float const* x, index_t n) {
  run_formula<sin_formula>(n, to, x);
}
PLACEMENT_INLINE void sin_loop(double* to, double const* x, index_t n) {
  run_formula<sin_formula>(n, to, x);
}
PLACEMENT_INLINE void cos_loop(float* to, float const* x, index_t n) {
  run_formula<cos_formula>(n, to, x);
}
PLACEMENT_INLINE void cos_loop(double* to, double const* x, index_t n) {
  run_formula<cos_formula>(n, to, x);
}
PLACEMENT_INLINE void erf_loop(float* to, float const* x, index_t n) {
  run_formula<erf_formula>(n, to, x);
}
PLACEMENT_INLINE void erf_loop(double* to, double const* x, index_t n) {
  run_formula<erf_formula>(n, to, x);
}
PLACEMENT_INLINE void left_shift_loop(std::int32_t* to, std::int32_t const* x,
                                      std::int32_t const* bits, index_t n) {
  run_formula<left_shift_formula>(n, to, x, bits);
}
PLACEMENT_INLINE void left_shift_loop(std::uint32_t* to, std::uint32_t const* x,
                                      std::uint32_t const* bits, index_t n) {
  run_formula<left_shift_formula>(n, to, x, bits);
}
PLACEMENT_INLINE void left_shift_loop(std::int64_t* to, std::int64_t const* x,
                                      std::int64_t const* bits, index_t n) {
  run_formula<left_shift_formula>(n, to, x, bits);
}
PLACEMENT_INLINE void left_shift_loop(std::uint64_t* to, std::uint64_t const* x,
                                      std::uint64_t const* bits, index_t n) {
  run_formula<left_shift_formula>(n, to, x, bits);
}
PLACEMENT_INLINE void right_shift_loop(std::int32_t* to, std::int32_t const* x,
                                       std::int32_t const* bits, index_t n) {
  run_formula<right_shift_formula>(n, to, x, bits);
}
PLACEMENT_INLINE void right_shift_loop(std::uint32_t* to, std::uint32_t const* x,
                                       std::uint32_t const* bits, index_t n) {
  run_formula<right_shift_formula>(n, to, x, bits);
}
PLACEMENT_INLINE void right_shift_loop(std::int64_t* to, std::int64_t const* x,
                                       std::int64_t const* bits, index_t n) {
  run_formula<right_shift_formula>(n, to, x, bits);
}
PLACEMENT_INLINE void right_shift_loop(std::uint64_t* to, std::uint64_t const* x,
                                       std::uint64_t const* bits, index_t n) {
  run_formula<right_shift_formula>(n, to, x, bits);
}
PLACEMENT_INLINE void exp2_loop(float* to, float const* x, index_t n) {
  run_formula<exp2_formula>(n, to, x);
}
PLACEMENT_INLINE void exp2_loop(double* to, double const* x, index_t n) {
  run_formula<exp2_formula>(n, to, x);
}
PLACEMENT_INLINE void log2_loop(float* to, float const* x, index_t n) {
  run_formula<log2_formula>(n, to, x);
}
PLACEMENT_INLINE void log2_loop(double* to, double const* x, index_t n) {
  run_formula<log2_formula>(n, to, x);
}
PLACEMENT_INLINE void log10_loop(float* to, float const* x, index_t n) {
  run_formula<log10_formula>(n, to, x);
}
PLACEMENT_INLINE void log10_loop(double* to, double const* x, index_t n) {
  run_formula<log10_formula>(n, to, x);
}
PLACEMENT_INLINE void cbrt_loop(float* to, float const* x, index_t n) {
  run_formula<cbrt_formula>(n, to, x);
}
PLACEMENT_INLINE void cbrt_loop(double* to, double const* x, index_t n) {
  run_formula<cbrt_formula>(n, to, x);
}
PLACEMENT_INLINE void erfc_loop(float* to, float const* x, index_t n) {
  run_formula<erfc_formula>(n, to, x);
}
PLACEMENT_INLINE void erfc_loop(double* to, double const* x, index_t n) {
  run_formula<erfc_formula>(n, to, x);
}
PLACEMENT_INLINE void pow_loop(float* to, float const* x, float const* y, index_t n) {
  run_formula<pow_formula>(n, to, x, y);
}
PLACEMENT_INLINE void pow_loop(double* to, double const* x, double const* y, index_t n) {
  run_formula<pow_formula>(n, to, x, y);
}

}}}  // namespace placement::v0_1::detail
