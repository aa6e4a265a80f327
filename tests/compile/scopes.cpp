// What scopes are as types: neither made without a device, nor copied, nor moved.
#include <placement/placement.hpp>

#include <type_traits>

namespace {

using namespace placement;

template <class Scope>
constexpr bool stays_where_it_is =
    !std::is_default_constructible_v<Scope> && !std::is_copy_constructible_v<Scope> &&
    !std::is_move_constructible_v<Scope> && !std::is_copy_assignable_v<Scope> &&
    !std::is_move_assignable_v<Scope>;

static_assert(stays_where_it_is<with_device<>>);
static_assert(stays_where_it_is<with_device<dev<kind::gpu, 1>>>);
static_assert(stays_where_it_is<with_device<dev<kind::gpu, 1>, strict_t>>);

// Nothing becomes a scope by itself.
static_assert(!std::is_convertible_v<char const*, with_device<>>);
static_assert(!std::is_convertible_v<device, with_device<>>);
static_assert(std::is_constructible_v<with_device<>, char const*>);
static_assert(std::is_constructible_v<with_device<>, device>);

// The device is in the type where it was given as one.
static_assert(std::is_same_v<decltype(with_device(gpu<1>)), with_device<dev<kind::gpu, 1>>>);
static_assert(std::is_same_v<decltype(with_device(gpu<1>, strict)),
                             with_device<dev<kind::gpu, 1>, strict_t>>);
static_assert(std::is_same_v<decltype(with_device("/gpu:1")), with_device<>>);

}  // namespace
