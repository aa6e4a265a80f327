#pragma once
/// The formulas of the loops of math_loops.hpp. Included by src/cpu/math_loops.ipp.

#include <placement/config.hpp>
#include <placement/math/cbrt.hpp>
#include <placement/math/cos.hpp>
#include <placement/math/erf.hpp>
#include <placement/math/erfc.hpp>
#include <placement/math/exp2.hpp>
#include <placement/math/expm1.hpp>
#include <placement/math/log.hpp>
#include <placement/math/log1p.hpp>
#include <placement/math/log_to_base.hpp>
#include <placement/math/pow.hpp>
#include <placement/math/sigmoid.hpp>
#include <placement/math/sin.hpp>
#include <placement/math/tanh.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// A function that `near` and, for some numbers alone, `far` computes.
struct exp_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::exp(x); }
};
struct expm1_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::expm1(x); }
};
struct log_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::near_log(x); }
  template <class T> PLACEMENT_ALWAYS_INLINE static T far(T x) { return math::log(x); }
  template <class T> PLACEMENT_ALWAYS_INLINE static math::bits_of<T> is_far(T x) {
    return math::is_no_positive_normal(x, static_cast<T>(__builtin_inff()));
  }
};
struct log1p_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::near_log1p(x); }
  template <class T> PLACEMENT_ALWAYS_INLINE static T far(T x) { return math::log1p(x); }
  template <class T> PLACEMENT_ALWAYS_INLINE static math::bits_of<T> is_far(T x) {
    return math::is_no_positive_normal(1 + x, math::end_of_near_log1p<T>);
  }
};
struct log2_formula : log_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) {
    return math::near_log_to_base<2>(x);
  }
  template <class T> PLACEMENT_ALWAYS_INLINE static T far(T x) { return math::log2(x); }
};
struct log10_formula : log_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) {
    return math::near_log_to_base<10>(x);
  }
  template <class T> PLACEMENT_ALWAYS_INLINE static T far(T x) { return math::log10(x); }
};
struct exp2_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::exp2(x); }
};
struct cbrt_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::cbrt(x); }
};
struct erfc_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::erfc(x); }
};
struct tanh_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::tanh(x); }
};
struct sigmoid_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::sigmoid(x); }
};
struct erf_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::erf(x); }
};
/// x where `bits` is at least 0 and below the width of the type, else `out`: without a branch.
template <class T> PLACEMENT_ALWAYS_INLINE inline T where_width(T bits, T x, T out) {
  using U = std::make_unsigned_t<T>;
  U const inside = U{0} - static_cast<U>(static_cast<U>(bits) < sizeof(T) * 8);
  return static_cast<T>((static_cast<U>(x) & inside) | (static_cast<U>(out) & ~inside));
}
struct left_shift_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x, T bits) {
    using U = std::make_unsigned_t<T>;
    U const some = static_cast<U>(bits) % (sizeof(T) * 8);
    return where_width(bits, static_cast<T>(static_cast<U>(x) << some), T{0});
  }
};
struct right_shift_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x, T bits) {
    using U = std::make_unsigned_t<T>;
    constexpr int last = static_cast<int>(sizeof(T)) * 8 - 1;
    U const some = static_cast<U>(bits) % (sizeof(T) * 8);
    return where_width(bits, static_cast<T>(x >> some),
                       std::is_signed_v<T> ? static_cast<T>(x >> last) : T{0});
  }
};
struct pow_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x, T y) {
    return math::near_pow(x, y);
  }
  template <class T> PLACEMENT_ALWAYS_INLINE static T far(T x, T y) { return math::pow(x, y); }
  template <class T> PLACEMENT_ALWAYS_INLINE static math::bits_of<T> is_far(T x, T y) {
    return math::is_far_from_pow(x, y);
  }
};
/// With fused multiply-add. `near_or_far` has a value or the sign of a far number.
struct pow_by_fused_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static math::near_power<T> near_or_far(T x, T y) {
    return math::near_pow_by_fused(x, y);
  }
  template <class T> PLACEMENT_ALWAYS_INLINE static T far(T x, T y) {
    return math::pow_of_any(x, y, math::power_by_fused{});
  }
  template <class T> PLACEMENT_ALWAYS_INLINE static math::bits_of<T> is_far(T x, T y) {
    return math::negative(math::from_bits<T>(near_or_far(x, y).is_far));
  }
};
struct sin_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::near_sin(x); }
  template <class T> PLACEMENT_ALWAYS_INLINE static T far(T x) { return math::sin(x); }
  template <class T> PLACEMENT_ALWAYS_INLINE static math::bits_of<T> is_far(T x) {
    return math::is_large_angle(x);
  }
};
struct cos_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::near_cos(x); }
  template <class T> PLACEMENT_ALWAYS_INLINE static T far(T x) { return math::cos(x); }
  template <class T> PLACEMENT_ALWAYS_INLINE static math::bits_of<T> is_far(T x) {
    return math::is_large_angle(x);
  }
};

struct log_by_fused_formula : log_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) {
    return math::near_log_by_fused(x);
  }
};
struct log2_by_fused_formula : log2_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) {
    return math::near_log2_by_fused(x);
  }
};
struct sigmoid_by_fused_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) {
    return math::sigmoid_by_fused(x);
  }
};
struct sin_by_fused_formula : sin_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) {
    return math::near_sin_by_fused(x);
  }
};
struct cos_by_fused_formula : cos_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) {
    return math::near_cos_by_fused(x);
  }
};

/// The formula for processors with a fused multiply-add.
template <class F, class T> struct fused_formula {
  using type = F;
};
template <class T> struct fused_formula<pow_formula, T> {
  using type = pow_by_fused_formula;
};
template <class T> struct fused_formula<log_formula, T> {
  using type = log_by_fused_formula;
};
template <class T> struct fused_formula<log2_formula, T> {
  using type = log2_by_fused_formula;
};
template <> struct fused_formula<sigmoid_formula, double> {
  using type = sigmoid_by_fused_formula;
};
template <class T> struct fused_formula<sin_formula, T> {
  using type = sin_by_fused_formula;
};
template <class T> struct fused_formula<cos_formula, T> {
  using type = cos_by_fused_formula;
};
template <class F, class T> using fused_formula_t = typename fused_formula<F, T>::type;

}}}  // namespace placement::v0_1::detail
