/// A program in which one task does something else than the others at one statement.
/// usage: faults KIND STATEMENT [statements [seed of the program [task]]]
#include <placement/mpi.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include <unistd.h>

namespace pl = placement;
using vector = pl::tensor<float, pl::dextents<1>>;

namespace {

struct state {
  vector a = pl::ones<float>(pl::shape(4)), b = pl::on("/job:worker/task:0/cpu:0", a + 1.f), c = a;
};

/// The kind of statement i of the program with this seed: all kinds in turn for seed 0.
int kind_of(int i, unsigned long seed) {
  if (seed == 0) return i % 4;
  unsigned long x = seed * 0x9e3779b97f4a7c15UL + static_cast<unsigned long>(i);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebUL;
  return static_cast<int>((x ^ (x >> 31)) % 7);
}
/// One of the statements of the right program.
void step(state& s, int kind, float by) {
  switch (kind) {
    case 0: s.c = pl::on("/job:worker/task:1/cpu:0", s.b * by); break;
    case 1: s.b = pl::on("/job:worker/task:0/cpu:0", s.c + s.b); break;
    case 2: s.a = pl::all_mean(s.a * by); break;
    case 4: s.c = pl::on("/job:worker/task:0/cpu:0", s.c + s.a); break;
    case 5: s.a = pl::broadcast_from(1, s.a * by); break;
    case 6: pl::barrier(); break;
    default: s.a = s.a + pl::item(pl::sum(s.b)) * 1e-9f; break;
  }
}

/// The statement of the task that differs. False: its program ends.
bool wrong_step(state& s, std::string_view fault, int kind, float by) {
  if (fault == "skip") return true;
  if (fault == "repeat") {
    for (int k = 0; k != 2; ++k) s.c = pl::on("/job:worker/task:1/cpu:0", s.b * by);
  } else if (fault == "reorder") {
    step(s, kind == 3 ? 0 : kind + 1, by);
    step(s, kind, by);
  } else if (fault == "reshape") {
    s.c = pl::on("/job:worker/task:1/cpu:0", pl::slice(s.b, pl::range(0, 2)) * by);
  } else if (fault == "redirect") {
    s.c = pl::on("/job:worker/task:0/cpu:0", s.b * by);
  } else if (fault == "read") {
    static_cast<void>(pl::item(pl::sum(s.b)));
  } else if (fault == "collective") {
    s.a = pl::all_sum(pl::slice(s.a, pl::range(0, 3)));
  } else if (fault == "return") {
    return false;
  } else if (fault == "throw" || fault == "uncaught") {
    throw std::runtime_error("this task throws");
  } else if (fault == "value") {
    s.a = pl::ones<float>(pl::shape(4)) * 7.f;
    step(s, kind, by);
  } else if (fault == "kill") {
    std::raise(SIGKILL);
  } else if (fault == "stop") {
    ::sleep(30);
  }
  return true;
}

int run(int argc, char** argv) {
  pl::tasks const all(pl::mpi{argc, argv});
  std::string_view const fault = argv[1];
  int const at = std::atoi(argv[2]);
  state s;
  pl::barrier();
  int const count = argc > 3 ? std::atoi(argv[3]) : 24;
  unsigned long const seed = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 0;
  int const different = argc > 5 ? std::atoi(argv[5]) : 1;
  if (argc > 3)
    pl::at_chief([] {
      std::puts("all tasks run");
      std::fflush(stdout);
    });
  for (int i = 0; i != count; ++i) {
    int const kind = kind_of(i, seed);
    if (all.rank() != different || fault == "none" || i != at) {
      if (fault == "value" && i == at) s.a = pl::ones<float>(pl::shape(4)) * 8.f;
      step(s, kind, 0.5f);
    } else if (!wrong_step(s, fault, kind, 0.5f)) {
      return 0;
    }
  }
  auto const found = s.b.read();
  pl::at_chief([&] { std::printf("done %g\n", double(found(0))); });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "uncaught") return run(argc, argv);
  try {
    return run(argc, argv);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
