#pragma once
/// The sum or mean of one tensor per device, on each of these devices.

#include <placement/kernels/all_reduce_engine.hpp>
#include <placement/parallel/add_in_order.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

namespace detail {

/// One all-reduce of vectors. Operand k and result k are on device k.
template <class K, class T> class all_reducer {
 public:
  all_reducer(std::vector<vector_of<T>> x, std::size_t divisor, collective_call const& call)
      : x_(std::move(x)), divisor_(divisor), call_(call) {}

  std::vector<buffer_ref> by_one_device() const {
    vector_of<T> sum = tensor_access::empty<vector_of<T>>();
    add_in_order<K>(sum, x_, addition_on(0));
    std::vector<buffer_ref> all(size());
    all[0] = brought_to(x_[0].where(), tensor_access::elements(sum), call_);
    for_each_last_cpu([&](std::size_t k) { all[k] = brought_to(x_[k].where(), all[0], call_); });
    return all;
  }
  std::vector<buffer_ref> by_scatter() const {
    results all(*this);
    for_each_last_cpu([&](std::size_t i) {
      std::vector<vector_of<T>> x;
      x.reserve(size());
      for (std::size_t k = 0; k != size(); ++k) x.push_back(operand(k, i));
      reduce_part(all, i, std::move(x));
    });
    for_each_last_cpu([&](std::size_t to) {
      for (std::size_t i = 0; i != size(); ++i)
        if (i != to && !all.is_empty(i)) copy_elements(all.part(to, i), all.part(i, i), call_);
    });
    return all.finished();
  }
  std::vector<buffer_ref> by_ring() const {
    results all(*this);
    std::vector<vector_of<T>> partial;
    for (std::size_t i = 0; i != size(); ++i) partial.push_back(operand(after(i, 1), i));
    for (std::size_t step = 2; step <= size(); ++step)
      for (std::size_t i = 0; i != size(); ++i) {
        std::size_t const d = after(i, step);
        std::vector<vector_of<T>> x{std::move(partial[i]), operand(d, i)};
        partial[i] = tensor_access::empty<vector_of<T>>();
        if (step == size()) reduce_part(all, i, std::move(x));
        else if (!all.is_empty(i)) add_in_order<K>(partial[i], std::move(x), addition_on(d, 1));
      }
    for (std::size_t step = 1; step != size(); ++step)
      for (std::size_t i = 0; i != size(); ++i)
        if (!all.is_empty(i))
          copy_elements(all.part(after(i, step), i), all.part(after(i, step - 1), i), call_);
    return all.finished();
  }
  /// By the engine for hardware GPUs; nothing if it does not support the operands.
  std::vector<buffer_ref> by_engine() const {
    if constexpr (placement::detail::has_product_element<T>) {
      std::vector<all_reduce_member> members;
      for (auto const& x : x_) members.push_back(member_of(x.where(), x.data()));
      if (!may_use_engine(members)) return {};
      std::vector<buffer_ref> all;
      for (std::size_t k = 0; k != size(); ++k) {
        all.push_back(new_elements(x_[k].where(), x_[k].size() * sizeof(T), call_));
        members[k].out = all[k]->data();
      }
      if (!run_engine(members, {placement::detail::product_element_of<T>, x_[0].size(),
                                divisor_ == 1 ? all_reduce_result::sum : all_reduce_result::mean}))
        return {};
      for (buffer_ref const& b : all) b->written();
      return all;
    } else {
      return {};
    }
  }

 private:
  /// The memory of all results, and of their parts: part i is computed on device i.
  class results {
   public:
    explicit results(all_reducer const& of) : of_(of) {
      for (auto const& x : of.x_)
        whole_.push_back(new_elements(x.where(), x.size() * sizeof(T), of.call_));
      for (std::size_t k = 0; k != of.size(); ++k)
        for (std::size_t i = 0; i != of.size(); ++i) parts_.push_back(new_part(k, i));
    }
    buffer_ref& part(std::size_t result, std::size_t i) { return parts_[result * of_.size() + i]; }
    buffer_ref new_part(std::size_t result, std::size_t i) const {
      return tensor_access::elements(part_of<T>(whole_[result], of_.range(i)));
    }
    bool is_empty(std::size_t i) const { return of_.range(i).count == 0; }
    std::vector<buffer_ref> finished() {
      for (buffer_ref const& b : whole_) b->written();
      return std::move(whole_);
    }

   private:
    all_reducer const& of_;
    std::vector<buffer_ref> whole_, parts_;
  };

  std::size_t size() const { return x_.size(); }
  std::size_t after(std::size_t i, std::size_t steps) const { return (i + steps) % size(); }
  addition addition_on(std::size_t k, std::size_t divisor) const {
    return {{device_spec{x_[k].where()}}, divisor, call_};
  }
  addition addition_on(std::size_t k) const { return addition_on(k, divisor_); }

  /// The elements that device i computes. All begin at multiples of a cache line.
  range_of_elements range(std::size_t i) const {
    std::size_t const n = x_[0].size(), line = buffer::alignment / sizeof(T);
    std::size_t const each = (n + size() * line - 1) / (size() * line) * line;
    std::size_t const first = std::min(n, i * each);
    return {first, std::min(n, first + each) - first};
  }
  vector_of<T> operand(std::size_t k, std::size_t i) const {
    return part_of<T>(tensor_access::elements(x_[k]), range(i));
  }
  /// Part i of the sum, in the memory of result i.
  void reduce_part(results& all, std::size_t i, std::vector<vector_of<T>> x) const {
    if (all.is_empty(i)) return;
    buffer_ref& to = all.part(i, i);
    void const* const memory = to->data();
    auto sum = tensor_of<vector_of<T>>(std::exchange(to, {}), x.front().shape());
    add_in_order<K>(sum, std::move(x), addition_on(i));
    to = std::move(tensor_access::elements(sum));
    if (to->data() == memory) return;
    buffer_ref const computed = std::exchange(to, all.new_part(i, i));
    copy_elements(to, computed, call_);
  }
  /// CPUs last, since copies to the host wait.
  template <class F> void for_each_last_cpu(F const& f) const {
    for (std::size_t i = 0; i != size(); ++i)
      if (x_[i].where().is_gpu()) f(i);
    for (std::size_t i = 0; i != size(); ++i)
      if (x_[i].where().is_cpu()) f(i);
  }

  std::vector<vector_of<T>> x_;
  std::size_t divisor_;
  collective_call call_;
};

template <class K, class T>
std::vector<buffer_ref> all_reduced(std::vector<vector_of<T>> x, std::size_t divisor,
                                    all_reduce_options const& options,
                                    collective_call const& call) {
  std::size_t const bytes = x[0].size() * sizeof(T);
  all_reducer<K, T> const by(std::move(x), divisor, call);
  if (options.is_fast() && options.algorithm() == all_reduce_algorithm::by_size)
    if (auto all = by.by_engine(); !all.empty()) return all;
  switch (options.algorithm()) {
    case all_reduce_algorithm::one_device: return by.by_one_device();
    case all_reduce_algorithm::scatter: return by.by_scatter();
    case all_reduce_algorithm::ring: return by.by_ring();
    case all_reduce_algorithm::by_size: break;
  }
  return bytes < scatter_bytes ? by.by_one_device() : by.by_scatter();
}

}  // namespace detail

/// The sum or mean of one tensor per device: result k is on the device of operand k.
///
/// Every device gets the same bits. Without `fast` they are those of add_n over the operands in
/// their order, divided once for a mean, whatever the algorithm.
/// Shape: unchanged.  Type: any arithmetic but bool; a mean is of floating point.
/// Cost: K = 1 shares the elements; else see all_reduce_algorithm. GPUs work in their queues, and
/// the host waits only for results on the host. Memory on a device: the result, and copies of K - 1
/// operands on the first device (one_device), of K - 1 parts (scatter) or of one part (ring).
/// Log: the ops AddN and Div, labelled all_reduce, and one line per copy. Copies count in
/// statistics and budgets. Under `fast` a registered engine (NCCL) reduces between hardware GPUs,
/// without counts. A log of copies, a budget and a transfer policy exclude the engine.
/// Throws: invalid_argument for no operands, for two on one device, for a mean of integers, for a
/// ring without `fast`. Also shape_error for shapes that differ, placement_error for a copy that a
/// budget forbids, and out_of_memory. Operands never change.
template <class T, class X, class K = kernels_here>
std::vector<tensor<T, X>> all_reduce(std::vector<tensor<T, X>> const& parts,
                                     reduction r = reduction::sum, all_reduce_options options = {},
                                     site at = site::here()) try {
  detail::collective_call const call{"all_reduce", at};
  detail::check_operands(call.function, parts, detail::shapes::equal, detail::devices::distinct,
                         at);
  std::size_t const divisor = detail::divisor_of<T>(r, parts.size(), call);
  if (options.algorithm() == all_reduce_algorithm::ring && !options.is_fast())
    detail::throw_needs_fast(at);
  if (parts.size() == 1 || parts[0].size() == 0) return parts;

  auto elements = detail::all_reduced<K>(detail::all_flat(parts), divisor, options, call);
  std::vector<tensor<T, X>> results;
  results.reserve(parts.size());
  for (auto& each : elements)
    results.push_back(detail::tensor_of<tensor<T, X>>(std::move(each), parts[0].shape()));
  return results;
} catch (...) { placement::detail::rethrow_as_error(); }

}}}  // namespace placement::v0_1::parallel
