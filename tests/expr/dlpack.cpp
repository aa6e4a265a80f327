// Exchange of tensors with other libraries.
#include <support/log_lines.hpp>

#include <placement/interop/dlpack.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace placement;

namespace {

/// A matrix of floats 0, 1, 2, ... of another library, which counts the calls of its deleter.
struct other_tensor {
  std::vector<float> elements;
  std::vector<std::int64_t> shape, strides;
  int deleted = 0;
  dlpack::managed_tensor managed{};

  explicit other_tensor(std::vector<std::int64_t> extents, std::int64_t count)
      : elements(static_cast<std::size_t>(count)), shape(std::move(extents)) {
    for (std::size_t i = 0; i != elements.size(); ++i) elements[i] = static_cast<float>(i);
    managed = {{elements.data(),
                {dlpack::cpu, 0},
                static_cast<std::int32_t>(shape.size()),
                {dlpack::real, 32, 1},
                shape.data(),
                nullptr,
                0},
               this,
               [](dlpack::managed_tensor* m) { ++static_cast<other_tensor*>(m->state)->deleted; }};
  }
};

std::string why_not_matrix(other_tensor& theirs) {
  return error_message([&] { from_dlpack<float, dextents<2>>(&theirs.managed); });
}

}  // namespace

TEST_CASE("an exported tensor is not copied, and lives until the importer deletes it") {
  matrix<float> x{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  x = copy_to(cpu0, x);
  auto* const out = to_dlpack(x);
  CHECK(out->tensor.data == std::as_const(x).data());
  CHECK(out->tensor.where.type == dlpack::cpu);
  CHECK(out->tensor.rank == 2);
  CHECK(out->tensor.shape[0] == 2);
  CHECK(out->tensor.shape[1] == 3);
  CHECK(out->tensor.strides == nullptr);
  CHECK(out->tensor.byte_offset == 0);
  CHECK(detail::same_type(out->tensor.type, {dlpack::real, 32, 1}));
  x = matrix<float>{{0.f}};
  CHECK(static_cast<float const*>(out->tensor.data)[5] == 6);
  out->deleter(out);
}

TEST_CASE("writes to a tensor after its export go to other memory") {
  matrix<float> x{{1.f, 2.f}};
  auto* const out = to_dlpack(x);
  x = x + 1.f;
  x.data()[0] = 9;
  CHECK(static_cast<float const*>(out->tensor.data)[0] == 1);
  out->deleter(out);
}

TEST_CASE("each element type has its DLPack type code") {
  auto const code = []<class T>(T) { return detail::dlpack_type<T>(); };
  CHECK(detail::same_type(code(true), {6, 8, 1}));
  CHECK(detail::same_type(code(std::int8_t{}), {0, 8, 1}));
  CHECK(detail::same_type(code(std::int64_t{}), {0, 64, 1}));
  CHECK(detail::same_type(code(std::uint8_t{}), {1, 8, 1}));
  CHECK(detail::same_type(code(1.0), {2, 64, 1}));
}

TEST_CASE(
    "a tensor on a simulated GPU is exported as a host tensor because its memory is the host's") {
  matrix<float> const x = copy_to(gpu0, matrix<float>{{1.f, 2.f}});
  REQUIRE(x.where() == gpu0);
  auto* const out = to_dlpack(x);
  CHECK(out->tensor.where.type == dlpack::cpu);
  CHECK(static_cast<float const*>(out->tensor.data)[1] == 2);
  out->deleter(out);
}

TEST_CASE("an imported tensor is used in place, and the last copy calls its deleter once") {
  other_tensor theirs({2, 3}, 6);
  {
    matrix<float> x = from_dlpack<float, dextents<2>>(&theirs.managed);
    CHECK(x.where() == cpu0);
    CHECK(std::as_const(x).data() == theirs.elements.data());
    CHECK(to_string(x) == "[[0 1 2]\n [3 4 5]]");
    matrix<float> y = x;
    x = x * 2.f;
    CHECK(theirs.elements[5] == 10);
    CHECK(to_string(y) == "[[0 2 4]\n [6 8 10]]");
    matrix<float> const moved = std::move(y);
    CHECK(theirs.deleted == 0);
  }
  CHECK(theirs.deleted == 1);
}

TEST_CASE("an expression of an imported tensor keeps it alive") {
  other_tensor theirs({2, 3}, 6);
  {
    auto const e = from_dlpack<float, dextents<2>>(&theirs.managed) + 1.f;
    CHECK(theirs.deleted == 0);
    CHECK(to_string(matrix<float>(e)) == "[[1 2 3]\n [4 5 6]]");
  }
  CHECK(theirs.deleted == 1);
}

TEST_CASE("an exported and imported tensor has the same memory") {
  matrix<float> const x{{1.f, 2.f}, {3.f, 4.f}};
  void const* const at = x.data();
  bool const on_host = x.where().is_cpu();
  tensor<float, extents<2, 2>> const y = from_dlpack<float, extents<2, 2>>(to_dlpack(x));
  CHECK(to_string(y) == "[[1 2]\n [3 4]]");
  if (on_host) CHECK(y.data() == at);
}

TEST_CASE("an imported tensor starts at its byte offset, and redundant strides are accepted") {
  other_tensor theirs({2, 1}, 6);
  theirs.strides = {1, 77};  // the stride of a single column is irrelevant
  theirs.managed.tensor.strides = theirs.strides.data();
  theirs.managed.tensor.byte_offset = 4 * sizeof(float);
  matrix<float> const x = from_dlpack<float, dextents<2>>(&theirs.managed);
  CHECK(to_string(x) == "[[4]\n [5]]");
}

TEST_CASE("a scalar and an empty tensor are imported, too") {
  other_tensor one({}, 1), none({0, 3}, 0);
  none.strides = {5, 5};
  none.managed.tensor.strides = none.strides.data();
  CHECK(from_dlpack<float, extents<>>(&one.managed).read()[0] == 0);
  CHECK(from_dlpack<float, dextents<2>>(&none.managed).size() == 0);
  CHECK(one.deleted + none.deleted == 2);
  one.managed.deleter = nullptr;  // an owner without a deleter
  from_dlpack<float, extents<>>(&one.managed);
  CHECK(one.deleted == 1);
}

TEST_CASE("importing an incompatible tensor is an error and leaves it with its owner") {
  other_tensor theirs({2, 3}, 6);
  CHECK(
      error_message<invalid_argument>([&] { from_dlpack<double, dextents<2>>(&theirs.managed); }) ==
      "placement: the DLPack tensor has elements of type (2, 32 bits, 1 lanes), not double. Name "
      "its type, or cast it first.");
  CHECK(error_of("", [&] { from_dlpack<float, dextents<1>>(&theirs.managed); }) ==
        "placement: the DLPack tensor has 2 dimensions, not 1. Name its shape.");
  CHECK(error_message<shape_error>([&] {
          from_dlpack<float, extents<3, 2>>(&theirs.managed);
        }).starts_with("placement: a tensor of shape [2, 3] does not fit a type"));
  theirs.strides = {1, 2};
  theirs.managed.tensor.strides = theirs.strides.data();
  CHECK(error_of("", [&] { from_dlpack<float, dextents<2>>(&theirs.managed); }) ==
        "placement: the DLPack tensor is not row-major without gaps. Make it "
        "contiguous first.");
  theirs.managed.tensor.strides = nullptr;
  theirs.managed.tensor.where = {10, 3};
  CHECK(why_not_matrix(theirs).starts_with(
      "placement: a tensor on DLPack's device (10, 3) is on none of /CPU:0"));
  theirs.managed.tensor.where = {dlpack::cuda, 0};
  CHECK(why_not_matrix(theirs).starts_with("placement: a tensor on DLPack's device (2, 0)"));
  theirs.managed.tensor.where = {dlpack::cuda_host, 0};
  theirs.shape[0] = -1;
  CHECK(why_not_matrix(theirs).find("Extents are zero or more") != std::string::npos);
  CHECK(theirs.deleted == 0);
}
