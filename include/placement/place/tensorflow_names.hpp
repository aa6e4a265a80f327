#pragma once
/// TensorFlow's names for the library's ops, as TensorFlow's placement log prints them for the same
/// program.

#include <cstddef>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

/// One op. `theirs` is empty if TensorFlow has no such op and composes it from several others,
/// which its log then names. Such an op prints its own name here, as a user's op does.
struct tensorflow_row {
  std::string_view ours, theirs;
  std::string_view of_batches = {};  ///< for results of rank 3 and more, if their op differs
};

/// All ops of the library; tests/place/tensorflow_names.cpp compares the table with the headers.
inline constexpr tensorflow_row tensorflow_names[] = {
    {"Abs", "Abs"},
    {"Acos", "Acos"},
    {"Acosh", "Acosh"},
    {"Add", "AddV2"},
    {"AddN", "AddN"},
    {"All", "All"},
    {"Angle", "Angle"},
    {"Any", "Any"},
    {"ArgMax", "ArgMax"},
    {"ArgMin", "ArgMin"},
    {"ArgSort", "TopKV2"},  // tf.argsort
    {"Asin", "Asin"},
    {"Asinh", "Asinh"},
    {"Assign", ""},  // through a view
    {"Atan", "Atan"},
    {"Atan2", "Atan2"},
    {"Atanh", "Atanh"},
    {"AvgPool", "AvgPool"},
    {"AvgPoolGrad", "AvgPoolGrad"},
    {"Bincount", ""},  // DenseBincount of a cast tensor
    {"BitwiseAnd", "BitwiseAnd"},
    {"BitwiseOr", "BitwiseOr"},
    {"BitwiseXor", "BitwiseXor"},
    {"BroadcastTo", "BroadcastTo"},
    {"Cast", "Cast"},
    {"Cbrt", ""},
    {"Ceil", "Ceil"},
    {"Cholesky", "Cholesky"},
    {"CholeskyGrad", ""},
    {"ClipByValue", "ClipByValue"},
    {"Complex", "Complex"},
    {"Compress", ""},  // Where, GatherV2
    {"ConcatV2", "ConcatV2"},
    {"Conj", "Conj"},
    {"Const", "Const"},
    {"Conv2D", "Conv2D"},
    {"Conv2DBackpropFilter", "Conv2DBackpropFilter"},
    {"Conv2DBackpropInput", "Conv2DBackpropInput"},
    {"Copy", "Identity"},
    {"CopySign", ""},
    {"Cos", "Cos"},
    {"Cosh", "Cosh"},
    {"CountNonzero", ""},  // NotEqual, Cast, Sum
    {"Cummax", ""},
    {"Cummin", ""},
    {"Cumprod", "Cumprod"},
    {"Cumsum", "Cumsum"},
    {"Div", "RealDiv"},
    {"Eigvalsh", "SelfAdjointEigV2"},  // without vectors
    {"Elu", "Elu"},
    {"Equal", "Equal"},
    {"Erf", "Erf"},
    {"Erfc", "Erfc"},
    {"Exp", "Exp"},
    {"Exp2", ""},
    {"ExpandDims", "ExpandDims"},
    {"Expm1", "Expm1"},
    {"Extract", ""},  // Reshape, Where, GatherV2
    {"FFT", "FFT"},
    {"FFT2D", "FFT2D"},
    {"Fill", "Fill"},
    {"FlatNonzero", ""},  // Where, Squeeze
    {"Floor", "Floor"},
    {"FloorDiv", "FloorDiv"},
    {"FloorMod", "FloorMod"},
    {"FusedBatchNormGradGradV3", ""},
    {"FusedBatchNormGradV3", "FusedBatchNormGradV3"},
    {"FusedBatchNormV3", "FusedBatchNormV3"},
    {"GatherV2", "GatherV2"},
    {"GatherV2Grad", "UnsortedSegmentSum"},
    {"Gelu", ""},  // Erf or Tanh, Mul, AddV2
    {"Greater", "Greater"},
    {"GreaterEqual", "GreaterEqual"},
    {"Heaviside", ""},
    {"Histogram", ""},  // ClipByValue, DenseBincount
    {"Huber", ""},
    {"Hypot", ""},
    {"IFFT", "IFFT"},
    {"IFFT2D", "IFFT2D"},
    {"IRFFT", "IRFFT"},
    {"Identity", "Identity"},
    {"ImmutableConst", "ImmutableConst"},  // a mapped file
    {"IndexAdd", "TensorScatterAdd"},
    {"Imag", "Imag"},
    {"Invert", "Invert"},
    {"IsClose", ""},
    {"IsFinite", "IsFinite"},
    {"IsInf", "IsInf"},
    {"IsNan", "IsNan"},
    {"L2Loss", "L2Loss"},
    {"LayerNorm", ""},
    {"LayerNormGrad", ""},
    {"LeakyRelu", "LeakyRelu"},
    {"LeftShift", "LeftShift"},
    {"Less", "Less"},
    {"LessEqual", "LessEqual"},
    {"LinSpace", "LinSpace"},
    {"Log", "Log"},
    {"Log10", ""},
    {"Log1p", "Log1p"},
    {"Log2", ""},
    {"LogAddExp", ""},
    {"LogSoftmax", "LogSoftmax"},
    {"LogicalAnd", "LogicalAnd"},
    {"LogicalNot", "LogicalNot"},
    {"LogicalOr", "LogicalOr"},
    {"LogicalXor", ""},  // LogicalOr, LogicalAnd, LogicalNot
    {"MatMul", "MatMul", "BatchMatMulV2"},
    {"MatrixDeterminant", "MatrixDeterminant"},
    {"MatrixDiagPart", "MatrixDiagPartV3"},
    {"MatrixDiagPartV2", "MatrixDiagPartV3"},
    {"MatrixDiagV2", "MatrixDiagV3"},
    {"MatrixInverse", "MatrixInverse"},
    {"MatrixSolve", "MatrixSolve"},
    {"MatrixSolveLs", "MatrixSolveLs"},
    {"Max", "Max"},
    {"MaxPool", "MaxPool"},
    {"MaxPoolGrad", "MaxPoolGrad"},
    {"MaxPoolGradGrad", "MaxPoolGradGrad"},
    {"Maximum", "Maximum"},
    {"Mean", "Mean"},
    {"Min", "Min"},
    {"Minimum", "Minimum"},
    {"Mod", "FloorMod"},
    {"Mul", "Mul"},
    {"NanMax", ""},
    {"NanMean", ""},
    {"NanMin", ""},
    {"NanStdDev", ""},
    {"NanToNum", ""},
    {"NanVariance", ""},
    {"Neg", "Neg"},
    {"NextAfter", "NextAfter"},
    {"Nonzero", ""},  // Where, Unpack
    {"NotEqual", "NotEqual"},
    {"OneHot", "OneHot"},
    {"OnesLike", "OnesLike"},
    {"Pack", "Pack"},
    {"PadV2", "PadV2"},
    {"Pow", "Pow"},
    {"Prod", "Prod"},
    {"Qr", "Qr"},
    {"Quantile", ""},
    {"RFFT", "RFFT"},
    {"RandomStandardNormal", "RandomStandardNormal"},
    {"RandomUniform", "RandomUniform"},
    {"RandomUniformInt", "RandomUniformInt"},
    {"Range", "Range"},
    {"Real", "Real"},
    {"Reciprocal", "Reciprocal"},
    {"ReciprocalGrad", "ReciprocalGrad"},
    {"Relu", "Relu"},
    {"ReluGrad", "ReluGrad"},
    {"Repeat", ""},
    {"ReplaceNan", ""},
    {"Reshape", "Reshape"},
    {"ResourceApplyAdam", "ResourceApplyAdam"},
    {"ResourceApplyGradientDescent", "ResourceApplyGradientDescent"},
    {"ResourceApplyMomentum", "ResourceApplyMomentum"},
    {"ResourceApplyRMSProp", "ResourceApplyRMSProp"},
    {"ReverseV2", "ReverseV2"},
    {"RightShift", "RightShift"},
    {"Roll", "Roll"},
    {"Round", "Round"},
    {"Rsqrt", "Rsqrt"},
    {"RsqrtGrad", "RsqrtGrad"},
    {"Scatter", "TensorScatterUpdate"},
    {"SearchSorted", "LowerBound"},
    {"SelectV2", "SelectV2"},
    {"SelfAdjointEigV2", "SelfAdjointEigV2"},
    {"Sigmoid", "Sigmoid"},
    {"SigmoidGrad", "SigmoidGrad"},
    {"Sign", "Sign"},
    {"SignBit", ""},
    {"Silu", ""},  // Sigmoid, Mul
    {"Sin", "Sin"},
    {"Sinh", "Sinh"},
    {"Softmax", "Softmax"},
    {"SoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits"},
    {"SoftmaxCrossEntropyWithLogitsGrad", ""},  // the op of the loss gives it, then Mul
    {"Softplus", "Softplus"},
    {"Sort", "TopKV2"},  // tf.sort
    {"SparseSoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"},
    {"SparseSoftmaxCrossEntropyWithLogitsGrad", ""},
    {"Split", "Split"},
    {"Sqrt", "Sqrt"},
    {"SqrtGrad", "SqrtGrad"},
    {"Square", "Square"},
    {"Squeeze", "Squeeze"},
    {"StdDev", ""},  // Mean, Sub, Square, Mean, Sqrt
    {"StopGradient", "StopGradient"},
    {"StridedSlice", "StridedSlice"},
    {"StridedSliceGrad", "StridedSliceGrad"},
    {"Sub", "Sub"},
    {"Sum", "Sum"},
    {"Svd", "Svd"},
    {"SvdVals", "Svd"},  // without vectors
    {"TakeAlongAxis", ""},
    {"TakeAlongAxisGrad", "TensorScatterAdd"},
    {"Tan", "Tan"},
    {"Tanh", "Tanh"},
    {"TanhGrad", "TanhGrad"},
    {"Tile", "Tile"},
    {"TopKV2", "TopKV2"},
    {"Transpose", "Transpose"},
    {"Trunc", ""},
    {"TruncatedNormal", "TruncatedNormal"},
    {"UnsortedSegmentSum", "UnsortedSegmentSum"},
    {"Variance", ""},  // Mean, Sub, Square, Mean
    {"WrapIndex", ""},
    {"ZerosLike", "ZerosLike"},
    {"_FusedConv2D", "_FusedConv2D"},  // with bias, relu and max pool
    {"_FusedConv2DBackpropFilter", ""},
    {"_FusedConv2DBackpropInput", ""},
};

/// TensorFlow's name of an op whose result has this rank; the op's own name if there is none.
constexpr std::string_view tensorflow_name(std::string_view op, std::size_t rank) noexcept {
  for (tensorflow_row const& row : tensorflow_names) {
    if (row.ours != op) continue;
    if (rank > 2 && !row.of_batches.empty()) return row.of_batches;
    return row.theirs.empty() ? op : row.theirs;
  }
  return op;
}

}}}  // namespace placement::v0_1::detail
