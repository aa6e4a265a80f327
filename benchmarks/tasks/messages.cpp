/// Ops on other tasks, reads and sums beside the calls of MPI that move as many bytes:
/// mpirun -np 2 bench_tasks [ms of a step of net A] [of net B]. Each figure is the least of several
/// repeats, each the slowest task's mean over many rounds.
#include <placement/mpi.hpp>
#include <placement/tasks/measure_link.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

namespace pl = placement;
using row = pl::tensor<float, pl::dextents<1>>;
using table = pl::tensor<float, pl::dextents<2>>;

int rank = 0, tasks = 1;

/// Seconds of one round of f: the least of `repeats`.
template <class F> double seconds(int repeats, int rounds, F const& f) {
  double least = 1e9;
  for (int r = 0; r != repeats; ++r) {
    MPI_Barrier(MPI_COMM_WORLD);
    double const start = MPI_Wtime();
    for (int i = 0; i != rounds; ++i) f();
    double mine = (MPI_Wtime() - start) / rounds, slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    least = std::min(least, slowest);
  }
  return least;
}
/// The same on the other tasks than 0 alone, without a wait for task 0.
template <class F> double seconds_elsewhere(int repeats, int rounds, F const& f) {
  double least = 1e9, slowest = 0;
  for (int r = 0; r != repeats; ++r) {
    MPI_Barrier(MPI_COMM_WORLD);
    double const start = MPI_Wtime();
    for (int i = 0; i != rounds; ++i) f();
    least = std::min(least, (MPI_Wtime() - start) / rounds);
  }
  if (rank == 0) least = 0;
  MPI_Allreduce(&least, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}
void print(std::string const& what, double ours, double raw) {
  if (rank == 0)
    std::printf("| %s | %.2f | %.2f | %.2f |\n", what.c_str(), raw * 1e6, ours * 1e6, ours / raw);
  std::fflush(stdout);
}

/// A message of n bytes from task 0 to task 1 and one in return.
void there_and_back(std::vector<char>& bytes, int n) {
  if (rank == 0) {
    MPI_Send(bytes.data(), n, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(bytes.data(), n, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(bytes.data(), n, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(bytes.data(), n, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}

void operands() {
  table const small = pl::on("/task:0/cpu:0", pl::ones<float>(pl::shape(2, 3)) * 1.f);
  table x = small;
  std::vector<char> bytes(120);
  double const raw = seconds(11, 2000, [&] { there_and_back(bytes, 120); });
  double const ours = seconds(11, 2000, [&] {
    x = pl::on("/task:1/cpu:0", x + 1.f);
    x = pl::on("/task:0/cpu:0", x * 0.5f);
  });
  print("op on 2x3, operand on the other task", ours / 2, raw / 2);
  table y = small;
  double const of_another =
      seconds_elsewhere(11, 2000, [&] { y = pl::on("/task:0/cpu:0", y + 1.f); });
  if (rank == 0)
    std::printf("| op on 2x3 of task 0, on a task without part in it | | %.3f | |\n",
                of_another * 1e6);
  for (int n : {62500, 16 << 20}) {
    int const rounds = n > 1000000 ? 2 : 200;
    row moving = pl::on("/task:0/cpu:0", pl::ones<float>(pl::shape(n)) * 1.f);
    bytes.resize(static_cast<std::size_t>(n) * 4);
    double const message = seconds(11, rounds, [&] { there_and_back(bytes, n * 4); });
    double const moved = seconds(11, rounds, [&] {
      moving = pl::copy_to("/task:1/cpu:0", moving);
      moving = pl::copy_to("/task:0/cpu:0", moving);
    });
    print("operand of " + std::to_string(n * 4) + " B", moved / 2, message / 2);
    double const broadcast =
        seconds(11, rounds, [&] { MPI_Bcast(bytes.data(), n * 4, MPI_BYTE, 0, MPI_COMM_WORLD); });
    double const read = seconds(11, rounds, [&] { static_cast<void>(moving.read()); });
    print("read() of " + std::to_string(n * 4) + " B on all tasks", read, broadcast);
  }
}

void sums() {
  double one = 1, total = 0;
  double const least = seconds(
      11, 2000, [&] { MPI_Allreduce(&one, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
  print("barrier: the agreement", seconds(11, 2000, [] { pl::barrier(); }), least);
  for (int n : {1, 62500, 16 << 20}) {
    int const rounds = n > 1000000 ? 2 : 200;
    row const x = pl::each_task(
        [&](pl::task t) { return row(pl::ones<float>(pl::shape(n)) * float(t.index)); });
    std::vector<float> mine(static_cast<std::size_t>(n)), sum(mine);
    double const raw = seconds(11, rounds, [&] {
      MPI_Allreduce(mine.data(), sum.data(), n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    });
    std::string const size = std::to_string(n * 4) + " B";
    row r;
    print("all_sum(x, fast) of " + size, seconds(11, rounds, [&] { r = pl::all_sum(x, pl::fast); }),
          raw);
    print("all_sum(x) of " + size + ", in order", seconds(11, rounds, [&] { r = pl::all_sum(x); }),
          raw);
  }
}

/// 8 layers, each idle for 3 ms as a GPU lets the host be, then a sum of 4 MiB.
void overlap() {
  row const g = pl::each_task(
      [&](pl::task t) { return row(pl::ones<float>(pl::shape(1 << 20)) * float(t.index)); });
  double const layers = seconds(3, 1, [] {
    for (int i = 0; i != 8; ++i) ::usleep(3000);
  });
  double const sums = seconds(3, 1, [&] {
    for (int i = 0; i != 8; ++i) static_cast<void>(pl::all_mean(g, pl::fast));
  });
  double const after = seconds(3, 1, [&] {
    for (int i = 0; i != 8; ++i) {
      ::usleep(3000);
      static_cast<void>(pl::all_mean(g, pl::fast));
    }
  });
  double const background = seconds(3, 1, [&] {
    std::vector<pl::later<row>> pending;
    for (int i = 0; i != 8; ++i) {
      ::usleep(3000);
      pending.push_back(pl::all_mean(g, pl::in_background_t{pl::fast}));
    }
    for (auto const& p : pending) static_cast<void>(p.get());
  });
  if (rank == 0)
    std::printf(
        "8 layers, idle 3 ms each: %.1f ms; 8 means of 4 MiB: %.1f ms; one after another: %.1f ms; in the background: %.1f ms\n",
        layers * 1e3, sums * 1e3, after * 1e3, background * 1e3);
}

/// What a step of the nets of examples/mnist_conv takes on more tasks, by the model of the network.
void steps_on_more_tasks(std::string const& link, pl::message_link const& l, double a, double b) {
  if (rank != 0) return;
  std::printf("%s: %.3g us a message, %.3g GB/s, sums of %.3g GB/s\n", link.c_str(),
              l.latency * 1e6, l.bandwidth * 1e-9, l.sum_bandwidth * 1e-9);
  std::printf("| tasks | A | B | sum of A in order | fast |\n|---|---|---|---|---|\n");
  constexpr std::size_t bytes_a = 64038 * 4, bytes_b = 61878 * 4;
  for (int n : {1, 2, 8, 64, 1000})
    std::printf("| %d | %.1f ms | %.1f ms | %.2f ms | %.2f ms |\n", n,
                1e3 * pl::step_seconds({.compute = a, .gradient_bytes = bytes_a}, n, l),
                1e3 * pl::step_seconds({.compute = b, .gradient_bytes = bytes_b}, n, l),
                1e3 * pl::all_sum_seconds(l, n, bytes_a),
                1e3 * pl::fast_sum_seconds(l, n, bytes_a));
}

}  // namespace

int main(int argc, char** argv) {
  pl::tasks const all(pl::mpi{argc, argv});
  rank = all.rank();
  tasks = all.count();
  if (tasks < 2 || all.is_simulated()) return std::fprintf(stderr, "start it by mpirun -np 2\n"), 1;
  if (rank == 0)
    std::printf("%d tasks; us\n| | MPI | placement | ratio |\n|---|---|---|---|\n", tasks);
  operands();
  sums();
  overlap();
  double const a = argc > 1 ? std::atof(argv[1]) * 1e-3 : 28.6e-3;
  double const b = argc > 2 ? std::atof(argv[2]) * 1e-3 : 53e-3;
  pl::message_link const here = pl::measure_link();
  steps_on_more_tasks("this machine", here, a, b);
  steps_on_more_tasks("10 Gbit/s, as an assumption", {25e-6, 1.25e9, here.sum_bandwidth}, a, b);
}
