#pragma once
/// Images of digits with their labels: real ones from two MNIST files, or generated ones.

#include "idx.hpp"

#include <placement/gradient.hpp>

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace mnist {

namespace pl = placement;
using matrix = pl::tensor<float, pl::dextents<2>>;
using scalar = pl::tensor<float, pl::extents<>>;
using classes = pl::tensor<int, pl::dextents<1>>;

inline constexpr pl::index_t side = 28, pixels = side * side, digit_count = 10;

/// Images as rows of pixels from 0 to 1, with their labels, in the memory of CPU:0.
struct digits {
  std::string source;
  matrix images;
  classes labels;

  pl::index_t size() const { return images.extent(0); }
};

namespace detail {

inline digits on_cpu(std::string source, std::vector<float> const& images,
                     std::vector<int> const& labels) {
  pl::with_device scope("/cpu:0");
  auto const n = static_cast<pl::index_t>(labels.size());
  return {std::move(source), pl::from(images, pl::shape(n, pixels)), pl::from(labels)};
}

/// Draws a digit from a font of 5 x 7 dots, three pixels wide each, at a random position.
inline void draw(int digit, float* image, std::mt19937& random) {
  constexpr std::array<char const*, 10> font{
      "01110100011001110101110011000101110", "00100011000010000100001000010001110",
      "01110100010000100010001000100011111", "11111000100010000010000011000101110",
      "00010001100101010010111110001000010", "11111100001111000001000011000101110",
      "00110010001000011110100011000101110", "11111000010001000100010000100001000",
      "01110100011000101110100011000101110", "01110100011000101111000010001001100"};
  char const* const dots = font[static_cast<std::size_t>(digit)];
  auto const left = static_cast<pl::index_t>(3 + random() % 8);
  auto const top = static_cast<pl::index_t>(1 + random() % 6);
  for (int y = 0; y != 21; ++y)
    for (int x = 0; x != 15; ++x)
      if (dots[y / 3 * 5 + x / 3] == '1') image[(top + y) * side + left + x] = 1.f;
  for (pl::index_t i = 0; i != pixels; ++i)
    image[i] = 0.75f * image[i] + 0.25f * static_cast<float>(random() >> 8) * 0x1p-24f;
}

}  // namespace detail

/// Digits drawn from a small font with shifts and noise. They are easier than real ones, and the
/// same in every run.
inline digits generate_digits(pl::index_t count) {
  std::mt19937 random;
  std::vector<float> images(static_cast<std::size_t>(count * pixels));
  std::vector<int> labels(static_cast<std::size_t>(count));
  for (pl::index_t i = 0; i != count; ++i) {
    auto const digit = static_cast<int>(random() % digit_count);
    labels[static_cast<std::size_t>(i)] = digit;
    detail::draw(digit, images.data() + i * pixels, random);
  }
  return detail::on_cpu("generated digits, not MNIST", images, labels);
}

/// The digits in t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz. Throws: idx::error.
inline digits read_digits(std::string const& folder) {
  std::string const image_file = folder + "/t10k-images-idx3-ubyte.gz";
  std::string const label_file = folder + "/t10k-labels-idx1-ubyte.gz";
  idx::array const images = idx::read_file(image_file, 3);
  idx::array const labels = idx::read_file(label_file, 1);
  if (images.extents[1] != side || images.extents[2] != side)
    throw idx::error(image_file, "has images of " + std::to_string(images.extents[1]) + " x " +
                                     std::to_string(images.extents[2]) + " pixels, not 28 x 28");
  if (images.extents[0] != labels.extents[0])
    throw idx::error(label_file, "has " + std::to_string(labels.extents[0]) + " labels for " +
                                     std::to_string(images.extents[0]) + " images");
  for (std::uint8_t label : labels.elements)
    if (label >= digit_count) throw idx::error(label_file, "has a label " + std::to_string(label));

  std::vector<float> scaled;
  scaled.reserve(images.elements.size());
  for (std::uint8_t pixel : images.elements) scaled.push_back(static_cast<float>(pixel) / 255.f);
  return detail::on_cpu("MNIST digits", scaled, {labels.elements.begin(), labels.elements.end()});
}

/// The digits from index `first` up to, but not including, `last`.
inline digits part_of(digits const& all, pl::index_t first, pl::index_t last) {
  pl::with_device scope("/cpu:0");
  pl::range const rows{first, last};
  return {all.source, pl::slice(all.images, rows), pl::slice(all.labels, rows)};
}

/// The same digits in the memory of another device.
inline digits copied_to(pl::device d, digits const& some) {
  return {some.source, pl::copy_to(d, some.images), pl::copy_to(d, some.labels)};
}

}  // namespace mnist
