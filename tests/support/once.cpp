// The definitions that are compiled once for all test programs: see CMakeLists.txt.
#include <placement/compile_once.hpp>
