#pragma once
#include <placement/placement.hpp>

using array = placement::tensor<float, placement::dextents<2>>;
using vector = placement::tensor<float, placement::dextents<1>>;
using number = placement::tensor<float, placement::extents<>>;
