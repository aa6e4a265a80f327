#pragma once
/// The definitions of programs of several tasks, which placement/tasks.hpp includes.

#include <placement/src/tasks/cluster.ipp>
#include <placement/src/tasks/collectives.ipp>
#include <placement/src/tasks/jobs.ipp>
#include <placement/src/tasks/statement.ipp>
#include <placement/src/tasks/task_errors.ipp>
#include <placement/src/tasks/tasks.ipp>
