// Derivatives of activations, over random shapes and types.
#include <placement/gradient.hpp>

#include <placement/nets.hpp>
#include <support/random_derivatives.hpp>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::is_not_zero, test::random_unary, test::with_static;

TEST_CASE("Random derivatives of leaky_relu and elu", "[random]") {
  random_unary<float16>([](auto const& x) { return pl::leaky_relu(x, 0.25); },
                        {-2, 2, is_not_zero});
  random_unary<bfloat16>([](auto const& x) { return pl::elu(x, 1.5); }, {-2, 2, is_not_zero});
}
TEST_CASE("Random derivatives of silu and softplus", "[random]") {
  random_unary<float16, with_static>([](auto const& x) { return pl::silu(x); });
  random_unary<bfloat16>([](auto const& x) { return pl::softplus(x); });
}
TEST_CASE("Random derivatives of gelu", "[random]") {
  random_unary<float16>([](auto const& x) { return pl::gelu(x); });
  random_unary<bfloat16>([](auto const& x) { return pl::gelu<pl::gelu_form::tanh>(x); });
}
TEST_CASE("Random derivatives of dropout", "[random]") {
  pl::random_stream const key = pl::next_random_stream();
  random_unary<float16>([key](auto const& x) { return pl::dropout(x, 0.5, key); });
}
