#pragma once
/// A GPU on the host: `module` reads PTX, `run` executes a launch of one of its kernels.

#include "module.hpp"
#include "run.hpp"
