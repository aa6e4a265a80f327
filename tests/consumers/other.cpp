// A second file that includes the library: the linker reports definitions that are not inline.
#include <placement/placement.hpp>
