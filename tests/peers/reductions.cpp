// Reductions along an axis of run time, and ops of fibers.
#include "op_table.hpp"

#include <placement/ops/logsumexp.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/norm.hpp>

namespace peers { namespace {

using c_t = op_case const&;
using one = ranks<3>;

op const table[]{
    {"sum", one{}, [](c_t c, auto const& x) { return sum(x, c.axis(0)); }},
    {"mean", one{}, [](c_t c, auto const& x) { return mean(x, c.axis(0)); }},
    {"max", one{}, [](c_t c, auto const& x) { return max(x, c.axis(0)); }},
    {"min", one{}, [](c_t c, auto const& x) { return min(x, c.axis(0)); }},
    {"prod", one{}, [](c_t c, auto const& x) { return prod(x, c.axis(0)); }},
    {"variance", one{}, [](c_t c, auto const& x) { return variance(x, c.axis(0)); }},
    {"std_dev", one{}, [](c_t c, auto const& x) { return std_dev(x, c.axis(0)); }},
    {"nansum", one{}, [](c_t c, auto const& x) { return nansum(x, c.axis(0)); }},
    {"nanprod", one{}, [](c_t c, auto const& x) { return nanprod(x, c.axis(0)); }},
    {"norm", one{}, [](c_t c, auto const& x) { return norm(x, c.axis(0)); }},
    {"logsumexp", one{}, [](c_t c, auto const& x) { return logsumexp(x, c.axis(0)); }},
    {"cumsum", one{}, [](c_t c, auto const& x) { return cumsum(x, c.axis(0)); }},
    {"softmax", one{}, [](c_t, auto const& x) { return softmax(x); }},
    {"log_softmax", one{}, [](c_t, auto const& x) { return log_softmax(x); }},
    {"sum_of_all", one{}, [](c_t, auto const& x) { return sum(x * x); }},
    {"mean_of_axes", one{}, [](c_t, auto const& x) { return mean(x, axis<0, 2>); }},
    {"max_kept", one{}, [](c_t, auto const& x) { return x - max(x, keep_dim(axis<1>)); }},
};

}}  // namespace peers
