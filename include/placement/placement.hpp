#pragma once
/// placement: array code with explicit devices. The only header that users include, in .cpp and .cu
/// files alike.
///
///     namespace pl = placement;
///     { pl::with_device scope("/gpu:1");  pl::tensor c = pl::matmul(a, b); }

#include <placement/compiled.hpp>

#include <placement/bodies.hpp>

#include <placement/device/environment.hpp>
#include <placement/device/names.hpp>
#include <placement/plan/explain.hpp>
#include <placement/plan/json.hpp>
#include <placement/plan/svg.hpp>
