// Tensors with their device in the type: they are on that device in any scope.
#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <type_traits>
#include <utility>

using namespace placement;
using namespace placement::literals;

namespace {

template <class X> using on_gpu0 = tensor<float, X, dev<kind::gpu, 0>>;
template <class X> using on_gpu1 = tensor<float, X, dev<kind::gpu, 1>>;
using gpu_matrix = on_gpu1<dextents<2>>;

template <class T> std::string requested_by_name(T const& t) { return to_string(t.requested()); }

}  // namespace

TEST_CASE("a typed tensor is created on its device, in any scope") {
  with_device const scope("/cpu:0");
  gpu_matrix const rows{{1, 2}, {3, 4}};
  on_gpu0<dextents<1>> const row{1.f, 2.f};
  on_gpu1<extents<>> const scalar(3.f);
  on_gpu1<dextents<3>> const planes{{{1, 2}}, {{3, 4}}};
  CHECK(rows.where() == device{kind::gpu, 1});
  CHECK(row.where() == gpu0);
  CHECK(scalar.where() == device{kind::gpu, 1});
  CHECK(planes.where() == device{kind::gpu, 1});
  CHECK(requested_by_name(rows) == "/GPU:1");
  CHECK(to_string(rows) == "[[1 2]\n [3 4]]");
  CHECK(to_string(planes) == "[[[1 2]]\n\n [[3 4]]]");
  CHECK(to_string(scalar) == "3");
}

TEST_CASE("an expression of tensors of one device runs there and its tensor is typed") {
  gpu_matrix const a{{1, 2}, {3, 4}}, b{{5, 6}, {7, 8}};
  with_device const scope("/cpu:0");
  tensor const c = relu(a * b + 1.f);
  CHECK(std::is_same_v<decltype(c), gpu_matrix const>);
  CHECK(std::is_same_v<decltype(evaluate(a + b)), gpu_matrix>);
  CHECK(c.where() == device{kind::gpu, 1});
  CHECK(to_string(c) == "[[6 13]\n [22 33]]");
  CHECK(std::is_same_v<decltype(tensor(sum(a))), on_gpu1<extents<>>>);
  CHECK(plan_of(a + b).node("Add").why == reason::in_the_type);
}

TEST_CASE("fills and numbers beside typed tensors are computed on the device of these") {
  gpu_matrix const a{{1, 2}, {3, 4}};
  auto const e = a + softmax(constant(2.f, shape(2, 2)));  // a kernel without tensors
  for (plan_node const& n : plan_of(e)) CHECK(n.device == device{kind::gpu, 1});
  CHECK(plan_of(e).copies() == 0);
  std::size_t const before = all_copies().copies;
  tensor const typed = e;
  matrix<float> const open = e;
  CHECK(all_copies().copies == before);
  CHECK(typed.where() == device{kind::gpu, 1});
  CHECK(open.where() == device{kind::gpu, 1});
}

TEST_CASE("tensors of different devices leave the device of their expression open") {
  on_gpu0<dextents<1>> const a{1.f, 2.f};
  on_gpu1<dextents<1>> const b{3.f, 4.f};
  tensor const c = a + b;
  CHECK(std::is_same_v<decltype(c), tensor<float, dextents<1>> const>);
  CHECK(c.where() == gpu0);
  with_device const scope("/gpu:1");
  CHECK(tensor(a + b).where() == device{kind::gpu, 1});
  matrix<float> const open{{1, 2}};
  CHECK(std::is_same_v<decltype(tensor(open + a)), matrix<float>>);
}

TEST_CASE("the result's type takes precedence over operand types and scopes, and on() over all") {
  on_gpu0<dextents<1>> const a{1.f, 2.f};
  with_device const scope("/cpu:0");
  log_lines log;
  set_log_level(log_level::all);
  constexpr int line = __LINE__ + 1;
  on_gpu1<dextents<1>> x = a + 1.f;
  CHECK(x.where() == device{kind::gpu, 1});
  CHECK(requested_by_name(x) == "/GPU:1");
  CHECK(
      log.take_all().back() ==
      "placement: Add<float> [2] on /GPU:1 (simulated) (asked for /GPU:1: device in the type), copied 1 operand, 8 B "
      "at " __FILE__ ":" +
          std::to_string(line));
  tensor const y = on("/cpu:0", a + 1.f);
  CHECK(y.where() == cpu0);
  x = on("/gpu:0", a * 2.f);  // computed there, then copied to the device of x
  CHECK(x.where() == gpu0);
  set_log_level(log_level::fallback);
}

TEST_CASE("typed tensors convert to open ones and back, and share memory on the same device") {
  matrix<float> const open = copy_to("/gpu:1", matrix<float>{{1, 2}, {3, 4}});
  gpu_matrix const typed = open;
  CHECK(typed.data() == open.data());
  CHECK(requested_by_name(typed) == "/GPU:1");
  matrix<float> const again = typed;
  CHECK(again.data() == open.data());
  on_gpu0<dextents<2>> const moved = open;
  CHECK(moved.where() == gpu0);
  CHECK(moved.data() != open.data());
  CHECK(to_string(moved) == to_string(open));
  on_gpu1<extents<2, 2>> const fixed = open;
  CHECK(fixed.where() == device{kind::gpu, 1});
}

TEST_CASE("assigning to a typed tensor copies the value to its device") {
  gpu_matrix x{{1, 2}, {3, 4}};
  float const* const at = std::as_const(x).data();
  x = x * 2.f;
  CHECK(std::as_const(x).data() == at);  // in place
  x = matrix<float>{{1, 2}};
  CHECK(x.where() == device{kind::gpu, 1});
  CHECK(to_string(x) == "[[1 2]]");
  gpu_matrix y;
  CHECK(y.size() == 0);
  y = std::move(x);
  CHECK(to_string(y) == "[[1 2]]");
  CHECK(error_message<shape_error>([&] { static_cast<void>(x.read()); }) != "");
  slice(view(y), range{}, range{0, 1}) = 9.f;
  CHECK(to_string(y) == "[[9 2]]");
  CHECK(y.where() == device{kind::gpu, 1});
}

TEST_CASE(
    "a device in the type that does not exist is a fallback, or an error under hard placement") {
  using far = tensor<float, dextents<1>, dev<kind::gpu, 7>>;
  far const a{1.f, 2.f};
  CHECK(a.where() == gpu0);
  CHECK(requested_by_name(a) == "/GPU:7");
  with_device const scope("", hard_placement{});
  CHECK_THROWS_AS([&] { far const b = a + 1.f; }(), placement_error);
  CHECK_THROWS_AS([&] { tensor const b = a + 1.f; }(), placement_error);
}

namespace {
template <class X, class Y> int different_bits(X const& a, Y const& b) {
  int different = 0;
  for (index_t i = 0; i != static_cast<index_t>(a.size()); ++i)
    different += a.data()[i] == b.data()[i] ? 0 : 1;
  return different;
}
template <index_t N> void check_kernel_of_length() {
  using typed = tensor<float, extents<N>, dev<kind::cpu, 0>>;
  tensor<float, dextents<1>> const open = iota(N, 0.5f);
  typed const x = iota(extents<N>{}, 0.5f);
  typed y = log(x) * sqrt(x) + where(x > 9.f, floor(x), x % 3.f) + iota(extents<N>{}, 0.5f);
  tensor const expected =
      log(open) * sqrt(open) + where(open > 9.f, floor(open), open % 3.f) + open;
  CHECK(different_bits(y, expected) == 0);
  y = sqrt(y) + y;  // in place
  tensor const next = sqrt(expected) + expected;
  CHECK(different_bits(y, next) == 0);
}
}  // namespace
TEST_CASE("a length in the type gives the bits of a length that the program knows") {
  with_device const scope("/cpu:0");
  check_kernel_of_length<65>();
  check_kernel_of_length<67>();
  check_kernel_of_length<1023>();
  check_kernel_of_length<4096>();
}
