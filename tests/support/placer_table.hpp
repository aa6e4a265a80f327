#pragma once
/// The placement rules as a table, checked at compile time and at run time: the request, the
/// machine, and the device that results.

#include <placement/place/placer.hpp>

#include <cstddef>

namespace placer_table {

using namespace placement;

inline constexpr device nowhere{}, cpu1{kind::cpu, 1};
inline constexpr device any_cpu{kind::cpu, any_index}, any_gpu{kind::gpu, any_index};

/// The kernels of an op: no GPU kernel, one that this file launches, one that this file does not
/// launch.
inline constexpr kernels_for none{false, false}, both{true, true}, elsewhere{true, false};

inline constexpr machine host{.cpus = 1, .gpus = 0}, one{.cpus = 1, .gpus = 1},
    two{.cpus = 1, .gpus = 2};
inline constexpr machine real_two{.cpus = 1, .gpus = 2, .real = true},
    split_cpu{.cpus = 2, .gpus = 1};

inline constexpr policy soft_policy{true}, hard_policy{false};

struct row {
  int line;  ///< the row's line in this file
  device requested;
  request_source requested_by;
  kernels_for gpu;
  machine on;
  policy under;
  decision expected;
};

inline constexpr decision runs(device d, reason why) { return {d, why, false, false}; }
inline constexpr decision falls(device d, reason why) { return {d, why, true, false}; }
inline constexpr decision refused(device d, reason why) { return {d, why, true, true}; }

using enum request_source;

inline constexpr row rows[] = {
    // no request: the GPU with the lowest index first
    {__LINE__, nowhere, nobody, both, host, soft_policy, runs(cpu0, reason::no_gpu)},
    {__LINE__, nowhere, nobody, none, host, soft_policy, runs(cpu0, reason::no_gpu)},
    {__LINE__, nowhere, nobody, both, one, soft_policy, runs(gpu0, reason::gpu_first)},
    {__LINE__, nowhere, nobody, both, two, soft_policy, runs(gpu0, reason::gpu_first)},
    {__LINE__, nowhere, nobody, none, two, soft_policy, falls(cpu0, reason::no_gpu_kernel)},
    {__LINE__, nowhere, nobody, elsewhere, two, soft_policy, runs(gpu0, reason::gpu_first)},
    {__LINE__, nowhere, nobody, both, real_two, soft_policy, runs(gpu0, reason::gpu_first)},
    {__LINE__, nowhere, nobody, elsewhere, real_two, soft_policy,
     falls(cpu0, reason::not_compiled_here)},
    {__LINE__, nowhere, nobody, none, real_two, soft_policy, falls(cpu0, reason::no_gpu_kernel)},
    // hard placement rejects requests only
    {__LINE__, nowhere, nobody, none, two, hard_policy, falls(cpu0, reason::no_gpu_kernel)},
    {__LINE__, nowhere, nobody, both, host, hard_policy, runs(cpu0, reason::no_gpu)},
    // an empty request by a scope or a pin counts as no request
    {__LINE__, nowhere, scope, both, two, hard_policy, runs(gpu0, reason::gpu_first)},
    {__LINE__, nowhere, pin, none, two, hard_policy, falls(cpu0, reason::no_gpu_kernel)},
    {__LINE__, nowhere, thread, both, host, soft_policy, runs(cpu0, reason::no_gpu)},
    // a request that can be satisfied
    {__LINE__, cpu0, scope, both, two, soft_policy, runs(cpu0, reason::scope)},
    {__LINE__, cpu0, scope, none, two, hard_policy, runs(cpu0, reason::scope)},
    {__LINE__, cpu1, scope, both, split_cpu, hard_policy, runs(cpu1, reason::scope)},
    {__LINE__, gpu1, scope, both, two, soft_policy, runs(gpu1, reason::scope)},
    {__LINE__, gpu1, thread, both, two, soft_policy, runs(gpu1, reason::thread_device)},
    {__LINE__, gpu1, pin, both, two, soft_policy, runs(gpu1, reason::pinned)},
    {__LINE__, gpu1, pin, elsewhere, two, hard_policy, runs(gpu1, reason::pinned)},
    {__LINE__, gpu1, pin, both, real_two, hard_policy, runs(gpu1, reason::pinned)},
    {__LINE__, any_cpu, scope, both, two, hard_policy, runs(cpu0, reason::scope)},
    {__LINE__, any_gpu, scope, both, two, hard_policy, runs(gpu0, reason::scope)},
    // no kernel on the device: the CPU, or an error
    {__LINE__, gpu1, scope, none, two, soft_policy, falls(cpu0, reason::no_gpu_kernel)},
    {__LINE__, gpu1, scope, none, two, hard_policy, refused(gpu1, reason::no_gpu_kernel)},
    {__LINE__, gpu1, pin, elsewhere, real_two, soft_policy, falls(cpu0, reason::not_compiled_here)},
    {__LINE__, gpu1, pin, elsewhere, real_two, hard_policy,
     refused(gpu1, reason::not_compiled_here)},
    {__LINE__, any_gpu, thread, none, two, soft_policy, falls(cpu0, reason::no_gpu_kernel)},
    {__LINE__, any_gpu, thread, none, two, hard_policy, refused(gpu0, reason::no_gpu_kernel)},
    // no such device: another GPU for a GPU, the CPU for a CPU, or an error
    {__LINE__, gpu2, scope, both, two, soft_policy, falls(gpu0, reason::no_such_device)},
    {__LINE__, gpu2, scope, both, host, soft_policy, falls(cpu0, reason::no_such_device)},
    {__LINE__, gpu2, scope, none, two, soft_policy, falls(cpu0, reason::no_such_device)},
    {__LINE__, gpu2, scope, elsewhere, real_two, soft_policy, falls(cpu0, reason::no_such_device)},
    {__LINE__, gpu2, scope, both, two, hard_policy, refused(gpu2, reason::no_such_device)},
    {__LINE__, gpu2, pin, none, two, hard_policy, refused(gpu2, reason::no_such_device)},
    {__LINE__, any_gpu, scope, both, host, soft_policy, falls(cpu0, reason::no_such_device)},
    {__LINE__, any_gpu, scope, both, host, hard_policy, refused(gpu0, reason::no_such_device)},
    {__LINE__, cpu1, scope, both, two, soft_policy, falls(cpu0, reason::no_such_device)},
    {__LINE__, cpu1, thread, both, two, hard_policy, refused(cpu1, reason::no_such_device)},
};

constexpr decision decided(row const& r) {
  return place({device_spec(r.requested), r.requested_by, r.gpu}, r.on, r.under);
}

// ---- laws that hold for every combination

inline constexpr device devices[] = {nowhere, cpu0, cpu1, gpu0, gpu1, gpu2, any_cpu, any_gpu};
inline constexpr request_source askers[] = {nobody, thread, scope, pin};
inline constexpr kernels_for kernels[] = {none, both, elsewhere};
inline constexpr machine machines[] = {host, one, two, real_two, split_cpu};
inline constexpr policy policies[] = {soft_policy, hard_policy};

/// Calls f(row) with each combination. `expected` is the decision of place().
template <class F> constexpr void each_combination(F f) {
  for (device d : devices)
    for (request_source requested_by : askers)
      for (kernels_for gpu : kernels)
        for (machine const& m : machines)
          for (policy p : policies) {
            row r{0, d, requested_by, gpu, m, p, {}};
            r.expected = decided(r);
            f(r);
          }
}

constexpr bool asks(row const& r) { return r.requested.has_value() && r.requested_by != nobody; }
constexpr bool runs_on_gpus(row const& r) {
  return r.gpu.declared && (r.gpu.launchable || !r.on.real);
}
/// The requested device. An open index means the first device.
constexpr device meant(row const& r) {
  return {r.requested.type, r.requested.index == any_index ? 0 : r.requested.index};
}

/// 0 if all laws hold for a combination, otherwise the number of the first violated law.
constexpr int broken_law(row const& r) {
  decision const& d = r.expected;
  bool const met = asks(r) && r.on.has(r.requested) && (r.requested.is_cpu() || runs_on_gpus(r));
  if (d.refused && (r.under.soft || !asks(r))) return 1;  // only hard placement rejects.
  if (!d.refused && !r.on.has(d.device)) return 2;        // an op runs on a device that exists.
  // on a GPU only with a kernel.
  if (!d.refused && d.device.is_gpu() && !runs_on_gpus(r)) return 3;
  // A request that can be satisfied is granted.
  if (met && (d.fell_back || !(d.device == meant(r)))) return 4;
  if (asks(r) && !met && !d.fell_back) return 5;                 // any other request falls back.
  if (asks(r) && !met && !r.under.soft && !d.refused) return 6;  // hard placement rejects it.
  if (d.refused && !(d.device == meant(r))) return 7;            // the error names the device.
  if (!asks(r) && runs_on_gpus(r) && r.on.gpus > 0 && !(d.device == gpu0))
    return 8;  // no request: GPU:0.
  if (!asks(r) && d.fell_back != (r.on.gpus > 0 && !runs_on_gpus(r))) return 9;
  bool const plain = is_plainly_cpu0(device_spec(r.requested), r.requested_by, r.on);
  if (plain && (d.fell_back || !(d.device == cpu0))) return 10;  // plainly CPU:0 resolves to it.
  if (!plain && asks(r) && r.requested == cpu0) return 11;       // only CPU:0 is plainly so.
  return 0;
}

}  // namespace placer_table
