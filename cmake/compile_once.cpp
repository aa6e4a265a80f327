// The one source file of placement::compiled.
#include <placement/compile_once.hpp>
