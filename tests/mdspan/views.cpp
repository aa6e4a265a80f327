// Tensors and std::mdspan on the same memory. A program of its own: Catch2 is built with another
// standard library than the one with <mdspan>.
#include <placement/interop/mdspan.hpp>
#include <placement/placement.hpp>

#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#if !defined(__cpp_lib_mdspan)
#  error "no mdspan"
#endif

namespace pl = placement;

namespace {

int failures = 0;
void check(bool holds, char const* what) {
  if (holds) return;
  ++failures;
  std::printf("failed: %s\n", what);
}

void an_mdspan_is_a_tensor_on_its_memory() {
  std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  std::mdspan const grid(numbers.data(), 2, 3);
  pl::tensor x = pl::from_mdspan(grid);
  check(x.data() == numbers.data(), "from_mdspan uses the memory");
  check(pl::to_string(x) == "[[1 2 3]\n [4 5 6]]", "from_mdspan has the elements");
  x *= 2.f;
  check(grid[1, 2] == 12, "writes reach the mdspan");
}
void a_left_layout_is_read_as_a_transpose() {
  std::vector<double> numbers{1, 2, 3, 4, 5, 6};
  std::mdspan<double, std::dextents<int, 2>, std::layout_left> const columns(numbers.data(), 2, 3);
  pl::tensor const x = pl::from_mdspan(columns);
  check(pl::to_string(x) == "[[1 3 5]\n [2 4 6]]", "layout_left is read in its shape");
  std::mdspan<double, std::dextents<int, 1>, std::layout_left> const row(numbers.data(), 6);
  check(pl::item(pl::sum(pl::from_mdspan(row))) == 21, "layout_left of rank 1 is a vector");
}
void static_extents_stay_static() {
  float numbers[6]{};
  std::mdspan<float, std::extents<int, 2, 3>> const grid(numbers);
  static_assert(std::is_same_v<decltype(pl::from_mdspan(grid))::extents_type, pl::extents<2, 3>>);
  std::mdspan<float, std::extents<int, 2, 3>, std::layout_left> const left(numbers);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(pl::from_mdspan(left).shape())>,
                               pl::extents<2, 3>>);
  pl::tensor<float, pl::extents<2, 3>> x = pl::zeros<float>(2, 3);
  static_assert(decltype(pl::to_mdspan(x))::static_extent(1) == 3);
  check(pl::to_mdspan(x).extent(0) == 2, "static extents are those of the tensor");
}
void a_tensor_is_an_mdspan_on_its_memory() {
  pl::tensor<int, pl::dextents<3>> x = pl::zeros<int>(2, 3, 4);
  auto const m = pl::to_mdspan(x);
  check(m.data_handle() == x.data(), "to_mdspan uses the memory");
  m[1, 2, 3] = 7;
  check(x(1, 2, 3) == 7, "writes reach the tensor");
  pl::tensor<int, pl::dextents<3>> const& same = x;
  static_assert(std::is_const_v<decltype(pl::to_mdspan(same))::element_type>);
  pl::tensor<float, pl::extents<>> const number = pl::sum(pl::tensor{1.f, 2.f});
  check(pl::to_mdspan(number)[] == 3, "a number is an mdspan of rank 0");
}
void errors_say_what_to_do() {
  pl::tensor<float, pl::dextents<1>> const x = pl::copy_to(pl::gpu0, pl::tensor{1.f});
  std::string text;
  try {
    static_cast<void>(pl::to_mdspan(x));
  } catch (pl::placement_error const& e) { text = e.what(); }
  check(
      text.starts_with("placement: to_mdspan of a tensor on /GPU:0: std::mdspan reads host memory. "
                       "Write copy_to(cpu0, x). At "),
      "the error of a tensor on a GPU");
}

}  // namespace

int main() {
  pl::set_simulated_gpus({.count = 1});
  pl::with_device const cpu("/cpu:0");
  an_mdspan_is_a_tensor_on_its_memory();
  a_left_layout_is_read_as_a_transpose();
  static_extents_stay_static();
  a_tensor_is_an_mdspan_on_its_memory();
  errors_say_what_to_do();
  std::printf("%d failed\n", failures);
  return failures;
}
