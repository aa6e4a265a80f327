#pragma once
/// A reference interpreter that computes a described expression element by element, by definition.
/// It uses nothing of the library. Generated expressions are compared with its results.
///
/// Floating-point values are computed in double, each with an error bound: one rounding per
/// operation, propagated. An element that depends on an uncertain decision is not sure, and not
/// compared: for example on a comparison of two nearly equal values. Integers are exact.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace interpreter {

using index = std::ptrdiff_t;
using shape = std::vector<index>;

inline index count(shape const& s) {
  index n = 1;
  for (index k : s) n *= k;
  return n;
}

/// One element: `i` for integers and bool, otherwise `v`, which is accurate to within `error`.
struct value {
  double v = 0, error = 0;
  std::int64_t i = 0;
  bool sure = true;
};

/// Element types by letter: b bool, c int8, h uint8, i int32, u uint32, l int64, f float, d double.
inline bool is_floating(char type) { return type == 'f' || type == 'd'; }

/// The integer wrapped to an element type.
inline std::int64_t wrapped(char type, std::int64_t i) {
  switch (type) {
    case 'b': return i != 0;
    case 'c': return static_cast<std::int8_t>(i);
    case 'h': return static_cast<std::uint8_t>(i);
    case 'i': return static_cast<std::int32_t>(i);
    case 'u': return static_cast<std::uint32_t>(i);
    default: return i;
  }
}

/// The indices start, start + step, ... along one dimension.
struct positions {
  index start = 0, step = 1;
};

/// One node of the description: `op|type|extents|arguments|scope|pin|kernels`. Extents are
/// symbol numbers.
struct node {
  std::string op;
  char type = 'f';
  std::vector<int> extents;
  std::vector<std::string> arguments;
  int scope = 0;         ///< the innermost device scope around the node
  int pin = -1;          ///< the innermost on() around the node
  bool has_gpu = false;  ///< whether a GPU kernel exists for the element type
  std::vector<std::size_t> operands;
};

/// Splits a text at each separator.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    std::size_t const end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return pieces;
}

/// The number of operands of each op.
inline std::size_t arity(std::string_view op) {
  for (std::string_view none : {"leaf", "number", "iota", "fill", "values"})
    if (op == none) return 0;
  for (std::string_view two :
       {"add", "subtract", "multiply", "divide", "modulo", "maximum", "minimum", "matmul", "concat",
        "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "and", "or", "xor"})
    if (op == two) return 2;
  return op == "where" || op == "add3" || op == "clamp" ? 3 : 1;
}

/// Parses nodes in postfix order, the root last.
inline std::vector<node> parse(std::string_view text) {
  std::vector<node> all;
  std::vector<std::size_t> stack;
  for (std::string const& word : split(text, ' ')) {
    std::vector<std::string> const field = split(word, '|');
    if (field.size() != 7) throw std::logic_error("a node has 7 fields: " + word);
    node n;
    n.op = field[0];
    n.type = field[1][0];
    for (std::string const& e : split(field[2], ',')) n.extents.push_back(std::stoi(e));
    n.arguments = split(field[3], ',');
    n.scope = std::stoi(field[4]);
    n.pin = std::stoi(field[5]);
    n.has_gpu = field[6] == "g";
    std::size_t const k = arity(n.op);
    if (stack.size() < k) throw std::logic_error("too few operands: " + word);
    n.operands.assign(stack.end() - static_cast<index>(k), stack.end());
    stack.resize(stack.size() - k);
    stack.push_back(all.size());
    all.push_back(n);
  }
  if (stack.size() != 1) throw std::logic_error("one result is left: " + std::string(text));
  return all;
}

/// Computes elements of the root of a description.
class program {
 public:
  /// `extents`: the values of the symbols; `ranges`: the indices that slices select, by symbol;
  /// `leaves`: the elements of the operands.
  program(std::vector<node> const& nodes, std::vector<index> const& extents,
          std::vector<positions> const& ranges, std::vector<std::vector<value>> const& leaves)
      : nodes_(nodes),
        ranges_(ranges),
        leaves_(leaves),
        shapes_(nodes.size()),
        known_(nodes.size()),
        values_(nodes.size()) {
    for (std::size_t n = 0; n != nodes.size(); ++n) {
      for (int e : nodes[n].extents) shapes_[n].push_back(extents[static_cast<std::size_t>(e)]);
      known_[n].assign(static_cast<std::size_t>(count(shapes_[n])), false);
      values_[n].resize(known_[n].size());
    }
  }

  shape const& result_shape() const { return shapes_.back(); }
  shape const& shape_of(std::size_t n) const { return shapes_[n]; }
  value result(index element) { return at(nodes_.size() - 1, element); }

 private:
  /// Element number `e` of node n, in row-major order.
  value at(std::size_t n, index e) {
    auto const k = static_cast<std::size_t>(e);
    if (!known_[n][k]) {
      values_[n][k] = compute(n, e);
      known_[n][k] = true;
    }
    return values_[n][k];
  }

  shape coordinates(std::size_t n, index e) const {
    shape c(shapes_[n].size());
    for (std::size_t d = c.size(); d-- > 0;) {
      c[d] = e % shapes_[n][d];
      e /= shapes_[n][d];
    }
    return c;
  }
  index number(std::size_t n, shape const& c) const {
    index e = 0;
    for (std::size_t d = 0; d != c.size(); ++d) e = e * shapes_[n][d] + c[d];
    return e;
  }
  /// The element of a broadcast operand at these coordinates.
  value broadcast(std::size_t n, shape const& c) {
    shape own(shapes_[n].size());
    for (std::size_t d = 0; d != own.size(); ++d)
      own[d] = shapes_[n][d] == 1 ? 0 : c[d + c.size() - own.size()];
    return at(n, number(n, own));
  }
  std::size_t axis_of(node const& n, std::size_t rank) const {
    int const a = std::stoi(n.arguments[0]);
    return static_cast<std::size_t>(a < 0 ? a + static_cast<int>(rank) : a);
  }

  static double rounding(char type) { return type == 'f' ? 0x1p-24 : 0x1p-52; }

  /// A floating-point result that may differ from v by `error` before it is rounded to its type. |
  /// `finite`: whether all inputs are finite.
  static value rounded(char type, double v, double error, bool sure, bool finite = true,
                       double roundings = 1) {
    value r;
    r.v = v;
    r.sure = sure;
    r.error = 0;
    if (!finite) return r;  // infinities and NaN follow rules instead of error bounds
    r.error =
        error + roundings * rounding(type) * std::fabs(v) + (type == 'f' ? 0x1p-148 : 0x1p-1073);
    double const max = type == 'f' ? 1e37 : 1e306;
    if (!(std::fabs(v) + r.error < max)) r.sure = false;
    return r;
  }
  static bool ordinary(value const& x) { return std::isfinite(x.v); }
  /// Whether the error bound of x includes zero.
  static bool sign_unsure(value const& x) { return x.error > 0 && std::fabs(x.v) <= x.error; }

  static value integer(std::int64_t i, bool sure = true) {
    value r;
    r.i = i;
    r.sure = sure;
    return r;
  }

  /// f(x) for an f that is monotonic around x.
  template <class F> static value monotonic(char type, value const& x, F f, double roundings) {
    double const v = f(x.v);
    if (!ordinary(x)) return rounded(type, v, 0, x.sure, false);
    if (!std::isfinite(v)) return rounded(type, v, 0, x.sure && x.error == 0, false);
    double const low = f(x.v - x.error), high = f(x.v + x.error);
    bool const inside = std::isfinite(low) && std::isfinite(high);
    return rounded(type, v, inside ? std::fmax(std::fabs(low - v), std::fabs(high - v)) : 0,
                   x.sure && inside, true, roundings);
  }
  /// f(x) for an f that is constant between jumps.
  template <class F> static value stepwise(char type, value const& x, F f) {
    value r = rounded(type, f(x.v), 0, x.sure, false);
    if (ordinary(x) && f(x.v - x.error) != f(x.v + x.error)) r.sure = false;
    return r;
  }

  static value arithmetic(std::string_view op, char type, value const& x, value const& y) {
    bool const sure = x.sure && y.sure;
    if (!is_floating(type)) {
      auto const a = static_cast<std::uint64_t>(x.i), b = static_cast<std::uint64_t>(y.i);
      if (op == "add") return integer(wrapped(type, static_cast<std::int64_t>(a + b)), sure);
      if (op == "subtract") return integer(wrapped(type, static_cast<std::int64_t>(a - b)), sure);
      if (op == "multiply") return integer(wrapped(type, static_cast<std::int64_t>(a * b)), sure);
      if (op == "maximum") return integer(x.i > y.i ? x.i : y.i, sure);
      if (op == "minimum") return integer(x.i < y.i ? x.i : y.i, sure);
      if (op == "divide") {
        if (y.i == 0) return integer(0, sure);
        if (y.i == -1) return integer(wrapped(type, static_cast<std::int64_t>(0 - a)), sure);
        return integer(wrapped(type, x.i / y.i), sure);
      }
      if (op == "modulo") return integer(y.i == 0 || y.i == -1 ? 0 : x.i % y.i, sure);
    }
    bool const finite = ordinary(x) && ordinary(y);
    bool const clear = sure && (finite || (!sign_unsure(x) && !sign_unsure(y)));
    if (op == "add") return rounded(type, x.v + y.v, x.error + y.error, clear, finite);
    if (op == "subtract") return rounded(type, x.v - y.v, x.error + y.error, clear, finite);
    if (op == "multiply")
      return rounded(type, x.v * y.v,
                     std::fabs(x.v) * y.error + std::fabs(y.v) * x.error + x.error * y.error, clear,
                     finite);
    if (op == "divide") {
      if (finite && y.v == 0 && y.error == 0)
        return rounded(type, x.v / y.v, 0, sure && !sign_unsure(x), false);
      if (finite && std::fabs(y.v) <= y.error) return rounded(type, 0, 0, false);
      double const v = x.v / y.v;
      return rounded(type, v, (x.error + std::fabs(v) * y.error) / (std::fabs(y.v) - y.error),
                     clear, finite);
    }
    bool const nan = std::isnan(x.v) || std::isnan(y.v);
    double const larger = x.v > y.v ? x.v : y.v, smaller = x.v < y.v ? x.v : y.v;
    double const v = nan ? x.v + y.v : op == "maximum" ? larger : smaller;
    value r;
    r.v = v;
    r.error = std::isfinite(v) ? std::fmax(x.error, y.error) : 0;
    r.sure = sure;
    return r;
  }

  static value comparison(std::string_view op, char type, value const& x, value const& y) {
    bool sure = x.sure && y.sure, less = x.i<y.i, greater = x.i> y.i, equal = x.i == y.i;
    if (is_floating(type)) {
      less = x.v<y.v, greater = x.v> y.v, equal = x.v == y.v;
      double const doubt = x.error + y.error;
      if (ordinary(x) && ordinary(y) && doubt > 0 && std::fabs(x.v - y.v) <= doubt) sure = false;
    }
    bool const r = op == "equal"        ? equal
                   : op == "not_equal"  ? !equal
                   : op == "less"       ? less
                   : op == "less_equal" ? less || equal
                   : op == "greater"    ? greater
                                        : greater || equal;
    return integer(r, sure);
  }

  static value cast(char to, char from, value const& x) {
    if (is_floating(to) && is_floating(from)) return rounded(to, x.v, x.error, x.sure, ordinary(x));
    if (is_floating(to)) return rounded(to, static_cast<double>(x.i), 0, x.sure);
    if (!is_floating(from)) return integer(wrapped(to, x.i), x.sure);
    auto whole = [to](double v) -> std::int64_t {
      if (std::isnan(v)) return to == 'b' ? 1 : 0;
      if (to == 'b') return v != 0;
      double const low = to == 'c' ? -128.0 : to == 'i' ? -0x1p31 : to == 'l' ? -0x1p63 : 0.0;
      double const above = to == 'c'   ? 128.0
                           : to == 'h' ? 256.0
                           : to == 'i' ? 0x1p31
                           : to == 'u' ? 0x1p32
                                       : 0x1p63;
      if (v >= above)
        return to == 'l' ? std::numeric_limits<std::int64_t>::max()
                         : static_cast<std::int64_t>(above) - 1;
      return static_cast<std::int64_t>(v <= low ? low : v);
    };
    bool const clear =
        !ordinary(x) || x.error == 0 ||
        (whole(x.v - x.error) == whole(x.v + x.error) && (to != 'b' || std::fabs(x.v) > x.error));
    return integer(whole(x.v), x.sure && clear);
  }

  static value unary(std::string_view op, char type, char from, value const& x) {
    if (op == "on" || op == "careful") return x;
    if (op == "cast") return cast(type, from, x);
    if (op == "not") return integer(x.i == 0, x.sure);
    if (op == "square") return arithmetic("multiply", type, x, x);
    if (op == "host_twice") return arithmetic("add", type, x, x);
    if (op == "negative")
      return is_floating(type) ? rounded_negative(x) : arithmetic("subtract", type, integer(0), x);
    if (op == "relu" || op == "abs") {
      value zero;
      if (op == "relu") return arithmetic("maximum", type, x, zero);
      if (!is_floating(type)) return x.i < 0 ? arithmetic("subtract", type, zero, x) : x;
      value r = x;
      r.v = std::fabs(x.v);
      return r;
    }
    if (op == "exp") return monotonic(type, x, [](double v) { return std::exp(v); }, 4);
    if (op == "tanh") return monotonic(type, x, [](double v) { return std::tanh(v); }, 8);
    if (op == "sigmoid")
      return monotonic(type, x, [](double v) { return 1 / (1 + std::exp(-v)); }, 8);
    if (op == "sqrt") return monotonic(type, x, [](double v) { return std::sqrt(v); }, 4);
    if (op == "floor") return stepwise(type, x, [](double v) { return std::floor(v); });
    throw std::logic_error("no such op: " + std::string(op));
  }
  static value rounded_negative(value const& x) {
    value r = x;
    r.v = -x.v;
    return r;
  }

  /// All elements that a reduction combines into the element at coordinates c, in order.
  std::vector<value> folded(node const& n, shape c) {
    std::size_t const x = n.operands[0];
    std::vector<value> all;
    if (n.arguments[0] == "*") {
      for (index e = 0; e != count(shapes_[x]); ++e) all.push_back(at(x, e));
    } else {
      std::size_t const a = axis_of(n, shapes_[x].size());
      c.insert(c.begin() + static_cast<index>(a), 0);
      for (c[a] = 0; c[a] != shapes_[x][a]; ++c[a]) all.push_back(at(x, number(x, c)));
    }
    return all;
  }

  /// The sum of elements with its error bound, as sum and cumsum accumulate it.
  static value total(char type, std::vector<value> const& all, char from) {
    double v = 0, error = 0, size = 0;
    std::uint64_t i = 0;
    bool sure = true, finite = true;
    for (value const& x : all) {
      double const e = is_floating(from) ? x.v : static_cast<double>(x.i);
      v += e;
      error += x.error;
      size += std::fabs(e);
      i += static_cast<std::uint64_t>(x.i);
      sure = sure && x.sure;
      finite = finite && std::isfinite(x.v);
    }
    if (!is_floating(type)) return integer(static_cast<std::int64_t>(i), sure);
    if (from == 'f' && all.size() >= 8) {  // up to eight of them may be added in float
      error += 7 * 0x1p-24 * size;
      sure = sure && (!finite || size < 0x1p127);
    }
    return rounded(type, v, error + static_cast<double>(all.size()) * 0x1p-52 * size, sure, finite);
  }

  value reduced(node const& n, shape const& c) {
    char const from = nodes_[n.operands[0]].type;
    std::vector<value> const all = folded(n, c);
    bool sure = true;
    for (value const& x : all) sure = sure && x.sure;
    if (n.op == "sum" || n.op == "host_total") return total(n.type, all, from);
    if (n.op == "mean") {
      if (all.empty()) return rounded(n.type, std::nan(""), 0, true, false);
      value r = total('d', all, from);
      value size;
      size.v = static_cast<double>(all.size());
      r = arithmetic("divide", 'd', r, size);
      return rounded(n.type, r.v, r.error, r.sure, ordinary(r));
    }
    if (n.op == "prod") {
      char const carried = is_floating(n.type) ? 'd' : 'l';
      value r = is_floating(n.type) ? rounded('d', 1, 0, true, false) : integer(1);
      for (value const& x : all) r = arithmetic("multiply", carried, r, x);
      return is_floating(n.type) ? rounded(n.type, r.v, r.error, r.sure, ordinary(r)) : r;
    }
    if (n.op == "max" || n.op == "min") {
      value r = all.front();
      for (value const& x : all) r = arithmetic(n.op == "max" ? "maximum" : "minimum", from, r, x);
      return r;
    }
    if (n.op == "argmax") {
      std::int64_t best = 0;
      auto v = [&](std::int64_t k) {
        return is_floating(from) ? all[static_cast<std::size_t>(k)].v : 0.0;
      };
      auto i = [&](std::int64_t k) { return all[static_cast<std::size_t>(k)].i; };
      for (std::int64_t k = 1; k != static_cast<std::int64_t>(all.size()); ++k)
        if (!std::isnan(v(best)) && (std::isnan(v(k)) || v(k) > v(best) || i(k) > i(best)))
          best = k;
      for (std::int64_t k = 0; k != static_cast<std::int64_t>(all.size()); ++k) {
        double const doubt =
            all[static_cast<std::size_t>(k)].error + all[static_cast<std::size_t>(best)].error;
        if (k != best && doubt > 0 && std::fabs(v(k) - v(best)) <= doubt) sure = false;
      }
      return integer(best, sure);
    }
    if (n.op == "any" || n.op == "all") {
      std::int64_t const settles = n.op == "any" ? 1 : 0;
      for (value const& x : all)
        if (x.sure && x.i == settles) return integer(settles);
      return integer(1 - settles, sure);
    }
    std::int64_t found = 0;  // count_nonzero
    for (value const& x : all) {
      found += is_floating(from) ? x.v != 0 : x.i != 0;
      if (is_floating(from) && sign_unsure(x)) sure = false;
    }
    return integer(found, sure);
  }

  value product(node const& n, shape const& c) {
    std::size_t const a = n.operands[0], b = n.operands[1];
    index const depth = shapes_[a].back();
    std::size_t const R = c.size();
    auto element = [&](std::size_t x, index row, index column) {
      shape own(shapes_[x].size());
      std::size_t const r = own.size();
      for (std::size_t d = 0; d + 2 < r; ++d) own[d] = shapes_[x][d] == 1 ? 0 : c[d + R - r];
      own[r - 2] = row;
      own[r - 1] = column;
      return at(x, number(x, own));
    };
    value sum = is_floating(n.type) ? rounded(n.type, 0, 0, true, false) : integer(0);
    double size = 0;
    for (index k = 0; k != depth; ++k) {
      value const p =
          arithmetic("multiply", n.type, element(a, c[R - 2], k), element(b, k, c[R - 1]));
      size += std::fabs(p.v);
      if (is_floating(n.type)) {
        sum.error += p.error;
        sum.v += p.v;
        sum.sure = sum.sure && p.sure;
      } else {
        sum = arithmetic("add", n.type, sum, p);
      }
    }
    if (!is_floating(n.type)) return sum;
    return rounded(n.type, sum.v, sum.error + static_cast<double>(depth) * rounding(n.type) * size,
                   sum.sure, std::isfinite(sum.v));
  }

  /// softmax: exp(x) / sum(exp(x)) along the last dimension.
  value share(node const& n, shape c) {
    std::size_t const x = n.operands[0];
    shape mine = c;
    double max = -std::numeric_limits<double>::infinity(), least = -max, error = 0, sum = 0;
    bool sure = true, nan = false, above = false;
    for (c.back() = 0; c.back() != shapes_[x].back(); ++c.back()) {
      value const v = at(x, number(x, c));
      max = std::fmax(max, v.v);
      if (std::isfinite(v.v)) least = std::fmin(least, v.v);
      error = std::fmax(error, v.error);
      sure = sure && v.sure;
      nan = nan || std::isnan(v.v);
      above = above || (std::isinf(v.v) && v.v > 0);
    }
    if (nan || above || std::isinf(max)) return rounded(n.type, std::nan(""), 0, sure, false);
    for (c.back() = 0; c.back() != shapes_[x].back(); ++c.back())
      sum += std::exp(at(x, number(x, c)).v - max);
    double const v = std::exp(at(x, number(x, mine)).v - max) / sum;
    double const relative =
        std::expm1(2 * (error + rounding(n.type) * (max - least))) + 16 * rounding(n.type);
    value r = rounded(n.type, v, v * relative, sure && std::isfinite(relative));
    r.error += n.type == 'f' ? 0x1p-120 : 0x1p-1000;  // tails may flush to 0 differently
    return r;
  }

  value sorted(node const& n, shape c) {
    std::size_t const x = n.operands[0], a = axis_of(n, c.size());
    bool const down = n.arguments[1] == "down";
    std::vector<value> line;
    double error = 0;
    bool sure = true;
    index const mine = c[a];
    for (c[a] = 0; c[a] != shapes_[x][a]; ++c[a]) {
      line.push_back(at(x, number(x, c)));
      error = std::fmax(error, line.back().error);
      sure = sure && line.back().sure;
    }
    auto before = [&](value const& p, value const& q) {
      if (!is_floating(n.type)) return down ? p.i > q.i : p.i < q.i;
      return std::isnan(p.v) ? false : std::isnan(q.v) || (down ? p.v > q.v : p.v < q.v);
    };
    for (index rank = 0; rank != static_cast<index>(line.size());
         ++rank) {  // finds the element that exactly `mine` others precede
      index ahead = 0;
      for (index k = 0; k != static_cast<index>(line.size()); ++k) {
        value const &p = line[static_cast<std::size_t>(k)],
                    &q = line[static_cast<std::size_t>(rank)];
        if (before(p, q) || (!before(q, p) && k < rank)) ++ahead;
      }
      if (ahead != mine) continue;
      value r = line[static_cast<std::size_t>(rank)];
      r.error = std::isfinite(r.v) ? error : 0;
      r.sure = sure;
      return r;
    }
    throw std::logic_error("a line without an order");
  }

  value compute(std::size_t k, index e) {
    node const& n = nodes_[k];
    shape c = coordinates(k, e);
    auto operand = [&](std::size_t i) { return n.operands[i]; };
    if (n.op == "leaf")
      return leaves_[static_cast<std::size_t>(std::stoi(n.arguments[0]))]
                    [static_cast<std::size_t>(e)];
    if (n.op == "number" || n.op == "fill" || n.op == "values") {
      std::size_t const written = n.op == "values" ? static_cast<std::size_t>(e) : 0;
      double const v = std::strtod(n.arguments[written].c_str(), nullptr);
      return is_floating(n.type) ? rounded(n.type, v, 0, true, false)
                                 : integer(wrapped(n.type, static_cast<std::int64_t>(v)));
    }
    if (n.op == "iota") {
      double const start = std::strtod(n.arguments[0].c_str(), nullptr),
                   step = std::strtod(n.arguments[1].c_str(), nullptr);
      double const v = start + static_cast<double>(e) * step;
      return is_floating(n.type) ? rounded(n.type, v, rounding(n.type) * std::fabs(v - start), true)
                                 : integer(wrapped(n.type, static_cast<std::int64_t>(v)));
    }
    if (n.op == "matmul") return product(n, c);
    if (n.op == "softmax") return share(n, c);
    if (n.op == "sort") return sorted(n, c);
    for (std::string_view reduce : {"sum", "host_total", "mean", "prod", "max", "min", "argmax",
                                    "any", "all", "count_nonzero"})
      if (n.op == reduce) return reduced(n, c);
    if (n.op == "cumsum") {
      std::size_t const a = axis_of(n, c.size());
      std::vector<value> all;
      index const last = c[a];
      for (c[a] = 0; c[a] <= last; ++c[a]) all.push_back(at(operand(0), number(operand(0), c)));
      return total(n.type, all, nodes_[operand(0)].type);
    }
    if (n.op == "concat") {
      std::size_t const a = axis_of(n, c.size());
      index const first = shapes_[operand(0)][a];
      bool const left = c[a] < first;
      if (!left) c[a] -= first;
      return at(operand(left ? 0 : 1), number(operand(left ? 0 : 1), c));
    }
    if (n.op == "host_flip") return at(operand(0), count(shapes_[k]) - 1 - e);
    if (n.op == "reshape") return at(operand(0), e);
    if (n.op == "broadcast_to") return broadcast(operand(0), c);
    if (n.op == "permute") {
      shape own(c.size());
      for (std::size_t d = 0; d != c.size(); ++d)
        own[static_cast<std::size_t>(std::stoi(n.arguments[d]))] = c[d];
      return at(operand(0), number(operand(0), own));
    }
    if (n.op == "slice") {
      for (std::size_t d = 0; d != c.size(); ++d) {
        int const range = std::stoi(n.arguments[d]);
        if (range < 0) continue;
        positions const p = ranges_[static_cast<std::size_t>(range)];
        c[d] = p.start + c[d] * p.step;
      }
      return at(operand(0), number(operand(0), c));
    }
    if (n.op == "reverse") {
      std::size_t const a = axis_of(n, c.size());
      c[a] = shapes_[k][a] - 1 - c[a];
      return at(operand(0), number(operand(0), c));
    }
    if (n.op == "diagonal") {
      c.push_back(c.back());
      return at(operand(0), number(operand(0), c));
    }
    if (n.op == "squeeze" || n.op == "expand_dims") {
      bool const less = n.op == "squeeze";
      std::size_t const a = axis_of(n, less ? c.size() + 1 : c.size());
      if (less) c.insert(c.begin() + static_cast<index>(a), 0);
      else c.erase(c.begin() + static_cast<index>(a));
      return at(operand(0), number(operand(0), c));
    }
    if (n.op == "where") {
      value const condition = broadcast(operand(0), c);
      value r = condition.i != 0 ? broadcast(operand(1), c) : broadcast(operand(2), c);
      r.sure = r.sure && condition.sure;
      return r;
    }
    if (n.op == "add3")
      return arithmetic(
          "add", n.type,
          arithmetic("add", n.type, broadcast(operand(0), c), broadcast(operand(1), c)),
          broadcast(operand(2), c));
    if (n.op == "clamp")
      return arithmetic(
          "minimum", n.type,
          arithmetic("maximum", n.type, broadcast(operand(0), c), broadcast(operand(1), c)),
          broadcast(operand(2), c));
    if (n.operands.size() == 2) {
      value const x = broadcast(operand(0), c), y = broadcast(operand(1), c);
      if (n.op == "and") return integer(x.i & y.i, x.sure && y.sure);
      if (n.op == "or") return integer(x.i | y.i, x.sure && y.sure);
      if (n.op == "xor") return integer(x.i ^ y.i, x.sure && y.sure);
      char const from = nodes_[operand(0)].type;
      for (std::string_view one :
           {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
        if (n.op == one) return comparison(n.op, from, x, y);
      return arithmetic(n.op, n.type, x, y);
    }
    return unary(n.op, n.type, nodes_[operand(0)].type, broadcast(operand(0), c));
  }

  std::vector<node> const& nodes_;
  std::vector<positions> const& ranges_;
  std::vector<std::vector<value>> const& leaves_;
  std::vector<shape> shapes_;
  std::vector<std::vector<bool>> known_;
  std::vector<std::vector<value>> values_;
};

}  // namespace interpreter
