#pragma once
/// TensorFlow's names for the library's ops, as TensorFlow's placement log prints them for the same
/// program.

#include <placement/version.hpp>

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
    {"Add", "AddV2"},
    {"AddN", "AddN"},
    {"All", "All"},
    {"Any", "Any"},
    {"ArgMax", "ArgMax"},
    {"ArgMin", "ArgMin"},
    {"ArgSort", "TopKV2"},  // tf.argsort
    {"Assign", ""},         // through a view
    {"BroadcastTo", "BroadcastTo"},
    {"Cast", "Cast"},
    {"Ceil", "Ceil"},
    {"ClipByValue", "ClipByValue"},
    {"ConcatV2", "ConcatV2"},
    {"Const", "Const"},
    {"Copy", "Identity"},
    {"Cos", "Cos"},
    {"CountNonzero", ""},  // NotEqual, Cast, Sum
    {"Cumsum", "Cumsum"},
    {"Div", "RealDiv"},
    {"Equal", "Equal"},
    {"Erf", "Erf"},
    {"Exp", "Exp"},
    {"ExpandDims", "ExpandDims"},
    {"Expm1", "Expm1"},
    {"Fill", "Fill"},
    {"Floor", "Floor"},
    {"GatherV2", "GatherV2"},
    {"Greater", "Greater"},
    {"GreaterEqual", "GreaterEqual"},
    {"Identity", "Identity"},
    {"ImmutableConst", "ImmutableConst"},  // a mapped file
    {"IsFinite", "IsFinite"},
    {"IsNan", "IsNan"},
    {"Less", "Less"},
    {"LessEqual", "LessEqual"},
    {"Log", "Log"},
    {"Log1p", "Log1p"},
    {"LogSoftmax", "LogSoftmax"},
    {"LogicalAnd", "LogicalAnd"},
    {"LogicalNot", "LogicalNot"},
    {"LogicalOr", "LogicalOr"},
    {"LogicalXor", ""},  // LogicalOr, LogicalAnd, LogicalNot
    {"MatMul", "MatMul", "BatchMatMulV2"},
    {"MatrixDiagPart", "MatrixDiagPartV3"},
    {"Max", "Max"},
    {"Maximum", "Maximum"},
    {"Mean", "Mean"},
    {"Min", "Min"},
    {"Minimum", "Minimum"},
    {"Mod", "FloorMod"},
    {"Mul", "Mul"},
    {"Neg", "Neg"},
    {"NextAfter", "NextAfter"},
    {"NotEqual", "NotEqual"},
    {"OneHot", "OneHot"},
    {"OnesLike", "OnesLike"},
    {"Pack", "Pack"},
    {"Pow", "Pow"},
    {"Prod", "Prod"},
    {"RandomStandardNormal", "RandomStandardNormal"},
    {"RandomUniform", "RandomUniform"},
    {"RandomUniformInt", "RandomUniformInt"},
    {"Range", "Range"},
    {"Reciprocal", "Reciprocal"},
    {"Relu", "Relu"},
    {"Reshape", "Reshape"},
    {"ReverseV2", "ReverseV2"},
    {"Round", "Round"},
    {"Rsqrt", "Rsqrt"},
    {"SelectV2", "SelectV2"},
    {"Sigmoid", "Sigmoid"},
    {"Sign", "Sign"},
    {"Sin", "Sin"},
    {"Softmax", "Softmax"},
    {"Sort", "TopKV2"},  // tf.sort
    {"Split", "Split"},
    {"Sqrt", "Sqrt"},
    {"Square", "Square"},
    {"Squeeze", "Squeeze"},
    {"StdDev", ""},  // Mean, Sub, Square, Mean, Sqrt
    {"StridedSlice", "StridedSlice"},
    {"Sub", "Sub"},
    {"Sum", "Sum"},
    {"Tanh", "Tanh"},
    {"Transpose", "Transpose"},
    {"TruncatedNormal", "TruncatedNormal"},
    {"Variance", ""},  // Mean, Sub, Square, Mean
    {"ZerosLike", "ZerosLike"},
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
