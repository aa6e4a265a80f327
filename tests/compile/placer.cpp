// The placement rules, checked by the compiler: each row of the table, and the laws for every
// combination.
#include <support/placer_table.hpp>

namespace {

using namespace placement;

/// The line of the first row with another decision; 0 = none.
constexpr int first_wrong_row() {
  for (auto const& r : placer_table::rows)
    if (!(placer_table::decided(r) == r.expected)) return r.line;
  return 0;
}
static_assert(first_wrong_row() == 0);

constexpr int first_broken_law() {
  int law = 0;
  placer_table::each_combination(
      [&](auto const& r) { law = law != 0 ? law : placer_table::broken_law(r); });
  return law;
}
static_assert(first_broken_law() == 0);

// A rule can be tested at compile time in one line.
static_assert(place({device_spec(device{kind::gpu, 1}), request_source::scope, {true, true}},
                    {.gpus = 2}, {})
                  .device == device{kind::gpu, 1});
static_assert(to_string(reason::no_gpu_kernel) == "no GPU kernel for this op and element type");
static_assert(to_string(reason::not_compiled_here) ==
              "its GPU kernel was not compiled into this file, nor into another of this program");

}  // namespace
