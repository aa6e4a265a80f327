// Views, joins and indices.
#include "op_table.hpp"

#include <placement/nets.hpp>
#include <placement/ops/diag.hpp>
#include <placement/ops/diff.hpp>
#include <placement/ops/flip.hpp>
#include <placement/ops/moveaxis.hpp>
#include <placement/ops/pad.hpp>
#include <placement/ops/repeat.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/take.hpp>
#include <placement/ops/tile.hpp>
#include <placement/ops/tril.hpp>

namespace peers { namespace {

using c_t = op_case const&;
using one = ranks<2>;
using two = ranks<2, 2>;

op const table[]{
    {"concat", two{},
     [](c_t c, auto const& a, auto const& b) { return concat(c.axis(0), a * b, b, a); }},
    {"stack", two{}, [](c_t c, auto const& a, auto const& b) { return stack(c.axis(0), a, b, a); }},
    {"split", one{},
     [](c_t, auto const& x) {
       auto const [a, b] = split<2>(x, axis<0>);
       return a * b * b;
     }},
    {"pad", one{},
     [](c_t c, auto const& x) {
       return pad(x, {{c.integer(0), c.integer(1)}, {c.integer(2), 0}}, number(c[3]));
     }},
    {"roll", one{}, [](c_t c, auto const& x) { return roll(x, c.integer(0), c.axis(1)); }},
    {"tile", one{},
     [](c_t c, auto const& x) { return tile(x, shape(c.integer(0), c.integer(1))); }},
    {"repeat", one{}, [](c_t c, auto const& x) { return repeat(x, c.integer(0), c.axis(1)); }},
    {"slice", one{},
     [](c_t c, auto const& x) {
       return slice(x, range{.first = c.integer(0), .step = c.integer(1)}, range{.step = -1});
     }},
    {"row", one{}, [](c_t c, auto const& x) { return slice(x, c.integer(0)); }},
    {"permute", ranks<3>{}, [](c_t, auto const& x) { return permute<2, 0, 1>(x); }},
    {"moveaxis", ranks<3>{}, [](c_t, auto const& x) { return moveaxis(x, 0, 2); }},
    {"diagonal", one{}, [](c_t, auto const& x) { return diagonal(x); }},
    {"diag_of_matrix", one{}, [](c_t c, auto const& x) { return diag(x, c.integer(0)); }},
    {"diag_of_vector", ranks<1>{}, [](c_t c, auto const& x) { return diag(x, c.integer(0)); }},
    {"flip", one{}, [](c_t, auto const& x) { return flip(x); }},
    {"reverse", one{}, [](c_t, auto const& x) { return reverse(x, axis<1>); }},
    {"diff", one{}, [](c_t, auto const& x) { return diff(x, axis<0>); }},
    {"diff_twice", one{}, [](c_t, auto const& x) { return diff<2>(x); }},
    {"reshape", one{}, [](c_t, auto const& x) { return reshape(exp(x), shape(x.size())); }},
    {"transpose", one{}, [](c_t, auto const& x) { return transpose(x * x); }},
    {"squeeze", ranks<3>{}, [](c_t, auto const& x) { return squeeze(x, axis<1>); }},
    {"expand_dims", one{}, [](c_t, auto const& x) { return expand_dims(x, axis<1>); }},
    {"broadcast_to", ranks<1>{},
     [](c_t c, auto const& x) { return broadcast_to(x, shape(c.integer(0), x.size())); }},
    {"tril", one{}, [](c_t c, auto const& x) { return tril(x, c.integer(0)); }},
    {"triu", one{}, [](c_t c, auto const& x) { return triu(x, c.integer(0)); }},
    {"gather", one{},
     [](c_t c, auto const& x) { return gather(x, c.integers<1>("indices"), axis<1>); }},
    {"take", one{},
     [](c_t c, auto const& x) { return take(x, c.integers<2>("indices"), axis<0>); }},
    {"take_flat", one{}, [](c_t c, auto const& x) { return take(x, c.integers<1>("indices")); }},
    {"take_along_axis", one{},
     [](c_t c, auto const& x) { return take_along_axis(x, c.integers<2>("indices"), c.axis(0)); }},
    {"embedding_lookup", one{},
     [](c_t c, auto const& x) { return embedding_lookup(x, c.integers<2>("indices")); }},
};

}}  // namespace peers
