#pragma once
/// Convolutions and pools by plain loops over each element, in double.

#include <placement/placement.hpp>
#include <placement/shape/window.hpp>

#include <string>
#include <vector>

/// Numbers of a test, the same in each run.
class test_numbers {
 public:
  explicit test_numbers(unsigned seed) : state_(seed * 2654435761u + 1) {}
  /// A number from `least` to `most`.
  placement::index_t next(placement::index_t least, placement::index_t most) {
    state_ = state_ * 1664525u + 1013904223u;
    return least +
           static_cast<placement::index_t>((state_ >> 8) % static_cast<unsigned>(most - least + 1));
  }

 private:
  unsigned state_;
};

/// An array of rank 4.
struct image_array {
  placement::index_t n[4];
  std::vector<double> v;

  explicit image_array(placement::dextents<4> const& x)
      : n{x.n[0], x.n[1], x.n[2], x.n[3]}, v(x.count()) {}
  placement::dextents<4> shape() const { return {{n[0], n[1], n[2], n[3]}}; }
  double& at(placement::index_t a, placement::index_t b, placement::index_t c,
             placement::index_t d) {
    return v[static_cast<std::size_t>(((a * n[1] + b) * n[2] + c) * n[3] + d)];
  }
  /// Integers from -3 to 3, whose sums of products are exact in every type that holds them.
  image_array& fill(test_numbers& drawn) {
    for (double& x : v) x = static_cast<double>(drawn.next(-3, 3));
    return *this;
  }
  template <class T> placement::tensor<T, placement::dextents<4>> as() const {
    std::vector<T> all;
    for (double x : v) all.push_back(static_cast<T>(static_cast<float>(x)));
    return placement::from(all.data(), shape());
  }
};

/// The extents that a window gives one dimension, by TensorFlow's rule for "SAME".
struct slid {
  placement::index_t out, before;

  slid(placement::index_t in, placement::index_t taps, placement::index_t stride,
       placement::index_t dilation, bool is_same, placement::index_t top,
       placement::index_t bottom) {
    placement::index_t const reach = (taps - 1) * dilation + 1;
    if (is_same) {
      out = (in + stride - 1) / stride;
      placement::index_t const rest = in % stride == 0 ? reach - stride : reach - in % stride;
      before = rest > 0 ? rest / 2 : 0;
    } else {
      before = top;
      out = in + top + bottom < reach ? 0 : (in + top + bottom - reach) / stride + 1;
    }
  }
};

/// One convolution, with its extents.
struct conv_loops {
  placement::conv2d_options o;
  placement::dextents<4> x, w;
  slid rows, columns;

  conv_loops(placement::dextents<4> const& images, placement::dextents<4> const& filter,
             placement::conv2d_options const& options)
      : o(options),
        x(images),
        w(filter),
        rows(x.n[1], w.n[0], o.strides.height, o.dilations.height, o.padding.is_same, o.padding.top,
             o.padding.bottom),
        columns(x.n[2], w.n[1], o.strides.width, o.dilations.width, o.padding.is_same,
                o.padding.left, o.padding.right) {}

  placement::dextents<4> y() const { return {{x.n[0], rows.out, columns.out, w.n[3]}}; }

  /// Calls f(x, w, y) with the elements of each product: of the images, the filter and the result.
  template <class F>
  void each_product(image_array& images, image_array& filter, image_array& result,
                    F const& f) const {
    using placement::index_t;
    index_t const filters = w.n[3] / o.groups;
    for (index_t n = 0; n != x.n[0]; ++n)
      for (index_t i = 0; i != rows.out; ++i)
        for (index_t j = 0; j != columns.out; ++j)
          for (index_t ky = 0; ky != w.n[0]; ++ky)
            for (index_t kx = 0; kx != w.n[1]; ++kx) {
              index_t const r = i * o.strides.height + ky * o.dilations.height - rows.before;
              index_t const c = j * o.strides.width + kx * o.dilations.width - columns.before;
              if (r < 0 || r >= x.n[1] || c < 0 || c >= x.n[2]) continue;
              for (index_t k = 0; k != w.n[2]; ++k)
                for (index_t m = 0; m != w.n[3]; ++m)
                  f(images.at(n, r, c, m / filters * w.n[2] + k), filter.at(ky, kx, k, m),
                    result.at(n, i, j, m));
            }
  }
  image_array forward(image_array images, image_array filter) const {
    image_array out(y());
    each_product(images, filter, out,
                 [](double image, double weight, double& to) { to += image * weight; });
    return out;
  }
  image_array input_gradient(image_array filter, image_array g) const {
    image_array out(x);
    each_product(out, filter, g,
                 [](double& to, double weight, double from) { to += from * weight; });
    return out;
  }
  image_array filter_gradient(image_array images, image_array g) const {
    image_array out(w);
    each_product(images, out, g, [](double image, double& to, double from) { to += from * image; });
    return out;
  }
};

/// The first difference to expected elements, rounded to T. Empty if there is none.
template <class E> std::string image_difference(E const& e, image_array const& expected) {
  placement::tensor const got(e);
  using T = typename decltype(got)::value_type;
  if (to_string(got.shape()) != to_string(expected.shape()))
    return "shape " + to_string(got.shape()) + ", not " + to_string(expected.shape());
  auto const h = got.read();
  for (std::size_t i = 0; i != h.size(); ++i) {
    auto const wanted = static_cast<T>(static_cast<float>(expected.v[i]));
    if (!(h[i] == wanted))
      return "[" + std::to_string(i) + "] is " + std::to_string(static_cast<double>(h[i])) +
             ", not " + std::to_string(static_cast<double>(wanted));
  }
  return {};
}
