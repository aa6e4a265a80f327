#pragma once
/// Checkpoints: all that a training run needs to continue, in one file. Not part of nn.hpp.
///
///     nn::checkpoint run(net, adam, digits);      // references: a model, its optimizer, a dataset
///     run.save("run.npz");                        // numpy.load("run.npz")["dense/kernel/Adam"]
///     run.restore("run.npz");                     // in the next process

#include <placement/interop/example_order.hpp>
#include <placement/nn/array_archive.hpp>
#include <placement/nn/optimizer.hpp>
#include <placement/ops/set_seed.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace nn {

/// Whether a file may have arrays that no part of a checkpoint has.
enum class checkpoint_match { exact, partial };

namespace detail {

template <class P> concept optimizer_part = requires(P& p) {
  { p.state() } -> std::same_as<optimizer_state&>;
};
template <class P> concept dataset_part = requires(P& p, dataset_state const& s) {
  { p.state() } -> std::same_as<dataset_state>;
  p.set_state(s);
};
template <class P> concept model_part =
    is_variable<P> || has_parts<P> || is_tuple<P> || lists_arrays<P>;

/// A change of an object that cannot fail.
struct staged_change {
  staged_change() = default;
  virtual ~staged_change() = default;
  staged_change(staged_change const&) = delete;
  staged_change& operator=(staged_change const&) = delete;
  virtual void commit() noexcept = 0;
};
template <class F> struct staged final : staged_change {
  explicit staged(F f) : change(std::move(f)) {}
  void commit() noexcept override { change(); }
  F change;
};
using staged_changes = std::vector<std::unique_ptr<staged_change>>;
template <class F> void stage(staged_changes& to, F f) {
  to.push_back(std::make_unique<staged<F>>(std::move(f)));
}

/// The name of part number n of its kind: "Adam", "Adam_1".
inline std::string numbered(std::string_view name, std::size_t n) {
  return std::string(name) + (n == 0 ? "" : "_" + std::to_string(n));
}

/// Calls f(array) for each slot of an optimizer's state, with its name. Leaves out those of
/// variables that the model does not have: save_state() reports them.
template <class F>
void for_each_slot(optimizer_state& s, std::vector<any_array> const& variables,
                   std::string_view slot_name, F const& f) {
  std::vector<slots_of_variable>& all = s.slots.all();
  for (std::size_t i = 0; i < all.size() && i < variables.size(); ++i)
    for (std::size_t k = 0; k != all[i].slots.size(); ++k) {
      any_array a = variables[i];
      a.name += "/" + numbered(slot_name, k);
      a.elements = &all[i].slots[k].elements;
      f(a);
    }
}
/// The slots of variables 0 to count - 1, without elements.
inline void make_empty_slots(optimizer_state& s, std::vector<any_array> const& variables,
                             std::size_t count, std::size_t slots) {
  for (std::size_t i = 0; i != count; ++i) {
    slots_of_variable v;
    v.type = variables[i].element;
    v.rank = variables[i].rank;
    std::copy(variables[i].extent, variables[i].extent + v.rank, v.extent);
    v.slots.resize(slots);
    s.slots.all().push_back(std::move(v));
  }
}

/// Writes the slots and the step of an optimizer. variables: those of the model before it. number:
/// of earlier optimizers of this name.
inline void save_state(array_writer& to, optimizer_state& s,
                       std::vector<any_array> const& variables, std::string_view slot_name,
                       std::size_t number) {
  std::string const name = numbered(slot_name, number);
  std::size_t const count = s.slots.all().size();
  for (std::size_t i = 0; i != count; ++i)
    if (i >= variables.size() || !s.slots.all()[i].fits(variables[i].element, variables[i].shape()))
      throw invalid_argument("placement: the optimizer " + core::quote(name) +
                             " has not updated the model before it in this checkpoint. Give each "
                             "optimizer behind its model.");
  to.add(name + "/step", s.step);
  to.add(name + "/variables", static_cast<index_t>(count));
  for_each_slot(s, variables, slot_name, [&](any_array const& a) { to.add(a); });
}
/// Reads them into a state of their own.
inline std::unique_ptr<optimizer_state> restored_state(array_reader& from,
                                                       std::vector<any_array> const& variables,
                                                       std::string_view slot_name,
                                                       std::size_t number, std::size_t slots) {
  std::string const name = numbered(slot_name, number);
  auto made = std::make_unique<optimizer_state>();
  made->step = from.number(name + "/step");
  // Without the count, the slots of all variables are missing, too.
  bool const knows_count = from.has(name + "/variables");
  auto count = static_cast<std::size_t>(from.number(name + "/variables"));
  if (!knows_count) count = variables.size();
  if (count > variables.size())
    from.add_problem("the optimizer " + core::quote(name) + " has slots of " +
                     std::to_string(count) + " variables, but the model has " +
                     std::to_string(variables.size()));
  make_empty_slots(*made, variables, std::min(count, variables.size()), slots);
  for_each_slot(*made, variables, slot_name, [&](any_array const& a) { from.add(a); });
  return made;
}

inline std::vector<std::uint64_t> numbers_of(dataset_state const& s) {
  return {s.seed, static_cast<std::uint64_t>(s.order), static_cast<std::uint64_t>(s.size), s.epoch,
          static_cast<std::uint64_t>(s.next)};
}
/// The state that a file has for a dataset; the dataset's own after a problem.
inline dataset_state restored_state(array_reader& from, std::string const& name,
                                    dataset_state const& here) {
  std::vector<std::uint64_t> const n = from.numbers(name, numbers_of(here).size());
  if (n.empty()) return here;
  dataset_state found = here;
  found.epoch = n[3];
  found.next = static_cast<index_t>(n[4]);
  if (n != numbers_of(found) || found.next < 0 || found.next > here.size) {
    from.add_problem(core::quote(name) + " is of a dataset with " + std::to_string(n[2]) +
                     " examples and seed " + std::to_string(n[0]) + ", not of one with " +
                     std::to_string(here.size) + " examples and seed " + std::to_string(here.seed));
    return here;
  }
  return found;
}

inline constexpr char const* random_name = "random_state";
inline constexpr std::string_view dataset_name = "dataset";

/// Calls f(part, variables, number) for each part: with the variables of the model before it, and
/// the number of earlier parts of its kind.
template <class Parts, class F> void for_each_part(Parts& parts, F const& f) {
  std::vector<any_array> variables;
  std::vector<std::string_view> names;  // of datasets and optimizers
  auto const number_of = [&](std::string_view name) {
    names.push_back(name);
    return static_cast<std::size_t>(std::count(names.begin(), names.end(), name)) - 1;
  };
  auto const visit_one = [&]<class P>(P& part) {
    static_assert(model_part<P> || optimizer_part<P> || dataset_part<P>,
                  "placement: a checkpoint has models, optimizers and datasets. Give references to "
                  "them.");
    if constexpr (optimizer_part<P>) {
      f(part, trainable_among(variables), number_of(part.slot_name()));
    } else if constexpr (dataset_part<P>) {
      f(part, std::vector<any_array>(), number_of(dataset_name));
    } else if constexpr (model_part<P>) {
      variables = arrays_of(part);
      f(part, variables, std::size_t{0});
    }
  };
  std::apply([&](auto&... part) { (visit_one(part), ...); }, parts);
}

}  // namespace detail

/// What a training run needs to continue, by reference: `checkpoint(net, adam, digits)`. Models,
/// each with its optimizer behind it, and datasets. The random state of the process belongs to
/// every checkpoint. A run with a restart computes the same bits as one without.
///
/// Arrays have the names of variables, slots have TensorFlow's: "dense/kernel/Adam",
/// "dense/kernel/Adam_1". Others: "Adam/step", "Adam/variables", "dataset", "random_state".
/// Rates and other options of optimizers belong to the program.
template <class... Parts> class checkpoint {
 public:
  explicit checkpoint(Parts... parts) : parts_(std::forward<Parts>(parts)...) {}
  checkpoint(checkpoint const&) = delete;
  checkpoint& operator=(checkpoint const&) = delete;

  /// Writes a file, which replaces the old one when it is complete. NumPy reads it; bfloat16 is
  /// uint16 there. Throws: file_error; invalid_argument for two variables of one name, or an
  /// optimizer of another model; out_of_memory. Then the old file is unchanged.
  /// Cost: one write; elements on a GPU are copied to the host one by one.
  void save(std::string const& path) const try {
    detail::array_writer out(path);
    detail::for_each_part(parts_, [&]<class P>(P& part, auto const& variables, std::size_t number) {
      if constexpr (detail::optimizer_part<P>)
        detail::save_state(out, part.state(), variables, part.slot_name(), number);
      else if constexpr (detail::dataset_part<P>)
        out.add(detail::numbered(detail::dataset_name, number), detail::numbers_of(part.state()));
      else
        for (auto const& v : variables) out.add(v);
    });
    random_state const random = current_random_state();
    out.add(detail::random_name, {random.seed, random.next});
    out.close();
  } catch (...) { placement::detail::rethrow_as_error(); }

  /// Reads a file. Each variable and slot is restored on the device where the variable is now.
  /// Throws: file_error with all differences: missing arrays, other shapes and types, slots of
  /// another optimizer, another dataset, and, unless `match` is partial, arrays that no part has;
  /// out_of_memory. Then nothing has changed.
  void restore(std::string const& path, checkpoint_match match = checkpoint_match::exact) try {
    detail::array_reader in(path);
    detail::staged_changes changes;
    detail::for_each_part(parts_, [&]<class P>(P& part, auto const& variables, std::size_t number) {
      if constexpr (detail::optimizer_part<P>) {
        auto made = detail::restored_state(in, variables, part.slot_name(), number,
                                           std::size(part.slots()));
        detail::stage(changes,
                      [&part, made = std::move(made)] { part.state() = std::move(*made); });
      } else if constexpr (detail::dataset_part<P>) {
        dataset_state const s = detail::restored_state(
            in, detail::numbered(detail::dataset_name, number), part.state());
        detail::stage(changes, [&part, s] { part.set_state(s); });
      } else {
        for (auto const& v : variables) in.add(v);
      }
    });
    std::vector<std::uint64_t> const random = in.numbers(detail::random_name, 2);
    if (match == checkpoint_match::exact) in.expect_no_more();
    in.check();
    in.commit();
    for (auto const& c : changes) c->commit();
    set_random_state({random[0], random[1]});
  } catch (...) { placement::detail::rethrow_as_error(); }

  /// Calls f(array) for each variable and slot, for tasks/save.hpp.
  template <class F> void for_each_array(F const& f) const {
    detail::for_each_part(parts_, [&]<class P>(P& part, auto const& variables, std::size_t) {
      if constexpr (detail::optimizer_part<P>)
        detail::for_each_slot(part.state(), variables, part.slot_name(), f);
      else if constexpr (!detail::dataset_part<P>)
        for (auto const& v : variables) f(v);
    });
  }

 private:
  std::tuple<Parts...> mutable parts_;
};
template <class... P> checkpoint(P&&...) -> checkpoint<P...>;

}}}  // namespace placement::v0_1::nn
