// Element-wise ops of one operand.
#include "op_table.hpp"

#include <placement/nets.hpp>
#include <placement/ops/nan_to_num.hpp>

namespace peers { namespace {

using c_t = op_case const&;
using one = ranks<2>;

op const table[]{
    {"exp", one{}, [](c_t, auto const& x) { return exp(x); }},
    {"expm1", one{}, [](c_t, auto const& x) { return expm1(x); }},
    {"log", one{}, [](c_t, auto const& x) { return log(x); }},
    {"log1p", one{}, [](c_t, auto const& x) { return log1p(x); }},
    {"sin", one{}, [](c_t, auto const& x) { return sin(x); }},
    {"cos", one{}, [](c_t, auto const& x) { return cos(x); }},
    {"tanh", one{}, [](c_t, auto const& x) { return tanh(x); }},
    {"sigmoid", one{}, [](c_t, auto const& x) { return sigmoid(x); }},
    {"erf", one{}, [](c_t, auto const& x) { return erf(x); }},
    {"exp2", one{}, [](c_t, auto const& x) { return exp2(x); }},
    {"log2", one{}, [](c_t, auto const& x) { return log2(x); }},
    {"log10", one{}, [](c_t, auto const& x) { return log10(x); }},
    {"cbrt", one{}, [](c_t, auto const& x) { return cbrt(x); }},
    {"erfc", one{}, [](c_t, auto const& x) { return erfc(x); }},
    {"tan", one{}, [](c_t, auto const& x) { return tan(x); }},
    {"asin", one{}, [](c_t, auto const& x) { return asin(x); }},
    {"acos", one{}, [](c_t, auto const& x) { return acos(x); }},
    {"atan", one{}, [](c_t, auto const& x) { return atan(x); }},
    {"asinh", one{}, [](c_t, auto const& x) { return asinh(x); }},
    {"acosh", one{}, [](c_t, auto const& x) { return acosh(x); }},
    {"atanh", one{}, [](c_t, auto const& x) { return atanh(x); }},
    {"sinh", one{}, [](c_t, auto const& x) { return sinh(x); }},
    {"cosh", one{}, [](c_t, auto const& x) { return cosh(x); }},
    {"square", one{}, [](c_t, auto const& x) { return square(x); }},
    {"sqrt", one{}, [](c_t, auto const& x) { return sqrt(x); }},
    {"rsqrt", one{}, [](c_t, auto const& x) { return rsqrt(x); }},
    {"reciprocal", one{}, [](c_t, auto const& x) { return reciprocal(x); }},
    {"relu", one{}, [](c_t, auto const& x) { return relu(x); }},
    {"abs", one{}, [](c_t, auto const& x) { return abs(x); }},
    {"nan_to_num", one{}, [](c_t, auto const& x) { return nan_to_num(x * x); }},
    {"negative", one{}, [](c_t, auto const& x) { return -x; }},
    {"identity", one{}, [](c_t, auto const& x) { return identity(x) * number(2); }},
    {"cast", one{}, [](c_t, auto const& x) { return cast<number>(exp(cast<double>(x))); }},
    {"clamp", one{}, [](c_t c, auto const& x) { return clamp(x, number(c[0]), number(c[1])); }},
    {"stop_gradient", one{}, [](c_t, auto const& x) { return x * stop_gradient(exp(x)); }},
    {"leaky_relu", one{}, [](c_t c, auto const& x) { return leaky_relu(x, c[0]); }},
    {"elu", one{}, [](c_t c, auto const& x) { return elu(x, c[0]); }},
    {"silu", one{}, [](c_t, auto const& x) { return silu(x); }},
    {"softplus", one{}, [](c_t, auto const& x) { return softplus(x); }},
    {"gelu", one{}, [](c_t, auto const& x) { return gelu(x); }},
    {"gelu_tanh", one{}, [](c_t, auto const& x) { return gelu<gelu_form::tanh>(x); }},
    {"dropout", one{}, [](c_t c, auto const& x) { return dropout(x, c[0]); }},
};

}}  // namespace peers
