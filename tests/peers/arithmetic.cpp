// Element-wise ops of several operands, which broadcast.
#include "op_table.hpp"

namespace peers { namespace {

using c_t = op_case const&;
using two = ranks<2, 2>;

op const table[]{
    {"add", two{}, [](c_t, auto const& a, auto const& b) { return a + b; }},
    {"subtract", two{}, [](c_t, auto const& a, auto const& b) { return a - b; }},
    {"multiply", two{}, [](c_t, auto const& a, auto const& b) { return a * b; }},
    {"divide", two{}, [](c_t, auto const& a, auto const& b) { return a / b; }},
    {"modulo", two{}, [](c_t, auto const& a, auto const& b) { return a % b; }},
    {"pow", two{}, [](c_t, auto const& a, auto const& b) { return pow(a, b); }},
    {"atan2", two{}, [](c_t, auto const& y, auto const& x) { return atan2(y, x); }},
    {"floor_modulo", two{}, [](c_t, auto const& x, auto const& y) { return floor_modulo(x, y); }},
    {"copysign", two{}, [](c_t, auto const& x, auto const& y) { return copysign(x, y); }},
    {"logaddexp", two{}, [](c_t, auto const& x, auto const& y) { return logaddexp(x, y); }},
    {"hypot", two{}, [](c_t, auto const& x, auto const& y) { return hypot(x, y); }},
    {"maximum", two{}, [](c_t, auto const& a, auto const& b) { return maximum(a, b); }},
    {"minimum", two{}, [](c_t, auto const& a, auto const& b) { return minimum(a, b); }},
    {"multiply_ranks", ranks<3, 1>{}, [](c_t, auto const& a, auto const& b) { return a * b; }},
    {"divide_by_scalar", ranks<2, 0>{}, [](c_t, auto const& a, auto const& b) { return a / b; }},
    {"numbers", ranks<2>{},
     [](c_t, auto const& a) { return number(2) / a - a * number(3) + pow(a, number(2.5)); }},
    {"where", two{},
     [](c_t c, auto const& a, auto const& b) { return where(c.load<bool, 2>("condition"), a, b); }},
    {"clamp_by_tensors", ranks<2, 2, 2>{},
     [](c_t, auto const& x, auto const& low, auto const& high) { return clamp(x, low, high); }},
    {"add_n", ranks<2, 2, 2>{},
     [](c_t, auto const& a, auto const& b, auto const& c) { return add_n(a, b * c, c, a); }},
};

}}  // namespace peers
