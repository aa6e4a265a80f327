#pragma once
/// The sum of vectors in their order on one device, with the division of a mean in the same kernel.

#include <placement/expr/evaluate.hpp>
#include <placement/ops/add_n.hpp>
#include <placement/ops/divide.hpp>
#include <placement/parallel/operands.hpp>
#include <placement/parallel/reduction.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

using pin = placement::detail::pinned_by<soft_t>;

/// Where a sum is computed, what it is divided by, and the label of its ops.
struct addition {
  pin where;
  std::size_t divisor;  ///< 1: none
  collective_call call;

  origin origin_of_ops() const {
    return {call.at, where.requested, label_of(call.function), pin::requested_by};
  }
};

template <std::size_t, class T> using repeated = T;

/// out = e, or e / divisor.
template <class K, class T, class E>
void divide_into(vector_of<T>& out, E&& e, std::size_t divisor, addition const& a) {
  e.from = a.origin_of_ops();
  if (divisor == 1) return placement::detail::evaluate_pinned(out, e, a.where, true, a.call.at);
  if constexpr (!std::is_integral_v<T>) {
    expr<divide_op, K, E, scalar<T>> quotient{
        {}, a.call.at, std::move(e), scalar<T>{static_cast<T>(static_cast<float>(divisor))}};
    quotient.from = a.origin_of_ops();
    placement::detail::evaluate_pinned(out, quotient, a.where, true, a.call.at);
  }
}
template <class K, class T, std::size_t... I>
void add_operands(vector_of<T>& out, vector_of<T>* x, std::size_t divisor, addition const& a,
                  std::index_sequence<I...>) {
  using sum = expr<add_n_op, K, repeated<I, vector_of<T>>...>;
  divide_into<K>(out, sum{{}, a.call.at, std::move(x[I])...}, divisor, a);
}
/// The sum of 2 to 4 vectors as one kernel. Their handles are moved into it.
template <class K, class T>
void add_at_once(vector_of<T>& out, vector_of<T>* x, std::size_t count, std::size_t divisor,
                 addition const& a) {
  if (count == 2) return add_operands<K>(out, x, divisor, a, std::make_index_sequence<2>{});
  if (count == 3) return add_operands<K>(out, x, divisor, a, std::make_index_sequence<3>{});
  add_operands<K>(out, x, divisor, a, std::make_index_sequence<4>{});
}

/// out = ((x[0] + x[1]) + ...) / divisor of at least two vectors, with the bits of add_n. Operands
/// on other devices are copied. `out` may have memory of this size, which is then written in place
/// if a.where has it; after a fallback `out` is on another device.
/// Cost: one kernel for the first 4 vectors, one more for each further 3.
template <class K, class T>
void add_in_order(vector_of<T>& out, std::vector<vector_of<T>> x, addition const& a) {
  constexpr std::size_t most = 4;
  std::size_t done = std::min(x.size(), most);
  add_at_once<K>(out, x.data(), done, done == x.size() ? a.divisor : 1, a);
  while (done != x.size()) {
    std::size_t const more = std::min(x.size() - done, most - 1);
    x[done - 1] = out;
    done += more;
    add_at_once<K>(out, x.data() + (done - more - 1), more + 1, done == x.size() ? a.divisor : 1,
                   a);
  }
}

/// What a sum of `count` operands of type T is divided by. Throws: invalid_argument for a mean of
/// integers.
template <class T>
std::size_t divisor_of(reduction r, std::size_t count, collective_call const& call) {
  static_assert(!std::is_same_v<T, bool>,
                "placement: a sum of bool over devices. Write cast<std::int32_t>(x), or any(x).");
  if (r == reduction::sum) return 1;
  if constexpr (std::is_integral_v<T>)
    throw_floating_point_only(call.function, element_name<T>(), "a mean", "reduction::sum",
                              call.at);
  return count;
}

}}}}  // namespace placement::v0_1::parallel::detail
