#pragma once
/// Memory policies as types, joined with `|`: how much of a GPU's memory a program may take, and
/// when.
///
///     pl::runtime rt{pl::memory::growth{} | pl::memory::limit{512_MiB}};
///     pl::runtime rt{pl::memory::on_gpu<0>(pl::memory::whole{}),
///                    pl::memory::on_gpu<1>(pl::memory::growth{.start = 8_MiB} |
///                                          pl::memory::virtual_devices<1_GiB, 2_GiB>{})};

#include <placement/memory/bytes.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace memory {

/// All of the limit at first use, as TensorFlow does by default.
struct whole {};
/// Starts small and grows by a factor on demand, up to the limit. The default.
struct growth {
  bytes start = {std::size_t{2} << 20};
  double factor = 2;
};
/// Each block from the platform's own allocator, on NVIDIA GPUs cudaMallocAsync, shared with other
/// libraries of the program. Slower than the library's pool, and the driver decides how much freed
/// memory it keeps.
struct stream_ordered {};
/// Limits memory to a share of each GPU's memory, 0 < share <= 1. `fraction<0.5>{}` is checked at
/// compile time, `fraction{share}` when it is applied.
template <auto... OfTotal> struct fraction {
  static_assert(sizeof...(OfTotal) == 1,
                "placement: a fraction is one number. Write fraction<0.5>.");
  static_assert(
      ((OfTotal > 0 && OfTotal <= 1) && ...),
      "placement: a memory fraction is above 0 and at most 1. Write fraction<0.5> for half.");
  double of_total = (OfTotal + ...);
};
template <> struct fraction<> {
  double of_total;
};
fraction(double) -> fraction<>;
/// Limits each logical GPU: `limit{512_MiB}`.
struct limit {
  bytes max{};

  constexpr limit() = default;
  constexpr limit(bytes b) : max(b) {}
  /// Does not compile: TensorFlow's limits are MiB, and these are bytes.
  template <class N> requires std::is_arithmetic_v<N>
  constexpr limit(N) {
    static_assert(
        !std::is_arithmetic_v<N>,
        "placement: a memory limit has a unit. Write limit{512_MiB}, or limit{bytes{n}}.");
  }
};
/// Splits the first visible GPU, or the one of on_gpu, into logical GPUs, each with its limit.
template <bytes... Parts> struct virtual_devices {
  static_assert(sizeof...(Parts) > 0,
                "placement: virtual_devices is empty. Give the limit of at least one part.");
  static_assert(((Parts.value > 0) && ...),
                "placement: a virtual device has no memory. Give each part a limit above 0.");
  static constexpr int count = sizeof...(Parts);
};
/// Releases all unused memory after a failed allocation, and tries once more.
struct trim_and_retry {};

template <class> inline constexpr int starts = 0;
template <> inline constexpr int starts<whole> = 1;
template <> inline constexpr int starts<growth> = 1;
template <> inline constexpr int starts<stream_ordered> = 1;
template <class> inline constexpr int caps = 0;
template <auto... F> inline constexpr int caps<fraction<F...>> = 1;
template <> inline constexpr int caps<limit> = 1;
template <class> inline constexpr int splits = 0;
template <bytes... P> inline constexpr int splits<virtual_devices<P...>> = 1;
template <class> inline constexpr int retries = 0;
template <> inline constexpr int retries<trim_and_retry> = 1;

template <class P> concept policy = starts<P> + caps<P> + splits<P> + retries<P> == 1;

/// Several policies together. Wrong combinations do not compile. The policies are a type list, not
/// base classes, so that `growth | growth` gets the message below.
template <policy... P> struct combined {
  static_assert(
      (starts<P> + ... + 0) <= 1,
      "placement: whole, growth and stream_ordered exclude each other. Keep one of them, once.");
  static_assert(
      (splits<P> + ... + 0) <= 1,
      "placement: virtual_devices is given twice. List all parts in one virtual_devices<...>.");
  static_assert((caps<P> + ... + 0) <= 1,
                "placement: two caps on one device. Keep one of limit and fraction.");
  static_assert((caps<P> + ... + 0) == 0 || (splits<P> + ... + 0) == 0,
                "placement: a split GPU has a limit per part. Drop limit or fraction, or the "
                "virtual_devices.");
  static_assert((retries<P> + ... + 0) <= 1, "placement: trim_and_retry is given twice. Keep one.");

  growth grows{};
  double share = 0;
  bytes max{};

  constexpr void apply(growth g) { grows = g; }
  template <auto... F> constexpr void apply(fraction<F...> f) { share = f.of_total; }
  constexpr void apply(limit l) { max = l.max; }
  constexpr void apply(auto) {}
  template <class... Q> constexpr void apply(combined<Q...> const& other) {
    if constexpr ((std::is_same_v<Q, growth> || ...)) grows = other.grows;
    if (other.share != 0) share = other.share;
    if (other.max.value != 0) max = other.max;
  }
};

namespace detail {
template <class P> struct list_of {};
template <policy P> struct list_of<P> {
  using type = combined<P>;
};
template <class... P> struct list_of<combined<P...>> {
  using type = combined<P...>;
};
template <class A, class B> struct joined;
template <class... A, class... B> struct joined<combined<A...>, combined<B...>> {
  using type = combined<A..., B...>;
};
template <class P> using as_list = typename list_of<P>::type;
}  // namespace detail

/// A policy, or several joined.
template <class P> concept policies = requires { typename detail::list_of<P>::type; };

template <policies A, policies B> constexpr auto operator|(A a, B b) {
  typename detail::joined<detail::as_list<A>, detail::as_list<B>>::type c;
  c.apply(a);
  c.apply(b);
  return c;
}

/// Policies for one visible GPU; `number` is its index before any split.
template <int Number, policies P> struct for_gpu {
  static_assert(Number >= 0,
                "placement: on_gpu counts visible GPUs from 0. Use on_gpu<0> for the first.");
  detail::as_list<P> what;
};
template <int Number, policies P> constexpr for_gpu<Number, P> on_gpu(P p) {
  for_gpu<Number, P> f;
  f.what.apply(p);
  return f;
}

namespace detail {
/// The GPU that a setting of `runtime` is for: all (-1), one, or none (-2).
template <class S> inline constexpr int about = policies<S> ? -1 : -2;
template <int Number, class P> inline constexpr int about<for_gpu<Number, P>> = Number;

/// Whether each GPU, and all of them together, have policies at most once.
template <class... S> constexpr bool each_once() {
  int const gpus[] = {about<S>..., -2};
  for (std::size_t i = 0; i != sizeof...(S); ++i)
    for (std::size_t j = 0; j != i; ++j)
      if (gpus[i] != -2 && gpus[i] == gpus[j]) return false;
  return true;
}
}  // namespace detail

}}}  // namespace placement::v0_1::memory
