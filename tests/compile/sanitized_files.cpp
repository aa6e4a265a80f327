// The headers of NumPy's files, compiled with -fsanitize=undefined (see CMakeLists.txt). With it
// g++ takes no comparison of addresses for a constant.
#include <placement/interop/npz.hpp>
#include <placement/placement.hpp>

#include <string>

using namespace placement;

float read_and_write(std::string const& path) {
  matrix<float> const x = load_npy<float, 2>(path);
  save_npy(path, x);
  npz_writer(path).add("x", x);
  return item(sum(x + npz_file(path).map<float const, 2>("x")));
}
