#pragma once
/// The interface to libraries that sort on GPUs. A component registers an engine; without one, the
/// library's own kernels sort.

#include <placement/config.hpp>
#include <placement/math/float16.hpp>
#include <placement/runtime/shared_word.hpp>
#include <placement/shape/extents.hpp>

#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 {

struct logical_device;

enum class sort_element : unsigned char {
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,
  bf16,
  f32,
  f64
};

/// Sorts dense rows of `length` elements, stably and with NaN last. The result holds the elements,
/// or the int64 index of each in its row. Operand and result do not overlap.
struct sort_call {
  std::string_view op = {};
  sort_element element{};
  bool is_descending = false, gives_indices = false;
  index_t rows = 1, length = 0;
  void const* in = nullptr;
  void* out = nullptr;
};

/// Sorts on GPUs. Register an engine before its use; it must never be destroyed.
class sort_engine {
 public:
  /// Adds the sort to the device's queue. Returns false, without any effect, if the engine does
  /// not support it. Throws: out_of_memory; errors of the library.
  virtual bool sort(logical_device const& on, sort_call const& call) = 0;

  sort_engine(sort_engine const&) = delete;
  sort_engine& operator=(sort_engine const&) = delete;

 protected:
  sort_engine() = default;
  ~sort_engine() = default;
};

namespace detail {

PLACEMENT_PROCESS_STATE inline constinit shared_word<sort_engine*> gpu_sorts{nullptr};
PLACEMENT_PROCESS_STATE inline constinit shared_word<index_t> shortest_gpu_sort{0};

template <class T> constexpr sort_element sort_element_of() {
  if constexpr (std::is_same_v<T, double>) return sort_element::f64;
  else if constexpr (std::is_same_v<T, float>) return sort_element::f32;
  else if constexpr (std::is_same_v<T, float16>) return sort_element::f16;
  else if constexpr (std::is_same_v<T, bfloat16>) return sort_element::bf16;
  else {
    static_assert(std::is_integral_v<T>);
    constexpr bool is_signed = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1: return is_signed ? sort_element::i8 : sort_element::u8;
      case 2: return is_signed ? sort_element::i16 : sort_element::u16;
      case 4: return is_signed ? sort_element::i32 : sort_element::u32;
      default: return is_signed ? sort_element::i64 : sort_element::u64;
    }
  }
}

}  // namespace detail

/// Sets the engine for sorts on GPUs of contiguous rows; nullptr selects the library's own kernels,
/// which also sort rows with less than `shortest` elements. The engine must never be destroyed.
/// Thread: safe.
inline void set_gpu_sorts(sort_engine* engine, index_t shortest = index_t{1} << 16) noexcept {
  detail::shortest_gpu_sort.set(shortest);
  detail::gpu_sorts.publish(engine);
}

}}  // namespace placement::v0_1
