// The name table, checked by the compiler: parsing, canonical forms, relations and merges are
// constant expressions.
#include <support/name_table.hpp>

#include <placement/device/device_spec.hpp>
#include <placement/device/literals.hpp>
#include <placement/device/names.hpp>
#include <placement/device/parse_name.hpp>
#include <placement/device/tag.hpp>

#include <cstddef>
#include <string_view>

namespace {

using namespace placement;
using namespace placement::literals;

/// A text of fixed capacity: older compilers have no std::string in constant expressions.
struct fixed_text {
  char text[256]{};
  std::size_t size = 0;

  constexpr void operator+=(std::string_view more) {
    for (char c : more) text[size++] = c;
  }
  constexpr std::string_view view() const { return {text, size}; }
};

constexpr bool prints(device_name const& name, std::string_view expected) {
  fixed_text text;
  detail::append_name(text, name);
  return text.view() == expected;
}

constexpr bool valid_names_are_read() {
  for (auto const& [text, canonical] : valid_names)
    if (!read_name(text).ok() || !prints(parse_name(text), canonical)) return false;
  for (auto const& [text, canonical] : valid_local_names)
    if (!read_local_name(text).ok() || !prints(parse_local_name(text), canonical)) return false;
  return true;
}
static_assert(valid_names_are_read());

constexpr bool canonical_forms_are_stable() {
  for (auto const& [text, canonical] : valid_names)
    if (parse_name(canonical) != parse_name(text)) return false;
  return true;
}
static_assert(canonical_forms_are_stable());

constexpr bool invalid_names_are_refused_at_their_column() {
  for (auto const& [text, column] : invalid_names)
    if (read_name(text).column != column) return false;
  for (auto const& [text, column] : invalid_local_names)
    if (read_local_name(text).column != column) return false;
  return true;
}
static_assert(invalid_names_are_refused_at_their_column());

constexpr bool relations_hold() {
  for (auto const& r : name_relations) {
    device_name const a = parse_name(r.a), b = parse_name(r.b);
    if (is_specification(a, b) != r.a_specifies_b) return false;
    if (is_compatible(a, b) != r.compatible || is_compatible(b, a) != r.compatible) return false;
    if (same_address_space(a, b) != r.same_space || same_address_space(b, a) != r.same_space)
      return false;
  }
  return true;
}
static_assert(relations_hold());

constexpr bool merges_hold() {
  for (auto const& m : name_merges) {
    device_name const a = parse_name(m.a), b = parse_name(m.b);
    if (m.strict != refused && !prints(merge_strict(a, b), m.strict)) return false;
    if (m.soft != refused && !prints(merge_soft(a, b), m.soft)) return false;
    if (m.other_wins != refused && !prints(merge_override(a, b), m.other_wins)) return false;
    if (!prints(merge_unset(a, b), m.unset_only)) return false;
    if (!prints(nest(a, b), m.nested)) return false;
  }
  return true;
}
static_assert(merges_hold());

// A device_spec nests as its name does.
constexpr bool local_wishes_nest_as_names() {
  constexpr std::string_view names[] = {"",       "/gpu:1",         "/gpu:*",        "/cpu:0",
                                        "/cpu:5", "/job:localhost", "/task:0/gpu:2", "/replica:0"};
  for (auto outer : names)
    for (auto inner : names) {
      device_name const a = parse_name(outer), b = parse_name(inner);
      if (nest(device_spec::of(a), device_spec::of(b)) != device_spec::of(nest(a, b))) return false;
      if (nest(device_spec::of(a), device_spec::of(b)).name() != nest(a, b)) return false;
    }
  return true;
}
static_assert(local_wishes_nest_as_names());

static_assert(!device_spec().has_value() && device_spec().is_local() && device_spec().bits() == 0);
static_assert(device_spec(device{kind::gpu, 3}) == device_spec::of(parse_name("/gpu:3")));
static_assert(device_spec(device{kind::gpu, 3}).local_device() == device{kind::gpu, 3});
static_assert(device_spec::of(parse_name("/device:GPU")).local_device() ==
              device{kind::gpu, any_index});
static_assert(device_spec::of(parse_name("/job:localhost/replica:0/task:0/gpu:1")).local_device() ==
              device{kind::gpu, 1});
static_assert((device_spec::of(parse_name("/job:localhost/replica:0/task:0/gpu:*")).bits() >> 29) ==
              0);
static_assert(sizeof(device_spec) == 4);
static_assert(!device_spec(device{kind::gpu, 3}).is_absolute() && !device_spec().is_absolute());
static_assert(device_spec::no_preference().is_absolute() &&
              device_spec::no_preference().relative() == device_spec());
static_assert(device_spec::no_preference().is_local() &&
              !device_spec::no_preference().local_device().has_value());
static_assert(device_spec(device{kind::gpu, 3}).is_one_device() && !device_spec().is_one_device());
static_assert(!device_spec(device{kind::gpu, any_index}).is_one_device());
static_assert(!device_spec(device{kind::gpu, 3}).is_of_another_task() &&
              !device_spec().is_of_another_task());
static_assert(device_spec::has_local_form({kind::gpu, 16777214}));
static_assert(!device_spec::has_local_form({kind::gpu, 16777215}));
static_assert(device_spec::has_local_form({kind::cpu, any_index}) &&
              device_spec::has_local_form({}));

// Tags and literals.
static_assert("/gpu:0"_dev == gpu<0>);
static_assert("/CPU:2"_dev == cpu<2>);
static_assert("gpu:1"_dev == gpu<1> && "CPU:0"_dev == cpu<0>);
static_assert("/gpu:2147483647"_dev == gpu<2147483647>);
static_assert("/device:GPU:*"_dev == gpu<any_index>);
static_assert("/job:localhost/replica:0/task:0/device:GPU:1"_dev == gpu<1>);
static_assert(""_dev == any_device{});
static_assert(static_cast<device>(gpu<1>) == device{kind::gpu, 1});
static_assert(device{kind::gpu, 1} == "/gpu:1"_dev);
static_assert(gpu0 == gpu<0> && gpu1 == gpu<1> && gpu2 == gpu<2> && gpu3 == gpu<3>);
static_assert(gpu4 == gpu<4> && gpu5 == gpu<5> && gpu6 == gpu<6> && gpu7 == gpu<7>);
static_assert(device_tag<dev<kind::gpu, 0>> && !device_tag<device> && !device_tag<int>);

}  // namespace
