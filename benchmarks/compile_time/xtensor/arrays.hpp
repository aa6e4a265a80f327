#pragma once
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

using array = xt::xtensor<float, 2>;
using number = float;
