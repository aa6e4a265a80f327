// One part of the program. The macro PART is the name of its function.
#include "part.hpp"

#include <typeinfo>

namespace {

placement::matrix<float> layer(placement::matrix<float> const& x) {
  return placement::relu(x * 2.f + 1.f);
}

}  // namespace

part PART() {
  return {&layer, typeid(placement::kernels_here).name(),
          &placement::detail::registry_of_process()};
}
