// Linear algebra by LAPACK. CMake leaves this file out where there is none.
#include "op_table.hpp"

#include <placement/lapack.hpp>

namespace peers { namespace {

using c_t = op_case const&;

op const table[]{
    {"solve", ranks<2, 2>{}, [](c_t, auto const& a, auto const& b) { return solve(a, b); }},
    {"solve_vector", ranks<2, 1>{}, [](c_t, auto const& a, auto const& b) { return solve(a, b); }},
    {"solve_batches", ranks<3, 3>{}, [](c_t, auto const& a, auto const& b) { return solve(a, b); }},
    {"inverse", ranks<3>{}, [](c_t, auto const& x) { return inverse(x); }},
    {"det", ranks<3>{}, [](c_t, auto const& x) { return det(x); }},
    {"cholesky", ranks<3>{},
     [](c_t c, auto const& x) {
       return cholesky(matmul(x, transpose(x)) + c.load<number, 2>("shift"));
     }},
};

}}  // namespace peers
