// Conversions and constructors that are declared only for their error messages. Overload resolution
// and traits must not be affected otherwise.
#include <placement/placement.hpp>

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

namespace rejected_conversions {

using namespace placement;

using vector_of = tensor<float, dextents<1>>;
using matrix_of = tensor<float, dextents<2>>;
extern matrix_of const a;
using sum_of_two = decltype(a + a);
using comparison = decltype(a == a);
using scalar_of = decltype(sum(a));

// Overload resolution finds an overload for tensors beside one for numbers, and the tensor of the
// right rank beside others.
int norm(double);
matrix_of norm(matrix_of const&);
static_assert(requires(sum_of_two const& x) {
  { norm(x) } -> std::same_as<matrix_of>;
});
static_assert(requires(matrix_of const& x) {
  { norm(x) } -> std::same_as<matrix_of>;
});
int choose(double);
int choose(int);
tensor<bool, dextents<2>> choose(tensor<bool, dextents<2>> const&);
static_assert(requires(comparison const& x) {
  { choose(x) } -> std::same_as<tensor<bool, dextents<2>>>;
});

void by_rank(vector_of const&);
void by_rank(matrix_of const&);
static_assert(requires(tensor<float, extents<3>> const& x) { by_rank(x); });
static_assert(requires(tensor<float, extents<2, dyn>> const& x) { by_rank(x); });
static_assert(requires(tensor<float, extents<2, 2>, dev<kind::cpu, 0>> const& x) { by_rank(x); });
static_assert(requires(tensor<float, dextents<2>, dev<kind::gpu, 0>> const& x) { by_rank(x); });

void by_element(tensor<float, dextents<1>> const&);
void by_element(tensor<double, dextents<1>> const&);
static_assert(requires(tensor<double, extents<3>> const& x) { by_element(x); });

// Expressions of rank 1 or more do not convert to numbers, and those of numbers do not convert to
// bool.
static_assert(!std::is_convertible_v<sum_of_two, float>);
static_assert(!std::is_convertible_v<sum_of_two, double>);
static_assert(!std::is_convertible_v<sum_of_two, bool>);
static_assert(!std::is_convertible_v<comparison, float>);
static_assert(!std::is_convertible_v<comparison, int>);
static_assert(!std::is_convertible_v<scalar_of, std::string>);
static_assert(!std::is_convertible_v<sum_of_two, std::vector<float>>);
// These conversions exist for their error messages.
static_assert(std::is_convertible_v<comparison, bool>);
static_assert(std::is_constructible_v<bool, sum_of_two>);
static_assert(std::is_convertible_v<scalar_of, float>);
static_assert(std::is_convertible_v<matrix_of, float>);

// Sizes do not grow, and moves stay noexcept.
static_assert(std::is_nothrow_move_constructible_v<matrix_of>);
static_assert(sizeof(vector_of) == 2 * sizeof(void*) + sizeof(index_t));

// Braces contain elements, also of a single row; parentheses would contain extents.
static_assert(std::is_same_v<decltype(tensor{2, 3}), tensor<int, dextents<1>>>);
static_assert(std::is_same_v<decltype(tensor{3}), tensor<int, dextents<1>>>);
static_assert(std::is_same_v<decltype(tensor{{2, 3}}), tensor<int, dextents<2>>>);
static_assert(std::is_same_v<decltype(tensor{{{2.f}}}), tensor<float, dextents<3>>>);
static_assert(std::is_same_v<decltype(tensor(2.f, 3.f)), vector_of>);
static_assert(std::is_same_v<decltype(tensor{a}), matrix_of>);
static_assert(std::is_same_v<decltype(tensor{a + a}), matrix_of>);

}  // namespace rejected_conversions
