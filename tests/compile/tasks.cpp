/// Devices of tasks as constants: names, placement and plans of a cluster.
#include <placement/placement.hpp>

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

}  // namespace
