#pragma once
/// Selections and histograms on NVIDIA's GPUs by CUB. cub.cuh includes this header.

#include <placement/cuda/cub_calls.cuh>
#include <placement/cuda/grid.cuh>
#include <placement/gpu/select.hpp>
#include <placement/kernels/select_engine.hpp>
#include <placement/memory/transfer.hpp>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_select.cuh>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace cuda {

namespace detail {

/// A sequence of values f(i) of type T, for CUB.
template <class T, class F> struct computed_values {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = T;

  F f;
  difference_type first = 0;

  PLACEMENT_HD T operator*() const { return static_cast<T>(f(first)); }
  PLACEMENT_HD T operator[](difference_type i) const { return static_cast<T>(f(first + i)); }
  PLACEMENT_HD computed_values operator+(difference_type i) const { return {f, first + i}; }
};
/// The index itself.
struct own_index {
  PLACEMENT_HD index_t operator()(index_t i) const { return i; }
};

struct write_zeros {
  std::int64_t* out;
  PLACEMENT_HD void operator()(index_t i) const { out[i] = 0; }
};
/// Counts each element in its bin, if it has one below `bins`.
struct count_in_bins {
  placement::detail::bin_of_element bin;
  index_t bins;
  std::int64_t* out;
  PLACEMENT_DEVICE void operator()(index_t i) const {
    index_t const b = bin(i);
    if (b >= 0 && b < bins) atomicAdd(reinterpret_cast<unsigned long long*>(out + b), 1ull);
  }
};

}  // namespace detail

/// CUB as the engine of selections and counts for GPUs. Counts are integers, so a result is the
/// same in every run. Thread: safe.
class cub_selects final : public select_engine {
 public:
  /// CUB's histogram has counters for each block: 17 MB for so many bins on an H200. Of more bins,
  /// one kernel of ours counts in the result.
  static constexpr index_t most_cub_bins = 2048;

  bool supports(logical_device const& on) const override { return !on.owner->simulated(); }

  index_t count_nonzero(logical_device const& on, std::string_view op,
                        gpu_elements const& x) override {
    return static_cast<index_t>(
        reduced(on, op, placement::detail::count_nonzero_rule(x), count_bytes).a);
  }
  number_range range_of(logical_device const& on, std::string_view op,
                        gpu_elements const& x) override {
    placement::detail::range_rule const rule{{x.data, x.element}, x.n};
    return rule.range_of(reduced(on, op, rule, sizeof(placement::detail::reduction_state)));
  }
  std::uint64_t largest_of(logical_device const& on, std::string_view op,
                           gpu_elements const& x) override {
    return reduced(on, op, placement::detail::largest_rule{{x.data, x.element}, x.n}, count_bytes)
        .a;
  }

  void find_nonzero(logical_device const& on, std::string_view op, gpu_elements const& x,
                    std::int64_t* out) override {
    using flags = detail::computed_values<bool, placement::detail::nonzero_elements>;
    select(on, op, indices{{}}, flags{placement::detail::nonzero_elements(x)}, out, x.n);
  }
  void coordinates_of(logical_device const& on, std::string_view op, std::int64_t const* numbers,
                      index_t count, index_t after, index_t extent, std::int64_t* out) override {
    placement::detail::for_each_index(
        grid(on, op), count, placement::detail::write_coordinates{numbers, after, extent, out});
  }
  void select_slices(logical_device const& on, std::string_view op,
                     slice_selection const& s) override {
    if (s.before == 1 && s.after == 1) {
      switch (s.element_bytes) {
        case 1: return select_words<std::uint8_t>(on, op, s);
        case 2: return select_words<std::uint16_t>(on, op, s);
        case 4: return select_words<std::uint32_t>(on, op, s);
        case 8: return select_words<std::uint64_t>(on, op, s);
        default: break;
      }
    }
    scratch const room(on, static_cast<std::size_t>(s.count) * sizeof(std::int64_t));
    auto* const selected = static_cast<std::int64_t*>(room.data());
    find_nonzero(on, op, placement::detail::elements_on_gpu(s.mask, s.n), selected);
    placement::detail::gather_all(grid(on, op), s, selected);
  }
  void histogram(logical_device const& on, std::string_view op, gpu_elements const& x,
                 equal_bins const& bins, std::int64_t* out) override {
    count(on, op, x.n, {{x.data, x.element}, bins, bins.scale(), false}, bins.count, out);
  }
  void bincount(logical_device const& on, std::string_view op, gpu_elements const& x,
                index_t length, std::int64_t* out) override {
    count(on, op, x.n, {{x.data, x.element}, {}, 1, true}, length, out);
  }

 private:
  using indices = detail::computed_values<std::int64_t, detail::own_index>;
  using bin_of = placement::detail::bin_of_element;

  static constexpr std::size_t count_bytes = sizeof(std::uint64_t);

  /// The first bytes of a reduction's result. The host waits for them.
  template <class Rule>
  static placement::detail::reduction_state reduced(logical_device const& on, std::string_view op,
                                                    Rule const& rule, std::size_t bytes) {
    using placement::detail::reduction_state;
    scratch const states(on, (enough_blocks + 1) * sizeof(reduction_state));
    placement::detail::reduce_steps_of(grid(on, op), rule,
                                       static_cast<reduction_state*>(states.data()));
    on.owner->launched(on.work, op);
    reduction_state all{};
    placement::detail::move_bytes(&all, cpu0, states.data(), on.id, bytes,
                                  placement::detail::timeline_point_of(on.id));
    return all;
  }

  template <class In, class Flags, class Out>
  static void select(logical_device const& on, std::string_view op, In const& in,
                     Flags const& flags, Out* out, index_t n) {
    detail::cub_calls const calls(on, op);
    scratch const count(on, sizeof(std::int64_t));  // which is known
    calls([&](void* memory, std::size_t& bytes) {
      return ::cub::DeviceSelect::Flagged(memory, bytes, in, flags, out,
                                          static_cast<std::int64_t*>(count.data()), n,
                                          calls.stream());
    });
  }
  template <class Word>
  static void select_words(logical_device const& on, std::string_view op,
                           slice_selection const& s) {
    select(on, op, static_cast<Word const*>(s.in), s.mask, static_cast<Word*>(s.out), s.n);
  }

  static void count(logical_device const& on, std::string_view op, index_t n, bin_of const& bin,
                    index_t bins, std::int64_t* out) {
    if (bins == 0) return;
    if (bins > most_cub_bins || n == 0 || n >= index_t{1} << 30) {
      placement::detail::for_each_index(grid(on, op), bins, detail::write_zeros{out});
      placement::detail::for_each_index(grid(on, op), n, detail::count_in_bins{bin, bins, out});
      return;
    }
    // The numbers of bins are samples of bins from 0 to their number. As floats they need no
    // division, and so many are exact.
    using samples = detail::computed_values<float, bin_of>;
    detail::cub_calls const calls(on, op);
    calls([&](void* memory, std::size_t& bytes) {
      return ::cub::DeviceHistogram::HistogramEven(
          memory, bytes, samples{bin}, reinterpret_cast<unsigned long long*>(out),
          static_cast<int>(bins) + 1, 0.f, static_cast<float>(bins), static_cast<int>(n),
          calls.stream());
    });
  }
};

/// The engine of this process. Never destroyed: CUDA must not be called once exit has begun.
PLACEMENT_PROCESS_STATE inline cub_selects& cub_selects_of_process() {
  static cub_selects& all = *new cub_selects;
  return all;
}

namespace detail {
/// Registers the engine during static initialisation.
PLACEMENT_PROCESS_STATE inline bool const cub_selects_are_used =
    (set_gpu_selects(&cub_selects_of_process()), true);
}  // namespace detail

}}}  // namespace placement::v0_1::cuda
