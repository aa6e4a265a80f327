// The guards of LibTorch: the allowed ops, and the device. This build of it supports only the CPU.

#include <row.hpp>

#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

static void dispatch_guard(benchmark::State& state) {
  for (auto _ : state) {
    c10::impl::ExcludeDispatchKeyGuard const scope(c10::DispatchKey::Autocast);
    benchmark::ClobberMemory();
  }
}
static void device_guard(benchmark::State& state) {
  c10::Device device(c10::kCPU);
  benchmark::DoNotOptimize(device);
  for (auto _ : state) {
    c10::DeviceGuard const scope(device);
    benchmark::ClobberMemory();
  }
}
static bench::row const rows[] = {{"scope_of_a_tag/torch", dispatch_guard},
                                  {"scope_of_a_device/torch", device_guard}};
