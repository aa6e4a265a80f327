/// The compiler parses device names with the parser that is used at run time.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;
using namespace pl::literals;

// A name in the program is a tag. "/gpu:x"_dev does not compile: the message contains the name and
// the column of the mistake.
static_assert("/gpu:1"_dev == pl::gpu<1>);
static_assert("/device:CPU:0"_dev == pl::cpu<0>);
static_assert("/job:localhost/replica:0/task:0/device:GPU:2"_dev == pl::gpu<2>);

// Nested scopes: the inner name wins part by part, and an inner type resets the index.
constexpr pl::device_name outer = pl::parse_name("/gpu:1");
static_assert(pl::nest(outer, pl::parse_name("/device:CPU")) == pl::parse_name("/device:CPU:*"));
static_assert(pl::nest(outer, pl::parse_name("")) == outer);

// The rule that places every op is a constexpr function of the request and the machine. It also
// gives the reason.
constexpr pl::kernels_for has_gpu_kernel{.declared = true, .launchable = true}, has_none{};
constexpr pl::request anywhere{.gpu = has_gpu_kernel};
constexpr pl::request on_second{pl::device_spec{pl::gpu<1>}, pl::request_source::scope,
                                has_gpu_kernel};
constexpr pl::policy soft{}, hard{.soft = false};

static_assert(pl::place(anywhere, {.gpus = 2}, soft).device == pl::gpu0);
static_assert(pl::place(anywhere, {.gpus = 0}, soft).why == pl::reason::no_gpu);
static_assert(pl::place(on_second, {.gpus = 2}, soft).device == pl::gpu<1>);
static_assert(pl::place(on_second, {.gpus = 1}, soft).why == pl::reason::no_such_device);
static_assert(pl::place(on_second, {.gpus = 1}, hard).refused);
static_assert(pl::place({.gpu = has_none}, {.gpus = 2}, soft).device == pl::cpu0);

int main() {
  for (int gpus : {0, 1, 2}) {
    pl::decision const d = pl::place(on_second, {.gpus = gpus}, soft);
    std::cout << gpus << " GPUs, asked for /GPU:1: " << to_string(d.device) << " ("
              << to_string(d.why) << ")\n";
  }
}
