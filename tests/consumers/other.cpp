// A second file with the library in the same program: whatever is not inline is then defined twice.
#include <placement/placement.hpp>
