// Products of matrices and vectors.
#include "op_table.hpp"

#include <placement/ops/dot.hpp>
#include <placement/ops/einsum.hpp>
#include <placement/ops/inner.hpp>
#include <placement/ops/outer.hpp>
#include <placement/ops/tensordot.hpp>

namespace peers { namespace {

using c_t = op_case const&;
using two = ranks<2, 2>;

op const table[]{
    {"matmul", two{}, [](c_t, auto const& a, auto const& b) { return matmul(a, b); }},
    {"matmul_transposed", two{},
     [](c_t, auto const& a, auto const& b) { return matmul(transpose(a), transpose(b)); }},
    {"matmul_vector", ranks<2, 1>{},
     [](c_t, auto const& a, auto const& b) { return matmul(a, b); }},
    {"matmul_batches", ranks<3, 3>{},
     [](c_t, auto const& a, auto const& b) { return matmul(a, b); }},
    {"dense", ranks<2, 2, 1>{},
     [](c_t, auto const& x, auto const& w, auto const& b) { return tanh(matmul(x, w) + b); }},
    {"dot", ranks<1, 1>{}, [](c_t, auto const& a, auto const& b) { return dot(a, b); }},
    {"dot_of_ranks", ranks<2, 3>{}, [](c_t, auto const& a, auto const& b) { return dot(a, b); }},
    {"inner", two{}, [](c_t, auto const& a, auto const& b) { return inner(a, b); }},
    {"outer", ranks<1, 1>{}, [](c_t, auto const& a, auto const& b) { return outer(a, b); }},
    {"tensordot", two{}, [](c_t, auto const& a, auto const& b) { return tensordot(a, b); }},
    {"einsum", two{}, [](c_t, auto const& a, auto const& b) { return einsum<"ij,kj->ki">(a, b); }},
    {"einsum_batches", ranks<3, 3>{},
     [](c_t, auto const& a, auto const& b) { return einsum<"bij,bjk->bik">(a, b); }},
};

}}  // namespace peers
