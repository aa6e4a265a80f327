// The program of every consumer: includes the library and prints its version.
#include <placement/placement.hpp>

#include <cstdio>

int main() {
  std::printf("consumer of placement %d.%d.%d\n", PLACEMENT_VERSION_MAJOR, PLACEMENT_VERSION_MINOR,
              PLACEMENT_VERSION_PATCH);
}
