// Computes element-wise ops of slices for arrays_math.py, which compares them with NumPy's.
//
//   arrays_math FOLDER DEVICE    reads left_f4.npy, right_f4.npy, ... and writes OP.TYPE.SLICE.npy
#include <placement/interop/npy.hpp>
#include <placement/ops/heaviside.hpp>
#include <placement/ops/isclose.hpp>
#include <placement/ops/nan_to_num.hpp>
#include <placement/placement.hpp>

#include <cstdint>
#include <iostream>
#include <string>

namespace {

using namespace placement;

/// Ranges of both dimensions: all elements, every third in opposite order, one row, and none.
struct slicing {
  char const* name;
  range rows, columns;
};
slicing const slicings[] = {{"all", {}, {}},
                            {"strided", {.step = -1}, {1, index_t{-2}, 3}},
                            {"row", {4, 5}, {}},
                            {"none", {3, 3}, {}}};

/// Computes f of slices of both matrices, and of the right one's row 2, which is broadcast.
template <class T> class results {
 public:
  results(std::string folder, std::string code)
      : folder_(std::move(folder)),
        code_(std::move(code)),
        x_(load_npy<T, 2>(folder_ + "/left_" + code_ + ".npy")),
        y_(load_npy<T, 2>(folder_ + "/right_" + code_ + ".npy")) {}

  template <class F> void unary(char const* op, F const& f) const {
    for (slicing const& s : slicings) save(op, s.name, f(slice(x_, s.rows, s.columns)));
  }
  template <class F> void binary(char const* op, F const& f) const {
    for (slicing const& s : slicings)
      save(op, s.name, f(slice(x_, s.rows, s.columns), slice(y_, s.rows, s.columns)));
    save(op, "broadcast", f(slice(x_, range{}, range{}), slice(y_, range{2, 3}, range{})));
  }

 private:
  template <class E> void save(char const* op, char const* name, E const& e) const {
    save_npy(folder_ + "/" + op + "." + code_ + "." + name + ".npy", tensor(e));
  }

  std::string folder_, code_;
  tensor<T, dextents<2>> x_, y_;
};

template <class T> void compute_numbers(results<T> const& r) {
  r.binary("add", [](auto const& x, auto const& y) { return x + y; });
  r.binary("subtract", [](auto const& x, auto const& y) { return x - y; });
  r.binary("multiply", [](auto const& x, auto const& y) { return x * y; });
  r.binary("divide", [](auto const& x, auto const& y) { return x / y; });
  r.binary("fmod", [](auto const& x, auto const& y) { return x % y; });
  r.binary("maximum", [](auto const& x, auto const& y) { return maximum(x, y); });
  r.binary("floor_divide", [](auto const& x, auto const& y) { return floor_divide(x, y); });
  r.binary("remainder", [](auto const& x, auto const& y) { return floor_modulo(x, y); });
  r.binary("minimum", [](auto const& x, auto const& y) { return minimum(x, y); });
  r.binary("less", [](auto const& x, auto const& y) { return x < y; });
  r.binary("less_equal", [](auto const& x, auto const& y) { return x <= y; });
  r.binary("greater", [](auto const& x, auto const& y) { return x > y; });
  r.binary("greater_equal", [](auto const& x, auto const& y) { return x >= y; });
  r.binary("equal", [](auto const& x, auto const& y) { return x == y; });
  r.binary("not_equal", [](auto const& x, auto const& y) { return x != y; });
  r.binary("where", [](auto const& x, auto const& y) { return where(x < y, x, y); });
  r.unary("add_n", [](auto const& x) { return add_n(x, x, x); });
  r.unary("negative", [](auto const& x) { return -x; });
  r.unary("abs", [](auto const& x) { return abs(x); });
  r.unary("square", [](auto const& x) { return square(x); });
  r.unary("sign", [](auto const& x) { return sign(x); });
  r.unary("relu", [](auto const& x) { return relu(x); });
  r.unary("clip", [](auto const& x) { return clamp(x, T{1}, T{3}); });
  r.unary("to_double", [](auto const& x) { return cast<double>(x); });
  r.unary("to_bool", [](auto const& x) { return cast<bool>(x); });
}
template <class T> void compute_functions(results<T> const& r) {
  r.binary("power", [](auto const& x, auto const& y) { return pow(x, y); });
  r.binary("atan2", [](auto const& x, auto const& y) { return atan2(x, y); });
  r.binary("hypot", [](auto const& x, auto const& y) { return hypot(x, y); });
  r.binary("logaddexp", [](auto const& x, auto const& y) { return logaddexp(x, y); });
  r.binary("isclose",
           [](auto const& x, auto const& y) { return isclose(x, y, {.rtol = 0.5, .atol = 1.}); });
  r.unary("sqrt", [](auto const& x) { return sqrt(x); });
  r.unary("rsqrt", [](auto const& x) { return rsqrt(x); });
  r.unary("reciprocal", [](auto const& x) { return reciprocal(x); });
  r.unary("exp", [](auto const& x) { return exp(x); });
  r.unary("expm1", [](auto const& x) { return expm1(x); });
  r.unary("log", [](auto const& x) { return log(x); });
  r.unary("log1p", [](auto const& x) { return log1p(x); });
  r.unary("sin", [](auto const& x) { return sin(x); });
  r.unary("cos", [](auto const& x) { return cos(x); });
  r.unary("tanh", [](auto const& x) { return tanh(x); });
  r.unary("erf", [](auto const& x) { return erf(x); });
  r.unary("sigmoid", [](auto const& x) { return sigmoid(x); });
  r.unary("exp2", [](auto const& x) { return exp2(x); });
  r.unary("log2", [](auto const& x) { return log2(x); });
  r.unary("log10", [](auto const& x) { return log10(x); });
  r.unary("cbrt", [](auto const& x) { return cbrt(x); });
  r.unary("erfc", [](auto const& x) { return erfc(x); });
  r.unary("tan", [](auto const& x) { return tan(x); });
  r.unary("asin", [](auto const& x) { return asin(x); });
  r.unary("acos", [](auto const& x) { return acos(x); });
  r.unary("atan", [](auto const& x) { return atan(x); });
  r.unary("asinh", [](auto const& x) { return asinh(x); });
  r.unary("acosh", [](auto const& x) { return acosh(x); });
  r.unary("atanh", [](auto const& x) { return atanh(x); });
  r.unary("sinh", [](auto const& x) { return sinh(x); });
  r.unary("cosh", [](auto const& x) { return cosh(x); });
  r.unary("floor", [](auto const& x) { return floor(x); });
  r.unary("ceil", [](auto const& x) { return ceil(x); });
  r.unary("trunc", [](auto const& x) { return trunc(x); });
  r.unary("rint", [](auto const& x) { return round(x); });
  r.unary("isnan", [](auto const& x) { return is_nan(x); });
  r.unary("isinf", [](auto const& x) { return is_inf(x); });
  r.unary("signbit", [](auto const& x) { return signbit(x); });
  r.unary("nan_to_num", [](auto const& x) { return nan_to_num(x); });
  r.binary("copysign", [](auto const& x, auto const& y) { return copysign(x, y); });
  r.binary("heaviside", [](auto const& x, auto const& y) { return heaviside(x, y); });
  r.unary("isfinite", [](auto const& x) { return is_finite(x); });
  r.unary("softmax", [](auto const& x) { return softmax(clamp(x, T{-9}, T{9})); });
  r.unary("log_softmax", [](auto const& x) { return log_softmax(clamp(x, T{-9}, T{9})); });
  if constexpr (sizeof(T) != 2)
    r.binary("nextafter", [](auto const& x, auto const& y) { return next_after(x, y); });
}
void compute_bools(results<bool> const& r) {
  r.binary("logical_and", [](auto const& x, auto const& y) { return x && y; });
  r.binary("logical_or", [](auto const& x, auto const& y) { return x || y; });
  r.binary("logical_xor", [](auto const& x, auto const& y) { return logical_xor(x, y); });
  r.unary("logical_not", [](auto const& x) { return !x; });
}

template <class T> void compute(std::string const& folder, std::string const& code) {
  results<T> const r(folder, code);
  compute_numbers<T>(r);
  if constexpr (!std::is_integral_v<T>) compute_functions<T>(r);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) return 2;
  with_device const scope(arguments[2]);
  std::string const folder = arguments[1];
  compute<float16>(folder, "f2");
  compute<float>(folder, "f4");
  compute<double>(folder, "f8");
  compute<std::int8_t>(folder, "i1");
  compute<std::uint8_t>(folder, "u1");
  compute<std::int32_t>(folder, "i4");
  compute<std::int64_t>(folder, "i8");
  compute<std::uint64_t>(folder, "u8");
  compute_bools(results<bool>(folder, "b1"));
  return 0;
} catch (error const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
