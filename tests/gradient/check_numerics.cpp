/// check_numerics: as a function, and as a tape that looks at each statement and gradient.

#include <placement/gradient.hpp>
#include <placement/ops/complex.hpp>

#include <catch2/catch_test_macros.hpp>

#include <complex>
#include <limits>
#include <string>

using namespace placement;

namespace {

using reals = tensor<float, dextents<1>>;
using number_of = tensor<float, extents<>>;
float const inf = std::numeric_limits<float>::infinity();

template <class F> std::string message_of(F const& f) {
  try {
    f();
  } catch (numerics_error const& e) { return e.what(); }
  return "no error";
}
/// Whether a message begins with this, and names this file after it.
bool says(std::string const& message, std::string const& begin, std::string const& end) {
  auto const file = message.find("check_numerics.cpp:");
  return message.starts_with("placement: " + begin) && file != std::string::npos &&
         message.find(end, file) != std::string::npos;
}

TEST_CASE("check_numerics returns its operand, or names the first element that is no number",
          "[gradient]") {
  reals const x{1, 2, 3};
  reals const same = check_numerics(x);
  CHECK(same.data() == x.data());
  CHECK(to_string(check_numerics(x * 2.f)) == "[2 4 6]");
  reals const zeros{0, 1, 0};
  CHECK(says(message_of([&] { check_numerics(x / zeros, "the ratio"); }), "the ratio",
             " has 2 infinite elements in shape [3]; the first is element 0."));
  CHECK(says(message_of([&] { check_numerics(log(zeros - 1.f)); }), "a tensor",
             " has 2 NaN and 1 infinite elements in shape [3]; the first is element 0."));
  tensor<int, dextents<1>> const whole{1, 2};
  CHECK(to_string(check_numerics(whole)) == "[1 2]");
  reals const none = zeros_like(slice(x, range{0, 0}));
  CHECK(check_numerics(none).size() == 0);
}

TEST_CASE("check_numerics reads the elements of complex and 16-bit numbers, and of GPUs",
          "[gradient]") {
  tensor<float16, dextents<1>> const h = cast<float16>(reals{1, inf});
  CHECK_THROWS_AS(check_numerics(h), numerics_error);
  tensor<std::complex<float>, dextents<1>> const c{std::complex<float>(1, 2),
                                                   std::complex<float>(0, inf)};
  CHECK_THROWS_AS(check_numerics(c), numerics_error);
  with_device const scope("/gpu:1");
  reals const far = reals{1, 0} / reals{1, 0};
  REQUIRE(far.where().is_gpu());
  CHECK(says(message_of([&] { check_numerics(far); }), "a tensor", "1 NaN element in shape [2]"));
}

TEST_CASE("A tape with check_numerics names the first statement that made a NaN", "[gradient]") {
  for (char const* device : {"/cpu:0", "/gpu:0"}) {
    with_device const scope(device);
    reals const w{1, 2}, x{3, -1};
    gradient_tape tape(check_numerics, w);
    reals const h = w * x;
    reals y{5, 5};
    CHECK(says(message_of([&] { y = log(h) + 1.f; }), "Add",
               " has 1 NaN element in shape [2]; the first is element 1."));
    CHECK(to_string(y) == "[5 5]");  // as before
    number_of const loss = sum(square(h));
    CHECK(to_string(tape.gradient(loss, w)) == "[18 4]");
  }
}

TEST_CASE("A tape with check_numerics names the statement whose gradient is no number",
          "[gradient]") {
  reals const w{4, 0};
  {
    gradient_tape tape(check_numerics, w);
    reals const h = w * 1.f;
    number_of const loss = sum(sqrt(h));  // infinite at 0
    CHECK(says(message_of([&] { (void)tape.gradient(loss, w); }), "the derivative of Sum",
               " has 1 infinite element;"));
  }
  gradient_tape tape(check_numerics, w);
  number_of const loss = sum(sqrt(w));
  std::string const message = message_of([&] { (void)tape.gradient(loss, w); });
  CHECK(says(message, "the derivative of Sum", " has 1 infinite element; the first is element 1"));
}

TEST_CASE("A tape with check_numerics looks at sums of gradients", "[gradient]") {
  reals const w{0.5f, 0.25f};
  gradient_tape tape(check_numerics, w);
  number_of const a = sum(w * 2e38f);
  number_of const b = sum(w * 2e38f);
  number_of const loss = a * 0.5f + b;
  CHECK(to_string(tape.gradient(loss, w)) == "[3e+38 3e+38]");
  gradient_tape again(check_numerics, w);
  number_of const c = sum(w * 2e38f);
  number_of const d = sum(w * 2e38f);
  number_of const larger = c * 0.9f + d;
  CHECK(says(message_of([&] { (void)again.gradient(larger, w); }), "the derivative of Sum",
             " has 2 infinite elements; the first is element 0"));
}

TEST_CASE("An outer tape with check_numerics sees the statements of inner tapes", "[gradient]") {
  reals const w{1, 0};
  gradient_tape outer(check_numerics, w);
  gradient_tape inner(w);
  CHECK_THROWS_AS(reals(1.f / w), numerics_error);
}

}  // namespace
