#pragma once
/// Loops of exp, log and other functions, compiled once for several levels of x86-64. Block kernels
/// of files for plain x86-64 call them (cpu/block_stages.hpp).

#include <placement/shape/extents.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// to[i] = f(x[i]) for i below n. `to` may be x.
template <class T> using unary_loop = void (*)(T* to, T const* x, index_t n);
/// to[i] = f(x[i], y[i]) for i below n. `to` may be x or y.
template <class T> using binary_loop = void (*)(T* to, T const* x, T const* y, index_t n);

void exp_loop(float* to, float const* x, index_t n);
void exp_loop(double* to, double const* x, index_t n);
void expm1_loop(float* to, float const* x, index_t n);
void expm1_loop(double* to, double const* x, index_t n);
void log_loop(float* to, float const* x, index_t n);
void log_loop(double* to, double const* x, index_t n);
void log1p_loop(float* to, float const* x, index_t n);
void log1p_loop(double* to, double const* x, index_t n);
void tanh_loop(float* to, float const* x, index_t n);
void tanh_loop(double* to, double const* x, index_t n);
void sigmoid_loop(float* to, float const* x, index_t n);
void sigmoid_loop(double* to, double const* x, index_t n);
void sin_loop(float* to, float const* x, index_t n);
void sin_loop(double* to, double const* x, index_t n);
void cos_loop(float* to, float const* x, index_t n);
void cos_loop(double* to, double const* x, index_t n);
void erf_loop(float* to, float const* x, index_t n);
void erf_loop(double* to, double const* x, index_t n);
void exp2_loop(float* to, float const* x, index_t n);
void exp2_loop(double* to, double const* x, index_t n);
void log2_loop(float* to, float const* x, index_t n);
void log2_loop(double* to, double const* x, index_t n);
void log10_loop(float* to, float const* x, index_t n);
void log10_loop(double* to, double const* x, index_t n);
void erfc_loop(float* to, float const* x, index_t n);
void erfc_loop(double* to, double const* x, index_t n);
void tan_loop(float* to, float const* x, index_t n);
void tan_loop(double* to, double const* x, index_t n);
void asin_loop(float* to, float const* x, index_t n);
void asin_loop(double* to, double const* x, index_t n);
void acos_loop(float* to, float const* x, index_t n);
void acos_loop(double* to, double const* x, index_t n);
void atan_loop(float* to, float const* x, index_t n);
void atan_loop(double* to, double const* x, index_t n);
void sinh_loop(float* to, float const* x, index_t n);
void sinh_loop(double* to, double const* x, index_t n);
void cosh_loop(float* to, float const* x, index_t n);
void cosh_loop(double* to, double const* x, index_t n);
void asinh_loop(float* to, float const* x, index_t n);
void asinh_loop(double* to, double const* x, index_t n);
void acosh_loop(float* to, float const* x, index_t n);
void acosh_loop(double* to, double const* x, index_t n);
void atanh_loop(float* to, float const* x, index_t n);
void atanh_loop(double* to, double const* x, index_t n);
void cbrt_loop(float* to, float const* x, index_t n);
void cbrt_loop(double* to, double const* x, index_t n);
void atan2_loop(float* to, float const* y, float const* x, index_t n);
void atan2_loop(double* to, double const* y, double const* x, index_t n);
void hypot_loop(float* to, float const* x, float const* y, index_t n);
void hypot_loop(double* to, double const* x, double const* y, index_t n);
void logaddexp_loop(float* to, float const* x, float const* y, index_t n);
void logaddexp_loop(double* to, double const* x, double const* y, index_t n);
void pow_loop(float* to, float const* x, float const* y, index_t n);
void pow_loop(double* to, double const* x, double const* y, index_t n);

// Of integers: processors without AVX2 shift all lanes alike.
void left_shift_loop(std::int32_t* to, std::int32_t const* x, std::int32_t const* bits, index_t n);
void left_shift_loop(std::uint32_t* to, std::uint32_t const* x, std::uint32_t const* bits,
                     index_t n);
void left_shift_loop(std::int64_t* to, std::int64_t const* x, std::int64_t const* bits, index_t n);
void left_shift_loop(std::uint64_t* to, std::uint64_t const* x, std::uint64_t const* bits,
                     index_t n);
void right_shift_loop(std::int32_t* to, std::int32_t const* x, std::int32_t const* bits, index_t n);
void right_shift_loop(std::uint32_t* to, std::uint32_t const* x, std::uint32_t const* bits,
                      index_t n);
void right_shift_loop(std::int64_t* to, std::int64_t const* x, std::int64_t const* bits, index_t n);
void right_shift_loop(std::uint64_t* to, std::uint64_t const* x, std::uint64_t const* bits,
                      index_t n);

/// Whether this file's block kernels call these loops: files for AVX2 and above inline the
/// formulas.
inline constexpr bool calls_math_loops = PLACEMENT_X86_LEVEL == 1 && PLACEMENT_HAS_PACKS;

/// Integers that have loops.
template <class T> concept has_integer_loops =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>;

/// Whether an op with members has a loop over one operand, which reads them.
template <class Op, class T> concept has_own_loop =
    requires(Op const& op, T* to, T const* x, index_t n) { op.own_loop(to, x, n); };
/// Whether Op has a loop for elements of type T. It declares `template <class T> static constexpr
/// detail::unary_loop<T> loop`, or binary_loop; for integers `integer_loop`. Or it has the function
/// own_loop(to, x, n).
template <class Op, class T> concept has_loop =
    ((std::is_same_v<T, float> || std::is_same_v<T, double>) &&
     requires { Op::template loop<T>; }) ||
    (has_integer_loops<T> && requires { Op::template integer_loop<T>; }) || has_own_loop<Op, T>;
/// Runs this loop. `to` may be an operand.
template <class Op, class T, class... X>
PLACEMENT_ALWAYS_INLINE inline void run_loop(Op const& op, T* to, index_t n, X const*... x) {
  if constexpr (has_own_loop<Op, T>) op.own_loop(to, x..., n);
  else if constexpr (std::is_integral_v<T>) Op::template integer_loop<T>(to, x..., n);
  else Op::template loop<T>(to, x..., n);
}

}}}  // namespace placement::v0_1::detail
