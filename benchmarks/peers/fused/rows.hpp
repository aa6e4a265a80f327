#pragma once
/// One pass over arrays of one length:
///   chain: out = (a + b) * c - a / b      axpy: y = x * s + y      triad: out = a + b * s
///   triad_borrowed: the same in memory of a std::vector, which is the caller's

#include <row.hpp>

namespace bench {

inline constexpr double factor = 0.25;

template <class T> inline constexpr char const* type_name = sizeof(T) == 4 ? "_f32" : "_f64";

/// Bytes that each element moves and occupies.
template <class T> void note_chain(benchmark::State& state) {
  note_bytes(state, size_of(state), 4 * sizeof(T), 4 * sizeof(T));
}
template <class T> void note_axpy(benchmark::State& state) {
  note_bytes(state, size_of(state), 3 * sizeof(T), 2 * sizeof(T));
}
template <class T> void note_triad(benchmark::State& state) {
  note_bytes(state, size_of(state), 3 * sizeof(T), 3 * sizeof(T));
}

/// The rows of a side for one type. Side: a template with `name`, `chain`, `axpy`, `triad`, and
/// maybe `triad_borrowed`.
template <class Side, class T> void register_fused() {
  auto const add = [](char const* work, void (*run)(benchmark::State&)) {
    row(std::string(work) + type_name<T> + "/" + Side::name, run, 1 << 9, 1 << 23, 4);
  };
  add("chain", Side::chain);
  add("axpy", Side::axpy);
  add("triad", Side::triad);
  if constexpr (requires { Side::triad_borrowed; }) add("triad_borrowed", Side::triad_borrowed);
}
template <template <class> class Side> struct fused_rows {
  fused_rows() {
    register_fused<Side<float>, float>();
    register_fused<Side<double>, double>();
  }
};

}  // namespace bench
