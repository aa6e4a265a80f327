// Every op of the library has a TensorFlow name, or is listed as an op that TensorFlow lacks.
#include <placement/place/tensorflow_names.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

using namespace placement;

namespace {

/// The op names that the headers define, with their headers: `name = "Add"`.
std::map<std::string, std::string> names_in_headers() {
  namespace fs = std::filesystem;
  std::string_view const before = "constexpr std::string_view name = \"";
  fs::path const headers = fs::path(__FILE__).parent_path() / "../../include/placement";
  std::map<std::string, std::string> found;
  for (fs::directory_entry const& entry : fs::recursive_directory_iterator(headers)) {
    if (entry.path().extension() != ".hpp") continue;
    std::ifstream file(entry.path());
    std::string const text(std::istreambuf_iterator<char>(file), {});
    for (std::size_t at = 0; (at = text.find(before, at)) != text.npos;) {
      at += before.size();
      found[text.substr(at, text.find('"', at) - at)] = entry.path().filename().string();
    }
  }
  return found;
}

/// The names of the TensorFlow ops that correspond to the library's ops, or are the main part of
/// them.
std::set<std::string_view> const names_of_tensorflow{"Abs",
                                                     "Acos",
                                                     "Acosh",
                                                     "AddN",
                                                     "AddV2",
                                                     "All",
                                                     "Angle",
                                                     "Any",
                                                     "ArgMax",
                                                     "ArgMin",
                                                     "Asin",
                                                     "Asinh",
                                                     "Atan",
                                                     "Atan2",
                                                     "Atanh",
                                                     "AvgPool",
                                                     "AvgPoolGrad",
                                                     "BatchMatMulV2",
                                                     "BitwiseAnd",
                                                     "BitwiseOr",
                                                     "BitwiseXor",
                                                     "BroadcastTo",
                                                     "Cast",
                                                     "Ceil",
                                                     "Cholesky",
                                                     "ClipByValue",
                                                     "Complex",
                                                     "ConcatV2",
                                                     "Conj",
                                                     "Const",
                                                     "Conv2D",
                                                     "Conv2DBackpropFilter",
                                                     "Conv2DBackpropInput",
                                                     "Cos",
                                                     "Cosh",
                                                     "Cumprod",
                                                     "Cumsum",
                                                     "Elu",
                                                     "Equal",
                                                     "Erf",
                                                     "Erfc",
                                                     "Exp",
                                                     "ExpandDims",
                                                     "Expm1",
                                                     "FFT",
                                                     "FFT2D",
                                                     "Fill",
                                                     "Floor",
                                                     "FloorDiv",
                                                     "FloorMod",
                                                     "FusedBatchNormGradV3",
                                                     "FusedBatchNormV3",
                                                     "GatherV2",
                                                     "Greater",
                                                     "GreaterEqual",
                                                     "IFFT",
                                                     "IFFT2D",
                                                     "IRFFT",
                                                     "Identity",
                                                     "Imag",
                                                     "ImmutableConst",
                                                     "Invert",
                                                     "IsFinite",
                                                     "IsInf",
                                                     "IsNan",
                                                     "L2Loss",
                                                     "LeakyRelu",
                                                     "LeftShift",
                                                     "Less",
                                                     "LessEqual",
                                                     "LinSpace",
                                                     "Log",
                                                     "Log1p",
                                                     "LogSoftmax",
                                                     "LogicalAnd",
                                                     "LogicalNot",
                                                     "LogicalOr",
                                                     "LowerBound",
                                                     "MatMul",
                                                     "MatrixDeterminant",
                                                     "MatrixDiagPartV3",
                                                     "MatrixDiagV3",
                                                     "MatrixInverse",
                                                     "MatrixSolve",
                                                     "MatrixSolveLs",
                                                     "Max",
                                                     "MaxPool",
                                                     "MaxPoolGrad",
                                                     "MaxPoolGradGrad",
                                                     "Maximum",
                                                     "Mean",
                                                     "Min",
                                                     "Minimum",
                                                     "Mul",
                                                     "Neg",
                                                     "NextAfter",
                                                     "NotEqual",
                                                     "OneHot",
                                                     "OnesLike",
                                                     "Pack",
                                                     "PadV2",
                                                     "Pow",
                                                     "Prod",
                                                     "Qr",
                                                     "RFFT",
                                                     "RandomStandardNormal",
                                                     "RandomUniform",
                                                     "RandomUniformInt",
                                                     "Range",
                                                     "Real",
                                                     "RealDiv",
                                                     "Reciprocal",
                                                     "ReciprocalGrad",
                                                     "Relu",
                                                     "ReluGrad",
                                                     "Reshape",
                                                     "ResourceApplyAdam",
                                                     "ResourceApplyGradientDescent",
                                                     "ResourceApplyMomentum",
                                                     "ResourceApplyRMSProp",
                                                     "ReverseV2",
                                                     "RightShift",
                                                     "Roll",
                                                     "Round",
                                                     "Rsqrt",
                                                     "RsqrtGrad",
                                                     "SelectV2",
                                                     "SelfAdjointEigV2",
                                                     "Sigmoid",
                                                     "SigmoidGrad",
                                                     "Sign",
                                                     "Sin",
                                                     "Sinh",
                                                     "Softmax",
                                                     "SoftmaxCrossEntropyWithLogits",
                                                     "Softplus",
                                                     "SparseSoftmaxCrossEntropyWithLogits",
                                                     "Split",
                                                     "Sqrt",
                                                     "SqrtGrad",
                                                     "Square",
                                                     "Squeeze",
                                                     "StopGradient",
                                                     "StridedSlice",
                                                     "StridedSliceGrad",
                                                     "Sub",
                                                     "Sum",
                                                     "Svd",
                                                     "Tan",
                                                     "Tanh",
                                                     "TanhGrad",
                                                     "TensorScatterAdd",
                                                     "TensorScatterUpdate",
                                                     "Tile",
                                                     "TopKV2",
                                                     "Transpose",
                                                     "TruncatedNormal",
                                                     "UnsortedSegmentSum",
                                                     "ZerosLike",
                                                     "_FusedConv2D"};

/// Ops that TensorFlow composes of several ones.
std::set<std::string_view> const composed{"Assign",
                                          "Bincount",
                                          "Cbrt",
                                          "CholeskyGrad",
                                          "Compress",
                                          "CopySign",
                                          "CountNonzero",
                                          "Cummax",
                                          "Cummin",
                                          "Exp2",
                                          "Extract",
                                          "FlatNonzero",
                                          "FusedBatchNormGradGradV3",
                                          "Gelu",
                                          "Heaviside",
                                          "Histogram",
                                          "Huber",
                                          "Hypot",
                                          "IsClose",
                                          "LayerNorm",
                                          "LayerNormGrad",
                                          "Log10",
                                          "Log2",
                                          "LogAddExp",
                                          "LogicalXor",
                                          "NanMax",
                                          "NanMean",
                                          "NanMin",
                                          "NanStdDev",
                                          "NanToNum",
                                          "NanVariance",
                                          "Nonzero",
                                          "Quantile",
                                          "Repeat",
                                          "ReplaceNan",
                                          "SignBit",
                                          "Silu",
                                          "SoftmaxCrossEntropyWithLogitsGrad",
                                          "SparseSoftmaxCrossEntropyWithLogitsGrad",
                                          "StdDev",
                                          "TakeAlongAxis",
                                          "Trunc",
                                          "Variance",
                                          "WrapIndex",
                                          "_FusedConv2DBackpropFilter",
                                          "_FusedConv2DBackpropInput"};

}  // namespace

TEST_CASE("each op in the headers has a row in the table of TensorFlow's names") {
  auto const names = names_in_headers();
  REQUIRE(names.size() > 80);
  for (auto const& [name, header] : names) {
    INFO(name << " in " << header << " has no row in place/tensorflow_names.hpp");
    CHECK(std::ranges::count(detail::tensorflow_names, name, &detail::tensorflow_row::ours) == 1);
  }
}

TEST_CASE("each row of the table is for an op in the headers") {
  auto const names = names_in_headers();
  for (detail::tensorflow_row const& row : detail::tensorflow_names) {
    INFO(row.ours << " is no op");
    CHECK((row.ours == "Copy" || names.contains(std::string(row.ours))));
  }
}

TEST_CASE("each name is a TensorFlow op, and an op that TensorFlow composes keeps its own name") {
  for (detail::tensorflow_row const& row : detail::tensorflow_names) {
    INFO(row.ours);
    CHECK(row.theirs.empty() == composed.contains(row.ours));
    std::string_view const name = detail::tensorflow_name(row.ours, 1);
    if (row.theirs.empty()) CHECK(name == row.ours);
    else CHECK(names_of_tensorflow.contains(name));
  }
}

TEST_CASE("ops with another name in TensorFlow are printed with that name") {
  struct row {
    std::string_view ours;
    std::size_t rank;
    std::string_view theirs;
  };
  for (row const& r :
       {row{"Add", 2, "AddV2"}, row{"Div", 0, "RealDiv"}, row{"Mod", 1, "FloorMod"},
        row{"MatrixDiagPart", 1, "MatrixDiagPartV3"}, row{"MatrixDiagV2", 1, "MatrixDiagV3"},
        row{"MatMul", 2, "MatMul"}, row{"MatMul", 3, "BatchMatMulV2"}, row{"Sort", 1, "TopKV2"},
        row{"ArgSort", 1, "TopKV2"}, row{"Copy", 2, "Identity"}, row{"Mul", 3, "Mul"},
        row{"Variance", 0, "Variance"}, row{"NextPrime", 1, "NextPrime"}}) {
    INFO(r.ours);
    CHECK(detail::tensorflow_name(r.ours, r.rank) == r.theirs);
    op_event e;
    e.op = r.ours;
    std::ptrdiff_t const extents[]{1, 1, 1};
    e.shape = {extents, r.rank};
    CHECK(tensorflow_name(e) == r.theirs);
  }
}
