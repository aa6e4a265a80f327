// cuFFT over the memory of the fake driver, for tests. Transforms are sums by their definition, in
// stream order, of dense rows and planes.
#include "give.hpp"

#include <cufft.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <numbers>
#include <vector>

namespace {

struct transform {
  cufftType type{};
  int rank = 0;
  long long n[2]{1, 1}, in_step = 0, out_step = 0, batch = 0;
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
};
constexpr std::size_t workspace_bytes = 48;

std::mutex& guard() {
  static auto& one = *new std::mutex;
  return one;
}
std::map<cufftHandle, transform>& plans() {
  static auto& all = *new std::map<cufftHandle, transform>;
  return all;
}
cufftHandle last_handle = 0;
int destroyed = 0;

using number = std::complex<double>;

/// The sums along one dimension of a row or plane.
std::vector<number> sums(std::vector<number> const& x, long long before, long long n,
                         long long after, int sign) {
  std::vector<number> y(x.size());
  for (long long b = 0; b != before; ++b)
    for (long long a = 0; a != after; ++a)
      for (long long k = 0; k != n; ++k) {
        number sum{};
        for (long long j = 0; j != n; ++j) {
          double const angle =
              sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
          sum += x[static_cast<std::size_t>((b * n + j) * after + a)] * std::polar(1.0, angle);
        }
        y[static_cast<std::size_t>((b * n + k) * after + a)] = sum;
      }
  return y;
}

template <class In, class Out> void compute(transform const& t, In* in, Out* out, int sign) {
  std::memset(t.workspace, 0x5a, workspace_bytes);
  long long const m = t.rank == 2 ? t.n[0] : 1, n = t.rank == 2 ? t.n[1] : t.n[0];
  constexpr bool from_half = sizeof(In) == 2 * sizeof(Out);
  long long const half = n / 2 + 1;
  for (long long b = 0; b != t.batch; ++b) {
    In* const row = in + b * t.in_step;
    std::vector<number> x(static_cast<std::size_t>(m * n));
    for (long long i = 0; i != m * n; ++i) {
      if constexpr (from_half)
        x[static_cast<std::size_t>(i)] = i < half ? number(row[i]) : std::conj(number(row[n - i]));
      else x[static_cast<std::size_t>(i)] = number(row[i]);
    }
    auto y = sums(x, m, n, 1, sign);
    if (t.rank == 2) y = sums(y, 1, m, n, sign);
    long long const given = sizeof(Out) == 2 * sizeof(In) ? half : m * n;
    for (long long i = 0; i != given; ++i) {
      number const value = y[static_cast<std::size_t>(i)];
      if constexpr (from_half) out[b * t.out_step + i] = static_cast<Out>(value.real());
      else out[b * t.out_step + i] = Out(value);
    }
    if constexpr (from_half)  // as cuFFT may
      for (long long i = 0; i != half; ++i) row[i] = In(-77, -77);
  }
}
template <class In, class Out>
cufftResult enqueue(cufftHandle plan, void* in, void* out, int sign) {
  std::lock_guard const lock(guard());
  auto const found = plans().find(plan);
  if (found == plans().end() || found->second.workspace == nullptr) return CUFFT_INVALID_PLAN;
  transform const t = found->second;
  bool const enqueued =
      give(t.stream, [=] { compute(t, static_cast<In*>(in), static_cast<Out*>(out), sign); });
  return enqueued ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

}  // namespace

/// The number of plans that were destroyed.
EXPORTED int fake_cufft_destroyed() { return destroyed; }

EXPORTED cufftResult cufftCreate(cufftHandle* plan) {
  std::lock_guard const lock(guard());
  *plan = ++last_handle;
  plans()[*plan] = {};
  return CUFFT_SUCCESS;
}
EXPORTED cufftResult cufftDestroy(cufftHandle plan) {
  std::lock_guard const lock(guard());
  ++destroyed;
  return plans().erase(plan) == 1 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
EXPORTED cufftResult cufftSetAutoAllocation(cufftHandle, int automatic) {
  return automatic == 0 ? CUFFT_SUCCESS : CUFFT_NOT_SUPPORTED;
}
EXPORTED cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long* n, long long* in,
                                         long long in_stride, long long in_step, long long* out,
                                         long long out_stride, long long out_step, cufftType type,
                                         long long batch, std::size_t* bytes) {
  std::lock_guard const lock(guard());
  bool const is_dense = in_stride == 1 && out_stride == 1 && in != nullptr && out != nullptr &&
                        (rank == 1 || (in[1] == n[1] && out[1] == n[1]));
  if (!is_dense || rank < 1 || rank > 2) return CUFFT_NOT_SUPPORTED;
  transform& t = plans()[plan];
  t = {type, rank, {n[0], rank == 2 ? n[1] : 1}, in_step, out_step, batch};
  *bytes = workspace_bytes;
  return CUFFT_SUCCESS;
}
EXPORTED cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  std::lock_guard const lock(guard());
  plans()[plan].stream = stream;
  return CUFFT_SUCCESS;
}
EXPORTED cufftResult cufftSetWorkArea(cufftHandle plan, void* memory) {
  std::lock_guard const lock(guard());
  plans()[plan].workspace = memory;
  return CUFFT_SUCCESS;
}
EXPORTED cufftResult cufftExecC2C(cufftHandle p, cufftComplex* in, cufftComplex* out, int sign) {
  return enqueue<std::complex<float>, std::complex<float>>(p, in, out, sign);
}
EXPORTED cufftResult cufftExecZ2Z(cufftHandle p, cufftDoubleComplex* in, cufftDoubleComplex* out,
                                  int sign) {
  return enqueue<std::complex<double>, std::complex<double>>(p, in, out, sign);
}
EXPORTED cufftResult cufftExecR2C(cufftHandle p, cufftReal* in, cufftComplex* out) {
  return enqueue<float, std::complex<float>>(p, in, out, CUFFT_FORWARD);
}
EXPORTED cufftResult cufftExecD2Z(cufftHandle p, cufftDoubleReal* in, cufftDoubleComplex* out) {
  return enqueue<double, std::complex<double>>(p, in, out, CUFFT_FORWARD);
}
EXPORTED cufftResult cufftExecC2R(cufftHandle p, cufftComplex* in, cufftReal* out) {
  return enqueue<std::complex<float>, float>(p, in, out, CUFFT_INVERSE);
}
EXPORTED cufftResult cufftExecZ2D(cufftHandle p, cufftDoubleComplex* in, cufftDoubleReal* out) {
  return enqueue<std::complex<double>, double>(p, in, out, CUFFT_INVERSE);
}
