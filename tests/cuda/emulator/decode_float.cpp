// Decodes arithmetic on floats: `add`, `sub`, `mul`, `fma`, `div`, `min`, `sqrt`, `ex2`, ...
// The `.approx` forms are computed by the host and rounded, so that their last bits may differ
// from a GPU's.
#include "families.hpp"

namespace ptx {

namespace {

template <std::size_t N, auto F, class T> constexpr auto work_on_floats() {
  if constexpr (N == 1) return &unary<F, T, T>;
  else if constexpr (N == 2) return &binary<F, T, T>;
  else return &ternary<F, T, T>;
}
template <auto F, bool Flush, bool Saturate>
constexpr auto with_modifiers = [](auto... x) {
  auto y = F((Flush ? flushed(x) : x)...);
  if constexpr (Flush) y = flushed(y);
  if constexpr (Saturate) y = saturated(y);
  return y;
};
struct float_modifiers {
  bool flush, saturate;
};
/// Sets the function of an instruction with N operands of type T.
template <std::size_t N, auto F, class T> void set_float(instruction& i, float_modifiers m) {
  if (m.flush)
    i.work = m.saturate ? work_on_floats<N, with_modifiers<F, true, true>, T>()
                        : work_on_floats<N, with_modifiers<F, true, false>, T>();
  else
    i.work = m.saturate ? work_on_floats<N, with_modifiers<F, false, true>, T>()
                        : work_on_floats<N, F, T>();
}

/// rcp.approx.ftz.f64: the upper 32 bits of the operand, and of the result
template <class T> T upper_half(T x) {
  if constexpr (sizeof(T) == 4) return x;
  else return std::bit_cast<T>(std::bit_cast<u64>(x) & 0xffffffff00000000u);
}
template <auto F, class T> T in_double(T x) { return static_cast<T>(F(static_cast<double>(x))); }

/// Sets the function of a name for one type. Returns whether the name is known.
template <class T>
bool set_float_function(instruction& i, std::string_view name, opcode& op, float_modifiers m) {
  bool const or_nan = op.take("NaN");
  if (name == "add") set_float<2, [](T x, T y) { return x + y; }, T>(i, m);
  else if (name == "sub") set_float<2, [](T x, T y) { return x - y; }, T>(i, m);
  else if (name == "mul") set_float<2, [](T x, T y) { return x * y; }, T>(i, m);
  else if (name == "div") set_float<2, [](T x, T y) { return x / y; }, T>(i, m);
  else if (name == "fma" || name == "mad")
    set_float<3, [](T x, T y, T z) { return std::fma(x, y, z); }, T>(i, m);
  else if (name == "min" && or_nan) set_float<2, &smaller_or_nan<T>, T>(i, m);
  else if (name == "max" && or_nan) set_float<2, &larger_or_nan<T>, T>(i, m);
  else if (name == "min") set_float<2, &smaller<T>, T>(i, m);
  else if (name == "max") set_float<2, &larger<T>, T>(i, m);
  else if (name == "neg") set_float<1, [](T x) { return -x; }, T>(i, m);
  else if (name == "abs") set_float<1, [](T x) { return std::fabs(x); }, T>(i, m);
  else if (name == "sqrt") set_float<1, [](T x) { return std::sqrt(x); }, T>(i, m);
  else if (name == "rsqrt")
    set_float<1, [](T x) { return static_cast<T>(1 / std::sqrt(static_cast<double>(x))); }, T>(i,
                                                                                               m);
  else if (name == "ex2")
    set_float<1, &in_double<[](double x) { return std::exp2(x); }, T>, T>(i, m);
  else if (name == "lg2")
    set_float<1, &in_double<[](double x) { return std::log2(x); }, T>, T>(i, m);
  else if (name == "sin")
    set_float<1, &in_double<[](double x) { return std::sin(x); }, T>, T>(i, m);
  else if (name == "cos")
    set_float<1, &in_double<[](double x) { return std::cos(x); }, T>, T>(i, m);
  else if (name == "tanh")
    set_float<1, &in_double<[](double x) { return std::tanh(x); }, T>, T>(i, m);
  else if (name == "copysign") set_float<2, [](T x, T y) { return std::copysign(y, x); }, T>(i, m);
  else return false;
  return true;
}
template <class T, bool Flush, bool Saturate>
void set_rounded_function(instruction& i, std::string_view name) {
  using enum operation;
  if (name == "add") i.work = rounded<T, add, Flush, Saturate>;
  else if (name == "sub") i.work = rounded<T, sub, Flush, Saturate>;
  else if (name == "mul") i.work = rounded<T, mul, Flush, Saturate>;
  else if (name == "fma" || name == "mad") i.work = rounded<T, fma, Flush, Saturate>;
  else if (name == "div") i.work = rounded<T, div, Flush, Saturate>;
  else if (name == "sqrt") i.work = rounded<T, sqrt, Flush, Saturate>;
  else i.work = rounded<T, rcp, Flush, Saturate>;
}
template <class T> void set_rounded(instruction& i, std::string_view name, float_modifiers m) {
  if (m.flush && m.saturate) set_rounded_function<T, true, true>(i, name);
  else if (m.flush) set_rounded_function<T, true, false>(i, name);
  else if (m.saturate) set_rounded_function<T, false, true>(i, name);
  else set_rounded_function<T, false, false>(i, name);
}

// ---- 16 bits: computed in float, where one operation and a second rounding are exact

template <class H, auto F> H small_unary(H x) { return narrow<H>(F(to_float(x))); }
template <class H, auto F> H small_binary(H x, H y) {
  return narrow<H>(F(to_float(x), to_float(y)));
}
template <class H> H small_fma(H x, H y, H z) {
  double const product = static_cast<double>(to_float(x)) * static_cast<double>(to_float(y));
  return narrow<H>(sum_to_odd(product, static_cast<double>(to_float(z))));
}
/// The function on both halves of a register.
template <class H, auto F>
constexpr auto on_both = [](auto... x) { return pair_of<H>{F(x.low...), F(x.high...)}; };
template <class H, std::size_t N, auto F>
void set_small(instruction& i, bool both, float_modifiers m) {
  auto const set = [&]<auto G>() {
    if (both) i.work = work_on_floats<N, on_both<H, G>, pair_of<H>>();
    else i.work = work_on_floats<N, G, H>();
  };
  if (m.flush && m.saturate) set.template operator()<with_modifiers<F, true, true>>();
  else if (m.flush) set.template operator()<with_modifiers<F, true, false>>();
  else if (m.saturate) set.template operator()<with_modifiers<F, false, true>>();
  else set.template operator()<F>();
}
template <class H>
bool set_small_function(instruction& i, std::string_view name, bool both, bool or_nan,
                        float_modifiers m) {
  using f = float;
  if (name == "add") set_small<H, 2, &small_binary<H, [](f x, f y) { return x + y; }>>(i, both, m);
  else if (name == "sub")
    set_small<H, 2, &small_binary<H, [](f x, f y) { return x - y; }>>(i, both, m);
  else if (name == "mul")
    set_small<H, 2, &small_binary<H, [](f x, f y) { return x * y; }>>(i, both, m);
  else if (name == "fma") set_small<H, 3, &small_fma<H>>(i, both, m);
  else if (name == "min" && or_nan)
    set_small<H, 2, &small_binary<H, &smaller_or_nan<f>>>(i, both, m);
  else if (name == "max" && or_nan)
    set_small<H, 2, &small_binary<H, &larger_or_nan<f>>>(i, both, m);
  else if (name == "min") set_small<H, 2, &small_binary<H, &smaller<f>>>(i, both, m);
  else if (name == "max") set_small<H, 2, &small_binary<H, &larger<f>>>(i, both, m);
  else if (name == "neg")
    set_small<H, 1, [](H x) { return H{static_cast<u16>(x.bits ^ 0x8000)}; }>(i, both, m);
  else if (name == "abs")
    set_small<H, 1, [](H x) { return H{static_cast<u16>(x.bits & 0x7fff)}; }>(i, both, m);
  else if (name == "ex2")
    set_small<H, 1, &small_unary<H, [](f x) { return std::exp2(x); }>>(i, both, m);
  else if (name == "tanh")
    set_small<H, 1, &small_unary<H, [](f x) { return std::tanh(x); }>>(i, both, m);
  else return false;
  return true;
}

/// The number of operands of a name; 0 if it is no arithmetic on floats.
std::size_t float_operands(std::string_view name) {
  for (char const* n : {"neg", "abs", "sqrt", "rsqrt", "rcp", "ex2", "lg2", "sin", "cos", "tanh"})
    if (name == n) return 1;
  for (char const* n : {"add", "sub", "mul", "div", "min", "max", "copysign"})
    if (name == n) return 2;
  return name == "fma" || name == "mad" ? 3 : 0;
}

}  // namespace

bool decode_float(decoder& d, statement& s, std::string_view type) {
  std::string_view const name = s.op.name;
  std::size_t const count = float_operands(name);
  if (count == 0 || !is_float_type(type)) return false;
  bool const approximate = s.op.take("approx") || s.op.take("full");
  float_modifiers const m{s.op.take("ftz"), s.op.take("sat")};
  int const mode = s.op.take_one_of({"rn", "rz", "rm", "rp"});
  instruction& i = d.simple(s, type, count);
  bool known = true;
  if (type.starts_with("f16") || type.starts_with("bf16")) {
    if (mode > 0) throw unknown_ptx("a rounding mode of an operation on 16 bits");
    bool const both = type.ends_with("x2"), or_nan = s.op.take("NaN");
    known = type.starts_with("b") ? set_small_function<brain>(i, name, both, or_nan, m)
                                  : set_small_function<half>(i, name, both, or_nan, m);
  } else if (mode > 0) {
    i.mode = static_cast<u8>(mode + static_cast<int>(rounding::rn));
    with_float(type, [&]<class T>(tag<T>) { set_rounded<T>(i, name, m); });
  } else {
    with_float(type, [&]<class T>(tag<T>) {
      if (name == "rcp" && approximate)
        set_float<1, [](T x) { return upper_half(1 / upper_half(x)); }, T>(i, m);
      else if (name == "rcp") set_float<1, [](T x) { return 1 / x; }, T>(i, m);
      else known = set_float_function<T>(i, name, s.op, m);
    });
  }
  if (known) d.widen();
  return known;
}

}  // namespace ptx
