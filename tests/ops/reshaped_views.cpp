// Reshapes of views that are not contiguous: their elements are copied in runs, or in the shape of
// the view.
#include <placement/placement.hpp>

#include <support/elementwise.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

using namespace placement;

namespace {

/// Elements of each size in nightly runs.
using of_sizes =
    types_of_run<types<float, double, signed char, float16>, types<float, signed char>>;

/// A reshape of a view in expressions: to the bit what the copied view gives.
template <class V, index_t... N> void check_reshaped(V const& view, extents<N...> x) {
  tensor const copied = view;
  tensor const plain = reshape(copied, x);
  auto const same = [&](auto const& got, auto const& expected) {
    tensor const a = got, b = expected;
    REQUIRE(a.shape() == b.shape());
    index_t wrong = 0;
    for (index_t i = 0; i != static_cast<index_t>(a.size()); ++i)
      wrong += a.data()[i] == b.data()[i] ? 0 : 1;
    CHECK(wrong == 0);
  };
  same(reshape(view, x), plain);
  if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(plain.data()[0])>, float>) return;
  same(reshape(view, x) + plain, plain + plain);
  same(reshape(view, x) - reshape(reverse(view, axis<0>), x),
       plain - reshape(tensor(reverse(view, axis<0>)), x));
  same(transpose(reshape(view, x)), transpose(plain));
  same(slice(reshape(view, x), range(1, 3)), slice(plain, range(1, 3)));
  same(slice(reshape(view, x), everything, range(1, 4)), slice(plain, everything, range(1, 4)));
  same(reverse(reshape(view, x), axis<1>), reverse(plain, axis<1>));
  same(sum(reshape(view, x), axis<1>), sum(plain, axis<1>));
  same(max(reshape(view, x), axis<0>), max(plain, axis<0>));
  auto target = tensor(plain + plain);
  slice(placement::view(target), range(1, 3)) = slice(reshape(view, x), range(1, 3));
  same(slice(target, range(1, 3)), slice(plain, range(1, 3)));
  target = target * plain + reshape(view, x);
  auto const between = shape(2, plain.size() / 2);
  same(reshape(reshape(view, between), x), plain);
  same(sum(reshape(reshape(reshape(view, between), shape(plain.size())), x), axis<0>),
       sum(plain, axis<0>));
  same(reshape(reverse(reshape(view, between), axis<1>), x),
       reshape(tensor(reverse(reshape(copied, between), axis<1>)), x));
  tensor const reshaped_twice = reshape(transpose(reshape(view, x)), shape(plain.size()));
  same(reshaped_twice, reshape(tensor(transpose(plain)), shape(plain.size())));
}

template <class T> void check_reshapes_of_views() {
  tensor const n = iota(70 * 66, 0);
  auto const m = tensor(cast<T>(reshape(n, shape(70, 66)) % 100));
  check_reshaped(transpose(m), shape(33, 140));
  check_reshaped(transpose(m), shape(1155, 4));
  check_reshaped(slice(m, range(0, 70), range(2, 62)), shape(14, 300));
  check_reshaped(slice(m, range(3, 67), range(1, 66)), shape(65, 64));
  check_reshaped(reverse(m, axis<1>), shape(10, 462));
  check_reshaped(reverse(transpose(m), axis<0>), shape(10, 462));
  check_reshaped(permute<1, 3, 0, 2>(reshape(m, shape(7, 10, 11, 6))), shape(60, 77));
  check_reshaped(permute<2, 0, 1>(reshape(m, shape(70, 66, 1))), shape(66, 70));
  check_reshaped(broadcast_to(slice(m, range(0, 1), range(0, 60)), shape(40, 60)), shape(30, 80));
  check_reshaped(transpose(cast<T>(reshape(iota(4620, 0), shape(70, 66)) % 90)), shape(44, 105));
}

}  // namespace
TEST_CASE("a reshape of a view that is not contiguous has the elements of the copied view") {
  each<of_sizes>([]<class T>() { check_reshapes_of_views<T>(); });
}

namespace {

template <class E> auto elements_of(E const& e) {
  tensor const t = copy_to("/cpu:0", e);
  return std::vector(t.data(), t.data() + t.size());
}
/// Patches of images as rows of a matrix, by reshapes and by loops.
template <class T>
void check_patches(index_t images, index_t channels, index_t high, index_t wide) {
  constexpr index_t down = 6, across = 5;
  auto const count = images * channels * down * high * across * wide;
  tensor const x = cast<T>(iota(count, 0) % 101);
  std::vector<T> const from = elements_of(x);
  auto const matrix = shape(images * down * across, channels * high * wide);
  auto const split = shape(images, channels, down, high, across, wide);
  auto const rows = elements_of(reshape(permute<0, 2, 4, 1, 3, 5>(reshape(x, split)), matrix));
  tensor target = cast<T>(reshape(iota(2 * count, 0) % 7, shape(matrix.at(0), 2 * matrix.at(1))));
  slice(view(target), everything, range{0, 2 * matrix.at(1), 2}) =
      reshape(permute<0, 2, 4, 1, 3, 5>(reshape(x, split)), matrix);
  // channels last: rows of the patches are contiguous
  auto const last = shape(images, down, high, across, wide * channels);
  auto const beside = elements_of(reshape(permute<0, 1, 3, 2, 4>(reshape(x, last)), matrix));
  auto const backwards =
      elements_of(reshape(reverse(permute<0, 1, 3, 2, 4>(reshape(x, last)), axis<3>), matrix));
  auto const written = elements_of(target);
  index_t wrong = 0;
  auto const at = [&](index_t i) { return from[static_cast<std::size_t>(i)]; };
  std::size_t to = 0;
  for (index_t i = 0; i != images; ++i)
    for (index_t r = 0; r != down; ++r)
      for (index_t p = 0; p != across; ++p) {
        std::size_t first = to;
        for (index_t c = 0; c != channels; ++c)
          for (index_t h = 0; h != high; ++h)
            for (index_t w = 0; w != wide; ++w, ++to) {
              T const e =
                  at((((i * channels + c) * down + r) * high + h) * across * wide + p * wide + w);
              wrong += rows[to] == e ? 0 : 1;
              wrong += written[2 * to] == e ? 0 : 1;
            }
        for (index_t h = 0; h != high; ++h)
          for (index_t w = 0; w != wide * channels; ++w, ++first) {
            index_t const line = (i * down + r) * high;
            index_t const column = p * wide * channels + w, n = across * wide * channels;
            wrong += beside[first] == at((line + h) * n + column) ? 0 : 1;
            wrong += backwards[first] == at((line + high - 1 - h) * n + column) ? 0 : 1;
          }
      }
  INFO(images << " images, " << channels << " channels, windows " << high << " x " << wide);
  CHECK(wrong == 0);
}
template <class T> void check_all_patches() {
  for (index_t const images : {1, 40})
    for (index_t const channels : {1, 3, 4, 9})
      for (index_t const window : {1, 2, 3, 4, 8, 16}) {
        check_patches<T>(images, channels, window, window);
        check_patches<T>(images, channels, 5, window);
      }
}

}  // namespace
TEST_CASE("patches of images are copied to the rows of a matrix") {
  for (char const* const where : {"/cpu:0", "/gpu:1"}) {
    with_device const scope(where);
    INFO(where);
    each<of_sizes>([]<class T>() { check_all_patches<T>(); });
  }
}
