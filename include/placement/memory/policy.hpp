#pragma once
/// How much of a GPU a program may take, and when: policies as types, joined with `|`.
///
///     pl::runtime rt{pl::memory::growth{} | pl::memory::limit{512_MiB}};

#include <placement/memory/bytes.hpp>

#include <type_traits>

namespace placement::inline v0_1::memory {

/// The whole limit at first use, as TensorFlow does by default.
struct whole {};
/// Starts small and doubles on need, up to the limit. The default.
struct growth {};
/// The limit as a share of each GPU's memory: 0 < of_total <= 1.
struct fraction {
  double of_total;
};
/// The limit in bytes, for each logical GPU.
struct limit {
  bytes most;
};
/// The first visible GPU as several logical ones, each with its limit.
template <bytes... Parts> struct virtual_devices {
  static_assert(sizeof...(Parts) > 0,
                "placement: virtual_devices is empty. Give the limit of at least one part.");
  static_assert(((Parts.value > 0) && ...),
                "placement: a virtual device has no memory. Give each part a limit above 0.");
  static constexpr int count = sizeof...(Parts);
};

template <class> inline constexpr int starts = 0;
template <> inline constexpr int starts<whole> = 1;
template <> inline constexpr int starts<growth> = 1;
template <class> inline constexpr int caps = 0;
template <> inline constexpr int caps<fraction> = 1;
template <> inline constexpr int caps<limit> = 1;
template <class> inline constexpr int splits = 0;
template <bytes... P> inline constexpr int splits<virtual_devices<P...>> = 1;

template <class P> concept policy = starts<P> + caps<P> + splits<P> == 1;

/// Several policies together. Wrong combinations do not compile. A list, not bases: `growth |
/// growth` gets its sentence.
template <policy... P> struct combined {
  static_assert((starts<P> + ... + 0) <= 1,
                "placement: whole and growth exclude each other. Keep one of them, once.");
  static_assert(
      (splits<P> + ... + 0) <= 1,
      "placement: virtual_devices is given twice. List all parts in one virtual_devices<...>.");
  static_assert((caps<P> + ... + 0) <= 1,
                "placement: two caps on one device. Keep one of limit and fraction.");
  static_assert(
      (caps<P> + ... + 0) == 0 || (splits<P> + ... + 0) == 0,
      "placement: a split GPU has a limit per part. Drop limit or fraction, or the virtual_devices.");

  fraction share{1.0};
  limit most{};

  constexpr void take(fraction f) { share = f; }
  constexpr void take(limit l) { most = l; }
  constexpr void take(auto) {}
};

template <policy A, policy B> constexpr auto operator|(A a, B b) {
  combined<A, B> c;
  c.take(a);
  c.take(b);
  return c;
}
template <policy... A, policy B> constexpr auto operator|(combined<A...> a, B b) {
  combined<A..., B> c;
  c.share = a.share;
  c.most = a.most;
  c.take(b);
  return c;
}

}  // namespace placement::inline v0_1::memory
