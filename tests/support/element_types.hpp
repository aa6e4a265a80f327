#pragma once
/// Lists of element types, with fewer types each day than in nightly runs.

#include <cstdint>
#include <type_traits>

/// A type list. each() calls a function once per type: `each<integers>([]<class T> { ... })`.
template <class... T> struct types {};

/// The types of nightly runs, and those of other runs: each adds to the time to compile.
#ifdef PLACEMENT_EVERY_COMBINATION
template <class Nightly, class Daily> using types_of_run = Nightly;
#else
template <class Nightly, class Daily> using types_of_run = Daily;
#endif
using integers = types_of_run<types<std::int8_t, int, std::int64_t, std::uint8_t, unsigned>,
                              types<std::int8_t, std::int64_t, unsigned>>;
using floats = types<float, double>;
using numbers =
    types_of_run<types<std::int8_t, int, std::int64_t, std::uint8_t, unsigned, float, double>,
                 types<std::int8_t, std::int64_t, unsigned, float, double>>;
using elements =
    types_of_run<types<bool, std::int8_t, int, std::int64_t, std::uint8_t, unsigned, float, double>,
                 types<bool, std::int8_t, std::int64_t, unsigned, float, double>>;

/// For ops that move elements and do not compute with them: each day one type of each size.
using moved_elements = types_of_run<elements, types<bool, float, std::int64_t>>;
/// For ops whose code depends on the sign alone, as that of comparisons.
using ordered_elements = types_of_run<elements, types<bool, std::int8_t, unsigned, float>>;

/// For ops whose gradients are tested in double each day, with their values.
using evaluated_floats = types_of_run<floats, types<float>>;

namespace detail {
template <class... T, class F> void each_of(types<T...>, F f) { (f.template operator()<T>(), ...); }
}  // namespace detail
template <class List, class F> void each(F f) { detail::each_of(List{}, f); }

/// Whether check_unary and the like evaluate expressions of T. For other types they call the ops
/// with one number after the other: an evaluation has four times as many functions.
/// tests/ops/packs.cpp has the ops on packs of each width each day, too.
template <class T>
inline constexpr bool is_evaluated = types_of_run<
    std::true_type,
    std::bool_constant<std::is_same_v<T, bool> || std::is_same_v<T, std::int8_t> ||
                       std::is_same_v<T, std::uint64_t> || std::is_same_v<T, float>>>::value;
