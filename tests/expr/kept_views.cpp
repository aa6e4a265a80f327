// Views kept in variables: they show the current elements of their tensor. After its shape changes,
// their use is an error.
#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>

using namespace placement;

namespace {

using floats = tensor<float, dextents<1>>;
using table = tensor<float, dextents<2>>;

/// The message of `op` for a view made at user.cpp:1, for a tensor with another shape.
std::string stale(std::string const& op, std::string const& made_for, std::string const& now) {
  return "placement: " + op + " uses a view made at user.cpp:1 for a tensor of shape " + made_for +
         ", which now has shape " + now +
         ". Make the view again after the tensor has got another shape.";
}
template <class T, class X> auto seen(tensor<T, X>& x) { return view(x, {"user.cpp", 1}); }

/// Checks the errors of a view of a table of shape [4, 6] whose shape has become [2, 2].
template <class View> void check_refused(table& x, View const& v) {
  std::string const assigned = stale("Assign at user.cpp:2", "[4, 6]", "[2, 2]");
  x = iota(shape(2, 2), 0.f);
  auto const message = [](auto use) { return error_message<shape_error>(use); };
  if constexpr (requires { v = 1.f; }) {
    if constexpr (View::is_view) {
      CHECK(message([&] { v = 7.f; }) == assigned);
      CHECK(message([&] { v = v * 2.f; }) == assigned);
      CHECK(message([&] { v += 1.f; }) == assigned);
    }
  }
  auto const of = [](char const* op) { return stale(op, "[4, 6]", "[2, 2]"); };
  site const at{"user.cpp", 5};
  CHECK(message([&] { evaluate(relu(v, at)); }) == of("Relu at user.cpp:5"));
  CHECK(message([&] { item(sum(v, at)); }) == of("Sum at user.cpp:5"));
  CHECK(message([&] { static_cast<void>(plan_of(relu(v, at))); }) == of("Relu at user.cpp:5"));
  CHECK(message([&] {
          tensor<float, typename View::extents_type> out = zeros<float>(v.shape());
          evaluate(into(out) = relu(v, at));
        }) == of("Relu at user.cpp:5"));
  CHECK(to_string(x) == "[[0 1]\n [2 3]]");
}

}  // namespace

TEST_CASE("every kind of view is an error to use once its tensor has another shape") {
  for (char const* d : {"/cpu:0", "/gpu:1"}) {
    with_device const scope(device_request(d, {"user.cpp", 2}));
    auto const check = [](auto make) {
      table x = iota(shape(4, 6), 0.f);
      check_refused(x, make(seen(x)));
    };
    check([](auto x) { return slice(x, range{2, 4}, range{3, 6}); });
    check([](auto x) { return slice(x, range{.step = -1}); });
    check([](auto x) { return transpose(x); });
    check([](auto x) { return permute<1, 0>(x); });
    check([](auto x) { return permute(x, 1, 0); });
    check([](auto x) { return reverse(x, axis<1>); });
    check([](auto x) { return diagonal(x); });
    check([](auto x) { return expand_dims(x, axis<0>); });
    check([](auto x) { return squeeze(slice(x, range{3, 4}), axis<0>); });
    check([](auto x) { return split<2>(x)[1]; });
    check([](auto x) { return reshape(x, shape(2, 12)); });
    check([](auto x) { return reshape<24>(x); });
    check([](auto x) { return flatten(x); });
    check([](auto x) { return broadcast_to(x, shape(3, 4, 6)); });
    check([](auto x) { return transpose(slice(reverse(x, 0), range{1, 3})); });
  }
}

TEST_CASE("a product that reads a view of a tensor with another shape is an error") {
  table x = iota(shape(4, 6), 0.f);
  table const w = ones<float>(4, 2);
  auto const v = transpose(seen(x));
  auto const product = matmul(v, w, {"user.cpp", 5});
  x = w;
  CHECK(error_message<shape_error>([&] { evaluate(product); }) ==
        stale("MatMul at user.cpp:5", "[4, 6]", "[4, 2]"));
}

TEST_CASE("a whole view is also valid for one shape only") {
  floats x{1.f, 2.f, 3.f};
  auto const v = seen(x);
  x = floats{4.f};
  CHECK(v.shape() == shape(3));
  CHECK(error_message<shape_error>([&] { v = 7.f; }) == stale("Assign", "[3]", "[1]"));
  CHECK(error_message<shape_error>([&] { v = floats{1.f}; }) == stale("Assign", "[3]", "[1]"));
  CHECK(error_message<shape_error>([&] { floats const y(v, {"user.cpp", 4}); }) ==
        stale("Copy at user.cpp:4", "[3]", "[1]"));
  CHECK(error_message<shape_error>([&] { item(v, {"user.cpp", 4}); }) ==
        "placement: item() of shape [3] is not one element. Reduce it first, as with sum(x), or "
        "use read(). At user.cpp:4.");
  floats one{1.f};
  auto const single = seen(one);
  one = floats{1.f, 2.f};
  CHECK(error_message<shape_error>([&] { item(single, {"user.cpp", 4}); }) ==
        stale("item() at user.cpp:4", "[1]", "[2]"));
  CHECK(to_string(x) == "[4]");
}

TEST_CASE("an expression that reads a stale view throws before anything is written") {
  floats x{1.f, 2.f, 3.f}, y{0.f, 0.f};
  auto const v = slice(seen(x), range{1, 3});
  x = floats{4.f};
  CHECK(error_message<shape_error>([&] { view(y) = v; }) != "");
  CHECK(error_message<shape_error>([&] { y = v; }) != "");
  CHECK(error_message<shape_error>([&] { y += v; }) != "");
  CHECK(to_string(y) == "[0 0]");
}

TEST_CASE("using a view of a moved-from tensor is an error") {
  floats x = iota(1000, 0.f);
  auto const v = slice(view(x), range{300, 600});
  auto const w = view(x);
  floats y = std::move(x);
  auto const moved = [](std::string const& op) {
    return "placement: " + op +
           " uses a tensor that has no elements: it was moved from. Assign to it before it is read.";
  };
  CHECK(error_message<shape_error>([&] { v = 7.f; }) == moved("Assign"));
  CHECK(error_message<shape_error>([&] { w = y; }) == moved("Assign"));
  CHECK(error_message<shape_error>([&] { evaluate(relu(v, {"user.cpp", 4})); }) ==
        moved("Relu at user.cpp:4"));
  CHECK(error_message<shape_error>([&] { static_cast<void>(explain(exp(w, {"user.cpp", 4}))); }) ==
        moved("Exp at user.cpp:4"));
  x = y;
  v = 7.f;
  CHECK(item(sum(slice(x, range{300, 302}))) == 14.f);
  CHECK(item(sum(slice(y, range{300, 302}))) == 601.f);
}

TEST_CASE("a view shows the current elements of its tensor while that has the same shape") {
  floats x{1.f, 2.f, 3.f};
  auto const v = slice(view(x), range{1, 3});
  x = floats{4.f, 5.f, 6.f};
  CHECK(to_string(floats(v)) == "[5 6]");
  x = iota(7, 0.f);
  x = x * 0.f;
  CHECK(error_message<shape_error>([&] { v = 1.f; }) != "");
  x = iota(3, 0.f);
  v = 9.f;
  CHECK(to_string(x) == "[0 9 9]");
}

TEST_CASE("stale views of typed tensors are errors too; a static shape does not change") {
  tensor<float, dextents<1>, dev<kind::gpu, 1>> x = iota(5, 0.f);
  auto const v = slice(seen(x), range{3, 5});
  x = iota(2, 0.f);
  CHECK(error_message<shape_error>([&] { v = 1.f; }) == stale("Assign", "[5]", "[2]"));

  tensor<float, extents<100>, dev<kind::cpu, 0>> s = iota(100, 0.f);
  auto const last = slice(seen(s), range{98, 100});
  s = s * 2.f;
  last = 1.f;
  CHECK(item(sum(s)) == 4950 * 2 - 98 * 2 - 99 * 2 + 2);
  auto const taken = std::move(s);
  CHECK(error_message<shape_error>([&] { last = 1.f; }) != "");
}
