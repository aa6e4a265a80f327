// SLEEF's functions of the widest registers that the compiler may use, named as in <cmath>. Of each
// function's two versions it is the one with errors of up to 3.5 ulps, where there is one.
#pragma once

#include <sleef.h>

#include <cstddef>
#include <cstring>

namespace sleef {

#if defined(__AVX512F__)
#  define PLACEMENT_BENCH_BYTES 64
#  define PLACEMENT_BENCH_F32(name, ulps) Sleef_##name##f16_##ulps
#  define PLACEMENT_BENCH_F64(name, ulps) Sleef_##name##d8_##ulps
#elif defined(__AVX__)
#  define PLACEMENT_BENCH_BYTES 32
#  define PLACEMENT_BENCH_F32(name, ulps) Sleef_##name##f8_##ulps
#  define PLACEMENT_BENCH_F64(name, ulps) Sleef_##name##d4_##ulps
#else
#  define PLACEMENT_BENCH_BYTES 16
#  define PLACEMENT_BENCH_F32(name, ulps) Sleef_##name##f4_##ulps
#  define PLACEMENT_BENCH_F64(name, ulps) Sleef_##name##d2_##ulps
#endif

/// A register of numbers.
template <class T> struct pack {
  using lanes [[gnu::vector_size(PLACEMENT_BENCH_BYTES)]] = T;
  static constexpr std::size_t size = sizeof(lanes) / sizeof(T);

  static pack load(T const* from) {
    pack x;
    std::memcpy(&x.value, from, sizeof(lanes));
    return x;
  }
  void store(T* to) const { std::memcpy(to, &value, sizeof(lanes)); }

  friend pack operator-(pack a) { return {-a.value}; }
  friend pack operator+(pack a, pack b) { return {a.value + b.value}; }
  friend pack operator*(pack a, pack b) { return {a.value * b.value}; }
  friend pack operator+(T a, pack b) { return {a + b.value}; }
  friend pack operator/(T a, pack b) { return {a / b.value}; }

  lanes value;
};

#define PLACEMENT_BENCH_ONE(name, ulps)                                                         \
  inline pack<float> name(pack<float> x) { return {PLACEMENT_BENCH_F32(name, ulps)(x.value)}; } \
  inline pack<double> name(pack<double> x) { return {PLACEMENT_BENCH_F64(name, ulps)(x.value)}; }
#define PLACEMENT_BENCH_TWO(name, ulps)                         \
  inline pack<float> name(pack<float> x, pack<float> y) {       \
    return {PLACEMENT_BENCH_F32(name, ulps)(x.value, y.value)}; \
  }                                                             \
  inline pack<double> name(pack<double> x, pack<double> y) {    \
    return {PLACEMENT_BENCH_F64(name, ulps)(x.value, y.value)}; \
  }

PLACEMENT_BENCH_ONE(exp, u10)
PLACEMENT_BENCH_ONE(exp2, u35)
PLACEMENT_BENCH_ONE(expm1, u10)
PLACEMENT_BENCH_ONE(log, u35)
PLACEMENT_BENCH_ONE(log2, u35)
PLACEMENT_BENCH_ONE(log10, u10)
PLACEMENT_BENCH_ONE(log1p, u10)
PLACEMENT_BENCH_ONE(tanh, u35)
PLACEMENT_BENCH_ONE(erf, u10)
PLACEMENT_BENCH_ONE(erfc, u15)
PLACEMENT_BENCH_ONE(sqrt, u35)
PLACEMENT_BENCH_ONE(sin, u35)
PLACEMENT_BENCH_ONE(cos, u35)
PLACEMENT_BENCH_ONE(tan, u35)
PLACEMENT_BENCH_ONE(asin, u35)
PLACEMENT_BENCH_ONE(acos, u35)
PLACEMENT_BENCH_ONE(atan, u35)
PLACEMENT_BENCH_ONE(sinh, u35)
PLACEMENT_BENCH_ONE(cosh, u35)
PLACEMENT_BENCH_ONE(cbrt, u35)
PLACEMENT_BENCH_TWO(atan2, u35)
PLACEMENT_BENCH_TWO(pow, u10)
PLACEMENT_BENCH_TWO(hypot, u35)

#undef PLACEMENT_BENCH_ONE
#undef PLACEMENT_BENCH_TWO
#undef PLACEMENT_BENCH_F32
#undef PLACEMENT_BENCH_F64
#undef PLACEMENT_BENCH_BYTES

}  // namespace sleef
