#pragma once
#if defined(COMPILED)
#  include <placement/compiled.hpp>
#else
#  include <placement/placement.hpp>
#endif

using array = placement::tensor<float, placement::dextents<2>>;
using number = placement::tensor<float, placement::extents<>>;
