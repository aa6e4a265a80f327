#pragma once
/// Elements whose type is known at run time, for kernels that are compiled once for all types.

#include <placement/kernels/select_engine.hpp>
#include <placement/math/float16.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

/// Whether an element differs from zero, by its bits.
struct nonzero_elements {
  void const* data;
  index_t n;
  std::uint64_t value_bits;  ///< without the sign of floating-point numbers
  int bytes, parts;          ///< bytes of a part

  explicit nonzero_elements(gpu_elements const& x)
      : data(x.data),
        n(x.n),
        value_bits(~std::uint64_t{0}),
        bytes(bytes_of(x.element)),
        parts(x.parts) {
    if (x.element >= sort_element::f16) value_bits = (std::uint64_t{1} << (8 * bytes - 1)) - 1;
  }
  static constexpr int bytes_of(sort_element e) {
    switch (e) {
      case sort_element::i8:
      case sort_element::u8: return 1;
      case sort_element::i16:
      case sort_element::u16:
      case sort_element::f16:
      case sort_element::bf16: return 2;
      case sort_element::i32:
      case sort_element::u32:
      case sort_element::f32: return 4;
      case sort_element::i64:
      case sort_element::u64:
      case sort_element::f64: break;
    }
    return 8;
  }
  PLACEMENT_HD bool operator()(index_t i) const {
    if (parts == 1) return (word(i) & value_bits) != 0;
    return ((word(2 * i) | word(2 * i + 1)) & value_bits) != 0;
  }

 private:
  PLACEMENT_HD std::uint64_t word(index_t i) const {
    switch (bytes) {
      case 1: return static_cast<std::uint8_t const*>(data)[i];
      case 2: return static_cast<std::uint16_t const*>(data)[i];
      case 4: return static_cast<std::uint32_t const*>(data)[i];
      default: return static_cast<std::uint64_t const*>(data)[i];
    }
  }
};

/// Elements as numbers.
struct number_elements {
  void const* data;
  sort_element element;

  template <class T> PLACEMENT_HD T at(index_t i) const { return static_cast<T const*>(data)[i]; }
  PLACEMENT_HD double number(index_t i) const {
    switch (element) {
      case sort_element::i8: return at<std::int8_t>(i);
      case sort_element::u8: return at<std::uint8_t>(i);
      case sort_element::i16: return at<std::int16_t>(i);
      case sort_element::u16: return at<std::uint16_t>(i);
      case sort_element::i32: return at<std::int32_t>(i);
      case sort_element::u32: return at<std::uint32_t>(i);
      case sort_element::i64: return static_cast<double>(at<std::int64_t>(i));
      case sort_element::u64: return static_cast<double>(at<std::uint64_t>(i));
      case sort_element::f16: return static_cast<double>(at<float16>(i));
      case sort_element::bf16: return static_cast<double>(at<bfloat16>(i));
      case sort_element::f32: return static_cast<double>(at<float>(i));
      case sort_element::f64: break;
    }
    return at<double>(i);
  }
  /// An integer from 0 to 2^63 - 2, or not_countable.
  PLACEMENT_HD std::uint64_t countable(index_t i) const {
    switch (element) {
      case sort_element::u8: return at<std::uint8_t>(i);
      case sort_element::u16: return at<std::uint16_t>(i);
      case sort_element::u32: return at<std::uint32_t>(i);
      case sort_element::i8: return countable_of(at<std::int8_t>(i));
      case sort_element::i16: return countable_of(at<std::int16_t>(i));
      case sort_element::i32: return countable_of(at<std::int32_t>(i));
      case sort_element::i64:
      case sort_element::u64: return countable_of(at<std::int64_t>(i));
      default: return select_engine::not_countable;
    }
  }

 private:
  /// Unsigned integers of 64 bits that are too large are negative here.
  static PLACEMENT_HD std::uint64_t countable_of(std::int64_t x) {
    bool const is_countable = x >= 0 && x != static_cast<std::int64_t>(~std::uint64_t{0} >> 1);
    return is_countable ? static_cast<std::uint64_t>(x) : select_engine::not_countable;
  }
};

/// The bin of an element: of a number in a histogram, -1 for none, or an integer that can be
/// counted.
struct bin_of_element {
  number_elements x;
  equal_bins bins;
  double scale;
  bool counts_integers;
  PLACEMENT_HD index_t operator()(index_t i) const {
    if (counts_integers) return static_cast<index_t>(x.countable(i));
    double const value = x.number(i);
    return bins.has(value) ? bins.number_of(value, scale) : -1;
  }
};

}}}  // namespace placement::v0_1::detail
