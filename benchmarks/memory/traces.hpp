#pragma once
/// The allocation patterns for comparisons of allocators. Each is a list of steps, the same for all
/// allocators.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace traces {

/// Allocates a slot (size > 0) or frees it (size == 0).
struct step {
  std::uint32_t slot;
  std::size_t size;
};
struct trace {
  std::vector<step> steps;
  std::size_t slots = 0;
  std::size_t peak_live = 0;  ///< in bytes, with sizes rounded up to 256
};

/// A small random number generator, so that traces are the same everywhere. Source: Steele, Lea,
/// Flood: SplitMix, 2014.
class generator {
 public:
  explicit generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  std::size_t below(std::size_t n) { return next() % n; }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// A number whose logarithm is uniformly distributed between those of `least` and `max`.
  std::size_t log_uniform(double least, double max) {
    return static_cast<std::size_t>(least * std::exp(uniform() * std::log(max / least)));
  }

 private:
  std::uint64_t state_;
};

inline std::size_t rounded(std::size_t size) { return (size + 255) / 256 * 256; }

inline void measure(trace& t) {
  std::vector<std::size_t> live(t.slots, 0);
  std::size_t sum = 0;
  for (step const& s : t.steps) {
    sum += rounded(s.size);
    sum -= s.size == 0 ? live[s.slot] : 0;
    live[s.slot] = rounded(s.size);
    if (sum > t.peak_live) t.peak_live = sum;
  }
}

/// Last in, first out: a stack that grows and shrinks at random, with sizes from 256 B to 64 MiB.
inline trace last_in_first_out(std::size_t count) {
  generator g(1);
  trace t;
  t.slots = 256;
  std::uint32_t depth = 0;
  while (t.steps.size() < count) {
    bool const push = depth == 0 || (depth != t.slots && g.below(2) == 0);
    if (push) t.steps.push_back({depth++, g.log_uniform(256, 64 << 20)});
    else t.steps.push_back({--depth, 0});
  }
  measure(t);
  return t;
}

/// Allocates a random slot if it is empty, otherwise frees it. On average half of the slots are
/// live.
inline trace random_slots(std::size_t count, double max, std::size_t slots = 2048,
                          std::uint64_t seed = 2) {
  generator g(seed);
  trace t;
  t.slots = slots;
  std::vector<bool> live(t.slots, false);
  while (t.steps.size() < count) {
    auto const slot = static_cast<std::uint32_t>(g.below(t.slots));
    t.steps.push_back({slot, live[slot] ? 0 : g.log_uniform(256, max)});
    live[slot] = !live[slot];
  }
  measure(t);
  return t;
}

/// Training: each step allocates like a forward pass and frees in reverse order. The batch size
/// varies, and with it all sizes; parameters stay allocated. About 52 MiB are live at the end of a
/// full forward pass.
inline trace training(std::size_t count, std::uint64_t seed = 3) {
  generator g(seed);
  trace t;
  std::vector<std::size_t> per_image;
  std::size_t sum = 0;
  for (int layer = 0; layer != 40; ++layer) {
    per_image.push_back(g.log_uniform(64, 64 << 10));
    sum += per_image.back();
  }
  t.slots = 2 * per_image.size();
  auto const parameters = static_cast<std::uint32_t>(per_image.size());
  std::size_t for_activations = std::size_t{52} << 20;
  for (std::uint32_t i = 0; i != parameters; ++i) {
    t.steps.push_back({parameters + i, g.log_uniform(256, 256 << 10)});
    for_activations -= t.steps.back().size;
  }
  std::size_t const full = for_activations / sum;
  while (t.steps.size() < count) {
    std::size_t const batch = full / 2 + g.below(full / 2 + 1);
    for (std::uint32_t i = 0; i != parameters; ++i) t.steps.push_back({i, per_image[i] * batch});
    for (std::uint32_t i = parameters; i != 0; --i) t.steps.push_back({i - 1, 0});
  }
  measure(t);
  return t;
}

}  // namespace traces
