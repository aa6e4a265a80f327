#pragma once
#include <placement/placement.hpp>

using array = placement::tensor<float, placement::dextents<2>>;
using number = placement::tensor<float, placement::extents<>>;
