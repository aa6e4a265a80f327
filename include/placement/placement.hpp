#pragma once
/// placement: array code that says where it runs. The only include a user needs, in .cpp and .cu
/// files alike.
///
///     namespace pl = placement;
///     { pl::with_device scope("/gpu:1");  pl::tensor c = pl::matmul(a, b); }

#include <placement/compiled.hpp>

#include <placement/bodies.hpp>

#include <placement/device/environment.hpp>
#include <placement/device/names.hpp>
#include <placement/expr/explain.hpp>
#include <placement/expr/plan_json.hpp>
#include <placement/expr/plan_svg.hpp>
