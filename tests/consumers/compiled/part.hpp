#pragma once
#include <placement/placement.hpp>

/// The count of copies in a shared library after it computed on the simulated GPU.
[[gnu::visibility("default")]] std::size_t copies_after_a_sum(
    placement::tensor<float, placement::dextents<2>> const& x);
