// Device scopes as types: not constructible without a device, not copyable, not movable.
#include <placement/placement.hpp>

#include <cstddef>
#include <string>
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

static_assert(stays_where_it_is<name_scope>);
static_assert(!std::is_constructible_v<name_scope, std::nullptr_t>);

// No type converts implicitly to a scope.
static_assert(!std::is_convertible_v<char const*, with_device<>>);
static_assert(!std::is_convertible_v<device, with_device<>>);
static_assert(!std::is_convertible_v<char const*, name_scope>);
static_assert(std::is_constructible_v<with_device<>, char const*>);
static_assert(std::is_constructible_v<with_device<>, device>);

// A device that is given as a type is part of the scope's type.
static_assert(std::is_same_v<decltype(with_device(gpu<1>)), with_device<dev<kind::gpu, 1>>>);
static_assert(std::is_same_v<decltype(with_device(gpu<1>, strict)),
                             with_device<dev<kind::gpu, 1>, strict_t>>);
static_assert(std::is_same_v<decltype(with_device("/gpu:1")), with_device<>>);
static_assert(std::is_same_v<decltype(with_device(no_preference)), with_device<>>);

// A null pointer is no device name.
static_assert(!std::is_constructible_v<device_request, std::nullptr_t>);
static_assert(!std::is_constructible_v<with_device<>, std::nullptr_t>);
template <class Device>
constexpr bool takes_device = requires(Device d, tensor<float, dextents<1>> const& x) {
  on(d, x);
  copy_to(d, x);
  set_current_device(d);
};
static_assert(takes_device<char const*> && takes_device<device> && takes_device<std::string>);
static_assert(!takes_device<std::nullptr_t>);

// The parts of a name are views, so the text must outlive them.
template <class Text>
constexpr bool has_parts = requires(Text&& text) { parse_name(static_cast<Text&&>(text)); };
template <class Text>
constexpr bool has_local_parts =
    requires(Text&& text) { parse_local_name(static_cast<Text&&>(text)); };
static_assert(has_parts<std::string&> && has_parts<std::string const&>);
static_assert(has_parts<char const*> && has_parts<std::string_view>);
static_assert(!has_parts<std::string> && !has_parts<std::string const>);
static_assert(has_local_parts<std::string&> && !has_local_parts<std::string>);

// Indices go up to 2^31 - 1, in types too.
template <int Index> void write_on_gpu(tensor<float, dextents<1>> const& x) {
  with_device const scope(gpu<Index>);
  tensor const y = scope(relu(x));
  tensor const z = on(gpu<Index>, relu(y));
  tensor<float, dextents<1>, dev<kind::gpu, Index>> const there = z;
}
[[maybe_unused]] auto* const largest_of_24_bits = &write_on_gpu<16777214>;
[[maybe_unused]] auto* const beyond_24_bits = &write_on_gpu<16777215>;
[[maybe_unused]] auto* const largest = &write_on_gpu<2147483647>;

}  // namespace
