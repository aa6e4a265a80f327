#pragma once
/// What all tasks do together with the values that each of them has: sums, means, gathers.

#include <placement/place/log.hpp>
#include <placement/tasks/cluster.hpp>
#include <placement/tasks/values.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 {

/// The order in which elements of the tasks are added. in_order: by the number of the task, so that
/// every connection and the simulation give the same bits. fast: as the library of messages likes.
enum class sum_order : unsigned char { in_order, fast };
inline constexpr sum_order in_order = sum_order::in_order, fast = sum_order::fast;

namespace detail {

template <class T> void add_elements(void* to, void const* x, std::size_t count) {
  auto* const a = static_cast<T*>(to);
  auto const* const b = static_cast<T const*>(x);
  for (std::size_t i = 0; i != count; ++i) a[i] = static_cast<T>(a[i] + b[i]);
}
template <class T> void larger_elements(void* to, void const* x, std::size_t count) {
  auto* const a = static_cast<T*>(to);
  auto const* const b = static_cast<T const*>(x);
  for (std::size_t i = 0; i != count; ++i)
    if (!(b[i] < a[i]) && !(a[i] != a[i])) a[i] = b[i];
}
template <class T> void divide_elements(void* x, std::size_t count, std::size_t by) {
  auto* const a = static_cast<T*>(x);
  T const n = static_cast<T>(static_cast<float>(by));
  for (std::size_t i = 0; i != count; ++i) a[i] = static_cast<T>(a[i] / n);
}
template <class T> constexpr message_number number_for(sum_order order) {
  if (order == sum_order::in_order) return message_number::none;
  if constexpr (std::is_same_v<T, float>) return message_number::float32;
  else if constexpr (std::is_same_v<T, double>) return message_number::float64;
  else if constexpr (std::is_same_v<T, int>) return message_number::int32;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8)
    return message_number::int64;
  else return message_number::none;
}

template <class T> task_sum sum_of(std::string_view op, sum_order order) {
  static_assert(!std::is_same_v<T, bool>,
                "placement: bools have no sum. Write cast<int>(x), or all_max(x).");
  return {op, sizeof(T), number_for<T>(order), &add_elements<T>, nullptr};
}
template <class T> task_sum mean_of(std::string_view op, sum_order order) {
  static_assert(!std::is_integral_v<T>,
                "placement: a mean is of floating point. Write all_mean(cast<float>(x)).");
  task_sum s = sum_of<T>(op, order);
  s.divide = &divide_elements<T>;
  return s;
}

/// Calls f(call, elements) for a tensor that is not empty, and gives the result its elements.
template <class T, class X, class F>
void run_together(tensor<T, X>& result, buffer_ref const& x, any_shape const& shape,
                  std::string_view op, site at, F const& f) {
  cluster& all = cluster_of_program(op, at);
  task_call const call{op, at, shape, sizeof(T)};
  if (!x) return all.count(call);
  device const where = x->where().local();
  buffer_ref made = f(all, call, *x.get());
  if (!made->is_of_tasks() && !(made->where() == where)) made = copied_to(where, *made.get());
  if (made->is_of_tasks() && made->where().task == per_task && !where.is_cpu())
    made = copied_to(where, *made.get());
  tensor_access::elements(result) = std::move(made);
  tensor_access::requested(result) = device_spec{where};
  if (settings_here().reports_ops()) log_task_op(call, element_name<T>(), where);
}

template <operand E>
auto summed_over_tasks(E const& x, std::string_view op, site at, task_sum const& s)
    -> tensor_value_t<E> {
  tensor_value_t<E> t = task_operand(x, op, at);
  auto const shape = t.shape();
  buffer_ref const elements = std::move(tensor_access::elements(t));
  run_together(
      t, elements, shape, op, at,
      [&](cluster& all, task_call const& call, buffer const& b) { return all.sum(call, s, b); });
  return t;
}

/// The mean over the towers of all tasks. x: a vector for each tower of a task, one after another.
/// The terms are added in the order of tasks and towers.
template <class T>
tensor<T, dextents<1>> mean_of_towers(tensor<T, dextents<1>> const& x, index_t towers, site at) {
  tensor<T, dextents<1>> t = x;
  auto const shape = x.shape();
  tensor_access::shape(t) = placement::shape(shape.at(0) / towers);
  task_sum s = mean_of<T>("AllMean", in_order);
  s.groups = static_cast<std::size_t>(towers);
  buffer_ref const elements = std::move(tensor_access::elements(t));
  run_together(
      t, elements, shape, s.op, at,
      [&](cluster& all, task_call const& call, buffer const& b) { return all.sum(call, s, b); });
  return t;
}

/// A value, with f applied to each of its tensors.
template <class V, class F> V mapped(V const& x, F const& f) {
  V all = x;
  for_each_tensor([&](auto& t) { t = f(t); }, all);
  return all;
}
template <class V> concept several_tensors = is_tuple_value<V> || is_vector_value<V>;

}  // namespace detail

/// Asks for a sum that a thread of messages computes while this one goes on.
struct in_background_t {
  sum_order order = in_order;
};
inline constexpr in_background_t in_background{};

/// A value that is being computed. All tasks make and get such values in the same order as all
/// other statements.
template <class V> class later {
 public:
  later(V value, std::shared_ptr<detail::pending_sum> sum, detail::cluster& of, device where)
      : value_(std::move(value)), sum_(std::move(sum)), of_(&of), where_(where) {}

  /// Waits for the value. Throws: what its computation threw, such as task_error.
  V get() const {
    V result = detail::tensor_access::empty<V>();
    detail::tensor_access::shape(result) = value_.shape();
    if (sum_ == nullptr) return result;
    detail::buffer_ref b = of_->finish(*sum_);
    if (!(b->where() == where_)) b = detail::copied_to(where_, *b.get());
    detail::tensor_access::elements(result) = std::move(b);
    detail::tensor_access::requested(result) = device_spec{where_};
    return result;
  }

 private:
  V value_;  ///< without elements
  std::shared_ptr<detail::pending_sum> sum_;
  detail::cluster* of_;
  device where_;
};

namespace detail {
template <operand E>
auto summed_later(E const& x, std::string_view op, site at, task_sum const& s)
    -> later<tensor_value_t<E>> {
  tensor_value_t<E> t = task_operand(x, op, at);
  auto const shape = t.shape();
  buffer_ref const b = std::move(tensor_access::elements(t));
  cluster& all = cluster_of_program(op, at);
  task_call const call{op, at, shape, s.element};
  if (!b) {
    all.count(call);
    return {std::move(t), nullptr, all, cpu0};
  }
  device const where = b->where().local();
  if (settings_here().reports_ops())
    log_task_op(call, element_name<typename E::value_type>(), where);
  return {std::move(t), all.start_sum(call, s, *b.get()), all, where};
}
}  // namespace detail

/// The sum of the elements over all tasks, which all tasks get. A value that is equal on all tasks
/// is added as often as there are tasks. Shape: that of x.
/// Throws: placement_error for a value of one task; shape_error; task_error if the tasks are not at
/// the same statement. Cost: about two all-gathers of x; fast: one all-reduce.
template <operand E>
auto all_sum(E const& x, sum_order order = in_order, site at = site::here())
    -> detail::tensor_value_t<E> {
  return detail::summed_over_tasks(x, "AllSum", at,
                                   detail::sum_of<typename E::value_type>("AllSum", order));
}
/// The sum divided by the number of tasks.
template <operand E>
auto all_mean(E const& x, sum_order order = in_order, site at = site::here())
    -> detail::tensor_value_t<E> {
  return detail::summed_over_tasks(x, "AllMean", at,
                                   detail::mean_of<typename E::value_type>("AllMean", order));
}
/// The same while this thread goes on: sums of gradients overlap with the rest of a backward pass.
/// The elements of x are copied on write, so x may change. Cost: a message to the thread.
template <operand E> auto all_sum(E const& x, in_background_t how, site at = site::here()) {
  return detail::summed_later(x, "AllSum", at,
                              detail::sum_of<typename E::value_type>("AllSum", how.order));
}
template <operand E> auto all_mean(E const& x, in_background_t how, site at = site::here()) {
  return detail::summed_later(x, "AllMean", at,
                              detail::mean_of<typename E::value_type>("AllMean", how.order));
}
/// The largest element at each place; NaN if a task has one.
template <operand E> auto all_max(E const& x, site at = site::here()) -> detail::tensor_value_t<E> {
  using T = typename E::value_type;
  return detail::summed_over_tasks(
      x, "AllMax", at,
      {"AllMax", sizeof(T), message_number::none, &detail::larger_elements<T>, nullptr});
}
/// The same for each tensor of a tuple, pair, array or vector.
template <detail::several_tensors V>
V all_sum(V const& x, sum_order order = in_order, site at = site::here()) {
  return detail::mapped(x, [&](auto const& t) { return all_sum(t, order, at); });
}
template <detail::several_tensors V>
V all_mean(V const& x, sum_order order = in_order, site at = site::here()) {
  return detail::mapped(x, [&](auto const& t) { return all_mean(t, order, at); });
}

/// The values of all tasks along the first axis, in the order of the tasks, which all tasks get.
/// Shape: [n, ...] to [tasks * n, ...].  Throws: as all_sum.
template <operand E> auto all_gather(E const& x, site at = site::here()) {
  using X = typename E::extents_type;
  static_assert(X::rank > 0,
                "placement: all_gather joins along the first axis. Write reshape(x, "
                "shape(1)) for a scalar.");
  auto const t = detail::task_operand(x, "AllGather", at);
  auto const shape = t.shape();
  dextents<X::rank> joined;
  for (std::size_t d = 0; d != X::rank; ++d) joined.n[d] = shape.at(d);
  joined.n[0] *= detail::cluster_of_program("all_gather", at).size();
  auto result = detail::tensor_access::empty<tensor<typename E::value_type, dextents<X::rank>>>();
  detail::tensor_access::shape(result) = joined;
  detail::run_together(result, detail::tensor_access::elements(t), shape, "AllGather", at,
                       [](detail::cluster& all, detail::task_call const& call,
                          detail::buffer const& b) { return all.gathered(call, b); });
  return result;
}

/// The sum over all tasks, of which each task gets one part along the first axis.
/// Shape: [tasks * n, ...] to [n, ...].  Throws: as all_sum; shape_error unless the number of tasks
/// divides the first extent.
template <operand E> auto reduce_scatter(E const& x, site at = site::here()) {
  using X = typename E::extents_type;
  using T = typename E::value_type;
  static_assert(X::rank > 0, "placement: reduce_scatter splits the first axis. Use all_sum(x).");
  auto const t = detail::task_operand(x, "ReduceScatter", at);
  auto const shape = t.shape();
  int const count = detail::cluster_of_program("reduce_scatter", at).size();
  if (shape.at(0) % count != 0)
    detail::throw_undivided_over_tasks("reduce_scatter", to_string(shape), count, at);
  dextents<X::rank> part;
  for (std::size_t d = 0; d != X::rank; ++d) part.n[d] = shape.at(d);
  part.n[0] /= count;
  auto result = detail::tensor_access::empty<tensor<T, dextents<X::rank>>>();
  detail::tensor_access::shape(result) = part;
  detail::run_together(
      result, detail::tensor_access::elements(t), shape, "ReduceScatter", at,
      [](detail::cluster& all, detail::task_call const& call, detail::buffer const& b) {
        return all.sum_scattered(call, detail::sum_of<T>("ReduceScatter", in_order), b);
      });
  return result;
}

/// The value that one task has, as a value of that task. No message, unless another task has it.
/// Throws: invalid_argument for a task that the program does not have.
template <operand E>
auto of_task(E const& x, int index, site at = site::here()) -> detail::tensor_value_t<E> {
  auto t = detail::task_operand(x, "OfTask", at);
  detail::cluster& all = detail::cluster_of_program("of_task", at);
  if (index < 0 || index >= all.size())
    throw invalid_argument("placement: of_task" + detail::place_text(at) + " of task " +
                           std::to_string(index) + ": this program has tasks 0 to " +
                           std::to_string(all.size() - 1) + ".");
  auto const shape = t.shape();
  if (detail::buffer_ref& b = detail::tensor_access::elements(t))
    b = all.of_task(index, {"OfTask", at, shape, sizeof(typename E::value_type)}, *b.get());
  return t;
}

/// The value that one task has, which all tasks get.
/// Throws: as of_task, and task_error if the tasks are not at the same statement.
template <operand E>
auto broadcast_from(int index, E const& x, site at = site::here()) -> detail::tensor_value_t<E> {
  auto t = of_task(x, index, at);
  detail::buffer_ref& b = detail::tensor_access::elements(t);
  if (b) {
    device const where = b->where().local();
    b = detail::copied_to(where, *b.get(), at.file, at.line);
  }
  return t;
}

/// Waits until all tasks are here.
inline void barrier(site at = site::here()) {
  detail::cluster_of_program("barrier", at).barrier({"Barrier", at, {0, nullptr}, 0});
}

}}  // namespace placement::v0_1
