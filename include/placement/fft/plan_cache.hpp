#pragma once
/// FFTW's plans, of which the process keeps some. FFTW's planner is not safe for threads, so one
/// mutex guards it; transforms by plans run at the same time.

#include <placement/runtime/mutex.hpp>
#include <placement/shape/extents.hpp>

#include <fftw3.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

/// FFTW's functions for each precision.
template <class R> struct fftw;
template <> struct fftw<float> {
  using plan = fftwf_plan;
  using dimension = fftwf_iodim64;
  using number = fftwf_complex;
  static constexpr auto plan_complex = &fftwf_plan_guru64_dft;
  static constexpr auto plan_to_complex = &fftwf_plan_guru64_dft_r2c;
  static constexpr auto plan_to_real = &fftwf_plan_guru64_dft_c2r;
  static constexpr auto execute_complex = &fftwf_execute_dft;
  static constexpr auto execute_to_complex = &fftwf_execute_dft_r2c;
  static constexpr auto execute_to_real = &fftwf_execute_dft_c2r;
  static constexpr auto destroy = &fftwf_destroy_plan;
  static constexpr auto alignment = &fftwf_alignment_of;
};
template <> struct fftw<double> {
  using plan = fftw_plan;
  using dimension = fftw_iodim64;
  using number = fftw_complex;
  static constexpr auto plan_complex = &fftw_plan_guru64_dft;
  static constexpr auto plan_to_complex = &fftw_plan_guru64_dft_r2c;
  static constexpr auto plan_to_real = &fftw_plan_guru64_dft_c2r;
  static constexpr auto execute_complex = &fftw_execute_dft;
  static constexpr auto execute_to_complex = &fftw_execute_dft_r2c;
  static constexpr auto execute_to_real = &fftw_execute_dft_c2r;
  static constexpr auto destroy = &fftw_destroy_plan;
  static constexpr auto alignment = &fftw_alignment_of;
};

/// Transforms along one or two dimensions, of many fibers or planes. All members are index_t, so
/// that equal transforms have equal bytes.
struct fft_shape {
  struct dimension {
    index_t n = 1, in = 0, out = 0;  ///< extent, and strides in elements
  };

  index_t rank = 0, loops = 0;
  dimension along[2];
  dimension loop[2];
  index_t sign = FFTW_FORWARD;  ///< of complex transforms
  index_t aligned = 0;          ///< 1 if both addresses have FFTW's alignment

  friend bool operator==(fft_shape const& a, fft_shape const& b) noexcept {
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
};

/// Which of In and Out are real numbers, as a transform of FFTW.
template <class In, class Out> struct fft_call;
template <class R> struct fft_call<std::complex<R>, std::complex<R>> {
  static typename fftw<R>::plan plan(int rank, typename fftw<R>::dimension const* along, int loops,
                                     typename fftw<R>::dimension const* loop,
                                     typename fftw<R>::number* in, typename fftw<R>::number* out,
                                     int sign, unsigned flags) {
    return fftw<R>::plan_complex(rank, along, loops, loop, in, out, sign, flags);
  }
  static constexpr auto execute = fftw<R>::execute_complex;
  using real = R;
  using in_type = typename fftw<R>::number;
  using out_type = typename fftw<R>::number;
};
template <class R> struct fft_call<R, std::complex<R>> {
  static typename fftw<R>::plan plan(int rank, typename fftw<R>::dimension const* along, int loops,
                                     typename fftw<R>::dimension const* loop, R* in,
                                     typename fftw<R>::number* out, int, unsigned flags) {
    return fftw<R>::plan_to_complex(rank, along, loops, loop, in, out, flags);
  }
  static constexpr auto execute = fftw<R>::execute_to_complex;
  using real = R;
  using in_type = R;
  using out_type = typename fftw<R>::number;
};
template <class R> struct fft_call<std::complex<R>, R> {
  static typename fftw<R>::plan plan(int rank, typename fftw<R>::dimension const* along, int loops,
                                     typename fftw<R>::dimension const* loop,
                                     typename fftw<R>::number* in, R* out, int, unsigned flags) {
    return fftw<R>::plan_to_real(rank, along, loops, loop, in, out, flags);
  }
  static constexpr auto execute = fftw<R>::execute_to_real;
  using real = R;
  using in_type = typename fftw<R>::number;
  using out_type = R;
};

/// The mutex of FFTW's planner. One for float and double.
PLACEMENT_PROCESS_STATE inline mutex& fft_planner() {
  static mutex& all = *new mutex;
  return all;
}

template <class In, class Out> class fft_plans;
/// The plans of this process. They live as long as it does.
template <class In, class Out>
PLACEMENT_PROCESS_STATE inline fft_plans<In, Out>& fft_plans_of_process() {
  static fft_plans<In, Out>& all = *new fft_plans<In, Out>;
  return all;
}

/// Plans of transforms from In to Out. The last `most` that were used are kept.
template <class In, class Out> class fft_plans {
 public:
  static constexpr std::size_t most = 64;
  using call = fft_call<In, Out>;
  using functions = fftw<typename call::real>;

  /// Transforms `from` to `to`, which do not overlap. Throws: out_of_memory.
  void run(fft_shape shape, In const* from, Out* to) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): FFTW_PRESERVE_INPUT
    auto* const in = reinterpret_cast<typename call::in_type*>(const_cast<In*>(from));
    auto* const out = reinterpret_cast<typename call::out_type*>(to);
    using real = typename call::real;
    shape.aligned = functions::alignment(reinterpret_cast<real*>(in)) == 0 &&
                            functions::alignment(reinterpret_cast<real*>(out)) == 0
                        ? 1
                        : 0;
    in_use const plan(*this, shape, in, out);
    call::execute(plan.get(), in, out);
  }
  /// The number of plans that are kept. For tests.
  std::size_t kept() const {
    mutex_guard const held(fft_planner());
    return count_;
  }

 private:
  struct entry {
    fft_shape shape;
    typename functions::plan plan = nullptr;
    std::uint64_t last_use = 0;
    int users = 0;
  };

  /// A plan while a thread executes it: it is not destroyed.
  class in_use {
   public:
    in_use(fft_plans& all, fft_shape const& shape, typename call::in_type* in,
           typename call::out_type* out) {
      mutex_guard const held(fft_planner());
      kept_ = all.find_or_make(shape, in, out);
      if (kept_ != nullptr) ++kept_->users;
      plan_ = kept_ != nullptr ? kept_->plan : make(shape, in, out);
    }
    ~in_use() {
      mutex_guard const held(fft_planner());
      if (kept_ != nullptr) --kept_->users;
      else functions::destroy(plan_);
    }
    in_use(in_use const&) = delete;
    in_use& operator=(in_use const&) = delete;

    typename functions::plan get() const { return plan_; }

   private:
    entry* kept_ = nullptr;
    typename functions::plan plan_ = nullptr;
  };

  /// The kept plan for a shape; nullptr if it is new and threads execute all that are kept.
  entry* find_or_make(fft_shape const& shape, typename call::in_type* in,
                      typename call::out_type* out) {
    entry* oldest = nullptr;
    for (std::size_t i = 0; i != count_; ++i) {
      entry& e = all_[i];
      if (e.shape == shape) {
        e.last_use = ++uses_;
        return &e;
      }
      if (e.users == 0 && (oldest == nullptr || e.last_use < oldest->last_use)) oldest = &e;
    }
    if (count_ == most && oldest == nullptr) return nullptr;
    auto const made = make(shape, in, out);
    entry& e = count_ != most ? all_[count_++] : *oldest;
    if (e.plan != nullptr) functions::destroy(e.plan);
    e = {shape, made, ++uses_, 0};
    return &e;
  }

  /// FFTW_ESTIMATE reads and writes no element, and chooses the same algorithm in every run.
  static typename functions::plan make(fft_shape const& s, typename call::in_type* in,
                                       typename call::out_type* out) {
    typename functions::dimension along[2], loop[2];
    copy(s.along, s.rank, along);
    copy(s.loop, s.loops, loop);
    unsigned const flags =
        FFTW_ESTIMATE | FFTW_PRESERVE_INPUT | (s.aligned != 0 ? 0u : FFTW_UNALIGNED);
    auto const plan = call::plan(static_cast<int>(s.rank), along, static_cast<int>(s.loops), loop,
                                 in, out, static_cast<int>(s.sign), flags);
    if (plan == nullptr) throw out_of_memory();
    return plan;
  }
  static void copy(fft_shape::dimension const* from, index_t n, typename functions::dimension* to) {
    for (index_t i = 0; i != n; ++i) to[i] = {from[i].n, from[i].in, from[i].out};
  }

  entry all_[most];
  std::size_t count_ = 0;
  std::uint64_t uses_ = 0;
};

}}}  // namespace placement::v0_1::detail
