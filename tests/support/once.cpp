// What programs of g++ leave out: see CMakeLists.txt.
#include <placement/compile_once.hpp>
