/// A program in which task 1 does something else than the others at one statement.
/// usage: faults KIND STATEMENT [statements]
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

/// One of the statements of the right program.
void step(state& s, int i, float by) {
  switch (i % 4) {
    case 0: s.c = pl::on("/job:worker/task:1/cpu:0", s.b * by); break;
    case 1: s.b = pl::on("/job:worker/task:0/cpu:0", s.c + s.b); break;
    case 2: s.a = pl::all_mean(s.a * by); break;
    default: s.a = s.a + pl::item(pl::sum(s.b)) * 1e-9f; break;
  }
}

/// The statement of task 1. False: its program ends.
bool wrong_step(state& s, std::string_view fault, int i, float by) {
  if (fault == "skip") return true;
  if (fault == "repeat") {
    for (int k = 0; k != 2; ++k) s.c = pl::on("/job:worker/task:1/cpu:0", s.b * by);
  } else if (fault == "reorder") {
    step(s, i + 1, by);
    step(s, i, by);
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
    throw std::runtime_error("task 1 throws");
  } else if (fault == "value") {
    s.a = pl::ones<float>(pl::shape(4)) * 7.f;
    step(s, i, by);
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
  if (argc > 3)
    pl::at_chief([] {
      std::puts("all tasks run");
      std::fflush(stdout);
    });
  for (int i = 0; i != count; ++i) {
    if (all.rank() != 1 || fault == "none" || i != at) {
      if (fault == "value" && i == at) s.a = pl::ones<float>(pl::shape(4)) * 8.f;
      step(s, i, 0.5f);
    } else if (!wrong_step(s, fault, i, 0.5f)) {
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
