#pragma once
/// Definitions of product_elements.hpp.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/join_lanes.hpp>
#include <placement/cpu/product_elements.hpp>
#include <placement/cpu/widen_lanes.hpp>

#include <cstring>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

struct multiplying_lanes {
  PLACEMENT_ALWAYS_INLINE double operator()(double a, double b) const { return a * b; }
};
PLACEMENT_INLINE double lanes_of_product::combined() {
  return join_lanes<count>(at, multiplying_lanes{});
}

/// Multiplies lanes in registers of Bytes bytes by whole rows of lanes_of_product::count elements.
template <int Bytes, class T> struct product_registers {
  static constexpr int width = Bytes / 8, registers = int{lanes_of_product::count} / width;
  using doubles = lanes<double, width>;

  PLACEMENT_ALWAYS_INLINE static void multiply(double* at, T const* p, index_t rows) {
    lane_array<double, width, registers> product;
    each<registers>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      std::memcpy(&product[r], at + r * width, sizeof product[r]);
    });
    for (index_t k = 0; k != rows; ++k) {
      each<registers>([&](auto r) PLACEMENT_ALWAYS_INLINE {
        lanes<T, width> x;
        std::memcpy(&x, p + r * width, sizeof x);
        doubles wide;
        widen_part<0, width, width, T>(wide, x);
        product[r] *= wide;
      });
      p += lanes_of_product::count;
    }
    each<registers>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      std::memcpy(at + r * width, &product[r], sizeof product[r]);
    });
  }
};
/// The same in memory, for registers of 16 bytes, which do not hold all lanes.
template <class T> struct product_in_memory {
  PLACEMENT_ALWAYS_INLINE static void multiply(double* at, T const* p, index_t rows) {
    constexpr index_t n = lanes_of_product::count;
    index_t k = 0;
    for (; rows - k >= 4; k += 4, p += 4 * n) {
      PLACEMENT_SAME_INDEX_ONLY_SHORT
      for (index_t l = 0; l < n; ++l)
        at[l] = at[l] * static_cast<double>(p[l]) * static_cast<double>(p[l + n]) *
                static_cast<double>(p[l + 2 * n]) * static_cast<double>(p[l + 3 * n]);
    }
    for (; k != rows; ++k, p += n) {
      PLACEMENT_SAME_INDEX_ONLY_SHORT
      for (index_t l = 0; l < n; ++l) at[l] *= static_cast<double>(p[l]);
    }
  }
};
template <int Bytes, class T>
using product_in =
    std::conditional_t<Bytes == 16, product_in_memory<T>, product_registers<Bytes, T>>;

/// Rows of n elements, each multiplied to its own number, or one row multiplied into lanes.
template <class T> struct multiplying_rows {
  double* products;
  lanes_of_product* lanes;  ///< null for rows of their own
  T const* p;
  index_t rows, n;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    if (lanes != nullptr) return multiply<Bytes>(*lanes, p);
    for (index_t k = 0; k != rows; ++k) {
      T const* const row = p + k * n;
      if (n < least_multiplied_in_lanes) {
        products[k] = multiply_one_by_one(row);
      } else {
        lanes_of_product all;
        multiply<Bytes>(all, row);
        products[k] = join_lanes<lanes_of_product::count>(all.at, multiplying_lanes{});
      }
    }
  }

 private:
  template <int Bytes>
  PLACEMENT_ALWAYS_INLINE void multiply(lanes_of_product& to, T const* from) const {
    index_t const whole = n / lanes_of_product::count;
    product_in<Bytes, T>::multiply(to.at, from, whole);
    for (index_t i = whole * lanes_of_product::count, l = 0; i != n; ++i, ++l)
      to.at[l] *= static_cast<double>(from[i]);
  }
  PLACEMENT_ALWAYS_INLINE double multiply_one_by_one(T const* row) const {
    double product = 1;
    for (index_t i = 0; i != n; ++i) product *= static_cast<double>(row[i]);
    return product;
  }
};

PLACEMENT_INLINE_ON_CALL void multiply_rows(double* products, float const* p, index_t rows,
                                            index_t n) {
  run_by_width(multiplying_rows<float>{products, nullptr, p, rows, n});
}
PLACEMENT_INLINE_ON_CALL void multiply_rows(double* products, double const* p, index_t rows,
                                            index_t n) {
  run_by_width(multiplying_rows<double>{products, nullptr, p, rows, n});
}
PLACEMENT_INLINE_ON_CALL void multiply_lanes(lanes_of_product& to, float const* p, index_t n) {
  run_by_width(multiplying_rows<float>{nullptr, &to, p, 1, n});
}
PLACEMENT_INLINE_ON_CALL void multiply_lanes(lanes_of_product& to, double const* p, index_t n) {
  run_by_width(multiplying_rows<double>{nullptr, &to, p, 1, n});
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
