// PART: the name of this file's part.
#include "part.hpp"

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
      {address(
           &run_block<int, pl::bound_expr<false, pl::multiply_op, argument<int>, argument<int>>>),
       address(&reduce_fused<pl::sum_op<>, float, float>), address<softmax>(&softmax_fibers<false>),
       address<product_of_ints>(&multiply_chunk<int>)},
      PLACEMENT_VECTOR_BYTES};
}

}  // namespace processors
