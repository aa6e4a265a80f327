#pragma once
/// Memory and vectors for the side `limit`: the fastest loops of a machine, without regard to
/// programming effort.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include <sys/mman.h>

#if defined(__SSE2__)
#  include <emmintrin.h>
#endif

namespace bench {

inline constexpr std::size_t cache_line = 64, large_page = std::size_t{2} << 20;

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif

/// A vector with the width of the processor's registers.
template <class T> struct vector_of {
  typedef T type [[gnu::vector_size(vector_bytes)]];
  static constexpr std::size_t width = vector_bytes / sizeof(T);
};

/// n elements of one value, in pages of 2 MiB if the system has them.
template <class T> class aligned {
 public:
  aligned(std::size_t n, T value)
      : p_(static_cast<T*>(std::aligned_alloc(large_page, rounded(n * sizeof(T))))) {
    madvise(p_.get(), rounded(n * sizeof(T)), MADV_HUGEPAGE);
    for (std::size_t i = 0; i != n; ++i) p_.get()[i] = value;
  }
  T* data() const { return static_cast<T*>(__builtin_assume_aligned(p_.get(), cache_line)); }

 private:
  static std::size_t rounded(std::size_t bytes) {
    return (bytes + large_page - 1) / large_page * large_page;
  }
  struct free_it {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, free_it> p_;
};

/// Whether this exceeds the last-level cache.
inline bool is_beyond_caches(std::size_t bytes) {
  static std::size_t const last = [] {
    std::size_t max = 0;  // sysconf may report the cache of a whole socket
    for (auto const& cache : benchmark::CPUInfo::Get().caches) {
      auto const size = static_cast<std::size_t>(cache.size);
      if (size > max) max = size;
    }
    return max;
  }();
  return last > 0 && bytes > last;
}

/// A non-temporal store, if the processor has it.
template <class V> inline void stream(V* to, V const& v) {
#if defined(__SSE2__)
  __m128i parts[sizeof(V) / sizeof(__m128i)];
  __builtin_memcpy(parts, &v, sizeof v);
  for (std::size_t i = 0; i != sizeof(V) / sizeof(__m128i); ++i)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, parts[i]);
#else
  *to = v;
#endif
}

}  // namespace bench
