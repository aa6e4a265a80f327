// Argument-dependent lookup of a call with a type of the library does not search detail. Functions
// of a program with a name of detail are not ambiguous.
#include <placement/gradient.hpp>
#include <placement/placement.hpp>

#include <placement/fft.hpp>
#include <placement/interop/file.hpp>
#include <placement/interop/graph.hpp>
#include <placement/nets.hpp>
#include <placement/nn.hpp>
#include <placement/ops/bitwise.hpp>
#include <placement/ops/cumulative.hpp>
#include <placement/ops/diag.hpp>
#include <placement/ops/dot.hpp>
#include <placement/ops/einsum.hpp>
#include <placement/ops/embedding.hpp>
#include <placement/ops/flip.hpp>
#include <placement/ops/linspace.hpp>
#include <placement/ops/logsumexp.hpp>
#include <placement/ops/moveaxis.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/nan_to_num.hpp>
#include <placement/ops/norm.hpp>
#include <placement/ops/pad.hpp>
#include <placement/ops/repeat.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/take.hpp>
#include <placement/ops/tile.hpp>
#include <placement/ops/tril.hpp>

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {
template <class X> std::true_type function_of_detail(X const&);
}}}  // namespace placement::v0_1::detail

namespace program {

struct anything {
  template <class X> anything(X const&);
};
std::false_type function_of_detail(anything);

template <class... X>
constexpr bool finds_none = (!decltype(function_of_detail(std::declval<X const&>()))::value && ...);

// A template of a program, without a constraint, with a name of a template of detail.
template <class E> int shape_of(E const&) { return 1; }
template <class E> int unplaced(E const&) { return 2; }

using namespace placement;

using matrix = tensor<float, dextents<2>>;
using numbers = tensor<std::int64_t, dextents<2>>;
using images = tensor<float, dextents<4>>;
using waves = tensor<std::complex<float>, dextents<1>>;
using halves = tensor<float16, dextents<2>>;
using fixed = tensor<double, extents<4, 2>, dev<kind::cpu, 0>>;

int calls(matrix const& x) { return shape_of(sum(x, axis<0>)) + unplaced(argmax(x)); }

static_assert(
    finds_none<matrix, numbers, images, waves, halves, fixed, bfloat16, device, extents<2>>);
static_assert(
    finds_none<invalid_argument, shape_error, placement_error, out_of_memory, file_error>);
static_assert(finds_none<gradient_tape, graph, nn::dense<3>, nn::conv2d<3, 3, 3>, nn::dropout>);

template <class... X> std::bool_constant<finds_none<X...>> types_of(X const&...);

void element_wise(matrix const& x, numbers const& n, halves const& h, fixed const& f,
                  waves const& w) {
  static_assert(decltype(types_of(
      x + 1, 2 * x - x / x, -x, x > 0, x == x && x != x, n << 1, n >> n, ~n, n & 1, n % 3, relu(x),
      where(x > 0, x, 0), clamp(x, 0, 1), maximum(x, 0), cast<float16>(x), cast<float>(h),
      pow(x, 2), exp(x) * tanh(x), nan_to_num(x), logical_not(x > 0), is_nan(x), copysign(x, x),
      f + f, f * 2 + square(f), h + h, modulo(x, x), floor_divide(n, n), next_after(x, x), abs(w),
      real(w), conj(w) * w))::value);
}

void reductions(matrix const& x, numbers const& n) {
  static_assert(decltype(types_of(
      sum(x), sum(x, axis<0>), sum(x, 0), sum(x, axis<0, 1>), sum(x, keep_dim(axis<1>)), mean(x, 1),
      max(x, 0), min(x), prod(x), any(x > 0), all(x > 0, axis<1>), argmax(x, 0), argmin(x),
      count_nonzero(n), nanmax(x), nanmin(x, 0), nansum(x), nanmean(x), norm(x), variance(x, 0),
      std_dev(x), logsumexp(x, axis<1>), cumsum(x, 0), cumprod(x, 0), cummax(x, 0), cummin(x, 0),
      softmax(x), log_softmax(x), dot(x, x)))::value);
}

void views(matrix& m, matrix const& x, images const& i, numbers const& n) {
  static_assert(decltype(types_of(
      view(m), transpose(x), permute<1, 0>(x), permute(x, 1, 0), moveaxis(x, 0, 1),
      swapaxes(x, 0, 1), slice(x, 0, 1), slice(view(m), range{.step = 2}), flip(x, 0), diagonal(x),
      diag(x), reshape<4>(x), flatten(i), expand_dims(x, 0), squeeze(x, axis<0>),
      broadcast_to(x, dextents<3>{}), roll(x, 1, 0), tile(x, 2), repeat(x, 2, 0), pad(x, 1),
      tril(x), triu(x), stack(axis<0>, x, x), concat(axis<0>, x, x), gather(x, n), take(x, n, 0),
      embedding_lookup(x, n), reverse(x, 0)))::value);
}

void nets(images const& x, images const& w, matrix const& m, tensor<int, dextents<1>> const& labels,
          waves const& f) {
  static_assert(decltype(types_of(
      conv2d(x, w), conv2d(x, w, conv2d_options{}), relu(conv2d(x, w) + 1), max_pool2d(x),
      avg_pool2d(x), max_pool2d(relu(conv2d(x, w))), matmul(m, m), relu(matmul(m, m) + 1),
      einsum<"ij,jk->ik">(m, m), softmax_cross_entropy(m, labels), mse(m, m), huber(m, m),
      l2_loss(m), layer_norm(m), gelu(m), fft(f), ifft(f, 0), fft2(m), iota(extents<3>{}, 0.f),
      linspace(0.f, 1.f, 5), uniform<float>(extents<3>{}), one_hot<float>(labels, 3),
      m + 0))::value);
  auto const a = leaf<0>(m);
  static_assert(decltype(types_of(
      a, sum(a * a), gradient<0>(sum(tanh(a) * a)), gradient<0>(sum(matmul(a, m))),
      stop_gradient(m), gradient<0>(sum(slice(a, 0, 1))), gradient<0>(sum(max(a, axis<1>))),
      gradient<0>(sum(cumsum(a, 0))), tanh(a)))::value);
}

}  // namespace program
