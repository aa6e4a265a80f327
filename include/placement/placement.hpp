#pragma once
/// placement: array code with explicit devices. The only header that users include, in .cpp and .cu
/// files alike.
///
///     namespace pl = placement;
///     { pl::with_device scope("/gpu:1");  pl::tensor c = pl::matmul(a, b); }
///
/// It is complete: no library is needed. Where PLACEMENT_COMPILED is defined, the functions that do
/// not depend on an expression are only declared. They are compiled once in the program, by one
/// file with src/all.ipp or those of cmake/definitions, as the CMake target placement::placement
/// does.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/version.hpp>

#include <placement/device/literals.hpp>
#include <placement/device/query.hpp>
#include <placement/device/synchronize.hpp>
#include <placement/memory/memory_observer.hpp>
#include <placement/memory/policy.hpp>
#include <placement/memory/wrong_free.hpp>
#include <placement/place/log.hpp>
#include <placement/place/name_scope.hpp>
#include <placement/place/op_event.hpp>
#include <placement/place/runtime.hpp>
#include <placement/place/trace.hpp>
#include <placement/runtime/executor.hpp>

#include <placement/expr/evaluate_together.hpp>
#include <placement/expr/item.hpp>
#include <placement/expr/memory.hpp>
#include <placement/expr/print.hpp>
#include <placement/expr/to_vector.hpp>
#include <placement/expr/typed_tensor.hpp>

#include <placement/ops/abs.hpp>
#include <placement/ops/acos.hpp>
#include <placement/ops/acosh.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/add_n.hpp>
#include <placement/ops/all.hpp>
#include <placement/ops/any.hpp>
#include <placement/ops/argmax.hpp>
#include <placement/ops/argmin.hpp>
#include <placement/ops/argsort.hpp>
#include <placement/ops/asin.hpp>
#include <placement/ops/asinh.hpp>
#include <placement/ops/atan.hpp>
#include <placement/ops/atan2.hpp>
#include <placement/ops/atanh.hpp>
#include <placement/ops/broadcast_to.hpp>
#include <placement/ops/cast.hpp>
#include <placement/ops/cbrt.hpp>
#include <placement/ops/ceil.hpp>
#include <placement/ops/clamp.hpp>
#include <placement/ops/compare.hpp>
#include <placement/ops/concat.hpp>
#include <placement/ops/constant.hpp>
#include <placement/ops/copysign.hpp>
#include <placement/ops/cos.hpp>
#include <placement/ops/cosh.hpp>
#include <placement/ops/count_nonzero.hpp>
#include <placement/ops/cumsum.hpp>
#include <placement/ops/diagonal.hpp>
#include <placement/ops/divide.hpp>
#include <placement/ops/erf.hpp>
#include <placement/ops/erfc.hpp>
#include <placement/ops/exp.hpp>
#include <placement/ops/exp2.hpp>
#include <placement/ops/expand_dims.hpp>
#include <placement/ops/expm1.hpp>
#include <placement/ops/flatten.hpp>
#include <placement/ops/floor.hpp>
#include <placement/ops/floor_divide.hpp>
#include <placement/ops/gather.hpp>
#include <placement/ops/hypot.hpp>
#include <placement/ops/identity.hpp>
#include <placement/ops/iota.hpp>
#include <placement/ops/is_finite.hpp>
#include <placement/ops/is_inf.hpp>
#include <placement/ops/is_nan.hpp>
#include <placement/ops/log.hpp>
#include <placement/ops/log10.hpp>
#include <placement/ops/log1p.hpp>
#include <placement/ops/log2.hpp>
#include <placement/ops/log_softmax.hpp>
#include <placement/ops/logaddexp.hpp>
#include <placement/ops/logical.hpp>
#include <placement/ops/matmul.hpp>
#include <placement/ops/max.hpp>
#include <placement/ops/maximum.hpp>
#include <placement/ops/mean.hpp>
#include <placement/ops/min.hpp>
#include <placement/ops/minimum.hpp>
#include <placement/ops/modulo.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/negative.hpp>
#include <placement/ops/next_after.hpp>
#include <placement/ops/normal.hpp>
#include <placement/ops/one_hot.hpp>
#include <placement/ops/ones.hpp>
#include <placement/ops/over_axes.hpp>
#include <placement/ops/permute.hpp>
#include <placement/ops/pow.hpp>
#include <placement/ops/prod.hpp>
#include <placement/ops/reciprocal.hpp>
#include <placement/ops/relu.hpp>
#include <placement/ops/reshape.hpp>
#include <placement/ops/reverse.hpp>
#include <placement/ops/round.hpp>
#include <placement/ops/rsqrt.hpp>
#include <placement/ops/set_seed.hpp>
#include <placement/ops/sigmoid.hpp>
#include <placement/ops/sign.hpp>
#include <placement/ops/signbit.hpp>
#include <placement/ops/sin.hpp>
#include <placement/ops/sinh.hpp>
#include <placement/ops/slice.hpp>
#include <placement/ops/softmax.hpp>
#include <placement/ops/sort.hpp>
#include <placement/ops/split.hpp>
#include <placement/ops/sqrt.hpp>
#include <placement/ops/square.hpp>
#include <placement/ops/squeeze.hpp>
#include <placement/ops/stack.hpp>
#include <placement/ops/std_dev.hpp>
#include <placement/ops/subtract.hpp>
#include <placement/ops/sum.hpp>
#include <placement/ops/tan.hpp>
#include <placement/ops/tanh.hpp>
#include <placement/ops/transpose.hpp>
#include <placement/ops/trunc.hpp>
#include <placement/ops/truncated_normal.hpp>
#include <placement/ops/uniform.hpp>
#include <placement/ops/variance.hpp>
#include <placement/ops/where.hpp>
#include <placement/ops/zeros.hpp>

#include <placement/device/names.hpp>
#include <placement/gradient/broadcast_sum.hpp>
#include <placement/gradient/tape_core.hpp>
#include <placement/plan/explain.hpp>
#include <placement/plan/json.hpp>
#include <placement/plan/svg.hpp>

#if defined(PLACEMENT_GRADIENTS)
#  include <placement/gradient/record.hpp>
#  include <placement/gradient/static_gradient.hpp>
#endif

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/cpu.ipp>
#  include <placement/src/runtime.ipp>
#endif
