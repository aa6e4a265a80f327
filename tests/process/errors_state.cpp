// gpus: 1 2
// env: [full] PLACEMENT_SIMULATED_GPU_MEMORY=1MiB
// env: [held] PLACEMENT_SIMULATED_GPU_MEMORY=64MiB PLACEMENT_SIMULATED_GPU_HELD=64MiB
// Invalid input at run time: its message, and that the state is unchanged and usable.
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using namespace placement;

namespace {

struct own_shape_error : shape_error {
  using shape_error::shape_error;
};
/// An op with a shape rule that throws its own error type, without the op's name and line.
struct halved_op {
  static constexpr std::string_view name = "Halved";
  using pattern = custom;
  template <class> static constexpr bool has_gpu_kernel = false;

  template <class X> static constexpr X result(X const& x) {
    if (x.at(0) % 2 != 0) throw own_shape_error("not even");
    return {x.at(0) / 2};
  }
  template <class T, class X>
  void operator()(dense_view<T, X> out, dense_view<T const, X> in) const noexcept {
    for (index_t i = 0; i != out.size(); ++i) out[i] = in[2 * i];
  }
};
template <operand X> auto halved(X&& x, site at = site::here()) -> unary<halved_op, X> {
  return {{}, at, std::forward<X>(x)};
}

matrix<float> two_by_three() { return {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}; }

}  // namespace

namespace {

/// Whether `catch (Clause const&)` catches a `Thrown` with its message.
template <class Clause, class Thrown> bool is_caught(Thrown const& thrown) {
  try {
    throw thrown;
  } catch (Clause const& e) { return std::string(e.what()) == "what it says"; } catch (...) {
    return false;
  }
}
template <class E> void check_clauses() {
  E const thrown("what it says");
  CHECK(is_caught<E>(thrown));
  CHECK(is_caught<error>(thrown));
  CHECK(is_caught<std::exception>(thrown));
  constexpr bool of_memory = std::is_same_v<E, out_of_memory>;
  CHECK(is_caught<std::bad_alloc>(thrown) == of_memory);
  CHECK(is_caught<std::runtime_error>(thrown) != of_memory);
  error const& same = thrown;
  std::exception const& standard = same;
  CHECK(&standard == &static_cast<std::exception const&>(thrown));
}

}  // namespace

TEST_CASE(
    "every exception is caught as an error, as a std::exception and as its standard base class") {
  check_clauses<invalid_argument>();
  check_clauses<shape_error>();
  check_clauses<placement_error>();
  check_clauses<out_of_memory>();
}

TEST_CASE("copying an exception cannot fail, and rethrowing keeps its type") {
  CHECK(std::is_nothrow_copy_constructible_v<out_of_memory>);
  CHECK(std::is_nothrow_copy_constructible_v<shape_error>);
  std::exception_ptr kept;
  try {
    throw out_of_memory("the device is full");
  } catch (error const&) { kept = std::current_exception(); }
  try {
    std::rethrow_exception(kept);
  } catch (std::bad_alloc const& e) { CHECK(std::string(e.what()) == "the device is full"); }
}

TEST_CASE("rethrow_as_error turns std::bad_alloc into out_of_memory, and nothing else changes") {
  auto const rethrown = [](auto const& thrown) {
    try {
      throw thrown;
    } catch (...) { detail::rethrow_as_error(); }
  };
  CHECK_THROWS_AS(rethrown(std::bad_alloc()), out_of_memory);
  CHECK_THROWS_AS(rethrown(shape_error("x")), shape_error);
  CHECK_THROWS_AS(rethrown(std::logic_error("x")), std::logic_error);
  try {
    rethrown(out_of_memory("its own words"));
  } catch (error const& e) { CHECK(std::string(e.what()) == "its own words"); }
}

TEST_CASE("one catch clause catches each kind of error") {
  int caught = 0;
  auto const count = [&](auto call) {
    try {
      call();
    } catch (error const&) { ++caught; }
  };
  count([] { with_device const scope("gpu zero"); });
  count([] { auto const e = two_by_three() + vector<float>{1.f, 2.f}; });
  count([] {
    with_device const scope("/gpu:9", hard_placement{});
    matrix<float> const x = two_by_three();
  });
  count([] { auto const x = evaluate(zeros<float>(index_t{1} << 40)); });
  CHECK(caught == 4);
}

TEST_CASE("incompatible shapes are an error that names both, where the op is written") {
  matrix<float> const x = two_by_three();
  vector<float> const v{1.f, 2.f};
  CHECK(
      error_message<shape_error>([&] { static_cast<void>(x + v); }) ==
      "placement: shapes [2, 3] and [2] do not broadcast. Aligned at the right, extents must be equal or 1: reshape, slice "
      "or transpose one side. In Add.");
  CHECK(
      error_of("MatMul", [&] { static_cast<void>(matmul(x, x)); }) ==
      "placement: matmul of shapes [2, 3] and [2, 3]: the columns of the left side must be as many as the rows of the right. "
      "Transpose one side, or check the shapes.");
  CHECK(
      error_of("Reshape", [&] { static_cast<void>(reshape(x, shape(4))); }) ==
      "placement: a tensor of shape [2, 3] cannot be reshaped to [4]: the number of elements must stay the same.");
  CHECK(
      error_of("Sum", [&] { static_cast<void>(sum(x, 2)); }) ==
      "placement: there is no axis 2 in a tensor of rank 2. Axes are 0 to rank - 1, or -1 for the last.");
  CHECK(
      error_of("Sum", [&] { static_cast<void>(sum(x, -3)); }) ==
      "placement: there is no axis -3 in a tensor of rank 2. Axes are 0 to rank - 1, or -1 for the last.");
  CHECK(error_message<shape_error>([&] { static_cast<void>(slice(x, range{.step = 0})); }) ==
        "placement: the step of a range is 0. Use 1, or -1 to go backwards. In StridedSlice.");
}

TEST_CASE("a shape error names the op and its line, or the line of the scope") {
  matrix<float> const x = two_by_three();
  vector<float> const v{1.f, 2.f};
  auto const in_scope = [](std::string_view op, site scope) {
    return " In " + std::string(op) + " at " + scope.file + ':' + std::to_string(scope.line) + '.';
  };
  CHECK(error_message<shape_error>([&] { static_cast<void>(add(x, v, {"train.cpp", 12})); }) ==
        "placement: shapes [2, 3] and [2] do not broadcast. Aligned at the right, extents must be "
        "equal or 1: reshape, slice or transpose one side. In Add at train.cpp:12.");
  with_device const outer("/cpu:0");
  site const here = site::here();
  with_device const scope("/cpu:0");
  site const of_scope{here.file, here.line + 1};
  CHECK(error_message<shape_error>([&] {
          static_cast<void>(x + v);
        }).ends_with(in_scope("Add", of_scope)));
  CHECK(error_message<shape_error>([&] {
          static_cast<void>(slice(x, range{.step = 0}));
        }).ends_with(in_scope("StridedSlice", of_scope)));
  CHECK(error_message<shape_error>([&] {
          static_cast<void>(zeros<float>(-1));
        }).ends_with(in_scope("Fill", of_scope)));
}

TEST_CASE("an error of a user's shape rule gets the op's name and line, and keeps its type") {
  vector<float> const v{1.f, 2.f};
  CHECK(error_message<own_shape_error>([&] { static_cast<void>(halved(v, {"own.cpp", 3})); }) ==
        "");
  CHECK(error_message<own_shape_error>([&] {
          static_cast<void>(halved(vector<float>{1.f, 2.f, 3.f}, {"own.cpp", 4}));
        }) == "not even In Halved at own.cpp:4.");
  CHECK(error_message<own_shape_error>([&] {
          static_cast<void>(halved(vector<float>{1.f}));
        }).starts_with("not even In Halved at "));
}

TEST_CASE("a view can be assigned a value of its shape, or one that broadcasts to it") {
  matrix<float> x = two_by_three();
  CHECK(
      error_message<shape_error>([&] { view(x) = slice(x, range{}, range{0, 2}); }) ==
      "placement: shapes [2, 2] and [2, 3] do not broadcast. Aligned at the right, extents must be equal or 1: reshape, slice "
      "or transpose one side. In Assign.");
  CHECK(
      error_message<shape_error>([&] { slice(view(x), range{0, 1}) = x; }) ==
      "placement: a value of shape [2, 3] cannot be written to a view of shape [1, 3]. Its extents must be those of the view, "
      "or 1. In Assign.");
  CHECK(to_string(x) == "[[1 2 3]\n [4 5 6]]");
  view(x) = slice(x, range{0, 1});
  CHECK(to_string(x) == "[[1 2 3]\n [1 2 3]]");
}

TEST_CASE("a number that the element type cannot hold is an error") {
  tensor<signed char, dextents<1>> const x{1, 2};
  CHECK(
      error_message<invalid_argument>([&] { static_cast<void>(x + 200); }) ==
      "placement: the number 200 does not fit the element type int8 of the tensor beside it. Write cast<T>(x) to compute in a "
      "wider type.");
  CHECK(
      error_message<invalid_argument>([&] { tensor<unsigned char, dextents<1>> const y{1, -1}; }) ==
      "placement: the number -1 does not fit the element type uint8 of the tensor beside it. Write cast<T>(x) to compute in a "
      "wider type.");
}

TEST_CASE("the error for an invalid scope name quotes it and gives the column") {
  std::string const text =
      error_message<invalid_argument>([] { with_device const scope("/gpu:\n0"); });
  CHECK(text.find("/gpu:\\n0") != std::string::npos);
  CHECK(text.find("column") != std::string::npos);
}

// ---- a full device

TEST_CASE("the error on a full GPU names the GPU, which works again once memory is free",
          "[full]") {
  std::vector<matrix<float>> held;
  index_t const n = 128;  // 64 KiB
  std::string const text = error_message<out_of_memory>([&] {
    for (int i = 0; i != 100; ++i)
      held.push_back(copy_to("/gpu:0", matrix<float>(zeros<float>(n, n))));
  });
  CHECK(text.find("/GPU:0") != std::string::npos);
  CHECK(text.find("65536 B") != std::string::npos);
  auto const before = memory_stats_of(gpu0);
  CHECK(before.in_use <= (std::size_t{1} << 20));
  CHECK(held.size() == before.allocations);

  matrix<float> x = held.back();
  float const* const at = std::as_const(x).data();
  with_device const scope("/gpu:0");
  CHECK(error_message<out_of_memory>([&] { x = relu(matmul(x, x) + x); }) != "");
  CHECK(error_message<out_of_memory>([&] { slice(view(x), range{0, 1}) = 1.f; }) !=
        "");  // x is shared, so the write needs a copy
  CHECK(std::as_const(x).data() == at);
  CHECK(memory_stats_of(gpu0).in_use == before.in_use);
  CHECK(memory_stats_of(gpu0).allocations == before.allocations);

  CHECK(x.read()(0, 0) == 0);  // reading uses host memory
  held.resize(2);
  x = relu(matmul(x, x) + x + 1.f);
  CHECK(x.where() == gpu0);
  CHECK(x.read()(n - 1, n - 1) == 1);
}

TEST_CASE("a GPU whose memory others hold is listed, and a tensor on it is out_of_memory",
          "[held]") {
  CHECK(list_physical_devices("GPU").size() >= 1);
  std::string const text =
      error_message<out_of_memory>([] { matrix<float> const x = two_by_three(); });
  CHECK(text.find("/GPU:0") != std::string::npos);
  with_device const scope("/cpu:0");
  CHECK(to_string(matrix<float>(two_by_three() + 1.f)) == "[[2 3 4]\n [5 6 7]]");
}

TEST_CASE("more elements than the host has memory for are out_of_memory") {
  with_device const scope("/cpu:0");
  std::string const text = error_message<out_of_memory>(
      [] { auto const x = evaluate(zeros<double>(index_t{1} << 55)); });
  CHECK(text.find("asked for 288230376151711744 B by Fill at ") != text.npos);
  CHECK(text.find("errors_state.cpp:") != text.npos);
  // Under the address sanitizer the CPU has no pool.
  if (PLACEMENT_HEAP_IS_INSTRUMENTED != 0) return;
  CHECK(text.starts_with("placement: out of memory on /CPU:0 (growth): asked for "));
  CHECK(text.find("; in use 0 B of a limit of ") != text.npos);
  CHECK(text.ends_with(
      " The host said: the heap has no more. Tensors below 1 MiB are the heap's, and not counted. "
      "It is more than the limit. Use smaller batches, or raise the device's memory limit."));
}

// ---- exceptions of user-defined ops

TEST_CASE(
    "an exception of a user's op leaves target, scope and memory unchanged, in every kernel") {
  for (char const* name : {"/cpu:0", "/gpu:0"}) {
    with_device const scope(name);
    vector<float> x{1.f, 2.f, 3.f};
    auto const before = memory_stats_of(gpu0);
    auto const attempts = {+[](vector<float>& t) { t = at_most_two(t); },
                           +[](vector<float>& t) { t = relu(at_most_two(t)) + t; },
                           +[](vector<float>& t) { t = at_most_two(t) + sum(t); },
                           +[](vector<float>& t) { t = t + sum(at_most_two(t)); },
                           +[](vector<float>& t) { t = reversed(t + 0.f); },
                           +[](vector<float>& t) { view(t) = at_most_two(t); },
                           +[](vector<float>& t) { t = on("/cpu:0", at_most_two(t)); }};
    for (auto const attempt : attempts) {
      CHECK_THROWS_AS(attempt(x), std::runtime_error);
      CHECK(to_string(x) == "[1 2 3]");
      CHECK(memory_stats_of(gpu0).in_use == before.in_use);
    }
    vector<float> const y = x + 1.f;
    CHECK(to_string(y) == "[2 3 4]");
    CHECK(to_string(y.where()) == (std::string(name) == "/cpu:0" ? "/CPU:0" : "/GPU:0"));
  }
}
