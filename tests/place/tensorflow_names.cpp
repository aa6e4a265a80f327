// Every op of the library has its name in TensorFlow, or says that TensorFlow has no such op.
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

/// The op names that the headers define, each with the header it is in: `name = "Add"`.
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

/// The names of TensorFlow's ops that our ops stand for, or are the main part of.
std::set<std::string_view> const names_of_tensorflow{"Abs",
                                                     "AddN",
                                                     "AddV2",
                                                     "All",
                                                     "Any",
                                                     "ArgMax",
                                                     "ArgMin",
                                                     "BatchMatMulV2",
                                                     "BroadcastTo",
                                                     "Cast",
                                                     "Ceil",
                                                     "ClipByValue",
                                                     "ConcatV2",
                                                     "Const",
                                                     "Cos",
                                                     "Cumsum",
                                                     "Equal",
                                                     "Erf",
                                                     "Exp",
                                                     "ExpandDims",
                                                     "Expm1",
                                                     "Fill",
                                                     "Floor",
                                                     "FloorMod",
                                                     "GatherV2",
                                                     "Greater",
                                                     "GreaterEqual",
                                                     "Identity",
                                                     "IsFinite",
                                                     "IsNan",
                                                     "Less",
                                                     "LessEqual",
                                                     "Log",
                                                     "Log1p",
                                                     "LogSoftmax",
                                                     "LogicalAnd",
                                                     "LogicalNot",
                                                     "LogicalOr",
                                                     "MatMul",
                                                     "MatrixDiagPartV3",
                                                     "Max",
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
                                                     "Pow",
                                                     "Prod",
                                                     "RandomStandardNormal",
                                                     "RandomUniform",
                                                     "RandomUniformInt",
                                                     "Range",
                                                     "RealDiv",
                                                     "Reciprocal",
                                                     "Relu",
                                                     "Reshape",
                                                     "ReverseV2",
                                                     "Round",
                                                     "Rsqrt",
                                                     "SelectV2",
                                                     "Sigmoid",
                                                     "Sign",
                                                     "Sin",
                                                     "Softmax",
                                                     "Split",
                                                     "Sqrt",
                                                     "Square",
                                                     "Squeeze",
                                                     "StridedSlice",
                                                     "Sub",
                                                     "Sum",
                                                     "Tanh",
                                                     "TopKV2",
                                                     "Transpose",
                                                     "TruncatedNormal",
                                                     "ZerosLike"};

/// Ops that TensorFlow composes of several ones.
std::set<std::string_view> const composed{"Assign", "CountNonzero", "LogicalXor", "StdDev",
                                          "Variance"};

}  // namespace

TEST_CASE("each op in the headers has a row in the table of TensorFlow's names") {
  auto const names = names_in_headers();
  REQUIRE(names.size() > 80);
  for (auto const& [name, header] : names) {
    INFO(name << " in " << header << " has no row in place/tensorflow_names.hpp");
    CHECK(std::ranges::count(detail::tensorflow_names, name, &detail::tensorflow_row::ours) == 1);
  }
}

TEST_CASE("each row is of an op in the headers") {
  auto const names = names_in_headers();
  for (detail::tensorflow_row const& row : detail::tensorflow_names) {
    INFO(row.ours << " is no op");
    CHECK((row.ours == "Copy" || names.contains(std::string(row.ours))));
  }
}

TEST_CASE("each name is one of TensorFlow's, and an op that it composes keeps its own") {
  for (detail::tensorflow_row const& row : detail::tensorflow_names) {
    INFO(row.ours);
    CHECK(row.theirs.empty() == composed.contains(row.ours));
    std::string_view const name = detail::tensorflow_name(row.ours, 1);
    if (row.theirs.empty()) CHECK(name == row.ours);
    else CHECK(names_of_tensorflow.contains(name));
  }
}

TEST_CASE("what TensorFlow calls differently is printed as it calls it") {
  struct row {
    std::string_view ours;
    std::size_t rank;
    std::string_view theirs;
  };
  for (row const& r :
       {row{"Add", 2, "AddV2"}, row{"Div", 0, "RealDiv"}, row{"Mod", 1, "FloorMod"},
        row{"MatrixDiagPart", 1, "MatrixDiagPartV3"}, row{"MatMul", 2, "MatMul"},
        row{"MatMul", 3, "BatchMatMulV2"}, row{"Sort", 1, "TopKV2"}, row{"ArgSort", 1, "TopKV2"},
        row{"Copy", 2, "Identity"}, row{"Mul", 3, "Mul"}, row{"Variance", 0, "Variance"},
        row{"NextPrime", 1, "NextPrime"}}) {
    INFO(r.ours);
    CHECK(detail::tensorflow_name(r.ours, r.rank) == r.theirs);
    op_event e;
    e.op = r.ours;
    std::ptrdiff_t const extents[]{1, 1, 1};
    e.shape = {extents, r.rank};
    CHECK(tensorflow_name(e) == r.theirs);
  }
}
