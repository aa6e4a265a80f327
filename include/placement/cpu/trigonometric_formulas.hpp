#pragma once
/// The formulas of src/cpu/trigonometric_loops.ipp.

#include <placement/cpu/math_formulas.hpp>
#include <placement/math/asin.hpp>
#include <placement/math/asinh.hpp>
#include <placement/math/atan.hpp>
#include <placement/math/atan2.hpp>
#include <placement/math/hypot.hpp>
#include <placement/math/logaddexp.hpp>
#include <placement/math/sinh.hpp>
#include <placement/math/tan.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

struct asin_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::asin(x); }
};
struct acos_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::acos(x); }
};
struct atan_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::atan(x); }
};
struct sinh_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::sinh(x); }
};
struct cosh_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::cosh(x); }
};
struct asinh_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::asinh(x); }
};
struct acosh_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::acosh(x); }
};
struct atanh_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::atanh(x); }
};
struct atan2_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T y, T x) { return math::atan2(y, x); }
};
struct hypot_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x, T y) {
    return math::near_hypot(x, y);
  }
  template <class T> PLACEMENT_ALWAYS_INLINE static T far(T x, T y) { return math::hypot(x, y); }
  template <class T> PLACEMENT_ALWAYS_INLINE static math::bits_of<T> is_far(T x, T y) {
    return math::is_far_from_hypot(x, y);
  }
};
struct logaddexp_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x, T y) {
    return math::logaddexp(x, y);
  }
};
struct tan_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) { return math::near_tan(x); }
  template <class T> PLACEMENT_ALWAYS_INLINE static T far(T x) { return math::tan(x); }
  template <class T> PLACEMENT_ALWAYS_INLINE static math::bits_of<T> is_far(T x) {
    return math::is_large_angle(x);
  }
};
struct tan_by_fused_formula : tan_formula {
  template <class T> PLACEMENT_ALWAYS_INLINE static T near(T x) {
    return math::near_tan_by_fused(x);
  }
};
template <class T> struct fused_formula<tan_formula, T> {
  using type = tan_by_fused_formula;
};

}}}  // namespace placement::v0_1::detail
