#pragma once
/// Saves checkpoints of programs of several tasks.

#include <placement/nn/checkpoint.hpp>
#include <placement/tasks/each_task.hpp>

#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {
/// Gives variables and slots that are on tasks elements on every task, while it lives.
class elements_on_every_task {
 public:
  template <class State> elements_on_every_task(State const& state, site at) {
    state.for_each_array([&](nn::detail::any_array const& a) {
      if (*a.elements && (*a.elements)->where().task >= 0)
        all_.emplace_back(a.elements, copied_to(cpu0, *a.elements->get(), at.file, at.line));
    });
    exchange();
  }
  ~elements_on_every_task() { exchange(); }
  elements_on_every_task(elements_on_every_task const&) = delete;
  elements_on_every_task& operator=(elements_on_every_task const&) = delete;

 private:
  void exchange() noexcept {
    for (auto& [to, elements] : all_) std::swap(*to, elements);
  }

  std::vector<std::pair<buffer_ref*, buffer_ref>> all_{};
};
}  // namespace detail

/// Writes a checkpoint on task 0; all tasks call it. Variables and slots on other tasks are sent.
/// Throws: what checkpoint::save() throws, as a task_error on all tasks.
/// Cost: a message to each other task for each variable and slot on a task. Memory: those, on every
/// task.
template <class... P>
void save(nn::checkpoint<P...> const& state, std::string const& path, site at = site::here()) {
  detail::elements_on_every_task const all(state, at);
  all_or_none(
      [&](task t) {
        if (t.index == 0) state.save(path);
      },
      at);
}

}}  // namespace placement::v0_1
