// What table.py calls, by ctypes: lists the ops, prepares one, and measures it.

#include "sides.hpp"

#include <ctime>

namespace {

std::function<void()> prepared;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

extern "C" int bench_count() { return static_cast<int>(bench::ops().size()); }
extern "C" char const* bench_side(int i) {
  return bench::ops()[static_cast<std::size_t>(i)].side.c_str();
}
extern "C" char const* bench_name(int i) {
  return bench::ops()[static_cast<std::size_t>(i)].name.c_str();
}
extern "C" void bench_prepare(int i, bench::arrays const* from) {
  prepared = bench::ops()[static_cast<std::size_t>(i)].prepare(*from);
}
/// Seconds of CPU time for this number of calls.
extern "C" double bench_run(int times) {
  double const begin = cpu_seconds();
  for (int i = 0; i != times; ++i) prepared();
  return cpu_seconds() - begin;
}
