// The library's operators ignore other types. Argument-dependent lookup finds them for an iterator
// over a type of the library, through its template argument.
#include <placement/placement.hpp>

#include <vector>

using namespace placement;

template <class A, class B> concept has_plus = requires(A a, B b) { a + b; };
template <class A, class B> concept has_equal = requires(A a, B b) { a == b; };

using iterator = std::vector<device>::iterator;
static_assert(has_plus<iterator, int>);
static_assert(has_equal<iterator, iterator>);
static_assert(!has_plus<iterator, iterator>);
static_assert(!has_plus<device, int>);
static_assert(!has_equal<device, int>);
static_assert(!has_plus<tensor<float, dextents<1>>, iterator>);
static_assert(has_plus<tensor<float, dextents<1>>, int>);
