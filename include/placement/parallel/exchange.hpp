#pragma once
/// All-reduce among the towers of a step, from inside their functions.

#include <placement/gradient/record.hpp>
#include <placement/parallel/all_reduce.hpp>
#include <placement/parallel/towers.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

namespace detail {

/// Computes the results of all towers, on the thread of the last one.
template <class K, class T, class X, reduction R>
void all_reduce_of_towers(std::vector<tower_value> const& all) {
  using value = tensor<T, X>;
  std::vector<value> parts;
  parts.reserve(all.size());
  for (tower_value const& v : all) parts.push_back(*static_cast<value const*>(v.value));
  auto results = parallel::all_reduce<T, X, K>(parts, R);
  for (std::size_t i = 0; i != all.size(); ++i)
    *static_cast<value*>(all[i].result) = std::move(results[i]);
}
template <class K, class T, class X>
tensor<T, X> exchanged(tower const& t, tensor<T, X> const& x, reduction r, site at) {
  auto result = placement::detail::tensor_access::empty<tensor<T, X>>();
  rendezvous::combine const f = r == reduction::sum
                                    ? &all_reduce_of_towers<K, T, X, reduction::sum>
                                    : &all_reduce_of_towers<K, T, X, reduction::mean>;
  t.others()->meet(t.index(), {&x, &result}, f,
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
  made->where = result.where();
  made->at = at;
  for (auto* tape = static_cast<placement::detail::tape_core*>(placement::detail::gradients_here);
       tape != nullptr; tape = tape->outer())
    if (tape->find(tensor_access::elements(x).get()) != placement::detail::tape_core::none)
      tape->add_record(*made, tensor_access::elements(result),
                       &placement::detail::add_elements<K, T>);
}

}  // namespace detail

/// The sum or mean of one tensor per tower, on the device of this tower. All towers call it in the
/// same order with the same shape; each waits for the others. Without other towers: x.
/// The bits are those of add_n over the towers in their order. A gradient_tape of the tower records
/// it: the towers' calls of gradient() exchange gradients.
/// Shape: unchanged.  Type: as all_reduce().
/// Throws: placement_error if another tower has ended, or exchanges something else.
/// placement_error if all towers run on one thread, or some on another task.
/// What all_reduce() throws, in all towers.
template <class T, class X, class K = kernels_here>
tensor<T, X> all_reduce(tower const& t, tensor<T, X> const& x, reduction r = reduction::sum,
                        site at = site::here()) {
  if (t.has_other_tasks()) detail::throw_exchange_of_tasks(at);
  if (t.others() == nullptr) return x;
  tensor<T, X> result = [&] {
    no_gradient const pause;
    return detail::exchanged<K>(t, x, r, at);
  }();
  if (placement::detail::gradients_here != nullptr) detail::record_exchange<K>(t, x, r, result, at);
  return result;
}

}}}  // namespace placement::v0_1::parallel
