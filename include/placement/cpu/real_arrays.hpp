#pragma once
/// Loops over arrays of floating point whose element type is known at run time. Those of 16 bits
/// are computed in float.

#include <placement/error.hpp>
#include <placement/kernels/product_engine.hpp>
#include <placement/math/float16.hpp>

#include <memory>
#include <new>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

struct real_array {
  void const* data;
  index_t count;
};

/// Elements of type T as numbers of the type that computes with them: a copy, or the array itself.
template <class T> class computed_array {
 public:
  using wide = computed_in<T>;

  explicit computed_array(real_array const& x) : data_(static_cast<wide const*>(x.data)) {}
  wide const* data() const { return data_; }

 private:
  wide const* data_;
};
template <number_of_16_bits T> class computed_array<T> {
 public:
  explicit computed_array(real_array const& x)
      : data_(std::make_unique<float[]>(static_cast<std::size_t>(x.count))) {
    for (index_t i = 0; i != x.count; ++i)
      data_[static_cast<std::size_t>(i)] = widened(static_cast<T const*>(x.data)[i]);
  }
  float const* data() const { return data_.get(); }

 private:
  std::unique_ptr<float[]> data_;
};

/// Calls f(out, arrays...) with float or double. Throws: out_of_memory, and what f throws.
template <class F, class... Array>
void on_real_arrays(product_element type, void* out, index_t count, F const& f,
                    Array const&... array) {
  auto const run = [&]<class T>(T) {
    if constexpr (std::is_same_v<T, computed_in<T>>) {
      f(static_cast<T*>(out), computed_array<T>(array).data()...);
    } else {
      auto const to = std::make_unique<float[]>(static_cast<std::size_t>(count));
      f(to.get(), computed_array<T>(array).data()...);
      for (index_t i = 0; i != count; ++i)
        static_cast<T*>(out)[i] = static_cast<T>(to[static_cast<std::size_t>(i)]);
    }
  };
  try {
    switch (type) {
      case product_element::f32: return run(float{});
      case product_element::f64: return run(double{});
      case product_element::f16: return run(float16{});
      case product_element::bf16: return run(bfloat16{});
    }
  } catch (std::bad_alloc const&) { rethrow_as_error(); }
}

}}}  // namespace placement::v0_1::detail
