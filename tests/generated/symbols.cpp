// Random values for the symbols of a generated expression.
#include <generated/symbols.hpp>

#include <algorithm>
#include <stdexcept>
#include <tuple>

using namespace placement;

namespace generated {

range written(dice& d, interpreter::positions p, index_t count, index_t n) {
  range r;
  r.step = p.step;
  auto from_end = [&](index_t i) { return d.one_in(3) ? i - n : i; };
  index_t const size = p.step > 0 ? p.step : -p.step;
  if (count == 0) {  // ends where it begins
    r.first = n == 0 ? 0 : from_end(p.start < 0 ? 0 : p.start >= n ? n - 1 : p.start);
    r.last = r.first;
    return r;
  }
  if (p.step > 0) {
    r.first =
        p.start == 0 && d.one_in(2) ? (d.one_in(2) ? range::open : -n - 3) : from_end(p.start);
    index_t const end = p.start + (count - 1) * size + 1 + d.below(static_cast<int>(size));
    r.last = end >= n ? (d.one_in(2) ? range::open : n + d.below(3)) : from_end(end);
  } else {
    r.first =
        p.start == n - 1 && d.one_in(2) ? (d.one_in(2) ? range::open : n + 3) : from_end(p.start);
    index_t const end = p.start - (count - 1) * size - 1 - d.below(static_cast<int>(size));
    r.last = end < 0 ? (d.one_in(2) ? range::open : -n - 1 - d.below(3)) : from_end(end);
  }
  return r;
}

std::pair<interpreter::positions, index_t> any_positions(dice& d, index_t count) {
  constexpr index_t steps[] = {1, 1, 2, 3, -1, -1, -2};
  index_t const step = d.pick(steps);
  if (count == 0) {
    index_t const n = d.below(4);
    return {{step > 0 ? 0 : n - 1, step}, n};
  }
  index_t const before = d.below(3), after = d.below(3);
  index_t const n = 1 + (count - 1) * (step > 0 ? step : -step) + before + after;
  return {{step > 0 ? before : n - 1 - before, step}, n};
}

drawn_symbols draw_symbols(std::string_view symbols, dice& d) {
  drawn_symbols all;
  int const style = d.below(8);
  auto any = [&](bool some) -> index_t {
    if (style == 0) return d.one_in(3) ? d.between(60, 270) : d.between(1, 3);
    if (style == 1) return d.between(1, 12);
    if (style == 2) return d.between(some ? 1 : 0, 2);
    return !some && d.one_in(10) ? 0 : d.between(1, 5);
  };
  for (std::string const& kind : interpreter::split(symbols, ' ')) {
    std::vector<index_t> of;
    for (std::string const& i : interpreter::split(std::string_view(kind).substr(1), ','))
      of.push_back(std::stoi(i));
    auto of_value = [&](std::size_t i) { return all.extents[static_cast<std::size_t>(of[i])]; };
    index_t n = 0;
    interpreter::positions p;
    index_t count = -1;
    switch (kind[0]) {
      case 'n': n = any(false); break;
      case 'N': n = any(true); break;
      case 'k': n = of[0]; break;
      case 'm': n = d.one_in(2) ? 1 : of_value(0); break;
      case '*': n = of_value(0) * of_value(1); break;
      case '/': {
        std::vector<index_t> divisors;
        for (index_t i = 1; i <= of_value(0); ++i)
          if (of_value(0) % i == 0) divisors.push_back(i);
        n = divisors.empty()
                ? d.between(1, 3)
                : divisors[static_cast<std::size_t>(d.below(static_cast<int>(divisors.size())))];
        break;
      }
      case 'q': n = of_value(0) / of_value(1); break;
      case '<': n = d.below(static_cast<int>(of_value(0)) + 1); break;
      case '-': n = of_value(0) - of_value(1); break;
      case '+': n = of_value(0) + d.below(3); break;
      case 's': {
        count = of_value(0);
        std::tie(p, n) = any_positions(d, count);
        break;
      }
      case 'S': {
        n = of[0];
        p = {of[1], of[2]};
        count = of[3];
        break;
      }
      default: throw std::logic_error("no such symbol: " + kind);
    }
    all.extents.push_back(n);
    all.positions.push_back(p);
    all.ranges.push_back(count < 0 ? range{} : written(d, p, count, n));
  }
  return all;
}

}  // namespace generated
