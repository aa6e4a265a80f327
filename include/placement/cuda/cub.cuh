#pragma once
/// Sorts, selections and histograms on NVIDIA's GPUs by CUB. placement::cub compiles this header
/// once for a program. Or include it in one file of a program that nvcc compiles and that links
/// placement::thrust. All sorts of long rows then use CUB, in every file, and so do the ops of
/// select_engine.hpp.

#include <placement/cuda/cub_calls.cuh>
#include <placement/cuda/cub_select.cuh>
#include <placement/cuda/grid.cuh>
#include <placement/gpu/each_index.hpp>
#include <placement/gpu/radix_keys.hpp>
#include <placement/kernels/sort_engine.hpp>
#include <placement/src/cuda/toolkit.ipp>

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace cuda {

namespace detail {

/// The types whose elements CUB sorts themselves. Each costs build time for two orders. Elements of
/// other types are gathered by their sorted indices.
template <class T> inline constexpr bool is_sorted_directly = sizeof(T) >= 4 && std::is_signed_v<T>;

/// The sorts of rows of T.
template <class T> class cub_rows {
 public:
  cub_rows(logical_device const& on, sort_call const& call)
      : on_(on), calls_(on, call.op), call_(call), n_(call.length), grid_(on, call.op) {}

  void run() const {
    for (index_t row = 0; row != call_.rows; ++row) {
      T const* const in = static_cast<T const*>(call_.in) + row * n_;
      if (call_.gives_indices) {
        auto* const out = static_cast<std::int64_t*>(call_.out) + row * n_;
        by_keys(in, [&](std::uint32_t const* from) {
          return placement::detail::widen_indices{from, out};
        });
      } else {
        sort_elements(in, static_cast<T*>(call_.out) + row * n_);
      }
    }
  }

 private:
  using key = placement::detail::radix_key<T>;
  static constexpr int bits = 8 * sizeof(key);

  std::size_t size() const { return static_cast<std::size_t>(n_); }

  void sort_elements(T const* in, T* out) const {
    if constexpr (!is_sorted_directly<T>) {
      by_keys(in, [&](std::uint32_t const* from) {
        return placement::detail::gather_sorted<T>{in, from, out};
      });
    } else {
      using cub_sort = ::cub::DeviceRadixSort;
      auto const count = static_cast<std::uint32_t>(n_);
      CUstream_st* const stream = calls_.stream();
      auto const call = [&](void* memory, std::size_t& bytes) {
        return call_.is_descending
                   ? cub_sort::SortKeysDescending(memory, bytes, in, out, count, 0, bits, stream)
                   : cub_sort::SortKeys(memory, bytes, in, out, count, 0, bits, stream);
      };
      std::size_t bytes = calls_.scratch_bytes_for(call);
      scratch const memory(on_, std::max(bytes, size() * sizeof(T)));
      calls_.check(call(memory.data(), bytes));
      if constexpr (!std::is_integral_v<T>) put_nan_last(in, out, static_cast<T*>(memory.data()));
    }
  }
  void put_nan_last(T const* in, T* out, T* spare) const {
    using args = placement::detail::nan_last_args<T>;
    scratch const memory(on_, (args::max_blocks + 2) * sizeof(index_t));
    auto* const numbers = static_cast<placement::detail::sorted_numbers*>(memory.data());
    auto* const counts = reinterpret_cast<index_t*>(numbers + 1);
    args const all{in, out, spare, n_, numbers, counts, call_.is_descending};
    grid_(count_nan<T>{all}, all.blocks());
    grid_(place_nan<T>{all}, all.blocks());
  }

  /// Sorts keys with indices. `result` is given the sorted indices and makes what to do with each.
  template <class F> void by_keys(T const* in, F const& result) const {
    scratch const of_keys(on_, 2 * size() * sizeof(key));
    scratch const of_indices(on_, 2 * size() * sizeof(std::uint32_t));
    key* const keys = static_cast<key*>(of_keys.data());
    auto* const indices = static_cast<std::uint32_t*>(of_indices.data());
    placement::detail::for_each_index(
        grid_, n_, placement::detail::write_radix_keys<T>{in, keys, indices, call_.is_descending});
    ::cub::DoubleBuffer<key> all_keys(keys, keys + n_);
    ::cub::DoubleBuffer<std::uint32_t> all_indices(indices, indices + n_);
    calls_([&](void* memory, std::size_t& bytes) {
      return ::cub::DeviceRadixSort::SortPairs(memory, bytes, all_keys, all_indices,
                                               static_cast<std::uint32_t>(n_), 0, bits,
                                               calls_.stream());
    });
    placement::detail::for_each_index(grid_, n_, result(all_indices.Current()));
  }

  logical_device const& on_;
  cub_calls calls_;
  sort_call const& call_;
  index_t n_;
  grid grid_;
};

}  // namespace detail

/// CUB as the engine of sorts for GPUs. It takes rows of less than 2^31 elements. Thread: safe.
class cub_sorts final : public sort_engine {
 public:
  bool sort(logical_device const& on, sort_call const& call) override {
    if (call.length >= index_t{1} << 31 || on.owner->simulated()) return false;
    switch (call.element) {
      case sort_element::i8: sort_rows<std::int8_t>(on, call); break;
      case sort_element::u8: sort_rows<std::uint8_t>(on, call); break;
      case sort_element::i16: sort_rows<std::int16_t>(on, call); break;
      case sort_element::u16: sort_rows<std::uint16_t>(on, call); break;
      case sort_element::i32: sort_rows<std::int32_t>(on, call); break;
      case sort_element::u32: sort_rows<std::uint32_t>(on, call); break;
      case sort_element::i64: sort_rows<std::int64_t>(on, call); break;
      case sort_element::u64: sort_rows<std::uint64_t>(on, call); break;
      case sort_element::f16: sort_rows<float16>(on, call); break;
      case sort_element::bf16: sort_rows<bfloat16>(on, call); break;
      case sort_element::f32: sort_rows<float>(on, call); break;
      case sort_element::f64: sort_rows<double>(on, call); break;
    }
    return true;
  }

 private:
  template <class T> static void sort_rows(logical_device const& on, sort_call const& call) {
    detail::cub_rows<T>(on, call).run();
  }
};

/// The engine of this process. Never destroyed: CUDA must not be called once exit has begun.
PLACEMENT_PROCESS_STATE inline cub_sorts& cub_of_process() {
  static cub_sorts& all = *new cub_sorts;
  return all;
}

namespace detail {
/// Registers the engine during static initialisation.
PLACEMENT_PROCESS_STATE inline bool const cub_is_used = (set_gpu_sorts(&cub_of_process()), true);
}  // namespace detail

}}}  // namespace placement::v0_1::cuda
