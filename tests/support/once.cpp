// What programs leave out that are parsed once: see CMakeLists.txt.
#include <placement/compile_once.hpp>
