#pragma once
/// A GPU on the host: `module` reads PTX, `run` executes a launch of one of its kernels.

#include "decode.hpp"
#include "run.hpp"
