#pragma once
/// Copies of the images that depthwise convolutions read.

#include <placement/shape/extents.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// Rows of pixels, copied with a cache line behind each pixel. Without it, neighbouring pixels may
/// share some sets of a cache.
template <class S> class depthwise_copies {
 public:
  /// channels: of a pixel. rows, columns: of the images that are read. largest: larger images, in
  /// bytes, are not copied.
  depthwise_copies(index_t channels, index_t rows, index_t columns,
                   index_t largest = std::numeric_limits<index_t>::max())
      : channels_(channels), rows_(rows), columns_(columns) {
    constexpr index_t bytes = sizeof(S), set = 1024, apart = 2048, line = 64;
    index_t const pixel = channels * bytes;
    pay_off = pixel % set == 0 && pixel >= apart && rows * columns * pixel <= largest;
    pitch = channels + (pay_off ? line / bytes : 0);
  }
  bool pay_off;
  index_t pitch;  ///< elements from pixel to pixel

  index_t image_size() const { return rows_ * columns_ * pitch; }
  void copy(S* to, S const* from, index_t pixels) const {
    for (; pixels != 0; --pixels, to += pitch, from += channels_) std::copy_n(from, channels_, to);
  }

  /// Copies of the rows of one image that are read.
  class image {
   public:
    /// to: image_size() elements.
    image(depthwise_copies const& of, S* to)
        : of_(of), to_(to), is_copied_(static_cast<std::size_t>(of.rows_)) {}

    S const* data() const { return to_; }
    /// Copies what a row of the result reads, unless it is copied. number: of the image.
    template <class Rows> void read(Rows const& by, S const* from, index_t number, index_t row) {
      if (number != number_) std::fill(is_copied_.begin(), is_copied_.end(), char{});
      number_ = number;
      by.each_read_row(row, [&](index_t r) {
        if (std::exchange(is_copied_[static_cast<std::size_t>(r)], 1) != 0) return;
        of_.copy(to_ + r * of_.columns_ * of_.pitch,
                 from + (number * of_.rows_ + r) * of_.columns_ * of_.channels_, of_.columns_);
      });
    }

   private:
    depthwise_copies const& of_;
    S* to_;
    std::vector<char> is_copied_;
    index_t number_ = -1;
  };

 private:
  index_t channels_, rows_, columns_;
};

}}}  // namespace placement::v0_1::detail
