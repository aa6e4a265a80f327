#pragma once
/// All-reduce among the towers of a step, from inside their functions.

#include <placement/gradient/record.hpp>
#include <placement/parallel/add_in_order.hpp>
#include <placement/parallel/all_reduce.hpp>
#include <placement/parallel/towers.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

namespace detail {

/// Computes the results of all towers, on the thread of the last one.
template <class K, class T, class X, reduction R>
void all_reduce_of_towers(std::vector<tower_value> const& all, site) {
  using value = tensor<T, X>;
  std::vector<value> parts;
  parts.reserve(all.size());
  for (tower_value const& v : all) parts.push_back(*static_cast<value const*>(v.value));
  auto results = parallel::all_reduce<T, X, K>(parts, R);
  for (std::size_t i = 0; i != all.size(); ++i)
    *static_cast<value*>(all[i].result) = std::move(results[i]);
}
/// The same where other tasks have towers, too: each task gets the values of all and adds them.
template <class K, class T, class X, reduction R>
void all_reduce_of_tasks(std::vector<tower_value> const& all, site at) {
  using value = tensor<T, X>;
  collective_call const call{"all_reduce", at};
  tower const& first = *all.front().self;
  std::vector<value> values;
  for (tower_value const& v : all) values.push_back(*static_cast<value const*>(v.value));
  check_operands(call.function, values, shapes::equal, devices::any, at);
  X const shape = values.front().shape();
  auto const n = static_cast<std::size_t>(shape.count());
  auto const count = static_cast<std::size_t>(first.count());
  buffer_ref const mine = new_elements(cpu0, all.size() * n * sizeof(T), call);
  for (std::size_t i = 0; n != 0 && i != all.size(); ++i)
    copy_elements(tensor_access::elements(part_of<T>(mine, {i * n, n})),
                  tensor_access::elements(values[i]), call);
  mine->written();
  std::array<index_t, 1 + X::rank> extents{static_cast<index_t>(all.size())};
  for (std::size_t d = 0; d != X::rank; ++d) extents[d + 1] = shape.at(d);
  process_values const values_here{
      mine, sizeof(T), {extents.size(), extents.data()}, static_cast<std::uint64_t>(R)};
  buffer_ref const gathered = first.gather()(values_here, at);
  auto sum = tensor_access::empty<vector_of<T>>();
  if (n != 0) {
    std::vector<vector_of<T>> parts;
    for (std::size_t i = 0; i != count; ++i) parts.push_back(part_of<T>(gathered, {i * n, n}));
    add_in_order<K>(sum, std::move(parts),
                    {{device_spec{cpu0}}, divisor_of<T>(R, count, call), call});
  }
  for (std::size_t i = 0; i != all.size(); ++i)
    *static_cast<value*>(all[i].result) =
        n == 0 ? values[i]
               : tensor_of<value>(
                     brought_to(all[i].self->where(), tensor_access::elements(sum), call), shape);
}
template <class K, class T, class X, reduction R>
rendezvous::combine combination_for(tower const& t) {
  return t.gather() != nullptr ? &all_reduce_of_tasks<K, T, X, R>
                               : &all_reduce_of_towers<K, T, X, R>;
}
template <class K, class T, class X>
tensor<T, X> exchanged(tower const& t, tensor<T, X> const& x, reduction r, site at) {
  auto result = placement::detail::tensor_access::empty<tensor<T, X>>();
  rendezvous::combine const f = r == reduction::sum ? combination_for<K, T, X, reduction::sum>(t)
                                                    : combination_for<K, T, X, reduction::mean>(t);
  tower_value const mine{&t, &x, &result};
  if (t.others() == nullptr) f({mine}, at);
  else
    t.others()->meet(t.index(), mine, f,
                     std::string(r == reduction::sum ? "the sum" : "the mean") + " of " +
                         std::string(element_name<T>()) + to_string(x.shape()),
                     at);
  return result;
}

/// The record of an all-reduce. The gradient of a sum over towers is the sum of their gradients;
/// that of a mean their mean.
template <class K, class T, class X>
class exchange_record final : public placement::detail::tape_record {
 public:
  exchange_record(tower const& t, tensor<T, X> x, reduction r)
      : tower_(t), x_(std::move(x)), reduction_(r) {}
  void pull(placement::detail::tape_core& core, std::uint32_t result) const override {
    using access = placement::detail::tensor_access;
    auto g = access::empty<tensor<T, X>>();
    access::elements(g) = core.value(result).gradient;
    access::requested(g) = core.value(result).requested;
    access::shape(g) = x_.shape();
    static_cast<gradient_tape&>(core).add(x_, exchanged<K>(tower_, g, reduction_, at));
  }

 private:
  tower const& tower_;
  tensor<T, X> x_;
  reduction reduction_;
};

template <class K, class T, class X>
void record_exchange(tower const& t, tensor<T, X> const& x, reduction r, tensor<T, X> const& result,
                     site at) {
  using placement::detail::tensor_access;
  auto* const made = new exchange_record<K, T, X>(t, x, r);
  placement::detail::record_ref const owner(made);
  auto& tape = *static_cast<placement::detail::tape_core*>(placement::detail::gradients_here);
  if (tape.any_reaches(placement::detail::tensors_in(x)))
    tape.note(*made, at, {placement::detail::tensors_in(x)}, tensor_access::elements(result),
              &placement::detail::functions_of<K, T>);
}

}  // namespace detail

/// The sum or mean of one tensor per tower, on the device of this tower. All towers call it in the
/// same order with the same shape; each waits for the others. Without other towers: x.
/// The bits are those of add_n over the towers in their order. A gradient_tape of the tower records
/// it: the towers' calls of gradient() exchange gradients.
/// Cost with towers on several tasks: each task gets the values of all, and adds them on CPU:0.
/// Shape: unchanged.  Type: as all_reduce().
/// Throws: placement_error if another tower has ended, or exchanges something else.
/// placement_error if all towers of a process run on one thread.
/// What all_reduce() throws, in all towers.
template <class T, class X, class K = kernels_here>
tensor<T, X> all_reduce(tower const& t, tensor<T, X> const& x, reduction r = reduction::sum,
                        site at = site::here()) {
  if (t.others() == nullptr && t.gather() == nullptr) return x;
  tensor<T, X> result = [&] {
    no_gradient const pause;
    return detail::exchanged<K>(t, x, r, at);
  }();
  if constexpr (real_number<T>)  // no tape watches others
    if (placement::detail::gradients_here != nullptr)
      detail::record_exchange<K>(t, x, r, result, at);
  return result;
}

}}}  // namespace placement::v0_1::parallel
