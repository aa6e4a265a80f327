// Complex numbers of the side placement.

#include "ours.hpp"

#include <placement/ops/complex.hpp>

namespace {

using namespace bench;

/// Registers an op of a complex vector.
template <class F> void add_complex(char const* name, F f) {
  ops().push_back({"placement", name, [f](arrays const& from) -> std::function<void()> {
                     operands const o(from);
                     pl::tensor const z = pl::make_complex(o.x, o.y);
                     return [f, z] {
                       pl::tensor const result = f(z);
                       keep(result);
                     };
                   }});
}

bool const complex_ops = [] {
  add_complex("complex_add", [](auto const& z) { return z + z; });
  add_complex("complex_multiply", [](auto const& z) { return z * z; });
  add_complex("complex_divide", [](auto const& z) { return z / z; });
  add_complex("complex_abs", [](auto const& z) { return pl::abs(z); });
  add_complex("complex_exp", [](auto const& z) { return pl::exp(z); });
  add_complex("conj", [](auto const& z) { return pl::conj(z); });
  add_complex("real", [](auto const& z) { return pl::real(z); });
  add_complex("angle", [](auto const& z) { return pl::angle(z); });
  add_complex("complex_sum", [](auto const& z) { return pl::sum(z); });
  return true;
}();

}  // namespace
