#pragma once
/// The interface to libraries that select and count elements on GPUs. A component registers an
/// engine; without one, ops whose extents depend on values compute on the host.

#include <placement/config.hpp>
#include <placement/kernels/sort_engine.hpp>
#include <placement/math/complex_traits.hpp>
#include <placement/runtime/shared_word.hpp>
#include <placement/shape/extents.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace placement { inline namespace v0_1 {

struct logical_device;

/// Dense elements in memory of the GPU. bool is u8.
struct gpu_elements {
  sort_element element{};
  int parts = 1;  ///< of an element: 2 for complex numbers
  index_t n = 0;
  void const* data = nullptr;
};

/// The slices along one axis, of extent n, where a mask is true: `count` of them. An element at
/// (b, i, a) is number (b * n + i) * after + a. Operand and result do not overlap.
struct slice_selection {
  bool const* mask = nullptr;
  index_t n = 0, count = 0, before = 1, after = 1;
  std::size_t element_bytes = 0;
  void const* in = nullptr;
  void* out = nullptr;
};

/// Bins of equal width from low to high.
struct equal_bins {
  double low = 0, high = 1;
  index_t count = 1;
  double const* edges = nullptr;  ///< count + 1, where elements are counted

  /// Whether a number is in a bin; false for NaN.
  PLACEMENT_HD bool has(double value) const { return value >= low && value <= high; }
  /// The bin of such a number: edges[i] <= value < edges[i + 1], and the last bin has its upper
  /// bound, too.
  PLACEMENT_HD index_t number_of(double value, double scale) const {
    auto i = static_cast<index_t>((value - low) * scale);
    if (i >= count) i = count - 1;
    if (value < edges[i]) --i;  // rounding may be off by one bin
    else if (i + 1 != count && value >= edges[i + 1]) ++i;
    return i;
  }
  /// Bins per unit.
  double scale() const { return static_cast<double>(count) / (high - low); }
};

/// The smallest and the largest number. `high` is NaN if an element is.
struct number_range {
  double low, high;
};

/// Selects and counts on GPUs. Functions with a result wait for it: the library copies it to the
/// host, which is counted. The others are added to the device's queue. No operand is empty, and no
/// result of select_slices, find_nonzero and coordinates_of. `op`: for messages.
/// Throws: out_of_memory; errors of the library.
/// Register an engine before its use; it must never be destroyed.
class select_engine {
 public:
  /// A result for integers that are negative, or the largest of 64 bits.
  static constexpr std::uint64_t not_countable = ~std::uint64_t{0};

  /// Whether the engine has the device. If not, the host computes.
  virtual bool supports(logical_device const& on) const = 0;

  virtual index_t count_nonzero(logical_device const& on, std::string_view op,
                                gpu_elements const& x) = 0;
  /// The range of real numbers, as doubles.
  virtual number_range range_of(logical_device const& on, std::string_view op,
                                gpu_elements const& x) = 0;
  /// The largest of some integers; not_countable if one cannot be counted from 0 on.
  virtual std::uint64_t largest_of(logical_device const& on, std::string_view op,
                                   gpu_elements const& x) = 0;

  /// Writes the row-major numbers of the elements that are not zero.
  virtual void find_nonzero(logical_device const& on, std::string_view op, gpu_elements const& x,
                            std::int64_t* out) = 0;
  /// Writes numbers[i] / after % extent for `count` numbers.
  virtual void coordinates_of(logical_device const& on, std::string_view op,
                              std::int64_t const* numbers, index_t count, index_t after,
                              index_t extent, std::int64_t* out) = 0;
  virtual void select_slices(logical_device const& on, std::string_view op,
                             slice_selection const& s) = 0;
  /// Writes how many numbers each bin has. bins.edges: in memory of the GPU.
  virtual void histogram(logical_device const& on, std::string_view op, gpu_elements const& x,
                         equal_bins const& bins, std::int64_t* out) = 0;
  /// Writes how often each integer below `length` occurs. Others do not.
  virtual void bincount(logical_device const& on, std::string_view op, gpu_elements const& x,
                        index_t length, std::int64_t* out) = 0;

  select_engine(select_engine const&) = delete;
  select_engine& operator=(select_engine const&) = delete;

 protected:
  select_engine() = default;
  ~select_engine() = default;
};

namespace detail {

PLACEMENT_PROCESS_STATE inline constinit shared_word<select_engine*> gpu_selects{nullptr};

/// The gpu_library of these ops.
struct registered_selects {
  static bool is_registered() noexcept { return gpu_selects.peek() != nullptr; }
  static select_engine& engine() noexcept { return *gpu_selects.peek(); }
};

template <class T> gpu_elements elements_on_gpu(T const* data, index_t n) {
  if constexpr (is_complex<T>) return {sort_element_of<typename T::value_type>(), 2, n, data};
  else return {sort_element_of<T>(), 1, n, data};
}

}  // namespace detail

/// Sets the engine for selections on GPUs; nullptr selects the host. The engine must never be
/// destroyed. Thread: safe.
inline void set_gpu_selects(select_engine* engine) noexcept { detail::gpu_selects.publish(engine); }

}}  // namespace placement::v0_1
