/// Devices of tasks as constants: names, placement and plans of a cluster.
#include <placement/placement.hpp>

#include <placement/plan/message_time.hpp>

namespace {

namespace pl = placement;
using pl::device, pl::device_spec, pl::kind, pl::machine, pl::reason, pl::request_source;

// ---- devices

constexpr device far{kind::gpu, 7, 999};
static_assert(sizeof(device) == 8);
static_assert(far.has_task() && !far.is_gpu() && !far.is_cpu() &&
              far.local() == device{kind::gpu, 7});
static_assert(!(far == device{kind::gpu, 7}) && !(far == device{kind::gpu, 7, 998}));
static_assert(device{kind::cpu, 0} == pl::cpu0 && pl::cpu0.task == pl::every_task);

// ---- specs

static_assert(device_spec{far}.has_task_number() && device_spec{far}.task_number() == 999);
static_assert(device_spec{far}.names_task() && !device_spec{far}.is_local());
static_assert(device_spec{far}.name().task == 999 && device_spec{far}.name().index == 7);
static_assert(device_spec{far}.name().type == "GPU");
static_assert(device_spec{far}.without_task() == device_spec{device{kind::gpu, 7}});
static_assert(device_spec{device{kind::any, pl::any_index, 3}}.name().has_task());
static_assert(!device_spec{device{kind::any, pl::any_index, 3}}.name().has_type());
static_assert(device_spec::has_constant_form({kind::gpu, 4094, 16383}));
static_assert(!device_spec::has_constant_form({kind::gpu, 4095, 0}));
static_assert(!device_spec{device{kind::gpu, 1}}.names_task());
static_assert(device_spec::of(pl::parse_name("/task:0/gpu:1")).names_task());
static_assert(!device_spec::of(pl::parse_name("/job:localhost/task:0/gpu:1")).names_task());
static_assert(
    !device_spec::of(pl::parse_name("/job:localhost/replica:0/task:0/gpu:1")).names_task());

// ---- placement

constexpr pl::decision placed(device d, machine m, bool has_kernel = true) {
  return pl::place({d, request_source::scope, {has_kernel, has_kernel}}, m, {});
}
constexpr machine cluster{.gpus = 8, .tasks = 1000};
static_assert(placed(far, cluster).device == far && placed(far, cluster).why == reason::scope);
static_assert(placed({kind::gpu, 0, 1000}, cluster).refused);
static_assert(placed({kind::gpu, 0, 1000}, cluster).why == reason::no_such_task);
// A kernel without a GPU form falls back to the CPU of the same task.
static_assert(placed(far, cluster, false).device == device{kind::cpu, 0, 999});
static_assert(placed(far, cluster, false).fell_back);
static_assert(placed({kind::gpu, 8, 5}, cluster).device == device{kind::gpu, 0, 5});
// A task without a device: the first GPU there.
static_assert(placed({kind::any, pl::any_index, 5}, cluster).device == device{kind::gpu, 0, 5});
static_assert(placed({kind::any, pl::any_index, 5}, {.tasks = 6}).device ==
              device{kind::cpu, 0, 5});
// A name without a task is a device of every task.
static_assert(placed({kind::gpu, 1}, cluster).device == device{kind::gpu, 1});
// A program of one process has task 0 alone.
static_assert(placed({kind::cpu, 0, 0}, {.tasks = 1}).device == pl::cpu0);
static_assert(placed({kind::cpu, 0, 1}, {.tasks = 1}).refused);
static_assert(pl::place({device_spec::of(pl::parse_name("/task:0/gpu:1")),
                         request_source::scope,
                         {true, true}},
                        {.gpus = 2}, {})
                  .device == device{kind::gpu, 1});
static_assert(pl::place({device_spec::of(pl::parse_name("/task:0/gpu:1")),
                         request_source::scope,
                         {true, true}},
                        cluster, {})
                  .device == device{kind::gpu, 1, 0});

// ---- tags and plans

static_assert(pl::dev<kind::gpu, 7, 999>::value == far &&
              pl::device_tag<pl::dev<kind::gpu, 7, 999>>);
static_assert(!(pl::dev<kind::gpu, 7, 999>{} == pl::gpu<7>));

using matrix = pl::tensor<float, pl::extents<64, 64>>;
using product = decltype(pl::matmul(std::declval<matrix&>(), std::declval<matrix&>()));
using remote = decltype(pl::on(pl::dev<kind::gpu, 3, 999>{}, std::declval<product>()));
using sum = decltype(std::declval<remote>() + std::declval<matrix&>());

// The result of a product on another task is read by all: one message to each other task.
constexpr auto plan = pl::plan_of<sum>(cluster);
static_assert(plan.node("MatMul").device == device{kind::gpu, 3, 999});
static_assert(plan.node("Add").device == pl::gpu0);
static_assert(plan.messages() == 999 && plan.copies() == 1 && plan.bytes_moved() == 64 * 64 * 4);

// In a scope of a task it is one message; on the same task there is none.
constexpr auto in_scope = pl::plan_of<sum>(cluster, {}, device_spec{device{kind::gpu, 0, 500}});
static_assert(in_scope.node("Add").device == device{kind::gpu, 0, 500});
static_assert(in_scope.messages() == 1 && in_scope.bytes_moved() == 64 * 64 * 4);
constexpr auto same = pl::plan_of<sum>(cluster, {}, device_spec{device{kind::gpu, 3, 999}});
static_assert(same.messages() == 0 && same.copies() == 0);
constexpr auto mirrored = pl::plan_of<product>(cluster);
static_assert(mirrored.messages() == 0 && mirrored.node("MatMul").device == pl::gpu0);

// ---- the time of messages: a second each, two bytes a second, sums of four bytes a second

constexpr pl::message_link slow{1, 2, 4};
constexpr bool is_near(double a, double b) { return a - b < 1e-9 && b - a < 1e-9; }
static_assert(slow.seconds(6) == 4);
static_assert(pl::detail::rounds_of(2) == 1 && pl::detail::rounds_of(8) == 3 &&
              pl::detail::rounds_of(1000) == 10);
// One round of 16 B; a message of 6 B.
static_assert(pl::broadcast_seconds(slow, 2, 6) == 9 + 4);
// A small sum: the agreement, a gather of 3 times 8 B, and 4 terms of 8 B.
static_assert(pl::all_sum_seconds(slow, 4, 8) == 2 * 9 + (2 + 12) + 8);
// A large one: the exchange of halves, the sum of a half, the gather of halves.
static_assert(pl::all_sum_seconds(slow, 2, 8000) == 9 + (1 + 2000) + 2000 + (1 + 2000));
static_assert(pl::all_sum_seconds(slow, 2, 8000, 3) == 9 + (1 + 6000) + 6000 + (1 + 2000));
// Among many tasks the exchange joins messages: 10 rounds, and not 999.
constexpr pl::message_link fabric{1e-5, 1e9, 1e12};
static_assert(pl::all_sum_seconds(fabric, 1000, 8000) < 100 * fabric.latency);
static_assert(pl::fast_sum_seconds(slow, 2, 8000) == 9 + 2 + 4000 + 1000);
static_assert(pl::all_sum_seconds(slow, 1, 8000) == 0 && pl::fast_sum_seconds(slow, 1, 8) == 0 &&
              pl::broadcast_seconds(slow, 1, 8) == 0);

// 16 KiB to 999 tasks along a tree, or to one.
static_assert(is_near(pl::message_seconds(plan, 1000, slow), 10 * 9 + 10 * (1 + 8192)));
static_assert(is_near(pl::message_seconds(in_scope, 1000, slow), 1 + 8192));
static_assert(pl::message_seconds(mirrored, 1000, slow) == 0);

constexpr pl::training_step step{.compute = 5, .gradient_bytes = 8000};
static_assert(pl::step_seconds(step, 1, slow) == 5);
static_assert(pl::step_seconds(step, 2, slow) == 5 + pl::all_sum_seconds(slow, 2, 8000));
constexpr pl::training_step sharded{.compute = 5, .gradient_bytes = 8000, .on_tasks = 6};
static_assert(pl::step_seconds(sharded, 2, slow) == pl::step_seconds(step, 2, slow) + 13);

}  // namespace
