// By hand: a thread-local int, saved and restored.

#include <row.hpp>

static thread_local int volatile current = 0;

static void save_and_restore(benchmark::State& state) {
  for (auto _ : state) {
    int const outer = current;
    current = 1;
    benchmark::ClobberMemory();
    current = outer;
  }
}
static bench::row const rows[] = {{"scope_of_a_tag/loop", save_and_restore},
                                  {"scope_of_a_device/loop", save_and_restore}};
