// The loops over formulas, and those of random numbers, quotients and remainders, for each level of
// x86-64, whose machine code read_loops.py reads.
#define PLACEMENT_EMIT_DEFINITIONS
#include <placement/src/cpu/divide_loops.ipp>
#include <placement/src/cpu/math_loops.ipp>
#include <placement/src/cpu/random_loops.ipp>
#include <placement/src/cpu/trigonometric_loops.ipp>
