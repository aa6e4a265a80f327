#pragma once
/// Programs of several tasks, each a process: placement over machines, values of tasks,
/// collectives. placement/mpi.hpp connects the processes.

#include <placement/placement.hpp>

#include <placement/tasks/collectives.hpp>
#include <placement/tasks/each_task.hpp>
#include <placement/tasks/tasks.hpp>

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/tasks/cluster.ipp>
#  include <placement/src/tasks/collectives.ipp>
#  include <placement/src/tasks/jobs.ipp>
#  include <placement/src/tasks/statement.ipp>
#  include <placement/src/tasks/sums.ipp>
#  include <placement/src/tasks/task_transfers.ipp>
#  include <placement/src/tasks/task_views.ipp>
#  include <placement/src/tasks/tasks.ipp>
#endif
