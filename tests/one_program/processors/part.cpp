// PART: the name of this file's part.
#include "part.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace processors {

namespace pl = placement;

namespace {

template <class Function> void (*address(Function* f))() { return reinterpret_cast<void (*)()>(f); }
template <class T> using argument = pl::detail::memory_slot<T>;

pl::vector<float> element_wise(pl::vector<float> const& x) { return pl::exp(x) * x + 1.f; }
pl::vector<int> integers(pl::vector<int> const& x) { return x * x / 3 + (x % 7); }
pl::vector<float> sums(pl::matrix<float> const& x) { return pl::sum(x * x, 1); }
pl::matrix<float> probabilities(pl::matrix<float> const& x) { return pl::softmax(x); }
pl::matrix<int> product(pl::matrix<int> const& x) { return pl::matmul(x, pl::transpose(x)); }

template <class T> int wrong_elements_of(pl::index_t n) {
  constexpr std::size_t beyond = 8;
  auto const size = static_cast<std::size_t>(n);
  std::vector<T> a(size), b(size), to(size + beyond, T{99});
  for (std::size_t i = 0; i != size; ++i) {
    a[i] = static_cast<T>(i % 11 + 1);
    b[i] = static_cast<T>(i % 7 + 2);
  }
  pl::tensor x = pl::borrow(a.data(), pl::shape(n)), y = pl::borrow(b.data(), pl::shape(n)),
             z = pl::borrow(to.data(), pl::shape(n));
  pl::view(z) = pl::maximum(x, y) * y - x;
  int wrong = 0;
  for (std::size_t i = 0; i != size; ++i)
    wrong += to[i] != static_cast<T>(std::max(a[i], b[i]) * b[i] - a[i]);
  for (std::size_t i = size; i != to.size(); ++i) wrong += to[i] != T{99};
  return wrong;
}
int wrong_elements(pl::index_t n) {
  return wrong_elements_of<float>(n) + wrong_elements_of<double>(n) +
         wrong_elements_of<std::int8_t>(n) + wrong_elements_of<std::uint16_t>(n) +
         wrong_elements_of<std::int32_t>(n) + wrong_elements_of<std::uint64_t>(n);
}

}  // namespace

part PART() {
  using namespace pl::detail;
  using rows = pl::dextents<2>;
  using product_of_ints =
      void(pl::index_t, pl::index_t, batch_of_products<int> const&, epilogue_callback const&);
  using softmax =
      void(pl::dense_view<float, rows> const&, pl::dense_view<float const, rows> const&, bool);
  return {
      element_wise,
      integers,
      sums,
      probabilities,
      product,
      wrong_elements,
      {address(
           &run_block<int, pl::bound_expr<false, pl::multiply_op, argument<int>, argument<int>>>),
       address(&reduce_fused<pl::sum_op<>, float, float>), address<softmax>(&softmax_fibers<false>),
       address<product_of_ints>(&multiply_chunk<int>)},
      PLACEMENT_VECTOR_BYTES};
}

}  // namespace processors
