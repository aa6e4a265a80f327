// error: parse_name
#include <placement/placement.hpp>

#include <string>

using namespace placement;

int main() {
  std::string const text = "/gpu:1";
#ifdef CONTROL
  static_cast<void>(parse_name(text));
#else
  static_cast<void>(parse_name(text + "0"));  // its parts would be views of freed memory
#endif
}
