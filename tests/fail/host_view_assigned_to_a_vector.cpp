// only error: placement: a host view is no vector. Write std::vector<float> v(h.begin(), h.end()) for a copy of the view h.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  auto const h = a.read();
  std::vector<float> v;
  v.assign(h.begin(), h.end());
#else
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  std::vector<float> v;
  v = a.read();
#endif
}
