#pragma once
/// Tables of jobs as text: PLACEMENT_JOBS, and TensorFlow's TF_CONFIG.

#include <placement/device/task_table.hpp>

#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

/// The jobs of "ps:1,worker:3". Throws: invalid_argument.
std::vector<job> parse_jobs(std::string_view text);

/// The jobs of a TF_CONFIG, and the number of its own task.
struct tf_config {
  std::vector<job> jobs;
  int own_task = -1;  ///< -1: it names none
};
/// Reads TensorFlow's JSON: `{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker",
/// "index": 1}}`. Tasks are numbered in the order of the text. The addresses are not used: MPI
/// connects the processes. Throws: invalid_argument for other text, more than 1 MiB of it, and a
/// task that is not in the cluster.
tf_config parse_tf_config(std::string_view text);

}}  // namespace placement::v0_1
