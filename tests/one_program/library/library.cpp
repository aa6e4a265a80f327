#include "library.hpp"

namespace library {

using namespace placement;

vector<float> doubled(vector<float> const& x) { return named("doubled", multiply(x, 2.f)); }
device device_of_an_op() { return vector<float>(relu(vector<float>{1.f})).where(); }
void set_log_off() { set_log_level(log_level::off); }
facts facts_inside() { return facts_here(); }

}  // namespace library
