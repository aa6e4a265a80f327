#pragma once
/// Two results that share a subexpression: q = (a + b) * (a + b), s = q * c, d = q - c.

#include <row.hpp>

namespace bench {

/// Bytes that each element moves and occupies.
template <class T> void note_two_outputs(benchmark::State& state) {
  note_bytes(state, size_of(state), 5 * sizeof(T), 5 * sizeof(T));
}
template <template <class> class Side> struct two_outputs_rows {
  two_outputs_rows() {
    add<Side<float>>("two_outputs_f32/");
    add<Side<double>>("two_outputs_f64/");
  }
  template <class S> static void add(char const* work) {
    row(std::string(work) + S::name, S::run, 1 << 9, 1 << 23, 4);
  }
};

}  // namespace bench
