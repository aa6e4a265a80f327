#pragma once
/// Checks casts of edge values.

#include <placement/ops/cast.hpp>
#include <support/elementwise.hpp>

#include <vector>

/// Checks cast<To> of every edge value of From against expected(value). Where an expression of
/// one of the types is not evaluated, the op is called with the values.
template <class To, class From> void check_cast(To (*expected)(From)) {
  if constexpr (is_evaluated<From> && is_evaluated<To>) {
    check_unary<From>([](auto const& x) { return placement::cast<To>(x); }, expected);
  } else {
    INFO("from " << placement::element_name<From>() << " to " << placement::element_name<To>());
    std::vector<To> got, results;
    for (From v : edge_values<From>()) {
      got.push_back(placement::cast_op<To>{}(v));
      results.push_back(expected(v));
    }
    CHECK(test::first_difference(got, results) == "");
  }
}
