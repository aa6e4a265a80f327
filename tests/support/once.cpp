// The definitions that translation units parsed once omit: see CMakeLists.txt.
#include <placement/compile_once.hpp>
