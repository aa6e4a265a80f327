/// A listener of a gradient_tape gets each gradient when it is complete.

#include <placement/gradient.hpp>

#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using namespace placement;

namespace {

using reals = tensor<float, dextents<1>>;
using number_of = tensor<float, extents<>>;

/// Keeps the gradients in the order in which they are complete, as text.
class collector final : public detail::gradient_listener {
 public:
  std::vector<std::string> texts;

  void complete(detail::buffer_ref const& gradient) override {
    auto g = detail::tensor_access::empty<reals>();
    detail::tensor_access::shape(g) = shape(static_cast<index_t>(gradient->size() / sizeof(float)));
    detail::tensor_access::elements(g) = gradient;
    texts.push_back(to_string(g));
  }
};

/// A tape that watches some tensors, with a listener.
struct listened_tape {
  collector seen;
  gradient_tape tape;

  template <class... P> explicit listened_tape(P const&... watched) {
    tape.listen(seen);
    tape.watch(watched...);
  }
};

TEST_CASE("Gradients are complete after the first statement that reads their tensor",
          "[gradient]") {
  reals const a{1, 2}, b{3, 5}, c{7, 11};
  listened_tape all(a, b, c);
  reals const h = a * b;
  reals const y = h * c + h;
  number_of const loss = sum(y + c * a);
  auto const [of_a, of_b, of_c] = all.tape.gradient(loss, a, b, c);
  // c is read by the second statement, a and b by the first.
  REQUIRE(all.seen.texts.size() == 3);
  CHECK(all.seen.texts[0] == to_string(of_c));
  CHECK(all.seen.texts[1] == to_string(of_a));
  CHECK(all.seen.texts[2] == to_string(of_b));
  CHECK(to_string(of_a) == "[31 71]");  // b (c + 1) + c
  CHECK(to_string(of_b) == "[8 24]");   // a (c + 1)
  CHECK(to_string(of_c) == "[4 12]");   // a b + a
}
TEST_CASE("A tensor that a loop reads has its gradient after the last pass back", "[gradient]") {
  reals const a{1, 2}, b{3, 5};
  listened_tape all(a, b);
  reals h = a;
  for (int i = 0; i != 3; ++i) h = h * b;
  number_of const loss = sum(h);
  auto const [of_a, of_b] = all.tape.gradient(loss, a, b);
  CHECK(to_string(of_a) == "[27 125]");
  CHECK(to_string(of_b) == "[27 150]");
  CHECK(all.seen.texts == std::vector<std::string>{to_string(of_a), to_string(of_b)});
}
TEST_CASE("Copies and assignments through views read their tensors", "[gradient]") {
  reals const a{1, 2}, b{3, 5};
  listened_tape all(a, b);
  reals h = copy_to(gpu0, a);
  reals const product = copy_to(cpu0, h) * b;
  reals y = product * a;
  view(y) = y + b;
  number_of const loss = sum(y);
  auto const [of_a, of_b] = all.tape.gradient(loss, a, b);
  CHECK(to_string(of_a) == "[6 20]");
  CHECK(to_string(of_b) == "[2 5]");
  CHECK(all.seen.texts == std::vector<std::string>{to_string(of_b), to_string(of_a)});
}
TEST_CASE("A gradient that nobody asks for is not given to a listener", "[gradient]") {
  reals const a{1, 2}, b{3, 5};
  listened_tape all(a, b);
  number_of const loss = sum(a * b);
  CHECK(to_string(all.tape.gradient(loss, b)) == "[1 2]");
  CHECK(all.seen.texts == std::vector<std::string>{"[1 2]"});
}

/// A record that adds to the gradient of a tensor without a call of note_read().
class silent_record final : public detail::tape_record {
 public:
  explicit silent_record(reals of) : of_(std::move(of)) {}
  void pull(detail::tape_core& core, std::uint32_t) const override {
    static_cast<gradient_tape&>(core).add(of_, of_ * 2.f);
  }

 private:
  reals of_;
};
TEST_CASE("A record that adds to a complete gradient is an error", "[gradient]") {
  reals const a{1, 2};
  listened_tape all(a);
  auto* const made = new silent_record(a);
  detail::record_ref const r(made);
  reals const x{1, 1};
  all.tape.add_record(*made, detail::tensor_access::elements(x),
                      &detail::functions_of<kernels_here, float>);
  number_of const loss = sum(x * a);
  CHECK_THROWS_AS(all.tape.gradient(loss, a), placement_error);
}

}  // namespace
