// Calls the functions that two compilers compiled.
#include <placement/version.hpp>

#include <cstdio>
#include <string>

std::string by_one_compiler();
std::string by_another();

int main() {
  std::string const one = by_one_compiler(), other = by_another();
  if (one != other) {
    std::printf("%s\nis not\n\n%s", one.c_str(), other.c_str());
    return 1;
  }
  std::printf("consumer of placement %d.%d.%d\n", PLACEMENT_VERSION_MAJOR, PLACEMENT_VERSION_MINOR,
              PLACEMENT_VERSION_PATCH);
}
