// A sum over the tasks that mpirun starts; without mpirun there is one.
#include <placement/mpi.hpp>

#include <cstdio>

namespace pl = placement;

int main(int argc, char** argv) {
  pl::tasks const all(pl::mpi{argc, argv});
  pl::tensor<float, pl::dextents<1>> const own =
      pl::each_task([](pl::task t) { return pl::ones<float>(pl::shape(3)) * float(t.index + 1); });
  auto const sum = pl::all_sum(own).read();
  if (sum[0] != float(all.count() * (all.count() + 1) / 2)) return 1;
  pl::at_chief([] {
    std::printf("consumer of placement %d.%d.%d\n", PLACEMENT_VERSION_MAJOR,
                PLACEMENT_VERSION_MINOR, PLACEMENT_VERSION_PATCH);
  });
}
