#include <placement/compile_once.hpp>
