#pragma once
/// placement: array code that says where it runs. The only include a user needs, in .cpp and .cu files alike.
///
///     namespace pl = placement;
///     { pl::with_device scope("/gpu:1");  pl::tensor c = pl::matmul(a, b); }

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/version.hpp>

#include <placement/device/query.hpp>
#include <placement/memory/policy.hpp>
#include <placement/place/runtime.hpp>

#include <placement/expr/memory.hpp>
#include <placement/expr/plan.hpp>
#include <placement/expr/print.hpp>

#include <placement/ops/add.hpp>
#include <placement/ops/iota.hpp>
#include <placement/ops/matmul.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/relu.hpp>
#include <placement/ops/reshape.hpp>
#include <placement/ops/slice.hpp>
#include <placement/ops/softmax.hpp>
#include <placement/ops/sum.hpp>
#include <placement/ops/transpose.hpp>
