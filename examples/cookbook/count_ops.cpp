/// Count what a part of the program runs on each device, with an observer of its ops.

#include <placement/placement.hpp>

#include <iostream>
#include <map>
#include <string>

namespace pl = placement;

int main() {
  std::map<std::string, int> ops;
  pl::set_op_observer(
      [](pl::op_event const& e, void* counts) noexcept {
        if (e.kind == pl::op_event_kind::op)
          ++(*static_cast<std::map<std::string, int>*>(counts))[pl::to_string(e.actual)];
      },
      &ops);
  pl::tensor a{1.f, 2.f, 3.f};
  pl::tensor b = pl::exp(a) + 1.f;
  pl::tensor c = pl::on("/cpu:0", b * 2.f);
  pl::set_op_observer(nullptr);
  for (auto const& [device, count] : ops)
    std::cout << device << ": " << count << " ops" << std::endl;
}
